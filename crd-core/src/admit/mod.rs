//! Admission: what the API server does to an object before it stores it, which is pruning, defaulting, validating and running
//! rules.
//!
//! [`Validator`] is the entry point.

mod admission;
mod checks;
mod decode;
mod default;
mod kind;
mod lists;
mod metadata;
mod scale;
mod store;
mod submitted;
mod validator;
mod version;
mod warnings;

pub use admission::{Admission, Refusal, StatusReason};
pub use kind::InvalidDefinition;
pub use submitted::{FieldValidation, Submitted};
pub use validator::Validator;
pub use version::compare_versions;
pub use warnings::{FieldProblem, Warning};

pub use crate::options::Options;
pub use crate::rules::{BrokenRule, Evaluated, Outcome};
