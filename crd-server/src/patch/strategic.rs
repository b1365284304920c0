//! Strategic merge patches, which merge lists whose items have keys. Only built-in kinds and CRDs support such patches; custom resources do
//! not.
//!
//! Source: `k8s.io/apimachinery/pkg/util/strategicpatch/patch.go`.

use std::collections::HashMap;

use crd_core::Structural;
use crd_go::json::marshal;
use serde_json::{Map, Value};

/// The directive for a value: `replace` or `delete`.
pub(super) const DIRECTIVE: &str = "$patch";
/// The directive for the fields to keep. All other fields are removed.
const RETAIN: &str = "$retainKeys";
/// The prefix of a directive that sets a list's order. The prefix is followed by the list's field name.
pub(super) const ORDER: &str = "$setElementOrder/";
/// The prefix of a directive that removes values from a list. The prefix is followed by the list's field name.
pub(super) const DELETE: &str = "$deleteFromPrimitiveList/";

/// Applies a patch to an object.
pub(super) fn apply(patch: &Map<String, Value>, target: &mut Value, schema: Option<&Structural>) {
    if patch.get(DIRECTIVE).is_some_and(|directive| directive == "replace") {
        *target =
            patch.iter().filter(|(name, _)| *name != DIRECTIVE).map(owned).collect::<Map<_, _>>().into();
        return;
    }
    let is_deleted = patch.get(DIRECTIVE).is_some_and(|directive| directive == "delete");
    if is_deleted || !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if is_deleted {
        return;
    }
    let Value::Object(fields) = target else { return };
    if let Some(Value::Array(kept)) = patch.get(RETAIN) {
        fields.retain(|name, _| kept.iter().any(|kept| kept == name));
    }
    for (name, value) in patch {
        if name.starts_with('$') {
            continue;
        }
        let below = schema.and_then(|schema| schema.field(name));
        match value {
            Value::Null => {
                crd_go::json::remove(fields, name);
            }
            Value::Object(patch) if patch.get(DIRECTIVE).is_some_and(|directive| directive == "delete") => {
                crd_go::json::remove(fields, name);
            }
            Value::Object(patch) => apply(patch, fields.entry(name.clone()).or_insert(Value::Null), below),
            Value::Array(items) => {
                let field = fields.entry(name.clone()).or_insert(Value::Null);
                let order = patch.get(&format!("{ORDER}{name}")).and_then(Value::as_array);
                list(items, order.unwrap_or(items), field, key(name, below), below);
            }
            scalar => {
                fields.insert(name.clone(), scalar.clone());
            }
        }
    }
    for (name, values) in patch {
        let Value::Array(values) = values else { continue };
        if let Some(Value::Array(items)) = name.strip_prefix(DELETE).and_then(|name| fields.get_mut(name)) {
            items.retain(|item| !values.contains(item));
        }
        if let Some(name) = name.strip_prefix(ORDER)
            && !patch.contains_key(name)
            && let Some(Value::Array(items)) = fields.get_mut(name)
        {
            let key = key(name, schema.and_then(|schema| schema.field(name)));
            let before = items.clone();
            arrange(items, &before, values, key.unwrap_or(MergeKey::Value));
        }
    }
}

/// Merges a list into the stored list. `order` contains the items that the patch sorts, in their new order.
fn list(
    patch: &[Value],
    order: &[Value],
    target: &mut Value,
    key: Option<MergeKey<'_>>,
    schema: Option<&Structural>,
) {
    let Some(merging) = key else {
        *target = patch.into();
        return;
    };
    let before = target.as_array().cloned().unwrap_or_default();
    let directive =
        |item: &Value, wanted: &str| item.get(DIRECTIVE).is_some_and(|directive| directive == wanted);
    if !target.is_array() || patch.iter().any(|item| directive(item, "replace")) {
        *target = Value::Array(Vec::new());
    }
    let Value::Array(items) = target else { return };
    let below = schema.and_then(|schema| schema.items.as_deref());
    let mut places = places(items, merging);
    // Removed items leave their places, so that those of the others stay right.
    let mut merged: Vec<Option<Value>> = std::mem::take(items).into_iter().map(Some).collect();
    for item in patch.iter().filter(|item| !directive(item, "replace")) {
        let identity = merging.identity(item);
        let found = identity.as_ref().and_then(|identity| places.get(identity).copied());
        match (found, item) {
            (Some(at), _) if directive(item, "delete") => {
                merged[at] = None;
                identity.and_then(|identity| places.remove(&identity));
            }
            (None, _) if directive(item, "delete") => {}
            (Some(at), Value::Object(patch)) => {
                if let Some(item) = &mut merged[at] {
                    apply(patch, item, below);
                }
            }
            (Some(_), _) => {}
            (None, item) => {
                places.extend(identity.map(|identity| (identity, merged.len())));
                let mut new = item.clone();
                if let Value::Object(patch) = item {
                    new = Value::Null;
                    apply(patch, &mut new, below);
                }
                merged.push(Some(new));
            }
        }
    }
    items.extend(merged.into_iter().flatten());
    arrange(items, &before, order, merging);
}

/// Sorts the items of a merged list. Items in `order` take this order, and all others take their order in `before`. Items in `order` come
/// before all other items, except those that preceded them in `before`.
///
/// Source: `normalizeElementOrder` and `mergeSortedSlice`.
fn arrange(items: &mut Vec<Value>, before: &[Value], order: &[Value], key: MergeKey<'_>) {
    let (order, before) = (places(order, key), places(before, key));
    let with_places = std::mem::take(items).into_iter().map(|item| {
        let identity = key.identity(&item);
        let place = |places: &HashMap<String, usize>| places.get(identity.as_ref()?).copied();
        (place(&order), place(&before), item)
    });
    let (mut chosen, rest): (Vec<_>, Vec<_>) = with_places.partition(|(order, ..)| order.is_some());
    chosen.sort_by_key(|(order, ..)| *order);
    let (mut chosen, mut rest) = (chosen.into_iter().peekable(), rest.into_iter().peekable());
    while let Some((_, next, _)) = chosen.peek() {
        let is_before =
            rest.peek().is_some_and(|(_, before, _)| matches!((before, next), (Some(a), Some(b)) if a < b));
        let item = if is_before { rest.next() } else { chosen.next() };
        items.extend(item.map(|(.., item)| item));
    }
    items.extend(rest.map(|(.., item)| item));
}

/// Returns the first position of each key. Items without a key are left out.
fn places(items: &[Value], key: MergeKey<'_>) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        if let Some(identity) = key.identity(item) {
            places.entry(identity).or_insert(at);
        }
    }
    places
}

/// The key that distinguishes the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MergeKey<'s> {
    Field(&'s str),
    /// The whole item is the key.
    Value,
}

/// Returns the key if a list is merged, or `None` if it is replaced.
pub(super) fn key<'s>(name: &str, schema: Option<&'s Structural>) -> Option<MergeKey<'s>> {
    match name {
        // Lists of the metadata, which schemas do not describe.
        "ownerReferences" => return Some(MergeKey::Field("uid")),
        "finalizers" => return Some(MergeKey::Value),
        _ => {}
    }
    let extensions = &schema?.extensions;
    match extensions.list_type.as_deref()? {
        "map" => extensions.list_map_keys.as_ref()?.first().map(|key| MergeKey::Field(key)),
        "set" => Some(MergeKey::Value),
        _ => None,
    }
}

impl MergeKey<'_> {
    /// Returns an item's key as JSON, or `None` if the item has no key.
    fn identity(self, item: &Value) -> Option<String> {
        Some(marshal(match self {
            Self::Field(key) => item.get(key)?,
            Self::Value => item,
        }))
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

#[cfg(test)]
mod tests {
    use crd_core::crd::JsonSchemaProps;
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_with_keys_are_merged() {
        let schema = json!({"type": "object", "properties": {"env": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "properties": {"name": {"type": "string"}}},
        }}});
        let schema = Structural::from_json_schema(&JsonSchemaProps::from_value(schema).unwrap()).unwrap();
        let stored = json!({
            "env": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}], "args": ["x"], "map": {"k": 1, "l": 2},
        });
        for (patch, expected) in [
            (
                json!({"env": [{"name": "b", "value": "3"}, {"name": "c"}]}),
                json!({"env": [{"name": "a", "value": "1"}, {"name": "b", "value": "3"}, {"name": "c"}]}),
            ),
            (
                json!({"env": [{"name": "a", "$patch": "delete"}]}),
                json!({"env": [{"name": "b", "value": "2"}]}),
            ),
            (json!({"env": [{"$patch": "replace"}, {"name": "z"}]}), json!({"env": [{"name": "z"}]})),
            (
                json!({"$setElementOrder/env": [{"name": "b"}, {"name": "a"}]}),
                json!({"env": [{"name": "b", "value": "2"}, {"name": "a", "value": "1"}]}),
            ),
            (json!({"args": ["y"]}), json!({"args": ["y"]})),
            (json!({"map": {"l": null, "m": 3}}), json!({"map": {"k": 1, "m": 3}})),
            (json!({"map": {"$patch": "replace", "m": 3}}), json!({"map": {"m": 3}})),
            (json!({"map": {"$retainKeys": ["l"], "l": 4}}), json!({"map": {"l": 4}})),
            (json!({"$deleteFromPrimitiveList/args": ["x"]}), json!({"args": []})),
            (json!({"finalizers": ["f"]}), json!({"finalizers": ["f"]})),
            (
                json!({"env": [{"name": "c"}]}),
                json!({"env": [{"name": "c"}, {"name": "a", "value": "1"}, {"name": "b", "value": "2"}]}),
            ),
            (
                json!({"env": [{"name": "c"}], "$setElementOrder/env": [{"name": "b"}, {"name": "c"}]}),
                json!({"env": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}, {"name": "c"}]}),
            ),
        ] {
            let mut patched = stored.clone();
            apply(patch.as_object().unwrap(), &mut patched, Some(&schema));
            for (name, value) in expected.as_object().unwrap() {
                assert_eq!(&patched[name], value, "{patch}");
            }
        }
    }
}
