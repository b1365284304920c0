//! Converts objects and maps. Maps with one type of values keep `additionalProperties`. All other objects keep or drop unknown
//! fields.

use serde_json::{Value, json};

use super::walk::{Node, SchemaLocation};
use super::{map_keys, marks};
use crate::Error;

/// The keyword of an object without known fields. As an enum's variant, it has no fields. Elsewhere, its unknown fields are kept.
pub(super) const OPAQUE: &str = "x-crdkit-opaque";

/// The keyword that marks an object that serde can only read without other fields. The pass `any` removes it.
pub(super) const CLOSED: &str = "x-crdkit-closed";

pub(super) fn objects(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    // Keys have no schema in a CRD. Maps by pattern have one schema of values for all keys, and a rule for the keys.
    node.remove("propertyNames");
    if let Some(rest) = node.remove("unevaluatedProperties") {
        node.entry("additionalProperties").or_insert(rest);
    }
    if let Some(Value::Object(patterns)) = node.remove("patternProperties") {
        if node.get("additionalProperties") == Some(&Value::Bool(false)) {
            map_keys::mark_patterns(node, &patterns);
        }
        let mut schemas = patterns.into_iter().map(|(_, schema)| schema);
        if let Some(first) = schemas.next() {
            if schemas.any(|schema| schema != first) {
                return Err(place.error(
                    "has different types of values for different patterns of keys",
                    "use a map with one type of values, or `#[crd(schemaless)]`",
                ));
            }
            node.insert("additionalProperties".to_owned(), first);
        }
    }
    if is_opaque(node) {
        node.insert(OPAQUE.to_owned(), json!(true));
    }
    let has_properties = node.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    match node.get("additionalProperties") {
        // The API server prunes unknown fields in any case.
        Some(Value::Bool(false)) => {
            node.remove("additionalProperties");
            if has_properties {
                node.insert(CLOSED.to_owned(), json!(true));
            }
        }
        Some(values) if accepts_all(values) => {
            // `additionalProperties: true` would keep the keys and empty the objects under them.
            node.remove("additionalProperties");
            node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
        }
        Some(_) if has_properties && marks::keeps_unknown_fields(node) => {
            node.remove("additionalProperties");
        }
        Some(_) if has_properties => {
            let type_name = marks::any_type_name(node).unwrap_or_else(|| place.type_name());
            return Err(place.error(
                "flattens a map of typed values next to fields: a CRD has either properties or a map",
                format!(
                    "flatten a map of `serde_json::Value`, make the map a separate field, or put \
                     `#[crd(preserve_unknown_fields)]` on `{type_name}`, which derives `CrdSchema`, and other fields are kept and not \
                     checked"
                ),
            ));
        }
        _ => {}
    }
    Ok(())
}

/// Returns `true` for an object without fields, unless its type derives `CrdSchema`. For example, the content of k8s-openapi's
/// `RawExtension` would otherwise be pruned.
fn is_opaque(node: &Node) -> bool {
    const SHAPE: &[&str] =
        &["properties", "additionalProperties", "oneOf", "anyOf", "allOf", "maxProperties"];
    node.get("type").is_some_and(|name| name == "object")
        && !SHAPE.iter().any(|keyword| node.contains_key(*keyword))
        && marks::type_name(node).is_none()
}

/// Returns `true` if a schema accepts every value and keeps all fields.
pub(super) fn accepts_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(all) => *all,
        Value::Object(node) => node.keys().all(|keyword| keyword == "description" || keyword == "nullable"),
        _ => false,
    }
}
