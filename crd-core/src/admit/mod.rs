//! What the API server does to an object before it stores it: pruning, defaulting, validating.

#[cfg(feature = "check")]
#[cfg_attr(not(test), expect(dead_code, reason = "updates are validated next"))]
pub(crate) mod correlate;
#[cfg(feature = "check")]
pub(crate) mod embedded;
#[cfg(feature = "check")]
pub(crate) mod formats;
pub(crate) mod object_meta;
#[cfg(feature = "check")]
pub(crate) mod patterns;
#[cfg(feature = "check")]
pub(crate) mod prune;
#[cfg(feature = "check")]
pub(crate) mod values;
