//! CEL rules from any text, compiled and priced at all nodes of some schemas. Nothing may panic, hang or overflow.
#![no_main]

use std::sync::LazyLock;

use crd_core::Structural;
use crd_core::cel::{Environment, RULE_COST_LIMIT, Rules, SchemaTypes};
use crd_core::crd::JsonSchemaProps;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

/// Schemas with every type that a rule can see, with and without limits.
static SCHEMAS: LazyLock<Vec<Structural>> = LazyLock::new(|| {
    let object = json!({
        "type": "object",
        "required": ["s", "i"],
        "properties": {
            "s": {"type": "string", "maxLength": 10},
            "t": {"type": "string"},
            "e": {"type": "string", "enum": ["a", "bbb"]},
            "i": {"type": "integer"},
            "n": {"type": "number"},
            "b": {"type": "boolean"},
            "date": {"type": "string", "format": "date-time"},
            "dur": {"type": "string", "format": "duration"},
            "bytes": {"type": "string", "format": "byte"},
            "ios": {"x-kubernetes-int-or-string": true},
            "any": {"x-kubernetes-preserve-unknown-fields": true},
            "o": {"type": "object", "nullable": true, "properties": {"in": {"type": "string", "default": "x"}}},
            "a-b": {"type": "string"},
            "l": {"type": "array", "items": {"type": "string"}},
            "set": {"type": "array", "maxItems": 5, "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "map": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
            },
            "m": {"type": "object", "maxProperties": 7, "additionalProperties": {"type": "integer"}},
        },
    });
    let list = json!({"type": "array", "items": object});
    let map = json!({"type": "object", "additionalProperties": object});
    let others = ["string", "integer", "number", "boolean"].map(|name| json!({"type": name}));
    let schemas = [object, list, map].into_iter().chain(others);
    schemas.map(structural).collect()
});

fn structural(schema: Value) -> Structural {
    let schema = JsonSchemaProps::from_value(schema).expect("a schema of ours");
    Structural::from_json_schema(&schema).expect("a structural schema of ours")
}

fuzz_target!(|text: &str| {
    if let Err(issues) = crd_cel::parse(text) {
        let _ = issues.to_string();
        return;
    }
    for schema in SCHEMAS.iter() {
        for types in [SchemaTypes::for_part(schema), SchemaTypes::for_resource(schema)] {
            let rules = Rules::new(&types, Environment::default());
            for is_optional in [false, true] {
                if let Err(error) = rules.compile_rule(schema, text, is_optional) {
                    let _ = (error.to_string(), error.in_message_expression());
                }
            }
            let _ = rules.compile_expression(schema, text);
            let _ = rules.limits(schema, text, false, RULE_COST_LIMIT);
        }
    }
});
