//! Generates sample custom resources from CRDs: accepted, rejected and minimal objects.
//!
//! [`Sampler`] generates objects that the API server accepts, even if the CRD has CEL rules. It also generates objects that the API server
//! rejects for one reason. [`Seeded`] generates a single accepted or rejected object for each seed. [`shrink`] makes a value smaller while
//! a condition holds.
//!
//! The objects depend only on the seed. The crate reads no files, no environment and no clock, and starts no threads.
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

/// Splits a path in an object into steps: field names, map keys and list indices.
#[must_use]
pub fn steps_of(path: &crd_core::FieldPath, object: &serde_json::Value) -> Vec<String> {
    change::steps_of(path, object)
}

/// Returns the value at a path, which consists of field names, map keys and list indices.
#[must_use]
pub fn value_at<'v>(object: &'v serde_json::Value, at: &[String]) -> Option<&'v serde_json::Value> {
    change::get(object, at)
}

/// Sets the value at a path. The parent object or list must exist. The index after a list's last item appends the value. Returns `false` if
/// the path does not exist.
pub fn put_at(object: &mut serde_json::Value, at: &[String], value: serde_json::Value) -> bool {
    change::put(object, at, value)
}

/// Removes the value at a path, if there is one.
pub fn remove_at(object: &mut serde_json::Value, at: &[String]) {
    change::remove(object, at);
}
