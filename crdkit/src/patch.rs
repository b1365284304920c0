//! A value and a JSON merge patch (RFC 7386) -> the patched value, or what the patch did not find.

use serde_json::{Map, Value};

/// Applies a merge patch that is written as a text of JSON.
///
/// # Errors
/// The text is no JSON, or no object; or the patch changes nothing, or removes what is not there.
pub(crate) fn apply(target: &mut Value, patch: &str) -> Result<(), String> {
    let patch = object(patch)?;
    let before = target.clone();
    find_removed(target, &patch, "")?;
    merge(target, &patch);
    if *target == before {
        return Err(format!("changes nothing: `{}` is what is there already", Value::Object(patch)));
    }
    Ok(())
}

/// The patch in a text.
fn object(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(patch)) => Ok(patch),
        Ok(_) => Err("is no object of JSON".to_owned()),
        Err(error) => Err(format!("is no JSON: {error}")),
    }
}

/// A removal that finds nothing is a patch for something that has changed since.
fn find_removed(target: &Value, patch: &Map<String, Value>, path: &str) -> Result<(), String> {
    for (key, value) in patch {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let found = target.get(key);
        match value {
            Value::Null if found.is_none() => return Err(format!("removes `{path}`, which is not there")),
            Value::Object(inner) => find_removed(found.unwrap_or(&Value::Null), inner, &path)?,
            _ => {}
        }
    }
    Ok(())
}

/// Applies a merge patch.
pub(crate) fn merge(target: &mut Value, patch: &Map<String, Value>) {
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (key, value) in patch {
        match value {
            Value::Null => {
                fields.remove(key);
            }
            Value::Object(inner) => merge(fields.entry(key.clone()).or_insert(Value::Null), inner),
            _ => {
                fields.insert(key.clone(), value.clone());
            }
        }
    }
}

/// The merge patch that makes `new` of `old`, where neither holds a null.
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
        assert_eq!(apply(&mut value, patch), Ok(()));
        assert_eq!(value, json!({"a": {"c": [3], "new": {"x": 1}}, "d": {"g": true}, "f": 1}));
    }

    #[test]
    fn a_patch_that_finds_nothing_is_an_error() {
        let errors = [
            (r#"{"a": 1}"#, "changes nothing: `{\"a\":1}` is what is there already"),
            ("{}", "changes nothing: `{}` is what is there already"),
            (r#"{"b": {"c": null}}"#, "removes `b.c`, which is not there"),
            ("[]", "is no object of JSON"),
            ("{", "is no JSON: EOF while parsing an object at line 1 column 1"),
        ];
        for (patch, error) in errors {
            assert_eq!(apply(&mut json!({"a": 1}), patch), Err(error.to_owned()));
        }
    }
}
