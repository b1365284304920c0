//! Pruning, defaulting, validation and rules, as the API server applies them to an object before it stores the object.
//!
//! [`Validator`] is the entry point of the module.

mod accepts;
mod admission;
mod checks;
mod compile;
mod decode;
mod kind;
mod lists;
mod metadata;
mod names;
mod preview;
mod scale;
mod screen;
mod store;
mod stored_schema;
mod submitted;
mod validator;
mod version;
mod versions;
mod warnings;

pub use admission::{Admission, Rejection, StatusReason, Undecoded};
pub use kind::InvalidDefinition;
pub use submitted::{FieldValidation, StoredObject, Submitted};
pub use validator::Validator;
pub use warnings::{FieldProblem, StrictError, Warning};

pub use crate::options::{FeatureGate, ServerOptions};
pub use crate::rules::{Evaluated, FailedRule, Outcome};
