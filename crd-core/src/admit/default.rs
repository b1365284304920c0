//! Fills in defaults, at every depth, and takes out nulls that stand for nothing.
//!
//! Source: `pkg/apiserver/schema/defaulting/{algorithm,prunenulls}.go`.

use serde_json::{Map, Value};

use super::numbers::{as_decoded, for_each_number};
use crate::Structural;
use crate::schema::AdditionalProperties;

/// The defaults of a schema: only the places at or below which there are any, so that nothing else is looked at.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    /// What is put here where nothing is, or a `null` that is not allowed.
    own: Option<Value>,
    is_nullable: bool,
    properties: Vec<(Box<str>, Self)>,
    values: Option<Box<Self>>,
    items: Option<Box<Self>>,
}

impl Defaults {
    pub(super) fn new(schema: &Structural) -> Self {
        let below = |schema: &Structural| Some(Self::new(schema)).filter(Self::has_any).map(Box::new);
        let values = match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => below(values),
            _ => None,
        };
        let properties = schema.properties.iter().map(|(name, property)| (name.into(), Self::new(property)));
        Self {
            own: default_of(schema).cloned(),
            is_nullable: schema.is_nullable(),
            // Where there are values too, they are those under no other name.
            properties: properties.filter(|(_, below)| values.is_some() || below.has_any()).collect(),
            values,
            items: schema.items.as_deref().and_then(below),
        }
    }

    /// Puts defaults where a property is absent, and where `null` stands that its schema does not allow.
    pub(super) fn fill(&self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, property) in &self.properties {
                    property.fill_field(fields, name);
                }
                if let Some(values) = &self.values {
                    let is_property = |name: &str| self.properties.iter().any(|(known, _)| **known == *name);
                    let others = fields.iter_mut().filter(|(name, _)| !is_property(name));
                    others.for_each(|(_, value)| values.fill_present(value));
                }
            }
            Value::Array(list) => {
                let items = self.items.as_deref();
                items.into_iter().for_each(|items| list.iter_mut().for_each(|item| items.fill_present(item)));
            }
            _ => {}
        }
    }

    /// The same for one field of an object.
    pub(super) fn fill_only(&self, value: &mut Value, name: &str) {
        let Value::Object(fields) = value else { return };
        if let Some((_, property)) = self.properties.iter().find(|(known, _)| **known == *name) {
            property.fill_field(fields, name);
        }
    }

    fn fill_field(&self, fields: &mut Map<String, Value>, name: &str) {
        if let Some(value) = fields.get_mut(name) {
            self.fill_present(value);
        } else if let Some(mut new) = self.own.clone() {
            self.fill(&mut new);
            fields.insert(name.to_owned(), new);
        }
    }

    /// An absent value of a map or item of a list is not made, but a `null` that is not allowed is replaced.
    fn fill_present(&self, value: &mut Value) {
        if let Some(own) = &self.own
            && value.is_null()
            && !self.is_nullable
        {
            *value = own.clone();
        }
        self.fill(value);
    }

    fn has_any(&self) -> bool {
        self.own.is_some() || !self.properties.is_empty() || self.values.is_some() || self.items.is_some()
    }
}

/// Takes out fields in which `null` stands though their schema neither allows it nor has a default to put there.
pub(super) fn prune_nulls(value: &mut Value, schema: &Structural) {
    // To look for nulls is quicker than to look for their schemas, and few objects have any.
    if has_nulls(value) {
        take_out_nulls(value, schema);
    }
}

fn take_out_nulls(value: &mut Value, schema: &Structural) {
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
            take_out_nulls(value, schema);
            true
        }),
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| take_out_nulls(item, schema));
            }
        }
        _ => {}
    }
}

/// Whether there is a null anywhere in a value.
fn has_nulls(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_nulls),
        Value::Object(fields) => fields.values().any(has_nulls),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
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
        Defaults::new(&schema).fill(&mut value);
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
        Defaults::new(&schema).fill(&mut value);
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
