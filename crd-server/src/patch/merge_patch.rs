//! Merge patches: RFC 7396 with the same deviations as in the API server's library.
//!
//! Source: `merge.go` of `github.com/evanphx/json-patch`.

use serde_json::{Map, Value};

/// Applies a merge patch to a value. A `null` removes a field.
pub(super) fn apply(patch: &Value, target: &mut Value) {
    let Value::Object(patch) = patch else {
        target.clone_from(patch);
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (name, value) in patch {
        if value.is_null() {
            crd_go::json::remove(fields, name);
            continue;
        }
        match (fields.get_mut(name), value) {
            (Some(field @ Value::Object(_)), Value::Object(_)) => apply(value, field),
            // Only instead of a map, a list keeps the `null`s within its items.
            (Some(field @ Value::Object(_)), value) => field.clone_from(value),
            _ => {
                fields.insert(name.clone(), without_nulls(value));
            }
        }
    }
}

/// Sorts the fields of each map in the object if the patch has a map at the same path.
pub(super) fn sort_read(patch: &Value, patched: &mut Value) {
    match (patch, patched) {
        (Value::Object(patch), Value::Object(fields)) => {
            fields.sort_keys();
            for (name, value) in patch {
                if let Some(field) = fields.get_mut(name) {
                    sort_read(value, field);
                }
            }
        }
        (Value::Array(items), Value::Array(patched)) => {
            items.iter().zip(patched).for_each(|(item, patched)| sort_read(item, patched));
        }
        _ => {}
    }
}

/// Returns a copy of a value without any `null` fields, including those inside list items.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let present = fields.iter().filter(|(_, value)| !value.is_null());
            present.map(|(name, value)| (name.clone(), without_nulls(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Tests the cases in the appendix of RFC 7396.
    #[test]
    fn patches_of_the_standard() {
        for (target, patch, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            let mut patched = target.clone();
            apply(&patch, &mut patched);
            assert_eq!(patched, expected, "{target} {patch}");
        }
    }

    #[test]
    fn new_items_of_lists_lose_their_nulls() {
        let items = json!({"a": [{"b": null, "c": 1}, null]});
        for (target, expected) in [
            (json!({}), json!({"a": [{"c": 1}, null]})),
            (json!({"a": [{"d": 1}]}), json!({"a": [{"c": 1}, null]})),
            (json!({"a": {"d": 1}}), items.clone()),
        ] {
            let mut patched = target.clone();
            apply(&items, &mut patched);
            assert_eq!(patched, expected, "{target}");
        }
    }
}
