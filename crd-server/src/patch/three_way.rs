//! Creates the strategic merge patch of `kubectl apply`. The patch sets changed fields, and removes fields that are no longer applied.
//!
//! Source: `CreateThreeWayMergePatch` in `k8s.io/apimachinery/pkg/util/strategicpatch/patch.go`.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::strategic::{DELETE, DIRECTIVE, MergeKey, ORDER, key};

/// Returns the patch from the live object to the new object. Fields that only the live object contains are kept if they were not applied
/// before. Lists in the metadata are merged, and all other lists are replaced.
pub(crate) fn three_way(
    last: &Map<String, Value>,
    new: &Map<String, Value>,
    live: &Map<String, Value>,
) -> Map<String, Value> {
    let mut patch = removals(last, new);
    overlay(&mut patch, changes(live, new));
    patch
}

/// Returns the fields of the new object that differ from the live object.
fn changes(live: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (name, new) in new {
        match (live.get(name), new) {
            (Some(Value::Object(live)), Value::Object(new)) => {
                let below = changes(live, new);
                if !below.is_empty() {
                    patch.insert(name.clone(), below.into());
                }
            }
            (Some(live), new) if live == new => {}
            (Some(Value::Array(live)), Value::Array(new)) if !live.is_empty() => match key(name, None) {
                Some(key) => {
                    let live: HashSet<&Value> = live.iter().collect();
                    let added: Vec<Value> = new.iter().filter(|item| !live.contains(item)).cloned().collect();
                    if !added.is_empty() {
                        patch.insert(name.clone(), added.into());
                    }
                    patch.extend(order(name, new, key));
                }
                None => {
                    patch.insert(name.clone(), Value::from(new.as_slice()));
                }
            },
            (_, new) => {
                patch.insert(name.clone(), new.clone());
            }
        }
    }
    patch
}

/// Returns a patch that removes previously applied fields that the new object lacks.
fn removals(last: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (name, last) in last {
        match (last, new.get(name)) {
            (_, None) => {
                patch.insert(name.clone(), Value::Null);
            }
            (Value::Object(last), Some(Value::Object(new))) => {
                let below = removals(last, new);
                if !below.is_empty() {
                    patch.insert(name.clone(), below.into());
                }
            }
            (Value::Array(last), Some(Value::Array(new))) => {
                patch.extend(key(name, None).into_iter().flat_map(|key| removed_items(name, last, new, key)));
            }
            _ => {}
        }
    }
    patch
}

/// Returns the key of an item in a merged list.
fn identity<'i>(item: &'i Value, key: MergeKey<'_>) -> Option<&'i Value> {
    match key {
        MergeKey::Field(key) => item.get(key),
        MergeKey::Value => Some(item),
    }
}

/// Returns the directives that remove items from a merged list.
fn removed_items(name: &str, last: &[Value], new: &[Value], key: MergeKey<'_>) -> Vec<(String, Value)> {
    let kept: HashSet<Option<&Value>> = new.iter().map(|item| identity(item, key)).collect();
    let gone: Vec<&Value> = last.iter().filter(|last| !kept.contains(&identity(last, key))).collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let removed = match key {
        MergeKey::Field(key) => {
            let items = gone.iter().map(|item| json!({DIRECTIVE: "delete", key: item[key]}));
            (name.to_owned(), items.collect())
        }
        MergeKey::Value => (format!("{DELETE}{name}"), gone.into_iter().cloned().collect()),
    };
    [removed].into_iter().chain(order(name, new, key)).collect()
}

/// Returns the directive that sets a merged list's order, or `None` for an empty list.
fn order(name: &str, new: &[Value], key: MergeKey<'_>) -> Option<(String, Value)> {
    let item = |item: &Value| match key {
        MergeKey::Field(key) => json!({key: item[key]}),
        MergeKey::Value => item.clone(),
    };
    (!new.is_empty()).then(|| (format!("{ORDER}{name}"), new.iter().map(item).collect()))
}

/// Adds changes to a patch that contains removals. If the changes and the removals contain items of the same list, the result contains all
/// these items.
fn overlay(patch: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (name, change) in changes {
        match (patch.get_mut(&name), change) {
            (Some(Value::Object(below)), Value::Object(change)) => overlay(below, change),
            (Some(Value::Array(items)), Value::Array(change)) if !name.starts_with('$') => {
                items.extend(change);
            }
            (_, change) => {
                patch.insert(name, change);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::Patch;

    /// Returns the live object after `kubectl apply`.
    fn applied(last: &Value, new: &Value, live: &Value) -> Value {
        let [last, new, fields] = [last, new, live].map(|object| object.as_object().unwrap());
        Patch::Strategic(three_way(last, new, fields)).apply(live.clone(), None).unwrap()
    }

    #[test]
    fn fields_of_others_stay() {
        for (last, new, live, expected) in [
            // A field that nobody applied stays, one that was applied before goes.
            (
                json!({"a": 1, "b": 2}),
                json!({"a": 1}),
                json!({"a": 1, "b": 2, "c": 3}),
                json!({"a": 1, "c": 3}),
            ),
            (
                json!({"m": {"a": 1, "b": 2}}),
                json!({"m": {"a": 5}}),
                json!({"m": {"a": 1, "b": 2, "c": 3}}),
                json!({"m": {"a": 5, "c": 3}}),
            ),
            // Lists are replaced.
            (json!({}), json!({"l": [1]}), json!({"l": [1, 2]}), json!({"l": [1]})),
            // The lists of the metadata are merged.
            (
                json!({"finalizers": ["a", "b"]}),
                json!({"finalizers": ["a", "d"]}),
                json!({"finalizers": ["a", "b", "c"]}),
                json!({"finalizers": ["a", "d", "c"]}),
            ),
            (
                json!({"ownerReferences": [{"uid": "1"}, {"uid": "2"}]}),
                json!({"ownerReferences": [{"uid": "1", "name": "x"}]}),
                json!({"ownerReferences": [{"uid": "1"}, {"uid": "2"}, {"uid": "3"}]}),
                json!({"ownerReferences": [{"uid": "1", "name": "x"}, {"uid": "3"}]}),
            ),
            // A null removes what nobody applied.
            (json!({}), json!({"a": null}), json!({"a": 1, "b": 2}), json!({"b": 2})),
            // A value of another type is replaced as a whole.
            (json!({"a": {"b": 1}}), json!({"a": "x"}), json!({"a": {"b": 1, "c": 2}}), json!({"a": "x"})),
        ] {
            assert_eq!(applied(&last, &new, &live), expected, "{last} {new} {live}");
        }
    }

    #[test]
    fn nothing_is_sent_where_nothing_changes() {
        let new = json!({"spec": {"a": [1], "b": {"c": 2}}});
        let live = json!({"spec": {"a": [1], "b": {"c": 2, "d": 3}}, "status": {}});
        let [new, live] = [&new, &live].map(|object| object.as_object().unwrap());
        assert!(three_way(new, new, live).is_empty());
    }
}
