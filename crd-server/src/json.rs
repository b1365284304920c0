//! Serializes and reads values like the API server.

use std::ops::Range;

use bytes::Bytes;
use crd_go::json::write_json;
use crd_go::strings::write_json_string;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::depth;

/// The metadata field that contains the revision.
pub(crate) const REVISION: &str = "resourceVersion";

/// Serializes an object without a Go type: keys are sorted, and a line feed is added at the end.
pub(crate) fn print_sorted(value: &Value) -> Bytes {
    let mut text = String::new();
    write_json(&mut text, value);
    text.push('\n');
    text.into()
}

/// Serializes an object that has a Go type: keys keep their order.
pub(crate) fn print_ordered(value: &Value) -> Bytes {
    let mut text = String::new();
    write_ordered(&mut text, value);
    text.push('\n');
    text.into()
}

fn write_ordered(out: &mut String, value: &Value) {
    for c in value.to_string().chars() {
        match c {
            // These stand only in strings, where `encoding/json` escapes them.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
}

/// Formats JSON with a line for each field and item, like Go's `json.MarshalIndent`. There is no line feed at the end.
pub(crate) fn indented(json: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(json.len() * 2);
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    let line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b"  ", depth).flatten());
    };
    let json = json.trim_ascii_end();
    for (i, &byte) in json.iter().enumerate() {
        if is_text {
            out.push(byte);
            is_text = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'{' | b'[' => {
                out.push(byte);
                depth += 1;
                if !matches!(json.get(i + 1), Some(b'}' | b']')) {
                    line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if i > 0 && !matches!(json[i - 1], b'{' | b'[') {
                    line(&mut out, depth);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                line(&mut out, depth);
            }
            b':' => out.extend(b": "),
            byte => {
                is_text = byte == b'"';
                out.push(byte);
            }
        }
    }
    out.into()
}

/// Converts JSON to YAML with sorted keys. JSON that cannot be read is returned as it is.
pub(crate) fn yaml(json: &[u8]) -> Bytes {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    if depth::is_large() {
        deserializer.disable_recursion_limit();
    }
    match Value::deserialize(&mut deserializer) {
        Ok(mut value) => {
            value.sort_all_objects();
            crd_core::yaml::to_yaml(&value).into()
        }
        Err(_) => Bytes::copy_from_slice(json),
    }
}

/// A serialized object whose `resourceVersion` can be set.
#[derive(Clone, Debug)]
pub(crate) struct PrintedObject {
    json: Bytes,
    /// The revision's position in the text. The revision is empty at first.
    revision: Range<usize>,
}

impl PrintedObject {
    /// Serializes an object with sorted keys.
    pub(crate) fn sorted(object: Value) -> Self {
        let sort = |fields: &mut Vec<(&String, &Value)>| fields.sort_unstable_by_key(|(name, _)| *name);
        Self::print(object, sort, write_json)
    }

    /// Serializes an object whose keys keep their order.
    pub(crate) fn ordered(object: Value) -> Self {
        Self::print(object, |_| {}, write_ordered)
    }

    fn print(
        mut object: Value,
        sort: impl Fn(&mut Vec<(&String, &Value)>),
        write: impl Fn(&mut String, &Value),
    ) -> Self {
        if let Some(metadata) = metadata_mut(&mut object) {
            metadata.insert(REVISION.to_owned(), Value::String(String::new()));
        }
        let mut json = String::with_capacity(1024);
        let mut revision = 0..0;
        write_fields(&mut json, &object, &sort, |json, name, value| {
            if name != "metadata" {
                return write(json, value);
            }
            write_fields(json, value, &sort, |json, name, value| {
                write(json, value);
                if name == REVISION {
                    let end = json.len() - 1;
                    revision = end..end;
                }
            });
        });
        json.push('\n');
        Self { json: json.into(), revision }
    }

    /// Returns the serialized object with this `resourceVersion`.
    pub(crate) fn with_revision(&self, revision: u64) -> Self {
        let digits = revision.to_string();
        let Range { start, end } = self.revision;
        let json = [&self.json[..start], digits.as_bytes(), &self.json[end..]].concat();
        Self { json: json.into(), revision: start..start + digits.len() }
    }

    pub(crate) fn json(&self) -> &Bytes {
        &self.json
    }
}

/// Serializes an object's fields. A function serializes each value.
fn write_fields(
    json: &mut String,
    object: &Value,
    sort: impl Fn(&mut Vec<(&String, &Value)>),
    mut write: impl FnMut(&mut String, &str, &Value),
) {
    let mut fields: Vec<_> = object.as_object().into_iter().flatten().collect();
    sort(&mut fields);
    json.push('{');
    for (i, (name, value)) in fields.into_iter().enumerate() {
        if i > 0 {
            json.push(',');
        }
        write_json_string(json, name);
        json.push(':');
        write(json, name, value);
    }
    json.push('}');
}

/// Returns a value's type in the terms of `encoding/json`.
pub(crate) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the string at a path, or an empty string if there is none.
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

/// Returns an object's metadata, if there is any.
pub(crate) fn metadata(value: &Value) -> Option<&Map<String, Value>> {
    value.get("metadata")?.as_object()
}

/// Returns an object's metadata. Missing metadata is created.
pub(crate) fn metadata_mut(value: &mut Value) -> Option<&mut Map<String, Value>> {
    let metadata = value.as_object_mut()?.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    metadata.as_object_mut()
}

/// Sets a field, or removes the field if `value` is `None`.
pub(crate) fn set(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => {
            fields.insert(name.to_owned(), value);
        }
        None => {
            crd_go::json::remove(fields, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pretty_json_has_a_line_for_each_field() {
        let json = br#"{"a":[{"b":"x\\","c":"{\","},{}],"d":[],"e":{"f":1}}"#;
        let expected = "{\n  \"a\": [\n    {\n      \"b\": \"x\\\\\",\n      \"c\": \"{\\\",\"\n    },\n    {}\n  ],\n  \
                        \"d\": [],\n  \"e\": {\n    \"f\": 1\n  }\n}";
        assert_eq!(indented(json), expected);
    }

    #[test]
    fn printing_follows_go() {
        let value = json!({"b": "<&>", "a": 1.0});
        assert_eq!(print_sorted(&value), "{\"a\":1,\"b\":\"\\u003c\\u0026\\u003e\"}\n");
        assert_eq!(print_ordered(&value), "{\"b\":\"\\u003c\\u0026\\u003e\",\"a\":1.0}\n");
    }

    #[test]
    fn revisions_are_set_in_print() {
        let object = json!({"metadata": {"name": "\"resourceVersion\":\"\"", "annotations": {"resourceVersion": ""}}, "a": 1});
        let printed = PrintedObject::sorted(object.clone()).with_revision(9).with_revision(10);
        let mut read: Value = serde_json::from_slice(printed.json()).unwrap();
        assert_eq!(read["metadata"]["resourceVersion"], "10");
        read["metadata"].as_object_mut().unwrap().remove(REVISION);
        assert_eq!(read, object);
        let ordered = PrintedObject::ordered(object).with_revision(7);
        let read: Value = serde_json::from_slice(ordered.json()).unwrap();
        let fields: Vec<&str> = read.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((fields, &read["metadata"]["resourceVersion"]), (vec!["metadata", "a"], &json!("7")));
    }
}
