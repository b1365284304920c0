//! Reads and applies patches.

mod json_patch;
mod merge_patch;
mod strategic;
mod three_way;

use crd_core::{Diagnostic, FieldPath, KubeVersion, Shown, Structural};
use crd_go::strings::quote;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::depth;
use crate::json::{json_type, print_ordered};
use crate::request::body::{TYPE_META, duplicates, media_type, syntax_error, unsupported, yaml};
use crate::status::Failure;
pub(crate) use three_way::three_way;

/// The media types of patches for custom resources.
const TYPES: &str = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
/// The media type of patches that only built-in kinds and CRDs support, because they have a Go type.
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// The type of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchType {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl PatchType {
    pub(crate) fn is_apply(self) -> bool {
        self == Self::Apply
    }
}

/// A patch, ready to be applied.
#[derive(Debug)]
pub(crate) enum Patch {
    Json(Vec<json_patch::Operation>),
    Merge(Value),
    Strategic(Map<String, Value>),
    /// An object for server-side apply.
    Apply(Value),
}

impl Patch {
    /// Returns `true` if a `Content-Type` header contains a patch type that kinds with a Go type support.
    pub(crate) fn is_routed(content_type: &str) -> bool {
        let mut types = content_type.split(',').map(media_type);
        types.any(|media_type| media_type == STRATEGIC || TYPES.split(", ").any(|known| known == media_type))
    }

    /// Returns the type of the patch that a `Content-Type` header specifies.
    pub(crate) fn type_of(content_type: &str, has_type: bool) -> Result<PatchType, Failure> {
        match media_type(content_type) {
            STRATEGIC if has_type => Ok(PatchType::Strategic),
            "application/json-patch+json" => Ok(PatchType::Json),
            "application/merge-patch+json" => Ok(PatchType::Merge),
            "application/apply-patch+yaml" => Ok(PatchType::Apply),
            _ => Err(unsupported(TYPES)),
        }
    }

    /// Parses a patch. Also returns the problems for which strict field validation rejects the patch.
    pub(crate) fn read(
        patch_type: PatchType,
        body: &[u8],
        release: KubeVersion,
        is_checked: bool,
    ) -> Result<(Self, Vec<String>), Failure> {
        if patch_type.is_apply() {
            return applied(body, release).map(|(object, repeated)| (Self::Apply(object), repeated));
        }
        // The reader of strategic merge patches adds nothing to an error.
        let prefix = if patch_type == PatchType::Strategic { "" } else { "error decoding patch: " };
        let refuse = |error: String| Failure::bad_request(format!("{prefix}{error}"));
        let (value, twice) = duplicates::parse(body).map_err(|error| match patch_type {
            PatchType::Merge if !is_checked => Failure::bad_request("Invalid JSON Patch"),
            PatchType::Json if !is_checked => Failure::bad_request(syntax_error(body, &error)),
            _ => refuse(syntax_error(body, &error)),
        })?;
        let mut problems: Vec<String> =
            twice.iter().map(|field| format!("duplicate field {}", quote(&field.to_string()))).collect();
        match (patch_type, value) {
            (PatchType::Json, value) => {
                problems.iter_mut().for_each(|problem| problem.insert_str(0, "json patch "));
                problems.extend(json_patch::unknown_fields(&value));
                Ok((Self::Json(json_patch::read(value, is_checked)?), problems))
            }
            (PatchType::Strategic, Value::Object(patch)) => Ok((Self::Strategic(patch), problems)),
            (PatchType::Strategic, Value::Null) => Ok((Self::Strategic(Map::new()), problems)),
            (_, patch @ Value::Object(_)) => Ok((Self::Merge(patch), problems)),
            (PatchType::Merge, patch @ Value::Array(_)) if !is_checked => Ok((Self::Merge(patch), problems)),
            (PatchType::Merge, other) if other.is_null() || !is_checked => {
                Err(Failure::bad_request("Invalid JSON Patch"))
            }
            (_, other) => Err(refuse(format!(
                "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                json_type(&other)
            ))),
        }
    }

    /// Checks the syntax of a patch. Since 1.37, the API server checks the syntax before it looks for the object.
    ///
    /// Source: `validateAndTranscodePatch` in `k8s.io/apiserver/pkg/endpoints/handlers/patch.go`.
    pub(crate) fn check_syntax(patch_type: PatchType, body: &[u8]) -> Result<(), Failure> {
        if patch_type.is_apply() {
            // A text that looks like JSON is taken for it, and read later.
            if body.trim_ascii_start().starts_with(b"{") {
                return Ok(());
            }
            let parsed = yaml::parse(body).map(drop);
            return parsed.map_err(|error| Failure::bad_request(format!("error encoding patch: {error}")));
        }
        match depth::check_json(body).is_ok() && serde_json::from_slice::<IgnoredAny>(body).is_ok() {
            true => Ok(()),
            false => Err(Failure::bad_request("invalid JSON patch")),
        }
    }

    /// Returns the patched object. The schema specifies which lists are merged.
    pub(crate) fn apply(&self, mut object: Value, schema: Option<&Structural>) -> Result<Value, Failure> {
        match self {
            Self::Json(operations) => {
                json_patch::apply(operations, &mut object)?;
            }
            Self::Merge(patch) => merge_patch::apply(patch, &mut object),
            Self::Strategic(patch) => strategic::apply(patch, &mut object, schema),
            Self::Apply(_) => return Err(Failure::not_implemented("apply of this resource")),
        }
        if object.is_object() || object.is_null() {
            return Ok(object);
        }
        let found = json_type(&object);
        let error = format!("json: cannot unmarshal {found} into Go value of type {TYPE_META}");
        Err(unreadable(&self.shown(object), &format!("couldn't get version/kind; json parse error: {error}")))
    }
}

/// Returns the error for an unreadable patched object.
pub(crate) fn unreadable(patched: &str, error: &str) -> Failure {
    let cause = Diagnostic::invalid(FieldPath::new("patch"), Shown::from(patched), error);
    Failure::invalid("", "", "", &[cause])
}

impl Patch {
    /// Returns the patched object for an error message. For a strategic merge patch, returns the patch instead.
    pub(crate) fn shown(&self, mut patched: Value) -> String {
        if let Self::Strategic(patch) = self {
            return crd_go::json::show(&Value::Object(patch.clone()));
        }
        self.sort_read(&mut patched);
        // The library of the other patches keeps numbers as written, such as `2.0`.
        String::from_utf8_lossy(print_ordered(&patched).trim_ascii_end()).into_owned()
    }

    /// Sorts the fields in maps that the patch reads. The API server's patch library writes the other maps without sorting.
    fn sort_read(&self, patched: &mut Value) {
        match self {
            // Its operations have sorted what they read.
            Self::Json(_) => {}
            Self::Merge(patch) => merge_patch::sort_read(patch, patched),
            Self::Strategic(_) | Self::Apply(_) => patched.sort_all_objects(),
        }
    }
}

/// Reads the object in a server-side apply request. Also returns messages about repeated keys.
///
/// Source: `applyPatcher.applyPatchToCurrentObject` in `k8s.io/apiserver/pkg/endpoints/handlers/patch.go`.
fn applied(body: &[u8], release: KubeVersion) -> Result<(Value, Vec<String>), Failure> {
    // JSON is YAML, and read faster. Only the reader of YAML knows the lines of repeated keys, and which numbers are whole.
    if let Ok((object @ Value::Object(_), twice)) = duplicates::parse(body)
        && twice.is_empty()
        && !has_fractions(&object)
    {
        return Ok((object, Vec::new()));
    }
    let form = if release >= KubeVersion::new(37) { "patch" } else { "YAML" };
    let (value, repeated) = yaml::parse(body).map_err(|error| {
        Failure::bad_request(format!("error decoding {form}: error converting YAML to JSON: {error}"))
    })?;
    match value {
        Value::Object(_) => Ok((value, repeated)),
        Value::Null => Ok((Value::Object(Map::new()), repeated)),
        other => Err(Failure::bad_request(format!(
            "error decoding {form}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of type \
             map[string]interface {{}}",
            json_type(&other)
        ))),
    }
}

/// Returns `true` if a value contains a number that is not an `i64`.
fn has_fractions(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_i64(),
        Value::Array(items) => items.iter().any(has_fractions),
        Value::Object(fields) => fields.values().any(has_fractions),
        _ => false,
    }
}
