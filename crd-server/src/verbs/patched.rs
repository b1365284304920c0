//! Checks patched objects, and builds the errors for rejected objects.
//!
//! Source: `endpoints/handlers/patch.go` of `k8s.io/apiserver`.

use crd_core::admit::FieldValidation;
use crd_core::{Diagnostic, FieldPath, Shown};
use crd_go::strings::quote;
use serde_json::{Map, Value, json};

use super::{strategy, write};
use crate::apply::described;
use crate::call::Call;
use crate::definition::{Origin, crd_type};
use crate::json::text;
use crate::patch::{Patch, unreadable};
use crate::request::body::{INTERNAL, type_meta, unregistered};
use crate::request::options::WriteOptions;
use crate::request_info::RequestInfo;
use crate::status::Failure;
use crate::store::Stored;

/// Reads a patched object whose kind has a Go type. The decoder reads an object without `apiVersion` as the internal version of the type.
/// In the internal version, metadata fields are fields of the object itself, and no other fields are known.
pub(super) fn decode(
    call: &mut Call<'_>,
    options: &WriteOptions,
    patched: Value,
    place: &RequestInfo,
    patch: &Patch,
) -> Result<Value, Failure> {
    let fields = match &patched {
        Value::Object(fields)
            if fields.get("apiVersion").is_none_or(|version| version.is_null() || version == "") =>
        {
            fields
        }
        _ => return Ok(patched),
    };
    let definition = &place.definition;
    let undecoded = |error: String| unreadable(&patch.shown(patched.clone()), &error);
    let (_, kind) = type_meta(fields)
        .map_err(|error| undecoded(format!("couldn't get version/kind; json parse error: {error}")))?;
    if !kind.is_empty() && kind != definition.kind() {
        return Err(undecoded(unregistered(kind, &definition.resource.group, INTERNAL)));
    }
    let is_known =
        |name: &&String| matches!(name.as_str(), "apiVersion" | "kind") || crd_type::is_in_metadata(name);
    let unknown = fields.keys().filter(|name| !is_known(name));
    report(call, options, &patched, patch, unknown.map(|name| unknown_field(name)).collect())?;
    let metadata = fields.iter().filter(|(name, _)| crd_type::is_in_metadata(name));
    let metadata: Map<String, Value> = metadata.map(|(name, value)| (name.clone(), value.clone())).collect();
    let decoded = json!({
        "apiVersion": definition.api_version(&place.version), "kind": definition.kind(), "metadata": metadata,
    });
    write::check_name(&decoded, &place.name)?;
    Ok(decoded)
}

/// The result of comparing a patched custom resource's type with the type in the path. The object's schema depends on the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatchedType {
    /// The kind equals the kind in the request's path, and the CRD has the version.
    Known,
    /// The kind equals the kind in the request's path, but the CRD does not have the version.
    OtherVersion,
    /// The kind or group differs from the request's path. All fields count as known.
    Other,
}

impl PatchedType {
    pub(super) fn of(patched: &Value, place: &RequestInfo) -> Self {
        let definition = &place.definition;
        match definition.version_of(text(patched, &["apiVersion"])) {
            _ if definition.origin != Origin::Custom => Self::Known,
            Some(name) if text(patched, &["kind"]) == definition.kind() => {
                if definition.crd.version(name).is_some() { Self::Known } else { Self::OtherVersion }
            }
            _ => Self::Other,
        }
    }
}

/// Reports all fields of an object whose version has no schema as unknown: warns about them, or rejects the object.
pub(super) fn report_unknown(
    call: &mut Call<'_>,
    options: &WriteOptions,
    patched: &Value,
    patch: &Patch,
) -> Result<(), Failure> {
    let fields = patched.as_object().into_iter().flatten();
    let unknown = fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    let mut unknown: Vec<String> = unknown.map(|(name, _)| unknown_field(name)).collect();
    unknown.extend(crd_type::unknown_metadata(patched["metadata"].clone()));
    unknown.sort_unstable();
    report(call, options, patched, patch, unknown)
}

fn unknown_field(name: &str) -> String {
    format!("unknown field {}", quote(name))
}

/// Reports the problems in a patch and unknown fields: warns about them, or rejects the patched object.
fn report(
    call: &mut Call<'_>,
    options: &WriteOptions,
    patched: &Value,
    patch: &Patch,
    unknown: Vec<String>,
) -> Result<(), Failure> {
    let problems: Vec<String> = options.patch_problems.iter().cloned().chain(unknown).collect();
    match options.field_validation {
        FieldValidation::Ignore => {}
        FieldValidation::Warn => call.warnings.extend(problems),
        FieldValidation::Strict => {
            let error = format!("strict decoding error: {}", problems.join(", "));
            if !problems.is_empty() {
                return Err(unreadable(&patch.shown(patched.clone()), &error));
            }
        }
    }
    Ok(())
}

/// Checks that a patch has not changed the object's type. The error for a different type has causes, unlike the error for a sent object.
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
    if place.definition.origin == Origin::Definitions {
        return Ok(());
    }
    let (found, expected) = (text(value, &["apiVersion"]), place.definition.api_version(&place.version));
    if found == expected {
        return Ok(());
    }
    let detail = format!("must be {expected}");
    let mut causes = vec![Diagnostic::invalid(FieldPath::new("apiVersion"), Shown::from(found), &detail)];
    let (kind, expected) = (text(value, &["kind"]), place.definition.kind());
    if kind != expected {
        let detail = format!("must be {expected}");
        causes.insert(0, Diagnostic::invalid(FieldPath::new("kind"), Shown::from(kind), &detail));
    }
    let uid = text(value, &["metadata", "uid"]);
    if !uid.is_empty() && uid != old.uid() {
        let path = FieldPath::new("metadata").child("uid");
        causes.insert(0, Diagnostic::invalid(path, Shown::from(uid), "field is immutable"));
    }
    let group = found.split_once('/').map_or("", |(group, _)| group);
    Err(Failure::invalid(kind, group, &place.name, &causes))
}

/// Returns the error for a patched object. The message for an unreadable patched object differs from the message for an unreadable sent
/// object.
pub(super) fn reject(failure: Failure, patched: Value, patch: &Patch) -> Failure {
    match failure.decoding_error() {
        Some(error) => unreadable(&patch.shown(patched), error),
        None => failure,
    }
}

/// Converts a CRD to its Go type after a strategic merge patch. The results of other patches are decoded from JSON.
///
/// Source: `applyPatchToObject` in `k8s.io/apiserver/pkg/endpoints/handlers/patch.go`.
pub(super) fn convert_patched(
    patched: &mut Value,
    patch: &Patch,
    place: &RequestInfo,
) -> Result<(), Failure> {
    if place.definition.origin != Origin::Definitions || !matches!(patch, Patch::Strategic(_)) {
        return Ok(());
    }
    crd_type::convert(patched).map_err(|error| unreadable(&patch.shown(Value::Null), &error))
}

/// Converts an applied CRD to its Go type.
///
/// Source: `Apply` in `structuredmerge.go` of `k8s.io/apimachinery/pkg/util/managedfields/internal`.
pub(super) fn convert_applied(applied: &mut Value, place: &RequestInfo) -> Result<(), Failure> {
    if place.definition.origin != Origin::Definitions {
        return Ok(());
    }
    crd_type::convert(applied).map_err(|error| {
        let (described, definition) = (described(applied), &place.definition);
        Failure::internal(format!(
            "failed to convert new object ({described}) to proper version: unable to convert unstructured object to {}, Kind={}: {error}",
            definition.api_version(&place.version),
            definition.kind()
        ))
    })
}
