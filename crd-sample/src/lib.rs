//! Generates sample objects of Kubernetes custom resources: accepted, rejected and minimal objects.
//!
//! [`Sampler`] generates objects that the API server accepts, with CEL rules taken into account, and objects that it rejects for one
//! reason. [`Seeded`] generates a single accepted or rejected object for each seed. [`shrink`] makes a value smaller while a condition
//! holds.
//!
//! The crate is pure: it does not read files, the environment or a clock, starts no thread, and the objects depend only
//! on the seed.
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

/// Puts a value at a place whose container exists; an index after the last item of a list appends the value. Returns
/// `false` if the place does not exist.
pub fn put_at(object: &mut serde_json::Value, at: &[String], value: serde_json::Value) -> bool {
    change::put(object, at, value)
}

/// Removes the value at a place, if there is one.
pub fn remove_at(object: &mut serde_json::Value, at: &[String]) {
    change::remove(object, at);
}
