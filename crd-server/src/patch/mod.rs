//! Patches of objects.

mod json_patch;
mod merge_patch;
mod strategic;

use crd_core::{FieldPath, KubeVersion, Structural};
use crd_go::strings::quote;
use serde_json::{Map, Value};

use crate::json::json_type;
use crate::request::body::{duplicates, media_type, syntax_error, unsupported, yaml};
use crate::status::Failure;

/// The types of patches that custom resources have.
const TYPES: &str = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
/// The type of patch that only kinds with a Go type support: built-in kinds and CRDs.
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
    /// An object that is applied.
    Apply(Value),
}

impl Patch {
    /// Returns `true` if one of the types of a header `Content-Type` is that of a patch of a kind with a type in Go.
    pub(crate) fn is_routed(content_type: &str) -> bool {
        let mut types = content_type.split(',').map(media_type);
        types.any(|media_type| media_type == STRATEGIC || TYPES.split(", ").any(|known| known == media_type))
    }

    /// Returns the type that a header `Content-Type` names.
    pub(crate) fn type_of(content_type: &str, has_type: bool) -> Result<PatchType, Failure> {
        match media_type(content_type) {
            STRATEGIC if has_type => Ok(PatchType::Strategic),
            "application/json-patch+json" => Ok(PatchType::Json),
            "application/merge-patch+json" => Ok(PatchType::Merge),
            "application/apply-patch+yaml" => Ok(PatchType::Apply),
            _ => Err(unsupported(TYPES)),
        }
    }

    /// Reads a patch, and the problems that make strict field validation reject it.
    pub(crate) fn read(
        patch_type: PatchType,
        body: &[u8],
        release: KubeVersion,
    ) -> Result<(Self, Vec<String>), Failure> {
        let refuse = |error: String| Failure::bad_request(format!("error decoding patch: {error}"));
        let parsed = || {
            duplicates::parse(body).map_err(|error| match release >= KubeVersion::new(37) {
                true => Failure::bad_request("invalid JSON patch"),
                false => refuse(syntax_error(body, &error)),
            })
        };
        match patch_type {
            PatchType::Json => {
                let (value, twice) = parsed()?;
                let duplicate =
                    |field: &FieldPath| format!("json patch duplicate field {}", quote(&field.to_string()));
                let mut problems: Vec<String> = twice.iter().map(duplicate).collect();
                problems.extend(json_patch::unknown_fields(&value));
                Ok((Self::Json(json_patch::read(value)?), problems))
            }
            PatchType::Merge | PatchType::Strategic => match parsed()? {
                (Value::Object(patch), _) if patch_type == PatchType::Strategic => {
                    Ok((Self::Strategic(patch), Vec::new()))
                }
                (patch @ Value::Object(_), twice) => {
                    let duplicate =
                        |field: &FieldPath| format!("duplicate field {}", quote(&field.to_string()));
                    Ok((Self::Merge(patch), twice.iter().map(duplicate).collect()))
                }
                (other, _) => Err(refuse(format!(
                    "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                    json_type(&other)
                ))),
            },
            PatchType::Apply => {
                applied(body, release).map(|(object, repeated)| (Self::Apply(object), repeated))
            }
        }
    }

    /// Returns the patched object, whose schema says which lists are merged.
    pub(crate) fn apply(&self, mut object: Value, schema: Option<&Structural>) -> Result<Value, Failure> {
        match self {
            Self::Json(operations) => {
                json_patch::apply(operations, &mut object)?;
            }
            Self::Merge(patch) => merge_patch::apply(patch, &mut object),
            Self::Strategic(patch) => strategic::apply(patch, &mut object, schema),
            Self::Apply(_) => return Err(Failure::not_implemented("apply of this resource")),
        }
        Ok(object)
    }
}

impl Patch {
    /// Sorts the fields of the maps that the patch reads. The library of patches prints the others as they were.
    pub(crate) fn sort_read(&self, patched: &mut Value) {
        match self {
            Self::Json(operations) => json_patch::sort_read(operations, patched),
            Self::Merge(patch) => merge_patch::sort_read(patch, patched),
            Self::Strategic(_) | Self::Apply(_) => patched.sort_all_objects(),
        }
    }
}

/// Reads an object that is applied, and the messages about keys that its text repeats.
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
    let is_new = release >= KubeVersion::new(37);
    let (value, repeated) = yaml::parse(body).map_err(|error| match is_new {
        true => Failure::bad_request(format!("error encoding patch: {error}")),
        false => Failure::bad_request(format!("error decoding YAML: error converting YAML to JSON: {error}")),
    })?;
    match value {
        Value::Object(_) => Ok((value, repeated)),
        Value::Null => Ok((Value::Object(Map::new()), repeated)),
        other => Err(Failure::bad_request(format!(
            "error decoding {}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of type \
             map[string]interface {{}}",
            if is_new { "patch" } else { "YAML" },
            json_type(&other)
        ))),
    }
}

/// Returns `true` if a value contains a number that is not a small whole one, as written.
fn has_fractions(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_i64(),
        Value::Array(items) => items.iter().any(has_fractions),
        Value::Object(fields) => fields.values().any(has_fractions),
        _ => false,
    }
}
