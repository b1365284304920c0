//! Rules that all writes of objects share.

use crd_core::admit::{Submitted, Validator, Warning};
use crd_go::json::deep_equal;
use crd_go::strings::quote;
use serde_json::Value;

use super::Place;
use crate::json::{metadata_mut, text};
use crate::server::Call;
use crate::status::Failure;

/// The part of an object that an update is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Object,
    Status,
}

/// An object has the group and the version of the path.
pub(super) fn check_api_version(value: &Value, place: &Place) -> Result<(), Failure> {
    let (found, expected) = (text(value, &["apiVersion"]), place.definition.api_version(&place.version));
    if found == expected {
        return Ok(());
    }
    let message =
        format!("the API version in the data ({found}) does not match the expected API version ({expected})");
    Err(Failure::bad_request(message))
}

/// An object names no other namespace than the path.
pub(crate) fn check_namespace(value: &Value, place: &Place) -> Result<(), Failure> {
    let found = text(value, &["metadata", "namespace"]);
    if found.is_empty() || found == place.namespace || !place.definition.is_namespaced() {
        return Ok(());
    }
    let message = "the namespace of the provided object does not match the namespace sent on the request";
    Err(Failure::bad_request(message))
}

/// Adds the warnings of admission. That of a deprecated version is there already.
pub(super) fn warn(call: &mut Call<'_>, warnings: &[Warning], place: &Place) {
    let deprecation = place.definition.validator.deprecation(&place.version);
    for warning in warnings.iter().map(ToString::to_string) {
        if Some(warning.as_str()) != deprecation && !call.warnings.contains(&warning) {
            call.warnings.push(warning);
        }
    }
}

/// An object as it was sent, without its owners.
pub(super) fn decoded(validator: &Validator, submitted: Submitted) -> Option<Value> {
    let mut decoded = validator.decoded(submitted).ok()?;
    if let Some(metadata) = metadata_mut(&mut decoded) {
        metadata.shift_remove("managedFields");
    }
    Some(decoded)
}

/// An object in the version in which it is stored.
pub(super) fn into_storage(value: &Value, place: &Place, name: &str) -> Result<Value, Failure> {
    read_as(value, place, place.definition.storage(), name)
}

/// A stored object in the version of the request.
pub(super) fn from_storage(value: &Value, place: &Place, name: &str) -> Result<Value, Failure> {
    read_as(value, place, &place.version, name)
}

fn read_as(value: &Value, place: &Place, version: &str, name: &str) -> Result<Value, Failure> {
    let definition = &place.definition;
    let refuse = |refusal| Failure::of_refusal(&refusal, &definition.resource, name, definition.kind());
    definition.validator.read(value, version).map_err(refuse)
}

/// Sets the revision of an answer.
pub(crate) fn set_revision(value: &mut Value, revision: u64) {
    if let Some(metadata) = metadata_mut(value) {
        metadata.insert("resourceVersion".to_owned(), revision.to_string().into());
    }
}

/// The error of Go about a revision that is not a number.
pub(crate) fn not_a_number(revision: &str) -> Failure {
    Failure::internal(format!("strconv.ParseUint: parsing {}: invalid syntax", quote(revision)))
}

/// Returns `true` if two objects are the same but for their revision and the times of their owners.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    let without = |value: &Value| {
        let mut value = value.clone();
        if let Some(metadata) = metadata_mut(&mut value) {
            metadata.shift_remove("resourceVersion");
            let entries = metadata.get_mut("managedFields").and_then(Value::as_array_mut);
            for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
                entry.shift_remove("time");
            }
        }
        value
    };
    deep_equal(&without(a), &without(b))
}
