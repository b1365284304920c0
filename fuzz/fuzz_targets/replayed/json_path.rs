//! The path of a printer column and an object in JSON, separated by a byte that no text in UTF-8 has.

use crd_docs::json_path::JsonPath;
use serde_json::{Value, json};

pub(crate) fn run(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0xff);
    let path = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let object = parts.next().and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_else(usual);
    let Ok(read) = JsonPath::parse(&format!("{{{path}}}")) else { return };
    let first = read.first(&object);
    // What is found was in the object, is a byte of a string in it, or a literal of the path; and it is found again.
    if let Ok(Some(value)) = first {
        let is_literal = path.contains(|c: char| matches!(c, '"' | '\'') || c.is_ascii_digit());
        let is_byte = value.as_u64().is_some_and(|byte| byte < 256);
        assert!(contains(&object, value) || is_byte || is_literal, "{path}: {value}");
    }
    assert_eq!(read.first(&object), first, "{path}");
}

fn contains(object: &Value, sought: &Value) -> bool {
    object == sought
        || match object {
            Value::Array(items) => items.iter().any(|item| contains(item, sought)),
            Value::Object(fields) => fields.values().any(|field| contains(field, sought)),
            _ => false,
        }
}

/// Returns an object for paths without one.
fn usual() -> Value {
    json!({"metadata": {"name": "a", "labels": {"a.b": "c"}}, "spec": {"list": [{"a": 1, "b": "x"}, {"a": 2.5, "b": null}, [3, [4]]],
        "map": {"a": {"a": {"a": true}}}, "text": "t"}})
}
