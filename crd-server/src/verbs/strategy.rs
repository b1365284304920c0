//! Processes sent objects depending on their kind, and performs the work of controllers after a write.
//!
//! CRDs are handled separately. All other objects pass through their definition's validator.
//!
//! Source: `rest.RESTCreateStrategy` and `rest.RESTUpdateStrategy` of `k8s.io/apiserver`.

use std::borrow::Cow;
use std::sync::Arc;

use crd_core::Structural;
use crd_core::admit::{Admission, FieldValidation, Rejection, StatusReason, Warning};
use crd_go::strings::quote;
use serde_json::Value;

use super::admitted::Admitted;
use super::write::Current;
use super::{definitions, ephemeral, namespaces, write};
use crate::call::Call;
use crate::definition::{self, Definition, Origin, Row};
use crate::json::{metadata_mut, set, text};
use crate::request::body::yaml::repeated_keys;
use crate::request::body::{self, MissingType, Object};
use crate::request::options::WriteOptions;
use crate::request_info::{Change, RequestInfo};
use crate::shared::Shared;
use crate::status::Failure;
use crate::store::Stored;

/// Prunes, defaults and validates a new object.
pub(super) fn create(
    call: &mut Call<'_>,
    place: &RequestInfo,
    options: &WriteOptions,
    mut object: Object,
) -> Result<Admitted, Failure> {
    if place.definition.origin == Origin::Definitions {
        return definitions::create(call, options, object);
    }
    let (kind, name) = (text(&object.value, &["kind"]).to_owned(), object_name(&object));
    let found = Found::take(&mut object, place, options);
    let submitted = object.submitted();
    let admission = place.validator(options.field_validation).create(submitted.clone());
    report(call, place, options, found, &admission)?;
    Ok(Admitted::from_object(admission, submitted, place, &kind, &name))
}

/// Prunes, defaults and validates an object that replaces a stored object.
pub(super) fn update(
    call: &mut Call<'_>,
    place: &RequestInfo,
    change: Change,
    options: &WriteOptions,
    mut object: Object,
    old: &Current,
) -> Result<Admitted, Failure> {
    if place.definition.origin == Origin::Definitions {
        return definitions::update(call, change, options, object, &old.value);
    }
    let kind = text(&object.value, &["kind"]).to_owned();
    let found = Found::take(&mut object, place, options);
    let before = match place.is_converted() {
        true => Cow::Owned(place.read(&old.stored)?),
        false => Cow::Borrowed(&old.value),
    };
    let debugged =
        (change == Change::EphemeralContainers).then(|| ephemeral::replaced(&object.value, &before));
    let submitted = object.submitted();
    let validator = place.validator(options.field_validation);
    let mut admission = match change {
        Change::Object => validator.update(submitted.clone(), &*before),
        Change::EphemeralContainers => validator.update(debugged.unwrap_or_default(), &*before),
        Change::Status => validator.update_status(submitted.clone(), &*before),
    };
    if let (Change::Status, Some(row)) = (change, place.definition.built_in()) {
        set_metadata_through_status(&mut admission, &validator.update(submitted.clone(), &*before), row);
    }
    report(call, place, options, found, &admission)?;
    if let Ok(updated) = &mut admission.result {
        place.definition.finish(updated);
        place.definition.count_annotations(updated, &before);
    }
    let mut admitted = Admitted::from_object(admission, submitted, place, &kind, &place.name);
    if change == Change::EphemeralContainers {
        admitted.check(|updated| ephemeral::check(updated, &before, place));
    }
    Ok(admitted)
}

/// Sets the metadata that a status update of a built-in kind also changes.
fn set_metadata_through_status(status: &mut Admission, whole: &Admission, row: &Row) {
    let whole = match &whole.result {
        Ok(whole) => whole,
        Err(rejection) => {
            if status.result.is_ok() {
                status.result = Err(rejection.clone());
            }
            return;
        }
    };
    let Some(metadata) = status.result.as_mut().ok().and_then(metadata_mut) else { return };
    for field in ["labels", "annotations", "finalizers", "ownerReferences"] {
        if !row.kept_by_status.iter().any(|kept| kept == field) {
            set(metadata, field, whole["metadata"].get(field).cloned());
        }
    }
}

/// Reads the object in a request. If the kind has a Go type, an object without a type gets the type in the path.
///
/// Source: `gvkWithDefaults` in `pkg/runtime/serializer/json/json.go` of apimachinery.
pub(super) fn read(call: &Call<'_>, place: &RequestInfo) -> Result<Object, Failure> {
    let definition = &place.definition;
    let missing = if definition.has_go_type() { MissingType::OfPath } else { MissingType::Rejected };
    let mut object = body::object(&call.body, call.content_type(), definition.kind(), missing)?;
    if let (Some(_), Value::Object(fields)) = (definition.built_in(), &mut object.value) {
        let mut complete = |name: &str, of_path: &str| {
            if fields.get(name).and_then(Value::as_str).unwrap_or_default().is_empty() {
                fields.insert(name.to_owned(), of_path.into());
            }
        };
        complete("apiVersion", &definition.api_version(&place.version));
        complete("kind", definition.kind());
    }
    check_type(&object.value, place)?;
    write::check_namespace(&object.value, place)?;
    Ok(object)
}

/// Returns the schema that specifies which lists a strategic merge patch merges. The Go type of CRDs has merge keys only for
/// metadata.
pub(super) fn patch_schema(place: &RequestInfo) -> Option<&Structural> {
    let definition = &place.definition;
    definition.schema(&place.version).filter(|_| definition.origin != Origin::Definitions)
}

/// Checks that an object has the type in the request's path. A CRD must also be readable.
pub(super) fn check_type(value: &Value, place: &RequestInfo) -> Result<(), Failure> {
    match place.definition.origin {
        Origin::Definitions => definitions::check_type(value),
        Origin::BuiltIn(_) => check_kind(value, place),
        Origin::Custom => write::check_api_version(value, place),
    }
}

/// Checks that an object has the built-in kind in the request's path. The error depends on whether the object has another built-in kind or
/// an unknown kind.
fn check_kind(value: &Value, place: &RequestInfo) -> Result<(), Failure> {
    let (expected, kind) = (place.definition.kind(), text(value, &["kind"]));
    let api_version = text(value, &["apiVersion"]);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let is_known = definition::is_built_in(group, version, kind);
    if is_known && kind == expected && group == place.definition.resource.group {
        // Another version is rejected after the object was read.
        return write::check_api_version(value, place);
    }
    // The name of the package with the types that all versions are converted to.
    let internal = match place.definition.resource.group.split('.').next() {
        Some("") | None => "core",
        Some(name) => name,
    };
    let error = match is_known {
        true => format!("converting ({version}.{kind}) to ({internal}.{expected}): unknown conversion"),
        false => format!(
            "no kind {} is registered for version {} in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
            quote(kind),
            quote(api_version)
        ),
    };
    let version = quote(version);
    let message = format!("{kind} in version {version} cannot be handled as a {expected}: {error}");
    Err(Failure::bad_request(message).with_decoding_error(Some(&error)))
}

/// Fills in the defaults that a CRD gets when it is read from storage. Returns `false` for a CRD that is stored without these defaults, and
/// `None` for other objects.
pub(super) fn has_stored_defaults(object: &mut Value, place: &RequestInfo) -> Option<bool> {
    (place.definition.origin == Origin::Definitions).then(|| definitions::has_stored_defaults(object))
}

/// Performs the work of controllers after an object was written.
pub(super) fn after_write(server: &Shared, place: &RequestInfo, stored: &Arc<Stored>) {
    match place.definition.built_in() {
        Some(row) if row.is_registration() => {
            server.report_registration(place.definition.kind(), stored.key.name());
        }
        None if place.definition.origin == Origin::Definitions => definitions::after_write(server, stored),
        _ => {}
    }
}

/// Performs the work of controllers after an object was removed.
pub(super) fn after_removal(server: &Shared, place: &RequestInfo, stored: &Stored) {
    if place.definition.origin == Origin::Definitions {
        definitions::after_removal(server, stored);
    }
    after_removal_from(server, &place.definition, &place.namespace);
}

/// Removes the CRD and the namespace if they are being deleted and no objects are left.
fn after_removal_from(server: &Shared, definition: &Definition, namespace: &str) {
    definitions::finish_for(server, definition);
    namespaces::finish(server, namespace);
}

fn object_name(object: &Object) -> String {
    text(&object.value, &["metadata", "name"]).to_owned()
}

/// Problems for which strict field validation rejects an object, besides those that the validator finds.
struct Found {
    /// The problems in a patch.
    of_patch: Vec<String>,
    /// The repeated keys in YAML.
    repeated: Vec<String>,
    /// Unknown fields in an object of a built-in kind, and repeated fields in JSON.
    typed: Vec<String>,
}

impl Found {
    /// Returns an object's problems. Also removes unknown fields from objects of built-in kinds, like the decoder. Applied objects are not
    /// decoded, because server-side apply checks their fields with a schema.
    fn take(object: &mut Object, place: &RequestInfo, options: &WriteOptions) -> Self {
        let typed = match object.source {
            body::Source::Text => typed(object, place),
            _ => Vec::new(),
        };
        let repeated = std::mem::take(&mut object.repeated);
        Self { of_patch: options.patch_problems.clone(), repeated, typed }
    }
}

/// Returns the problems in an object of a built-in kind, and removes unknown fields.
#[cfg(feature = "protobuf")]
fn typed(object: &mut Object, place: &RequestInfo) -> Vec<String> {
    if place.definition.built_in().is_none() {
        return Vec::new();
    }
    let repeated = object.duplicates.iter().map(ToString::to_string).collect();
    let api_version = place.definition.api_version(&place.version);
    let kind = place.definition.kind();
    let problems = crate::protobuf::remove_unknown(&mut object.value, &api_version, kind, repeated);
    if problems.is_some() {
        object.duplicates.clear();
    }
    problems.unwrap_or_default()
}

#[cfg(not(feature = "protobuf"))]
fn typed(_: &mut Object, _: &RequestInfo) -> Vec<String> {
    Vec::new()
}

/// Adds warnings from validation and warnings about the problems in `found`. With strict field validation, rejects the object because of
/// these problems.
fn report(
    call: &mut Call<'_>,
    place: &RequestInfo,
    options: &WriteOptions,
    found: Found,
    admission: &Admission,
) -> Result<(), Failure> {
    match options.field_validation {
        FieldValidation::Ignore => {}
        FieldValidation::Warn => call.warnings.extend(found.repeated.into_iter().chain(found.typed)),
        FieldValidation::Strict => check_strictly(found, place, admission.result.as_ref().err())?,
    }
    warn(call, &admission.warnings, place);
    Ok(())
}

/// Rejects an object if it has problems. The error also lists the unknown fields for which validation rejects the object. If the text
/// cannot be decoded at all, validation rejects the object.
fn check_strictly(found: Found, place: &RequestInfo, refusal: Option<&Rejection>) -> Result<(), Failure> {
    let Found { of_patch, repeated, typed } = found;
    if of_patch.is_empty() && repeated.is_empty() && typed.is_empty() {
        return Ok(());
    }
    let unknown = match refusal.filter(|refusal| refusal.reason == StatusReason::BadRequest) {
        Some(refusal) if refusal.strict_errors().is_empty() => return Ok(()),
        refusal => refusal.map(Rejection::strict_errors).unwrap_or_default(),
    };
    let keys = (!repeated.is_empty()).then(|| repeated_keys(&repeated));
    let unknown = unknown.iter().map(ToString::to_string);
    let problems: Vec<String> = of_patch.into_iter().chain(keys).chain(typed).chain(unknown).collect();
    let error = format!("strict decoding error: {}", problems.join(", "));
    Err(Failure::undecoded(place.definition.kind(), &place.version, &error))
}

/// Adds warnings from validation, except for the warning about a deprecated version. This warning has already been added.
fn warn(call: &mut Call<'_>, warnings: &[Warning], place: &RequestInfo) {
    let deprecation = place.definition.validator(&place.version).deprecation(&place.version);
    for warning in warnings.iter().map(ToString::to_string) {
        if Some(warning.as_str()) != deprecation && !call.warnings.contains(&warning) {
            call.warnings.push(warning);
        }
    }
}
