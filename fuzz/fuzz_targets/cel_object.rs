//! A rule in the first line and an object in the rest: the rule is evaluated on the object, alone and as a part of a definition.
//! Nothing may panic, hang or overflow, and no evaluation may exceed its limit of cost.
#![no_main]

use std::sync::LazyLock;

use crd_core::admit::Validator;
use crd_core::cel::{Environment, Rules, SchemaTypes};
use crd_core::crd::JsonSchemaProps;
use crd_core::{CustomResourceDefinition, Structural};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

/// Every type that a rule can see.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let object = json!({
        "type": "object",
        "nullable": true,
        "properties": {
            "s": {"type": "string", "nullable": true},
            "i": {"type": "integer"},
            "n": {"type": "number"},
            "b": {"type": "boolean"},
            "day": {"type": "string", "format": "date"},
            "time": {"type": "string", "format": "date-time"},
            "dur": {"type": "string", "format": "duration"},
            "bytes": {"type": "string", "format": "byte"},
            "ios": {"x-kubernetes-int-or-string": true},
            "any": {"x-kubernetes-preserve-unknown-fields": true},
            "closed": {"type": "object"},
            "in": {"type": "object", "properties": {"a-b": {"type": "string", "default": "x"}}},
            "l": {"type": "array", "items": {"type": "string", "nullable": true}},
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}},
            "map": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
            },
            "m": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    });
    let mut nested = object.clone();
    nested["properties"]["o"] = object.clone();
    nested["properties"]["os"] = json!({"type": "array", "items": object});
    nested
});

fn structural(schema: Value) -> Structural {
    let schema = JsonSchemaProps::from_value(schema).expect("a schema of ours");
    Structural::from_json_schema(&schema).expect("a structural schema of ours")
}

static STRUCTURAL: LazyLock<Structural> = LazyLock::new(|| structural(SCHEMA.clone()));

/// The limit of cost of an evaluation, with the cost by which its last step can exceed the limit.
const MOST: u64 = 1_000_000;

fuzz_target!(|text: &str| {
    let Some((rule, rest)) = text.split_once('\n') else { return };
    let Ok(object) = serde_json::from_str::<Value>(rest) else { return };
    let (new, old) = match &object {
        Value::Array(pair) if pair.len() == 2 => (&pair[0], Some(&pair[1])),
        other => (other, None),
    };
    let schema = &*STRUCTURAL;
    let types = SchemaTypes::for_part(schema);
    let rules = Rules::new(&types, Environment::default());
    let items = schema.properties.get("os").and_then(|list| list.items.as_deref());
    for node in [Some(schema), schema.properties.get("o"), items].into_iter().flatten() {
        let Ok(answers) = rules.evaluate(node, rule, new, old) else { continue };
        let again = rules.evaluate(node, rule, new, old).expect("it compiled");
        assert_eq!(answers, again, "the same object, another answer");
        for answer in answers {
            let is_stopped = matches!(&answer.outcome, crd_core::admit::Outcome::Failed(error) if error.contains("cost limit"));
            assert!(answer.cost <= MOST || is_stopped, "{} is more than an evaluation may cost", answer.cost);
        }
    }
    in_definition(rule, new, old);
});

/// The rule as a part of a definition, also as the expression of its message.
fn in_definition(rule: &str, new: &Value, old: Option<&Value>) {
    let mut spec = SCHEMA.clone();
    let written =
        json!([{"rule": rule, "messageExpression": rule}, {"rule": "false", "messageExpression": rule}]);
    spec["x-kubernetes-validations"] = written.clone();
    spec["properties"]["os"]["items"]["x-kubernetes-validations"] = written;
    let crd = json!({
        "metadata": {"name": "fs.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"plural": "fs", "kind": "F"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": spec},
            }}}],
        },
    });
    let crd = CustomResourceDefinition::from_value(crd).expect("a definition of ours");
    let validator = Validator::new(&crd).expect("a definition of ours");
    let object = |spec: &Value| json!({"apiVersion": "example.com/v1", "kind": "F", "metadata": {"name": "f"}, "spec": spec});
    for cause in validator.create(object(new)).causes() {
        let _ = cause.to_string();
    }
    if let Some(old) = old {
        let _ = validator.update(object(new), &object(old));
    }
}
