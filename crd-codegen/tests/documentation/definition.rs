//! Definitions with given texts in all places from which documentation is generated.

use serde_json::{Map, Value, json};

/// Returns a definition with each of these texts in a description, and the first ones wherever else there may be a text.
pub(crate) fn definition(texts: &[String]) -> Value {
    let text = |at: usize| texts.get(at % texts.len().max(1)).map_or("", String::as_str);
    let mut properties = Map::new();
    for (at, text) in texts.iter().enumerate() {
        let mut schema = match at % 6 {
            0 => {
                json!({"type": "object", "properties": {"inner": {"type": "string"}}, "required": ["inner"]})
            }
            1 => json!({"type": "string", "enum": ["a", "b"]}),
            2 => json!({"type": "array", "items": {"type": "object", "description": text, "properties": {
                format!("only{at}"): {"type": "boolean", "description": text},
            }}}),
            3 => json!({"type": "object", "additionalProperties": {"type": "string", "description": text}}),
            _ => json!({"type": "string"}),
        };
        schema["description"] = json!(text);
        properties.insert(format!("field{at}"), schema);
    }
    let choice = json!({"type": "object", "description": text(0), "properties": {
        "left": {"type": "object", "description": text(1), "properties": {"a": {"type": "string"}}},
        "right": {"type": "object", "description": text(2), "properties": {"b": {"type": "string"}}},
    }, "oneOf": [{"required": ["left"]}, {"required": ["right"]}]});
    properties.insert("choice".to_owned(), choice);
    let required: Vec<String> = properties.keys().take(2).cloned().collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shapes.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "shapes", "singular": "shape", "kind": "Shape", "listKind": "ShapeList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "deprecated": true, "deprecationWarning": text(3),
                "selectableFields": [{"jsonPath": text(4)}, {"jsonPath": format!(".spec.{}", text(5))}],
                "additionalPrinterColumns": [
                    {"name": text(6), "type": "string", "jsonPath": text(4), "description": text(7)},
                ],
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "description": text(8), "properties": {
                    "spec": {"type": "object", "description": text(9), "properties": properties, "required": required},
                    "status": {"type": "object", "description": text(10), "x-kubernetes-preserve-unknown-fields": true},
                }}},
            }],
        },
    })
}
