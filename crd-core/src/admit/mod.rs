//! What the API server does to an object before it stores it: pruning, defaulting, validating.

pub(crate) mod embedded;
pub(crate) mod formats;
pub(crate) mod object_meta;
pub(crate) mod prune;
pub(crate) mod values;
