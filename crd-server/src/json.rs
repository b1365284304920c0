//! Values as the API server prints and reads them.

use bytes::Bytes;
use crd_go::json::write_json;
use serde_json::{Map, Value};

/// Prints an object without a type in Go: keys are sorted, and a line feed ends it.
pub(crate) fn print_sorted(value: &Value) -> Bytes {
    let mut text = String::new();
    write_json(&mut text, value);
    text.push('\n');
    text.into()
}

/// Prints an object that has a type in Go: keys stay in their order.
pub(crate) fn print_ordered(value: &Value) -> Bytes {
    let mut text = String::new();
    for c in value.to_string().chars() {
        match c {
            // These stand only in strings, where `encoding/json` escapes them.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('\n');
    text.into()
}

/// The text at a path of fields, empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    let mut value = value;
    for field in path {
        match value.get(*field) {
            Some(inner) => value = inner,
            None => return "",
        }
    }
    value.as_str().unwrap_or_default()
}

/// The metadata of an object that has some.
pub(crate) fn metadata(value: &Value) -> Option<&Map<String, Value>> {
    value.get("metadata")?.as_object()
}

/// The metadata of an object, made where there is none.
pub(crate) fn metadata_mut(value: &mut Value) -> Option<&mut Map<String, Value>> {
    let metadata = value.as_object_mut()?.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    metadata.as_object_mut()
}

/// Sets or removes a field.
pub(crate) fn set(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => {
            fields.insert(name.to_owned(), value);
        }
        None => {
            fields.shift_remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn printing_follows_go() {
        let value = json!({"b": "<&>", "a": 1.0});
        assert_eq!(print_sorted(&value), "{\"a\":1,\"b\":\"\\u003c\\u0026\\u003e\"}\n");
        assert_eq!(print_ordered(&value), "{\"b\":\"\\u003c\\u0026\\u003e\",\"a\":1.0}\n");
    }
}
