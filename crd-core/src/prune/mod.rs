//! Pruning: removes the fields that an object's schema does not declare.
//!
//! ```
//! use crd_core::{Structural, crd::JsonSchemaProps, prune::prune};
//! use serde_json::json;
//!
//! let schema = JsonSchemaProps::from_value(json!({"type": "object", "properties": {"a": {"type": "string"}}}))?;
//! let mut value = json!({"a": "x", "b": {"c": 1}});
//! let removed = prune(&mut value, Some(&Structural::from_json_schema(&schema)?), false);
//! assert_eq!(value, json!({"a": "x"}));
//! assert_eq!(removed.into_sorted().0[0].path().to_string(), "b");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: `pkg/apiserver/schema/pruning/algorithm.go`.

mod removed;

use serde_json::Value;

pub use self::removed::{Removed, RemovedField};
use crate::PathString;
use crate::schema::{AdditionalProperties, Structural};

/// Prunes `value` and returns the paths of the removed fields: `spec.a[3].b`. `apiVersion`, `kind` and `metadata` of a
/// resource stay unchanged.
pub fn prune(value: &mut Value, schema: Option<&Structural>, is_resource: bool) -> Removed {
    let mut pruning = Pruning { named: Some(RemovedPaths::default()) };
    pruning.node(value, schema, is_resource);
    pruning.named.unwrap_or_default().removed
}

/// Prunes `value` like [`prune`], but does not collect the paths of the removed fields, and therefore takes less time.
pub fn prune_silently(value: &mut Value, schema: Option<&Structural>, is_resource: bool) {
    Pruning { named: None }.node(value, schema, is_resource);
}

struct Pruning {
    /// `None` if the caller does not need the paths.
    named: Option<RemovedPaths>,
}

#[derive(Default)]
struct RemovedPaths {
    /// The path of the current value.
    path: PathString,
    removed: Removed,
}

impl Pruning {
    fn enter_child(&mut self, name: &str) {
        if let Some(named) = &mut self.named {
            named.path.push_child(name);
        }
    }

    fn enter_index(&mut self, index: usize) {
        if let Some(named) = &mut self.named {
            named.path.push_index(index);
        }
    }

    fn leave(&mut self) {
        if let Some(named) = &mut self.named {
            named.path.pop();
        }
    }

    /// Records the removal of the current value.
    fn record(&mut self) {
        if let Some(named) = &mut self.named {
            named.removed.push(&named.path);
        }
    }

    fn node(&mut self, value: &mut Value, schema: Option<&Structural>, is_resource: bool) {
        let keeps = schema.is_some_and(|schema| schema.extensions.preserve_unknown_fields);
        let is_resource = is_resource || schema.is_some_and(Structural::is_embedded_resource);
        match value {
            Value::Object(fields) => {
                fields.retain(|key, value| {
                    if is_resource && matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
                        return true;
                    }
                    self.enter_child(key);
                    let known = schema.and_then(|schema| member(schema, key));
                    match known {
                        Some(schema) => self.node(value, schema, false),
                        None if keeps => {}
                        None => self.record(),
                    }
                    self.leave();
                    keeps || known.is_some()
                });
            }
            Value::Array(items) => {
                let schema = schema.and_then(|schema| schema.items.as_deref());
                for (i, item) in items.iter_mut().enumerate() {
                    self.enter_index(i);
                    if keeps {
                        self.kept_item(item, schema);
                    } else {
                        self.node(item, schema, false);
                    }
                    self.leave();
                }
            }
            _ => {}
        }
    }

    /// Prunes an item of a list with preserved unknown fields: the item's own unknown fields are also preserved, but the values of its
    /// known fields are pruned.
    fn kept_item(&mut self, value: &mut Value, schema: Option<&Structural>) {
        let Some(schema) = schema else { return };
        let is_resource = schema.is_embedded_resource();
        match value {
            Value::Object(fields) => {
                for (key, value) in fields.iter_mut() {
                    if is_resource && matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
                        continue;
                    }
                    if let Some(schema) = member(schema, key) {
                        self.enter_child(key);
                        self.node(value, schema, false);
                        self.leave();
                    }
                }
            }
            Value::Array(items) => {
                for (i, item) in items.iter_mut().enumerate() {
                    self.enter_index(i);
                    self.kept_item(item, schema.items.as_deref());
                    self.leave();
                }
            }
            _ => {}
        }
    }
}

/// Returns the schema that `schema` specifies for a member. `Some(None)` if every value is allowed.
fn member<'a>(schema: &'a Structural, key: &str) -> Option<Option<&'a Structural>> {
    if let Some(property) = schema.properties.get(key) {
        return Some(Some(property));
    }
    match schema.additional_properties.as_ref()? {
        AdditionalProperties::Schema(schema) => Some(Some(schema)),
        AdditionalProperties::Allowed(_) => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crd::JsonSchemaProps;
    use serde_json::json;

    fn check(schema: Value, mut value: Value, pruned: &Value, removed: &[&str]) {
        let schema = JsonSchemaProps::from_value(schema).unwrap();
        let schema = Structural::from_json_schema(&schema).unwrap();
        let (fields, _) = prune(&mut value, Some(&schema), false).into_sorted();
        let texts: Vec<&str> = fields.iter().map(RemovedField::as_str).collect();
        assert_eq!(texts, removed);
        assert_eq!(value, *pruned);
    }

    #[test]
    fn unknown_fields_go() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}},
            "any": {"type": "object", "additionalProperties": true},
        }});
        check(
            schema,
            json!({"a": [{"b": "x", "c": 1}], "any": {"x": {"y": 1}, "z": 2}, "d": 1}),
            &json!({"a": [{"b": "x"}], "any": {"x": {}, "z": 2}}),
            &["a[0].c", "any.x.y", "d"],
        );
    }

    #[test]
    fn what_is_preserved_stays() {
        let keeps = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
            "p": {"type": "object", "properties": {"q": {"type": "string"}}},
        }});
        check(keeps, json!({"u": {"v": 1}, "p": {"r": 1}}), &json!({"u": {"v": 1}, "p": {}}), &["p.r"]);
        let list = json!({"type": "array", "x-kubernetes-preserve-unknown-fields": true, "items": {
            "type": "object", "properties": {"p": {"type": "object"}},
        }});
        check(list, json!([{"u": 1, "p": {"r": 1}}]), &json!([{"u": 1, "p": {}}]), &["[0].p.r"]);
    }

    #[test]
    fn resources_keep_their_metadata() {
        let schema = json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {
            "spec": {"type": "object"},
        }});
        let value = json!({"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}, "spec": {}, "data": 1});
        let pruned = json!({"apiVersion": "v1", "kind": "K", "metadata": {"x": 1}, "spec": {}});
        check(schema, value, &pruned, &["data"]);
    }
}
