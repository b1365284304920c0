//! Parses and type-checks CEL rules like the Kubernetes API server, and estimates their costs.
//!
//! The API server rejects a CustomResourceDefinition if a rule in it does not compile or costs too much. This crate finds these errors
//! without a server. They have the server's text, and additional advice:
//!
//! ```text
//! rule -- lex, parse, macros --> Ast -- check --> Checked --> instantiate, max_cost
//!                                        ^ Environment: the functions of a version of Kubernetes
//!                                        ^ Scope: variables, and declared types with their sizes
//! ```
//!
//! This crate does not know schemas: the caller declares the types of variables with `Declarations`.
//!
//! ```
//! # fn main() -> Result<(), crd_cel::Issues> {
//! # #[cfg(feature = "check")] {
//! use crd_cel::{Declarations, Declared, Environment, Scope, Shape, Variable};
//!
//! let mut declarations = Declarations::default();
//! let item = declarations.add(Declared { shape: Shape::String, max_elements: 4 * 63, min_serialized_size: 2 });
//! let list = declarations.add(Declared { shape: Shape::List(item), max_elements: 16, min_serialized_size: 2 });
//! let fields = vec![("names".into(), list)];
//! let object = declarations.add(Declared { shape: Shape::Object(fields), max_elements: 0, min_serialized_size: 2 });
//!
//! let variables = [("self", Variable::Declared(object))];
//! let scope = Scope::new(&declarations, object, &variables);
//! let checked = Environment::default().compile("self.names.all(n, n.startsWith('a'))", &scope)?;
//! assert_eq!((checked.result_type().as_str(), checked.max_cost()), ("bool", 83));
//!
//! let issues = Environment::default().compile("self.name == []", &scope).unwrap_err();
//! assert_eq!(issues.to_string(), "ERROR: <input>:1:5: undefined field 'name'\n | self.name == []\n | ....^");
//! assert_eq!(issues.as_slice()[0].help.as_deref(), Some("did you mean `names`?"));
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! Without features, the crate can only split rules into tokens ([`mentions`]). The feature `parse` adds the parser. `check`, which is on
//! by default, adds types and costs. `rewrite` finds cheaper equivalents for rules, and `eval` adds the evaluator.
#![forbid(unsafe_code)]

#[cfg(feature = "parse")]
pub mod ast;
#[cfg(feature = "eval")]
pub mod eval;
#[cfg_attr(not(feature = "parse"), allow(dead_code, reason = "tokens alone are asked for"))]
mod issue;
#[cfg_attr(not(feature = "parse"), allow(dead_code, reason = "tokens alone are asked for"))]
mod lex;
#[cfg(feature = "parse")]
mod literal;
#[cfg(feature = "parse")]
mod macros;
mod mentions;
#[cfg(feature = "parse")]
mod operator;
#[cfg(feature = "parse")]
mod parse;
#[cfg(feature = "parse")]
mod recover;
#[cfg(feature = "rewrite")]
mod rewrite;
#[cfg(feature = "parse")]
mod syntax;

#[cfg(feature = "check")]
mod check;
#[cfg(feature = "check")]
mod checked;
#[cfg(feature = "check")]
mod cost;
#[cfg(feature = "check")]
mod cursor;
#[cfg(feature = "check")]
mod declare;
#[cfg(feature = "check")]
mod declared;
#[cfg(feature = "check")]
mod env;
#[cfg(feature = "check")]
mod errors;
#[cfg(feature = "check")]
mod faults;
#[cfg(feature = "check")]
mod field_names;
#[cfg(feature = "check")]
mod format;
#[cfg(feature = "check")]
mod functions;
#[cfg(feature = "check")]
mod help;
#[cfg(feature = "check")]
mod instantiate;
#[cfg(feature = "check")]
mod introduced;
#[cfg(feature = "check")]
mod names;
#[cfg(feature = "check")]
mod types;
#[cfg(feature = "check")]
mod unify;
#[cfg(feature = "check")]
mod validate;
#[cfg(feature = "check")]
mod words;

#[cfg(feature = "parse")]
pub use ast::Ast;
pub use crd_go::cel_names::{escape_name, unescape_name};
pub use issue::{Issue, Issues};
pub use mentions::mentions;
#[cfg(feature = "parse")]
pub use parse::{parse, parse_with};
#[cfg(feature = "rewrite")]
pub use rewrite::rewritten;
#[cfg(feature = "parse")]
pub use syntax::Syntax;

#[cfg(feature = "check")]
pub use checked::Checked;
#[cfg(feature = "check")]
pub use crd_go::KubeVersion;
#[cfg(feature = "check")]
pub use cursor::ExpressionCursor;
#[cfg(feature = "check")]
pub use declared::{DeclId, Declarations, Declared, Shape};
#[cfg(feature = "check")]
pub use env::{Environment, Function, InvalidVersion, Scope, Variable, Version};
#[cfg(feature = "check")]
pub use field_names::FieldName;
#[cfg(feature = "check")]
pub use instantiate::InstantiationError;
#[cfg(feature = "check")]
pub use introduced::{Introduced, introduced};
#[cfg(feature = "check")]
pub use types::{LibraryType, Ty, Type, Types};
#[cfg(feature = "check")]
pub use words::Words;
