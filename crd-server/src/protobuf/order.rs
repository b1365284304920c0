//! Sorts the fields of objects as Go does.
//!
//! In `descriptors.bin`, a message's fields have the order of the Go struct, not the order of the field numbers.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value};

use super::message_of;
use super::special::Special;
use super::unknown::is_kind;
use crate::json::text;

/// Puts the fields of a built-in kind's object into the Go type's order. Fields unknown to Go come last.
///
/// Returns `false` for objects of other kinds, which are not changed.
pub(crate) fn arrange(object: &mut Value) -> bool {
    let descriptor = message_of(text(object, &["apiVersion"]), text(object, &["kind"]));
    descriptor.is_some_and(|descriptor| {
        message(&descriptor, object, true);
        true
    })
}

fn message(descriptor: &MessageDescriptor, value: &mut Value, has_type: bool) {
    match Special::of(descriptor) {
        None => {
            if let Value::Object(fields) = value {
                let mut unordered = std::mem::take(fields);
                if has_type || is_kind(descriptor) {
                    ["kind", "apiVersion"].iter().for_each(|name| take(&mut unordered, name, fields));
                }
                known(descriptor, &mut unordered, fields);
                unordered.sort_keys();
                fields.extend(unordered);
            }
        }
        Some(Special::Items) => {
            descriptor.fields().next().into_iter().for_each(|items| field(&items, value));
        }
        // Sets of fields are printed with sorted keys, and other JSON as it was sent.
        Some(Special::Raw) if descriptor.name() == "FieldsV1" => value.sort_all_objects(),
        Some(_) => {}
    }
}

/// Moves a message's fields, including the fields of inner messages that Go serializes into their parent.
fn known(
    descriptor: &MessageDescriptor,
    unordered: &mut Map<String, Value>,
    fields: &mut Map<String, Value>,
) {
    let order = descriptor.descriptor_proto().field.iter();
    for descriptor in order.filter_map(|field| descriptor.get_field(field.number().unsigned_abs())) {
        match (descriptor.json_name().strip_prefix('.'), descriptor.kind()) {
            (Some(_), Kind::Message(inline)) => known(&inline, unordered, fields),
            _ => {
                if let Some((name, mut value)) = unordered.swap_remove_entry(descriptor.json_name()) {
                    field(&descriptor, &mut value);
                    fields.insert(name, value);
                }
            }
        }
    }
}

fn take(unordered: &mut Map<String, Value>, name: &str, fields: &mut Map<String, Value>) {
    fields.extend(unordered.swap_remove_entry(name));
}

fn field(descriptor: &FieldDescriptor, value: &mut Value) {
    match (descriptor.kind(), value) {
        (Kind::Message(entry), Value::Object(entries)) if descriptor.is_map() => {
            entries.sort_keys();
            if let Kind::Message(descriptor) = entry.map_entry_value_field().kind() {
                entries.values_mut().for_each(|value| message(&descriptor, value, false));
            }
        }
        (Kind::Message(descriptor), Value::Array(items)) if Special::of(&descriptor).is_none() => {
            items.iter_mut().for_each(|item| message(&descriptor, item, false));
        }
        (Kind::Message(descriptor), value) => message(&descriptor, value, false),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a value with its fields in another order.
    fn reversed(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                // Go does not inspect the JSON in these fields.
                let is_raw = |name: &str| matches!(name, "data" | "parameters");
                let reverse =
                    |name: &str, value: &Value| if is_raw(name) { value.clone() } else { reversed(value) };
                let fields = fields.iter().rev().map(|(name, value)| (name.clone(), reverse(name, value)));
                fields.collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.iter().map(reversed).collect(),
            other => other.clone(),
        }
    }

    /// These objects were serialized by Go. CRDs have a table of their own.
    #[test]
    fn fields_have_the_order_in_which_go_prints_them() {
        let objects: Vec<Value> = serde_json::from_str(include_str!("tests/printed.json")).unwrap();
        let mut arranged = 0;
        for object in objects.into_iter().filter(|object| object["kind"] != "CustomResourceDefinition") {
            let mut found = reversed(&object);
            assert!(arrange(&mut found), "{object}");
            assert_eq!(found.to_string(), object.to_string());
            arranged += 1;
        }
        assert!(arranged > 0);
    }

    #[test]
    fn unknown_fields_are_last_and_other_kinds_stay() {
        let mut object =
            json!({"y": 1, "x": 2, "data": {"b": "", "a": ""}, "kind": "ConfigMap", "apiVersion": "v1"});
        assert!(arrange(&mut object));
        assert_eq!(
            object.to_string(),
            r#"{"kind":"ConfigMap","apiVersion":"v1","data":{"a":"","b":""},"x":2,"y":1}"#
        );
        let mut object = json!({"kind": "Hat", "apiVersion": "e.io/v1", "a": 1});
        assert!(!arrange(&mut object));
        assert_eq!(object.to_string(), r#"{"kind":"Hat","apiVersion":"e.io/v1","a":1}"#);
    }
}
