//! Decodes the object of a request: removes unknown fields, and fills in defaults.
//!
//! Source: `schemaCoercingDecoder` and `unstructuredSchemaCoercer` in `pkg/apiserver/customresource_handler.go`.

use crd_go::json::marshal;
use serde_json::{Map, Value};

use super::admission::{Rejection, StatusReason, Undecoded};
use super::checks::Part;
use super::kind::Kind;
use super::screen::Screened;
use super::submitted::{Source, Submitted};
use super::version::CompiledVersion;
use super::warnings::{FieldProblem, StrictError, Warnings};
use crate::crd::ObjectMeta;
use crate::defaults::{NoRoom, Room, prune_nulls};
use crate::embedded::{self, Unreadable};
use crate::prune::{Removed, prune, prune_silently};
use crate::values::numbers::{as_decoded, for_each_number};
use crate::{FieldPath, PathString};

/// An object from a request, decoded in the version of its `apiVersion`.
pub(super) struct Decoded<'v> {
    pub(super) version: &'v CompiledVersion,
    /// The `kind` field of the object. If this kind is not the CRD's kind, the object is not pruned, and defaults are not filled in.
    pub(super) kind: String,
    /// The object as JSON. Its metadata is replaced by an empty object.
    pub(super) value: Value,
    pub(super) meta: ObjectMeta,
    /// The unknown and duplicate fields of the object.
    pub(super) strict_errors: Vec<StrictError>,
    /// The quick check's result for the object as it was sent.
    pub(super) screened: Screened,
}

/// Decodes the object of a request. `screened` is the result of an earlier quick check of the object.
pub(super) fn decode<'v>(
    kind: &'v Kind,
    submitted: Submitted,
    part: Part,
    screened: Option<Screened>,
    warnings: &mut Warnings,
) -> Result<Decoded<'v>, Rejection> {
    let Submitted { mut value, duplicate_fields, source } = submitted;
    for_each_number(&mut value, &as_decoded);
    let (api_version, own_kind) = type_meta(&value).map_err(|error| unrecognized(kind, &value, &error))?;
    let (api_version, own_kind) = (api_version.to_owned(), own_kind.to_owned());
    let (group, version_name) = match api_version.split_once('/') {
        Some((group, version)) => (group, version),
        None => ("", api_version.as_str()),
    };
    let version = requested_version(kind, group, version_name)?;
    if let Some(deprecation) = &version.deprecation {
        warnings.add(deprecation);
    }
    let refuse = |error| {
        let error = Undecoded { error, strict_errors: Vec::new() };
        Rejection::undecoded(&own_kind, version_name, &kind.name, error)
    };
    let unreadable = Unreadable::Rejected(kind.kube_version);
    let meta = take_metadata(&mut value, unreadable).map_err(refuse)?;
    let duplicate = |field: &FieldPath| StrictError::Field(FieldProblem::Duplicate, text(&[field]));
    let mut strict_errors: Vec<StrictError> = duplicate_fields.iter().map(duplicate).collect();
    let unknown = |path| StrictError::Field(FieldProblem::Unknown, path);
    let metadata = FieldPath::new("metadata");
    let in_metadata = embedded::unknown_fields(&meta);
    strict_errors.extend(in_metadata.iter().map(|field| unknown(text(&[&metadata, field]))));
    if group != kind.group {
        let (expected, name) = (&kind.group, &version.name);
        let message = format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected}/{name})"
        );
        return Err(Rejection::new(StatusReason::BadRequest, message));
    }
    let screened = match (screened, part) {
        (Some(screened), _) => screened,
        (None, Part::Object) if own_kind == kind.name => version.screened(&value),
        _ => Screened::Undecided,
    };
    let has_defaults = screened.lacks_defaults() == Some(false);
    let needs_no_change = source == Source::Unchanged || has_defaults;
    if own_kind == kind.name && !needs_no_change {
        // Only what is decoded is pruned: `internal/structuredmerge.go` of `pkg/util/managedfields` fills in defaults.
        if source == Source::Text && screened.lacks_defaults().is_none() {
            for paths in coerce(&mut value, version, unreadable).map_err(refuse)? {
                let (fields, left_out) = paths.into_sorted();
                strict_errors.extend(fields.into_iter().map(|field| unknown(field.into_path_string())));
                strict_errors.extend((left_out > 0).then_some(StrictError::More(left_out)));
            }
        }
        fill(&mut value, version, part).map_err(|NoRoom| too_large())?;
    }
    // The quick check counts with defaults, which an unchanged object does not get.
    let screened = if source == Source::Unchanged && !has_defaults { Screened::Undecided } else { screened };
    Ok(Decoded { version, kind: own_kind, value, meta, strict_errors, screened })
}

/// Fills in defaults only in the part of the object that the request stores.
fn fill(value: &mut Value, version: &CompiledVersion, part: Part) -> Result<(), NoRoom> {
    let room = &mut Room::default();
    match part {
        Part::Object if version.has_status => version.defaults.fill_all_but(value, "status", room),
        Part::Object => version.defaults.fill(value, room),
        Part::Status => version.defaults.fill_only(value, "status", room),
    }
}

/// Returns the version in the request's URL: the object's own version or, for an object of another group, the storage version.
fn requested_version<'v>(kind: &'v Kind, group: &str, name: &str) -> Result<&'v CompiledVersion, Rejection> {
    if group != kind.group {
        return Ok(kind.storage());
    }
    kind.version(name).filter(|version| version.is_served).ok_or_else(|| {
        Rejection::new(StatusReason::NotFound, "the server could not find the requested resource")
    })
}

/// Joins parts of a path into a string. An empty part adds nothing, although an empty `FieldPath` is printed as `<nil>`.
fn text(parts: &[&FieldPath]) -> PathString {
    let mut text = PathString::default();
    parts.iter().for_each(|part| text.push_path(part));
    text
}

/// Returns the rejection of an object that its defaults make too large for etcd.
///
/// The API server itself does not limit the size. The API server tries to store the object, and returns etcd's error, which has no reason
/// (`isTooLargeError` in `pkg/endpoints/handlers/rest.go`).
fn too_large() -> Rejection {
    Rejection::new(StatusReason::Unknown, "etcdserver: request is too large")
}

/// Returns the rejection of an object with unknown or duplicate fields.
pub(super) fn strictly(kind: &Kind, decoded: Decoded<'_>) -> Rejection {
    let Decoded { version, kind: own_kind, strict_errors, .. } = decoded;
    let texts: Vec<String> = strict_errors.iter().map(ToString::to_string).collect();
    let error = format!("strict decoding error: {}", texts.join(", "));
    Rejection::undecoded(&own_kind, &version.name, &kind.name, Undecoded { error, strict_errors })
}

/// Prunes an object, and converts its embedded resources to their typed form. Returns the paths of removed fields:
/// first the fields that the schema does not have, then unknown fields in the metadata of embedded resources.
pub(super) fn coerce(
    value: &mut Value,
    version: &CompiledVersion,
    unreadable: Unreadable,
) -> Result<[Removed; 2], String> {
    let removed =
        if version.keeps_unknown { Removed::default() } else { prune(value, Some(&version.schema), true) };
    Ok([removed, coerce_pruned(value, version, unreadable)?])
}

/// Prunes and converts an object like [`coerce`], but does not collect the paths of removed fields.
pub(super) fn coerce_silently(
    value: &mut Value,
    version: &CompiledVersion,
    unreadable: Unreadable,
) -> Result<(), String> {
    if !version.keeps_unknown {
        prune_silently(value, Some(&version.schema), true);
    }
    coerce_pruned(value, version, unreadable).map(|_| ())
}

fn coerce_pruned(
    value: &mut Value,
    version: &CompiledVersion,
    unreadable: Unreadable,
) -> Result<Removed, String> {
    prune_nulls(value, &version.schema);
    if !version.has_resources {
        return Ok(Removed::default());
    }
    let unknown = embedded::coerce(value, &version.schema, false, unreadable, &FieldPath::root());
    unknown.map_err(|error| error.to_string())
}

/// Removes the metadata from an object, and returns it in its typed form.
pub(super) fn take_metadata(value: &mut Value, unreadable: Unreadable) -> Result<ObjectMeta, String> {
    // An empty object keeps the place, and nothing that is done to the rest of the object touches it.
    let Some(metadata) = value.get_mut("metadata") else { return Ok(ObjectMeta::default()) };
    let metadata = std::mem::replace(metadata, Value::Object(Map::new()));
    if matches!(unreadable, Unreadable::Rejected(_)) {
        return embedded::read(metadata);
    }
    match (embedded::read(metadata.clone()), &metadata) {
        (Err(_), Value::Object(fields)) => Ok(embedded::readable(fields)),
        (read, _) => read,
    }
}

/// Returns an object's `apiVersion` and `kind`.
fn type_meta(value: &Value) -> Result<(&str, &str), String> {
    let fields = match value {
        Value::Object(fields) => fields,
        other => {
            let found = match other {
                Value::Array(_) => "array",
                Value::String(_) => "string",
                Value::Bool(_) => "bool",
                _ => "number",
            };
            return Err(format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type \
                 struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
                 \"json:\\\"kind,omitempty\\\"\" }}"
            ));
        }
    };
    let text = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(other) => {
            let found = match other {
                Value::Array(_) => "array",
                Value::Object(_) => "object",
                Value::Bool(_) => "bool",
                _ => "number",
            };
            Err(format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go struct field \
                 .{name} of type string"
            ))
        }
    };
    let (api_version, kind) = (text("apiVersion")?, text("kind")?);
    if api_version.matches('/').count() > 1 {
        return Err(format!("unexpected GroupVersion string: {api_version}"));
    }
    if kind.is_empty() {
        return Err(format!("Object 'Kind' is missing in '{}'", marshal(value)));
    }
    Ok((api_version, kind))
}

/// Returns the rejection of an object without a valid `kind`. The message of the rejection contains the beginning of the body.
fn unrecognized(kind: &Kind, value: &Value, error: &str) -> Rejection {
    const SHOWN: usize = 30;
    let body = marshal(value);
    let end = (0..=body.len().min(SHOWN)).rev().find(|end| body.is_char_boundary(*end)).unwrap_or(0);
    let more = if body.len() > SHOWN { " ..." } else { "" };
    let shown = if value.is_object() {
        format!("{}{more}", &body[..end])
    } else {
        let bytes: String = body.bytes().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
        format!("{bytes}{more}")
    };
    let message =
        format!("the object provided is unrecognized (must be of type {}): {error} ({shown})", kind.name);
    Rejection::new(StatusReason::BadRequest, message)
}
