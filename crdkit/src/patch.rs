//! JSON merge patches (RFC 7386) that fail if they remove a missing value or change nothing.
//!
//! In a schema, the patch merges only schemas and replaces all other values. For example, a null in a new default does not remove anything.

use serde_json::{Map, Value};

use crate::Error;

/// The error for a patch that cannot be applied. Its message ends a sentence such as "has a `patch` that ...".
#[derive(Debug)]
pub(crate) struct PatchError {
    message: String,
    source: Option<serde_json::Error>,
}

impl PatchError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// Converts the message to an error with `make`. The source is the parser's error, if there is one.
    pub(crate) fn into_error(self, make: impl FnOnce(String) -> Error) -> Error {
        let error = make(self.message);
        match self.source {
            Some(source) => error.caused_by(source),
            None => error,
        }
    }
}

/// Applies a merge patch, given as a string of JSON.
///
/// # Errors
/// - The string is not valid JSON, or not an object.
/// - The patch changes nothing, or removes a value that does not exist.
pub(crate) fn apply(target: &mut Value, patch: &str) -> Result<(), PatchError> {
    apply_at(target, patch, Level::Value)
}

/// Applies a merge patch to a schema.
///
/// # Errors
/// The same as for [`apply`].
pub(crate) fn apply_to_schema(target: &mut Value, patch: &str) -> Result<(), PatchError> {
    apply_at(target, patch, Level::Schema)
}

/// The kind of value that a patch merges with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Value,
    Schema,
    /// A map of names to schemas.
    Schemas,
}

impl Level {
    /// Returns the kind of the value under a key, or `None` if the patch replaces the value.
    fn below(self, key: &str) -> Option<Self> {
        match (self, key) {
            (Self::Value, "openAPIV3Schema")
            | (Self::Schemas, _)
            | (Self::Schema, "items" | "additionalProperties" | "not") => Some(Self::Schema),
            (Self::Value, _) => Some(Self::Value),
            (Self::Schema, "properties") => Some(Self::Schemas),
            (Self::Schema, _) => None,
        }
    }
}

fn apply_at(target: &mut Value, patch: &str, level: Level) -> Result<(), PatchError> {
    let patch = object(patch)?;
    let before = target.clone();
    merge(target, &patch, "", level)?;
    if *target == before {
        let patch = Value::Object(patch);
        return Err(PatchError::new(format!("changes nothing: `{patch}` is already there")));
    }
    Ok(())
}

/// Parses a JSON object.
pub(crate) fn object(text: &str) -> Result<Map<String, Value>, PatchError> {
    match serde_json::from_str(text) {
        Ok(Value::Object(patch)) => Ok(patch),
        Ok(_) => Err(PatchError::new("is not a JSON object")),
        Err(error) => Err(PatchError { message: format!("is not valid JSON: {error}"), source: Some(error) }),
    }
}

fn merge(target: &mut Value, patch: &Map<String, Value>, path: &str, level: Level) -> Result<(), PatchError> {
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return Ok(()) };
    for (key, value) in patch {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (value, level.below(key)) {
            // A removal that finds nothing is a patch for something that has changed since.
            (Value::Null, _) => {
                fields
                    .remove(key)
                    .ok_or_else(|| PatchError::new(format!("removes `{path}`, which is not there")))?;
            }
            (Value::Object(inner), Some(level)) => {
                merge(fields.entry(key.clone()).or_insert(Value::Null), inner, &path, level)?;
            }
            _ => {
                fields.insert(key.clone(), value.clone());
            }
        }
    }
    Ok(())
}

/// Applies a patch from [`difference`]. Removals of absent values are ignored.
pub(crate) fn change(target: &mut Value, changes: &Map<String, Value>) {
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (key, value) in changes {
        match value {
            Value::Null => {
                fields.remove(key);
            }
            Value::Object(inner) => change(fields.entry(key.clone()).or_insert(Value::Null), inner),
            _ => {
                fields.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Returns the merge patch that turns `old` into `new`. Neither may contain nulls.
pub(crate) fn difference(old: &Value, new: &Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (old, new) else { return new.clone() };
    let mut patch = Map::new();
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, value) in after {
        match before.get(key) {
            Some(same) if same == value => {}
            Some(other) => {
                patch.insert(key.clone(), difference(other, value));
            }
            None => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(patch)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_merges_replaces_and_removes() {
        let mut value = json!({"a": {"b": 1, "c": [1, 2]}, "d": "e", "f": 1});
        let patch = r#"{"a": {"b": null, "c": [3], "new": {"x": 1}}, "d": {"g": true}}"#;
        apply(&mut value, patch).expect("it changes something");
        assert_eq!(value, json!({"a": {"c": [3], "new": {"x": 1}}, "d": {"g": true}, "f": 1}));
    }

    #[test]
    fn within_a_schema_values_are_replaced() {
        let mut schema =
            json!({"default": {"a": 1}, "properties": {"default": {"type": "object", "title": "A"}}});
        let patch =
            r#"{"default": {"b": null}, "properties": {"default": {"title": null, "example": {"c": null}}}}"#;
        apply_to_schema(&mut schema, patch).expect("it changes something");
        let patched = json!({
            "default": {"b": null},
            "properties": {"default": {"type": "object", "example": {"c": null}}},
        });
        assert_eq!(schema, patched);
    }

    #[test]
    fn a_patch_that_finds_nothing_is_an_error() {
        let errors = [
            (r#"{"a": 1}"#, "changes nothing: `{\"a\":1}` is already there"),
            ("{}", "changes nothing: `{}` is already there"),
            (r#"{"b": {"c": null}}"#, "removes `b.c`, which is not there"),
            ("[]", "is not a JSON object"),
            ("{", "is not valid JSON: EOF while parsing an object at line 1 column 1"),
        ];
        for (patch, error) in errors {
            let found = apply(&mut json!({"a": 1}), patch).map_err(|error| error.message);
            assert_eq!(found, Err(error.to_owned()));
        }
    }
}
