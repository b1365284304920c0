//! CEL as the Kubernetes API server runs it: parse, type-check, price.
#![forbid(unsafe_code)]

pub mod ast;
#[cfg(feature = "eval")]
pub mod eval;
mod issue;
mod lex;
mod literal;
mod macros;
mod parse;
mod recover;

#[cfg(feature = "check")]
mod check;
#[cfg(feature = "check")]
mod cost;
#[cfg(feature = "check")]
mod declare;
#[cfg(feature = "check")]
mod declared;
#[cfg(feature = "check")]
mod env;
#[cfg(feature = "check")]
mod errors;
#[cfg(feature = "check")]
mod format;
#[cfg(feature = "check")]
mod help;
#[cfg(feature = "check")]
mod instantiate;
#[cfg(feature = "check")]
pub mod re2;
#[cfg(feature = "check")]
mod time;
#[cfg(feature = "check")]
mod types;
#[cfg(feature = "check")]
mod unify;
#[cfg(feature = "check")]
mod validate;

pub use ast::Ast;
pub use issue::{Issue, Issues};
pub use parse::{Syntax, parse, parse_with};

#[cfg(feature = "check")]
pub use check::Checked;
#[cfg(feature = "check")]
pub use declared::{DeclId, Declarations, Declared, Shape};
#[cfg(feature = "check")]
pub use env::{Environment, InvalidVersion, Scope, Variable, Version};
#[cfg(feature = "check")]
pub use instantiate::InstantiationError;
#[cfg(feature = "check")]
pub use types::{LibraryType, Ty, Type, Types};
