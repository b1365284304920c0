//! Removes schema keywords that have no effect on the API server.

use serde_json::Value;

use super::node::Node;

/// Removes keywords without an effect from an object's schema. The API server replaces the types and descriptions of `apiVersion`, `kind`
/// and `metadata` (`builder.go` of `apiextensions-apiserver`).
pub(super) fn root(node: &mut Node) {
    schema(node);
    let Some(Value::Object(properties)) = node.get_mut("properties") else { return };
    for (name, type_) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
        let is_bare = properties.get(name).and_then(Value::as_object).is_some_and(|property| {
            property
                .iter()
                .all(|(keyword, value)| keyword == "description" || keyword == "type" && value == type_)
        });
        if is_bare {
            properties.remove(name);
        }
    }
    if properties.is_empty() {
        node.remove("properties");
    }
}

fn schema(node: &mut Node) {
    const SWITCHES: &[&str] = &[
        "exclusiveMaximum",
        "exclusiveMinimum",
        "nullable",
        "uniqueItems",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
    ];
    node.retain(|keyword, value| {
        let is_off = SWITCHES.contains(&keyword.as_str()) && *value == false;
        let is_empty = match value {
            Value::String(text) => {
                matches!(keyword.as_str(), "description" | "title" | "format" | "pattern") && text.is_empty()
            }
            Value::Array(values) => {
                matches!(
                    keyword.as_str(),
                    "required"
                        | "x-kubernetes-validations"
                        | "allOf"
                        | "anyOf"
                        | "oneOf"
                        | "x-kubernetes-list-map-keys"
                ) && values.is_empty()
            }
            Value::Object(properties) => keyword == "properties" && properties.is_empty(),
            _ => false,
        };
        !(is_off || is_empty)
    });
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(schema);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = node.get_mut(keyword) {
            schema(inner);
        }
    }
}
