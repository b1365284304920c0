//! What the API server does to an object before it stores it: pruning, defaulting, validating, running rules.
//!
//! [`Validator`] is the way in.

#[cfg(feature = "admit")]
mod admission;
#[cfg(feature = "admit")]
mod checks;
#[cfg(feature = "check")]
pub(crate) mod correlate;
#[cfg(feature = "admit")]
mod decode;
#[cfg(feature = "admit")]
mod default;
#[cfg(feature = "check")]
pub(crate) mod embedded;
#[cfg(feature = "admit")]
mod evaluate;
#[cfg(feature = "check")]
pub(crate) mod formats;
#[cfg(feature = "admit")]
mod kind;
#[cfg(feature = "admit")]
mod lists;
#[cfg(feature = "admit")]
mod metadata;
#[cfg(feature = "check")]
pub(crate) mod meter;
#[cfg(feature = "check")]
mod numbers;
pub(crate) mod object_meta;
#[cfg(feature = "check")]
pub(crate) mod patterns;
#[cfg(feature = "check")]
pub(crate) mod prune;
#[cfg(feature = "check")]
pub(crate) mod removed;
#[cfg(feature = "admit")]
pub(crate) mod rules;
#[cfg(feature = "admit")]
mod scale;
#[cfg(feature = "admit")]
mod store;
#[cfg(feature = "admit")]
mod submitted;
#[cfg(feature = "admit")]
mod validator;
#[cfg(feature = "check")]
pub(crate) mod values;
#[cfg(feature = "admit")]
mod version;
#[cfg(feature = "admit")]
mod warnings;

#[cfg(feature = "admit")]
pub use admission::{Admission, Refusal, StatusReason};
#[cfg(feature = "admit")]
pub use evaluate::{Evaluated, Outcome};
#[cfg(feature = "admit")]
pub use kind::InvalidDefinition;
#[cfg(feature = "admit")]
pub use rules::BrokenRule;
#[cfg(feature = "admit")]
pub use submitted::{FieldValidation, Submitted};
#[cfg(feature = "admit")]
pub use validator::Validator;
