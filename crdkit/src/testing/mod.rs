//! Validates objects like the API server, to test types and their rules. Needs the feature `testing`.
//!
//! ```
//! use crdkit::{CrdSchema, CustomResource, assert_accepted, assert_rejected, assert_update_rejected};
//! use serde::{Deserialize, Serialize};
//! use serde_json::json;
//!
//! #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "stable.example.com", version = "v1", kind = "Shirt")]
//! struct ShirtSpec {
//!     #[crd(immutable)]
//!     color: String,
//!     #[schemars(range(max = 60))]
//!     #[serde(default = "forty")]
//!     size: u8,
//! }
//! # fn forty() -> u8 { 40 }
//!
//! let blue = || ShirtSpec { color: "blue".into(), size: 42 };
//! let stored = assert_accepted!(Shirt::new("mine", blue()));
//! assert_eq!(stored["spec"]["size"], 42);
//! assert_rejected!(
//!     Shirt::new("mine", ShirtSpec { size: 61, ..blue() }),
//!     "spec.size: Invalid value: 61: spec.size in body should be less than or equal to 60"
//! );
//! assert_update_rejected!(
//!     Shirt::new("mine", blue()) => Shirt::new("mine", ShirtSpec { color: "red".into(), ..blue() }),
//!     "spec.color: Invalid value: \"red\": is immutable"
//! );
//!
//! // `#[crd(cel)]` on a spec, and `#[x_kube(cel)]` on any type, give the same answer as a `Result`, as kube-derive has it.
//! #[derive(CrdSchema, Serialize, Deserialize)]
//! #[x_kube(cel, validation = "self.min <= self.max")]
//! struct Limits {
//!     min: i32,
//!     max: i32,
//! }
//!
//! assert!(Limits::validate_cel(&json!({"min": 1, "max": 2}), None).is_ok());
//! let refusal = Limits::validate_cel(&json!({"min": 2, "max": 1}), None).unwrap_err();
//! assert!(refusal.to_string().contains("failed rule: self.min <= self.max"));
//!
//! // Objects that the Rust type cannot hold are given as JSON.
//! let shirt = json!({"metadata": {"name": "a"}, "spec": {"color": "red"}});
//! assert_eq!(assert_accepted!(Shirt, shirt)["spec"]["size"], 40);
//! ```

#[cfg(feature = "api-server")]
mod api_server;
#[cfg(feature = "proptest")]
mod objects;
mod rules;
mod sizes;

#[cfg(feature = "api-server")]
pub use api_server::{ApiServer, NotSeeded};
pub use crd_core::admit::{Admission, Rejection, Validator};
pub use crd_core::check::{CrdSizes, SizedPart};
#[cfg(feature = "api-server")]
pub use crd_server::{Config, Fault, ServedRequest, Server, Snapshot};
#[cfg(feature = "proptest")]
pub use objects::{InvalidObject, invalid_objects, invalid_objects_of, valid_objects, valid_objects_of};
pub use sizes::fits_apply;

#[doc(hidden)]
pub use rules::{validate_object, validate_part};

use crd_core::admit::ServerOptions;
use crd_core::{CustomResourceDefinition, KubeVersion};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{CustomResource, Error};

/// Returns the validator for a CRD. The only version of a CRD is treated as the storage version.
pub(crate) fn validator_of(
    mut crd: CustomResourceDefinition,
    version: KubeVersion,
) -> Result<Validator, Error> {
    store_the_only_version(&mut crd);
    let name = crd.metadata.name.clone();
    let validator = Validator::with_options(&crd, ServerOptions::new(version));
    validator.map_err(|error| Error::definition(name, error.to_string(), "").caused_by(error))
}

fn store_the_only_version(crd: &mut CustomResourceDefinition) {
    if let [only] = crd.spec.versions.as_mut_slice() {
        only.storage = true;
    }
}

/// Asserts that the API server would accept `object` on create, and returns the object that it would store.
///
/// # Panics
/// The API server would reject the object.
#[track_caller]
#[expect(clippy::panic, reason = "a test reports by panicking")]
pub fn accepted<R: CustomResource>(object: &impl Serialize) -> Value {
    match created::<R>(object).result {
        Ok(stored) => stored,
        Err(refusal) => panic!("the API server would reject the object: {refusal}"),
    }
}

/// Asserts that the API server would reject `object` on create, with an error that contains `cause`.
///
/// # Panics
/// The API server would accept the object, or reject it for other reasons.
#[track_caller]
pub fn rejected<R: CustomResource>(object: &impl Serialize, cause: &str) {
    expect_cause(&created::<R>(object), cause);
}

/// Asserts that the API server would reject an update from `old` to `new`, with an error that contains `cause`.
///
/// # Panics
/// The API server would accept the update, reject it for other reasons, or reject `old` itself.
#[track_caller]
pub fn update_rejected<R: CustomResource>(old: &impl Serialize, new: &impl Serialize, cause: &str) {
    let stored = accepted::<R>(old);
    expect_cause(&validator::<R>().update(value::<R>(new), stored), cause);
}

#[track_caller]
fn created<R: CustomResource>(object: &impl Serialize) -> Admission {
    validator::<R>().create(value::<R>(object))
}

#[track_caller]
#[expect(clippy::panic, reason = "a test reports by panicking")]
fn validator<R: CustomResource>() -> Validator {
    match R::validator() {
        Ok(validator) => validator,
        Err(error) => panic!("{error}"),
    }
}

/// Returns an object as JSON. Adds `apiVersion` and `kind` if they are missing.
#[track_caller]
#[expect(clippy::panic, reason = "a test reports by panicking")]
fn value<R: CustomResource>(object: &impl Serialize) -> Value {
    let mut value = match serde_json::to_value(object) {
        Ok(value) => value,
        Err(error) => panic!("the object cannot be written: {error}"),
    };
    if let Value::Object(fields) = &mut value {
        fields.entry("apiVersion").or_insert_with(|| json!(R::API_VERSION));
        fields.entry("kind").or_insert_with(|| json!(R::KIND));
    }
    value
}

#[track_caller]
#[expect(clippy::panic, reason = "a test reports by panicking")]
fn expect_cause(admission: &Admission, cause: &str) {
    let causes: Vec<String> = match &admission.result {
        Ok(_) => panic!("the API server would accept the object"),
        // A request that is rejected as a whole has a message only.
        Err(refusal) if refusal.causes.is_empty() => vec![refusal.to_string()],
        Err(refusal) => refusal.causes.iter().map(ToString::to_string).collect(),
    };
    if !causes.iter().any(|found| found.contains(cause)) {
        panic!(
            "the API server would reject the object for other causes:\n{}\nnot: {cause}",
            causes.join("\n")
        );
    }
}

/// Does the same as [`accepted`], but infers the type from the object.
#[doc(hidden)]
#[track_caller]
pub fn accepted_object<R: CustomResource + Serialize>(object: &R) -> Value {
    accepted::<R>(object)
}

#[doc(hidden)]
#[track_caller]
pub fn rejected_object<R: CustomResource + Serialize>(object: &R, cause: &str) {
    rejected::<R>(object, cause);
}

#[doc(hidden)]
#[track_caller]
pub fn update_rejected_object<R: CustomResource + Serialize>(old: &R, new: &R, cause: &str) {
    update_rejected::<R>(old, new, cause);
}

/// Asserts that the API server accepts an object, and returns the object that it would store.
///
/// In `assert_accepted!(object)`, the object's type derives `CustomResource`. In `assert_accepted!(Type, object)`, the object
/// is any value that serde can write. See [`testing`](crate::testing).
#[macro_export]
macro_rules! assert_accepted {
    ($object:expr $(,)?) => {
        $crate::testing::accepted_object(&$object)
    };
    ($type:ty, $object:expr $(,)?) => {
        $crate::testing::accepted::<$type>(&$object)
    };
}

/// Asserts that the API server rejects an object, with an error that contains the given text.
///
/// Write `assert_rejected!(object, "cause")` or `assert_rejected!(Type, object, "cause")`. See [`testing`](crate::testing).
#[macro_export]
macro_rules! assert_rejected {
    ($object:expr, $cause:expr $(,)?) => {
        $crate::testing::rejected_object(&$object, $cause)
    };
    ($type:ty, $object:expr, $cause:expr $(,)?) => {
        $crate::testing::rejected::<$type>(&$object, $cause)
    };
}

/// Asserts that the API server rejects an update from one object to another, with an error that contains the given text.
///
/// Write `assert_update_rejected!(old => new, "cause")` or `assert_update_rejected!(Type, old => new, "cause")`. See
/// [`testing`](crate::testing).
#[macro_export]
macro_rules! assert_update_rejected {
    ($old:expr => $new:expr, $cause:expr $(,)?) => {
        $crate::testing::update_rejected_object(&$old, &$new, $cause)
    };
    ($type:ty, $old:expr => $new:expr, $cause:expr $(,)?) => {
        $crate::testing::update_rejected::<$type>(&$old, &$new, $cause)
    };
}
