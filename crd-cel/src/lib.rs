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

pub use ast::Ast;
pub use issue::{Issue, Issues};
pub use parse::{Syntax, parse, parse_with};
