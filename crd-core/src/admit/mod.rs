//! What the API server does to an object before it stores it: pruning, defaulting, validating.

#[cfg(feature = "check")]
#[cfg_attr(not(any(test, feature = "admit")), expect(dead_code, reason = "only rules ask for old values"))]
pub(crate) mod correlate;
#[cfg(feature = "check")]
pub(crate) mod embedded;
#[cfg(feature = "admit")]
mod evaluate;
#[cfg(feature = "check")]
pub(crate) mod formats;
pub(crate) mod object_meta;
#[cfg(feature = "check")]
pub(crate) mod patterns;
#[cfg(feature = "check")]
pub(crate) mod prune;
#[cfg(feature = "admit")]
pub(crate) mod rules;
#[cfg(feature = "check")]
pub(crate) mod values;

#[cfg(feature = "admit")]
pub use evaluate::{Evaluated, Outcome};
