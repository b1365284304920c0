//! Fills in defaults, at every depth, and takes out nulls that stand for nothing.
//!
//! Source: `pkg/apiserver/schema/defaulting/{algorithm,prunenulls}.go`.

use serde_json::Value;

use super::numbers::{as_decoded, for_each_number};
use crate::Structural;
use crate::schema::AdditionalProperties;

/// Puts defaults where a property is absent, and where `null` stands that its schema does not allow.
pub(crate) fn default(value: &mut Value, schema: &Structural) {
    match value {
        Value::Object(fields) => {
            for (name, property) in schema.properties.iter() {
                let Some(default) = default_of(property) else { continue };
                match fields.get_mut(name) {
                    Some(value) if is_forbidden_null(value, property) => *value = default.clone(),
                    Some(_) => {}
                    None => {
                        fields.insert(name.to_owned(), default.clone());
                    }
                }
            }
            // In what is neither an object nor a list, nor null, there is nothing to fill in.
            for (name, value) in fields.iter_mut().filter(|(_, value)| !is_scalar(value)) {
                if let Some(property) = schema.properties.get(name) {
                    default(value, property);
                } else if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
                    default_element(value, values);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| default_element(item, schema));
            }
        }
        _ => {}
    }
}

/// Puts the default of one field of an object where that is absent.
pub(super) fn default_field(value: &mut Value, schema: &Structural, name: &str) {
    let Value::Object(fields) = value else { return };
    let Some(property) = schema.properties.get(name).filter(|_| !fields.contains_key(name)) else { return };
    if let Some(new) = default_of(property) {
        let mut new = new.clone();
        default(&mut new, property);
        fields.insert(name.to_owned(), new);
    }
}

/// A value of a map or an item of a list: an absent one is not made, but a `null` that is not allowed is replaced.
fn default_element(value: &mut Value, schema: &Structural) {
    if is_forbidden_null(value, schema) {
        *value = default_of(schema).cloned().unwrap_or(Value::Null);
    }
    default(value, schema);
}

/// Takes out fields in which `null` stands though their schema neither allows it nor has a default to put there.
pub(crate) fn prune_nulls(value: &mut Value, schema: &Structural) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let schema = match (schema.properties.get(name), &schema.additional_properties) {
                (Some(property), _) => property,
                (None, Some(AdditionalProperties::Schema(values))) => values,
                // What has no schema stays as it is.
                (None, _) => return true,
            };
            if is_forbidden_null(value, schema) && default_of(schema).is_none() {
                return false;
            }
            prune_nulls(value, schema);
            true
        }),
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| prune_nulls(item, schema));
            }
        }
        _ => {}
    }
}

/// Whether there is a null anywhere in a value.
pub(super) fn has_nulls(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_nulls),
        Value::Object(fields) => fields.values().any(has_nulls),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

fn is_forbidden_null(value: &Value, schema: &Structural) -> bool {
    value.is_null() && !schema.is_nullable()
}

/// Reads the numbers of all defaults as those of objects are read.
pub(super) fn decode_defaults(schema: &mut Structural) {
    if let Some(default) = schema.generic.default.as_deref_mut() {
        for_each_number(default, &as_decoded);
    }
    schema.properties.values_mut().for_each(decode_defaults);
    if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        decode_defaults(values);
    }
    if let Some(items) = schema.items.as_deref_mut() {
        decode_defaults(items);
    }
}

/// `default: null` says that there is none.
fn default_of(schema: &Structural) -> Option<&Value> {
    schema.generic.default.as_deref().filter(|default| !default.is_null())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crd::JsonSchemaProps;

    fn check(schema: Value, mut value: Value, expected: &Value) {
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let schema = Structural::from_json_schema(&schema).expect("a structural schema");
        prune_nulls(&mut value, &schema);
        default(&mut value, &schema);
        assert_eq!(value, *expected);
    }

    #[test]
    fn defaults_at_every_depth() {
        let inner = json!({"type": "object", "default": {}, "properties": {
            "b": {"type": "integer", "default": 1}}});
        let schema = json!({"type": "object", "properties": {
            "a": inner,
            "absent": {"type": "object", "properties": {"b": {"type": "integer", "default": 1}}},
            "l": {"type": "array", "items": {"type": "integer", "default": 7}},
            "m": {"type": "object", "additionalProperties": {"type": "integer", "default": 8}},
        }});
        check(schema.clone(), json!({}), &json!({"a": {"b": 1}}));
        check(
            schema,
            json!({"a": {"b": 2}, "l": [null, 1], "m": {"x": null}}),
            &json!({
                "a": {"b": 2}, "l": [7, 1], "m": {"x": 8},
            }),
        );
    }

    #[test]
    fn defaults_are_read_as_objects_are() {
        let schema =
            json!({"type": "object", "properties": {"n": {"type": "array", "default": [u64::MAX, 1]}}});
        let schema = JsonSchemaProps::from_value(schema).expect("a schema");
        let mut schema = Structural::from_json_schema(&schema).expect("a structural schema");
        decode_defaults(&mut schema);
        let mut value = json!({});
        default(&mut value, &schema);
        assert_eq!(value, json!({"n": [18_446_744_073_709_551_616.0, 1]}));
    }

    #[test]
    fn nulls() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string"},
            "b": {"type": "string", "nullable": true},
            "c": {"type": "string", "default": "x"},
            "d": {"type": "string", "nullable": true, "default": "x"},
            "l": {"type": "array", "items": {"type": "string"}},
            "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        }});
        check(
            schema,
            json!({"a": null, "b": null, "c": null, "d": null, "l": [null], "any": {"x": null}}),
            &json!({"b": null, "c": "x", "d": null, "l": [null], "any": {"x": null}}),
        );
    }
}
