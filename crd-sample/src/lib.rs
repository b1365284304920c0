//! Sample objects of Kubernetes custom resource definitions: accepted ones, rejected ones, shrunk ones.
//!
//! [`Sampler`] makes objects that the API server accepts, CEL rules included, and objects that it rejects for one thing.
//! [`Seeded`] makes one of them for each seed. [`shrink`] makes a value smaller as long as something stays true of it.
//!
//! The crate is pure: it reads no file, environment or clock, starts no thread, and gives the same objects for the same
//! seed.
#![forbid(unsafe_code)]

mod broken;
mod change;
mod commented;
mod constraints;
mod containing;
mod definition;
mod error;
mod maker;
mod numbers;
mod random;
mod rule;
mod sampler;
mod search;
mod shared;
mod shrink;
mod strings;
mod typical;
mod values;
mod work;

pub use broken::{Boundary, Broken, Fault, Seeded};
pub use error::{NoSample, Unusable};
pub use sampler::Sampler;
pub use shared::SharedSteps;
pub use shrink::{Shrinker, shrink};
pub use values::values_of;
pub use work::Allowance;

/// Returns the steps of a path in an object: names of fields, keys of maps, indices of lists.
#[must_use]
pub fn steps_of(path: &crd_core::FieldPath, object: &serde_json::Value) -> Vec<String> {
    change::steps_of(path, object)
}

/// Returns the value at a place that is given as steps: names of fields, keys of maps, indices of lists.
#[must_use]
pub fn value_at<'v>(object: &'v serde_json::Value, at: &[String]) -> Option<&'v serde_json::Value> {
    change::get(object, at)
}

/// Puts a value at a place whose container exists; the item after the last of a list is added. Returns `false` if there is
/// no such place.
pub fn put_at(object: &mut serde_json::Value, at: &[String], value: serde_json::Value) -> bool {
    change::put(object, at, value)
}

/// Removes the value at a place, if there is one.
pub fn remove_at(object: &mut serde_json::Value, at: &[String]) {
    change::remove(object, at);
}
