//! Finds the smallest JSON merge patch that converts one schema to another.

use serde_json::{Map, Value};

use super::node::Node;

/// Returns the patch that converts `expected` to `wanted`, or `None` if the two are equal.
pub(super) fn difference(expected: &Node, wanted: &Node) -> Option<Value> {
    let mut patch = Map::new();
    for (keyword, value) in wanted {
        match (keyword.as_str(), expected.get(keyword), value) {
            (_, Some(known), value) if is_same(keyword, known, value) => {}
            ("items" | "additionalProperties", Some(Value::Object(known)), Value::Object(value)) => {
                patch.extend(difference(known, value).map(|inner| (keyword.clone(), inner)));
            }
            (_, _, value) => {
                patch.insert(keyword.clone(), value.clone());
            }
        }
    }
    for keyword in expected.keys().filter(|keyword| !wanted.contains_key(*keyword)) {
        patch.insert(keyword.clone(), Value::Null);
    }
    (!patch.is_empty()).then_some(Value::Object(patch))
}

fn is_same(keyword: &str, a: &Value, b: &Value) -> bool {
    match (a, b) {
        // 1.0 is 1.
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) if keyword == "required" => {
            a.len() == b.len() && a.iter().all(|name| b.contains(name))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    fn check(expected: Value, wanted: Value, patch: Option<Value>) {
        let node = |value: &Value| value.as_object().cloned().unwrap();
        assert_eq!(super::difference(&node(&expected), &node(&wanted)), patch, "{expected} -> {wanted}");
    }

    #[test]
    fn a_patch_says_no_more_than_it_has_to() {
        check(json!({"type": "integer", "minimum": 0}), json!({"minimum": 0.0, "type": "integer"}), None);
        check(json!({"required": ["a", "b"]}), json!({"required": ["b", "a"]}), None);
        let number = json!({"type": "array", "items": {"type": "number", "format": "double"}});
        let patch = json!({"maxItems": 3, "items": {"multipleOf": 2, "format": null}});
        check(
            number,
            json!({"type": "array", "maxItems": 3, "items": {"type": "number", "multipleOf": 2}}),
            Some(patch),
        );
        check(
            json!({"a": 1}),
            json!({"oneOf": [{"required": ["b"]}]}),
            Some(json!({"oneOf": [{"required": ["b"]}], "a": null})),
        );
    }
}
