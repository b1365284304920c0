//! Finds duplicate items in lists of type `set` and `map`.
//!
//! Source: `pkg/apiserver/schema/listtype/validation.go`.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};

use crd_go::json::{Num, marshal};
use serde_json::{Map, Value};

use crate::lazy_path::LazyPath;
use crate::shown::shown;
use crate::{CauseReason, Causes, Diagnostic, FieldPath, Keyword, Structural};

/// Returns `true` if values of the schema can contain a list of type `set` or `map`.
pub(crate) fn has_unique_lists(schema: &Structural) -> bool {
    schema.any(&|schema| matches!(schema.extensions.list_type.as_deref(), Some("set" | "map")))
}

/// Checks that all lists of type `set` and `map` in an object have unique items.
pub(crate) fn unique(object: &Value, schema: &Structural, out: &mut Causes) {
    let root = FieldPath::root();
    node(object, schema, &LazyPath::new(&root), out);
}

/// Returns `true` if a list of type `set` or `map` has unique items.
pub(super) fn has_unique_items(items: &[Value], schema: &Structural) -> bool {
    let is_set = schema.extensions.list_type.as_deref() == Some("set");
    if !is_set && items.iter().any(|item| !item.is_object() && !item.is_null()) {
        return false;
    }
    let keys: Option<Vec<Key<'_>>> = match schema.extensions.list_map_keys.as_deref() {
        _ if items.len() < 2 => return true,
        _ if items.len() > FEW => None,
        _ if is_set => Some(items.iter().map(|item| Key::from_value(Some(item))).collect()),
        Some([name]) => Some(items.iter().map(|item| Key::from_value(member(item, name))).collect()),
        _ => None,
    };
    match keys {
        // Comparing few keys with each other is faster than hashing them.
        Some(keys) => keys.iter().enumerate().all(|(i, key)| !keys[..i].contains(key)),
        None => {
            let mut found = Causes::default();
            own(items, schema, &LazyPath::new(&FieldPath::root()), &mut found);
            found.is_empty()
        }
    }
}

/// Maximum number of keys or names that are compared one by one.
const FEW: usize = 16;

fn member<'v>(item: &'v Value, name: &str) -> Option<&'v Value> {
    match item {
        Value::Object(fields) if fields.len() <= FEW => {
            fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
        }
        other => other.get(name),
    }
}

fn node(value: &Value, schema: &Structural, place: &LazyPath<'_>, out: &mut Causes) {
    match value {
        Value::Object(fields) => {
            if let Some(values) = schema.map_values() {
                // Also of those that have a schema of their own.
                for (name, value) in fields {
                    node(value, values, &place.key(name), out);
                }
            }
            let is_compound = |value: &Value| matches!(value, Value::Object(_) | Value::Array(_));
            for (name, value) in fields.iter().filter(|(_, value)| is_compound(value)) {
                if let Some(property) = schema.properties.get(name) {
                    node(value, property, &place.child(name), out);
                }
            }
        }
        Value::Array(items) => {
            own(items, schema, place, out);
            if let Some(schema) = &schema.items {
                for (i, item) in items.iter().enumerate() {
                    node(item, schema, &place.index(i), out);
                }
            }
        }
        _ => {}
    }
}

/// Checks the items of a list, but not the lists inside the items.
fn own(items: &[Value], schema: &Structural, place: &LazyPath<'_>, out: &mut Causes) {
    match schema.extensions.list_type.as_deref() {
        Some("set") => {
            for i in repeated(items.iter().map(|item| Key::from_value(Some(item)))) {
                push_duplicate(place, i, || &items[i], out);
            }
        }
        Some("map") => map(items, schema, place, out),
        _ => {}
    }
}

fn map(items: &[Value], schema: &Structural, place: &LazyPath<'_>, out: &mut Causes) {
    if let Some(i) = items.iter().position(|item| !item.is_object() && !item.is_null()) {
        let detail = "must be an object for an array of list-type map";
        let shown = shown(&items[i], out.version());
        out.push(Diagnostic::invalid(place.index(i).path(), shown, detail).with_keyword(Keyword::ListType));
        return;
    }
    if items.len() < 2 {
        return;
    }
    let names = schema.extensions.list_map_keys.as_deref().unwrap_or_default();
    if let [name] = names {
        for i in repeated(items.iter().map(|item| Key::from_value(item.get(name)))) {
            let key = || items[i].get(name).map(|key| (name.clone(), key.clone()));
            push_duplicate(place, i, || Value::Object(Map::from_iter(key())), out);
        }
        return;
    }
    // An item may have fewer fields than there are keys, or more.
    let all: HashSet<&str> = names.iter().map(String::as_str).collect();
    let keys = |item: &Value| {
        let mut keys = Map::new();
        let mut add = |name: &String, value: &Value| keys.insert(name.clone(), value.clone());
        match item.as_object() {
            Some(fields) if fields.len() < names.len() => {
                for (name, value) in fields.iter().filter(|(name, _)| all.contains(name.as_str())) {
                    add(name, value);
                }
            }
            fields => {
                for name in names {
                    fields.and_then(|fields| fields.get(name)).map(|value| add(name, value));
                }
            }
        }
        Value::Object(keys)
    };
    for i in repeated(items.iter().map(|item| Key::Compound(marshal(&keys(item))))) {
        push_duplicate(place, i, || keys(&items[i]), out);
    }
}

fn push_duplicate<V: Borrow<Value>>(
    place: &LazyPath<'_>,
    index: usize,
    value: impl FnOnce() -> V,
    out: &mut Causes,
) {
    let version = out.version();
    out.push_with(CauseReason::Duplicate, || {
        let shown = shown(value().borrow(), version);
        Diagnostic::duplicate(place.index(index).path(), shown).with_keyword(Keyword::ListType)
    });
}

/// Returns the position of each duplicate key's second occurrence. The API server does not report further duplicates.
fn repeated<'v>(keys: impl Iterator<Item = Key<'v>>) -> Vec<usize> {
    let mut seen: HashMap<Key<'v>, usize> = HashMap::new();
    let mut seconds = Vec::new();
    for (i, key) in keys.enumerate() {
        let times = seen.entry(key).or_default();
        *times += 1;
        if *times == 2 {
            seconds.push(i);
        }
    }
    seconds
}

/// A value as a key of a Go map. An integer never equals a float; lists and maps are compared as JSON.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Unspecified,
    Null,
    Bool(bool),
    Int(i64),
    Float(u64),
    Text(&'a str),
    Compound(String),
}

impl<'a> Key<'a> {
    fn from_value(value: Option<&'a Value>) -> Self {
        match value {
            None => Self::Unspecified,
            Some(Value::Null) => Self::Null,
            Some(Value::Bool(value)) => Self::Bool(*value),
            Some(Value::Number(number)) => match Num::from(number) {
                Num::Int(number) => Self::Int(number),
                // The two zeros are one key.
                Num::Float(number) => Self::Float((number + 0.0).to_bits()),
            },
            Some(Value::String(text)) => Self::Text(text),
            Some(compound) => Self::Compound(marshal(compound)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crd::JsonSchemaProps;

    fn check(list: Value, items: &Value, found: &[&str]) {
        let schema = json!({"type": "object", "properties": {"l": list}});
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        let mut out = Causes::default();
        assert!(has_unique_lists(&schema));
        unique(&json!({"l": items}), &schema, &mut out);
        assert_eq!(out.iter().map(ToString::to_string).collect::<Vec<_>>(), found);
    }

    #[test]
    fn sets() {
        let set = json!({"type": "array", "x-kubernetes-list-type": "set"});
        check(set.clone(), &json!([1, 1.0, "1", null]), &[]);
        check(set.clone(), &json!(["a", "a", "a"]), &["l[1]: Duplicate value: \"a\""]);
        check(
            set,
            &json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}]),
            &["l[1]: Duplicate value: {\"a\":1,\"b\":2}"],
        );
    }

    #[test]
    fn maps() {
        let map = |keys: &[&str]| json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys});
        check(map(&["k"]), &json!([{"k": 1}, {"k": 1, "v": 2}]), &["l[1]: Duplicate value: {\"k\":1}"]);
        check(map(&["k"]), &json!([{}, null]), &["l[1]: Duplicate value: {}"]);
        check(
            map(&["k"]),
            &json!([1, 1]),
            &["l[0]: Invalid value: 1: must be an object for an array of list-type map"],
        );
        check(
            map(&["k", "j"]),
            &json!([{"k": 1}, {"k": 1, "j": 1}, {"k": 1}]),
            &["l[2]: Duplicate value: {\"k\":1}"],
        );
    }

    #[test]
    fn long_lists_take_no_square() {
        let items: Vec<Value> = (0..100_000).map(|i| json!({"k": i})).collect();
        let map =
            json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]});
        check(map, &Value::Array(items), &[]);
    }
}
