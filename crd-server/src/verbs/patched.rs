//! Checks of patched objects, and the messages of their rejections.
//!
//! Source: `endpoints/handlers/patch.go` of `k8s.io/apiserver`.

use crd_core::admit::FieldValidation;
use crd_core::{Diagnostic, FieldPath, Shown};
use crd_go::strings::quote;
use crd_go::time::{Layout, parse};
use serde_json::Value;

use super::{strategy, write};
use crate::apply::described;
use crate::call::Call;
use crate::definition::Origin;
use crate::json::{json_type, text};
use crate::patch::{Patch, unreadable};
use crate::request::options::WriteOptions;
use crate::request_info::RequestInfo;
use crate::status::Failure;
use crate::store::Stored;

/// Rejects a patched object of a kind with a type in Go that has lost its version: the decoder reads it as an object of the internal
/// version, whose fields have other names.
pub(super) fn check_version(
    call: &mut Call<'_>,
    options: &WriteOptions,
    patched: &Value,
    place: &RequestInfo,
    patch: &Patch,
) -> Result<(), Failure> {
    let Value::Object(fields) = patched else { return Ok(()) };
    if fields.get("apiVersion").is_some_and(|version| !version.is_null() && version != "") {
        return Ok(());
    }
    let unknown = fields.keys().filter(|name| !matches!(name.as_str(), "apiVersion" | "kind"));
    let unknown = unknown.map(|name| format!("unknown field {}", quote(name)));
    let problems: Vec<String> = options.patch_problems.iter().cloned().chain(unknown).collect();
    match options.field_validation {
        FieldValidation::Ignore => {}
        FieldValidation::Warn => call.warnings.extend(problems),
        FieldValidation::Strict => {
            let error = format!("strict decoding error: {}", problems.join(", "));
            return Err(unreadable(&patch.shown(patched.clone()), &error));
        }
    }
    write::check_name(&Value::Null, &place.name)
}

/// Checks that the patched object has the type of the old one: this is a separate cause, whereas a sent object with another type is
/// rejected as a whole.
pub(super) fn check(value: &Value, place: &RequestInfo, old: &Stored) -> Result<(), Failure> {
    if strategy::check_type(value, place).is_err() && place.definition.origin == Origin::Definitions {
        // Such an object cannot be read, either.
        return Ok(());
    }
    let is_text = |path: &str| value.pointer(path).is_none_or(|text| text.is_string() || text.is_null());
    if !["/metadata/name", "/metadata/namespace", "/metadata/uid", "/apiVersion", "/kind"]
        .into_iter()
        .all(is_text)
    {
        // Such an object cannot be read, for which admission rejects it.
        return Ok(());
    }
    write::check_name(value, &place.name)?;
    write::check_namespace(value, place)?;
    check_uid(value, place, old)?;
    if place.definition.origin == Origin::Definitions {
        return Ok(());
    }
    let (found, expected) = (text(value, &["apiVersion"]), place.definition.api_version(&place.version));
    if found == expected {
        return Ok(());
    }
    let detail = format!("must be {expected}");
    let cause = Diagnostic::invalid(FieldPath::new("apiVersion"), Shown::from(found), &detail);
    let group = found.split_once('/').map_or("", |(group, _)| group);
    Err(Failure::invalid(text(value, &["kind"]), group, &place.name, &[cause]))
}

/// Rejects a patch of the UID.
pub(super) fn check_uid(value: &Value, place: &RequestInfo, old: &Stored) -> Result<(), Failure> {
    let uid = text(value, &["metadata", "uid"]);
    if uid.is_empty() || uid == old.uid() {
        return Ok(());
    }
    // An update is rejected as a conflict, a patch by the checks of metadata, which are there twice.
    let path = FieldPath::new("metadata").child("uid");
    let cause = Diagnostic::invalid(path, Shown::from(uid), "field is immutable");
    let definition = &place.definition;
    let (kind, group) = (definition.kind(), &definition.resource.group);
    Err(Failure::invalid(kind, group, &place.name, &[cause.clone(), cause]))
}

/// Returns the rejection of a patched object. The rejection of an unreadable object that was sent has a different
/// message.
pub(super) fn reject(failure: Failure, patched: Value, patch: &Patch) -> Failure {
    match failure.decoding_error() {
        Some(error) => unreadable(&patch.shown(patched), error),
        None => failure,
    }
}

/// Returns the rejection of an object that is the result of apply. The deletion time has no schema, and is read when the object is
/// converted.
///
/// Source: `Apply` in `structuredmerge.go` of `k8s.io/apimachinery/pkg/util/managedfields/internal`.
pub(super) fn reject_applied(failure: Failure, applied: &Value, place: &RequestInfo) -> Failure {
    if failure.decoding_error().is_none() || place.definition.origin != Origin::Definitions {
        return failure;
    }
    let error = match applied.pointer("/metadata/deletionTimestamp") {
        None | Some(Value::Null) => return failure,
        Some(Value::String(time)) => match parse(time, Layout::Rfc3339) {
            Ok(_) => return failure,
            Err(error) => error,
        },
        Some(other) => format!("json: cannot unmarshal {} into Go value of type string", json_type(other)),
    };
    let (described, definition) = (described(applied), &place.definition);
    Failure::internal(format!(
        "failed to convert new object ({described}) to proper version: unable to convert unstructured object to {}, Kind={}: {error}",
        definition.api_version(&place.version),
        definition.kind()
    ))
}
