//! Definitions that no Rust type has.

use super::*;

/// Keywords that no Rust type has.
#[test]
fn definitions() {
    let spec = json!({
        "type": "object",
        "required": ["undescribed", "ios"],
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": {
            "ios": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^[0-9]+%$"},
            "multiple": {"type": "integer", "minimum": 0, "exclusiveMinimum": true, "multipleOf": 5, "maximum": 50},
            "open": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1, "exclusiveMaximum": true},
            "nullable": {"type": "string", "nullable": true, "maxLength": 3},
            "resource": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
            "map": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "integer", "minimum": 3}},
            "word": {"type": "string", "pattern": r"^\w+\b$"},
            "keyed": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "protocol"], "minItems": 1,
                "items": {"type": "object", "required": ["k"], "properties": {
                    "k": {"type": "integer", "minimum": 1, "maximum": 3}, "protocol": {"type": "string", "default": "TCP"},
                }},
            },
            "any": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"minimum": 7}}}]},
            "all": {"type": "string", "allOf": [{"minLength": 3}, {"maxLength": 3}]},
            "formats": {"type": "object", "properties": formats()},
        },
    });
    check_crd(&definition(&spec));
}

/// Every format that the API server knows, each required.
#[test]
fn texts_of_formats() {
    let formats = formats();
    let names: Vec<&String> = formats.as_object().unwrap().keys().collect();
    check_crd(&definition(&json!({"type": "object", "required": names, "properties": formats})));
}
