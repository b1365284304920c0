//! The protobuf encoding of an OpenAPI v2 document. kubectl before 1.29 and Helm request it.
//!
//! The encoding contains only fields that Kubernetes publishes. Source: `openapiv2/OpenAPIv2.proto` of `github.com/google/gnostic-models`,
//! and its JSON reader, which converts untyped values to YAML. Strings with punctuation may be quoted differently in this project's YAML.

use serde_json::{Map, Value};

/// A field of a message: its name in JSON, its number, and its type.
type MessageField = (&'static str, u32, Type);

/// The type of a field in a protobuf message.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Texts,
    Flag,
    Double,
    Integer,
    /// A value of any type, written as YAML.
    Any,
    Anys,
    Message(&'static [MessageField]),
    /// A map, encoded as a message whose field 1 is repeated for each entry.
    Entries(&'static Type),
    /// A message that contains the value in field 1.
    Wrapped(&'static Type),
    /// A map of paths. Like `Entries`, but the entries are in field 2.
    Paths,
    /// `true`, `false` or a schema.
    AdditionalProperties,
    Parameter,
    Parameters,
}

const YAML: u32 = 2;
const VALUE: u32 = 2;

static DOCUMENT: [MessageField; 6] = [
    ("swagger", 1, Type::Text),
    ("info", 2, Type::Message(&INFO)),
    ("paths", 8, Type::Paths),
    ("definitions", 9, Type::Entries(&Type::Message(&SCHEMA))),
    ("parameters", 10, Type::Entries(&Type::Parameter)),
    ("x-", 16, Type::Any),
];
static INFO: [MessageField; 2] = [("title", 1, Type::Text), ("version", 2, Type::Text)];
static PATH: [MessageField; 7] = [
    ("get", 2, Type::Message(&OPERATION)),
    ("put", 3, Type::Message(&OPERATION)),
    ("post", 4, Type::Message(&OPERATION)),
    ("delete", 5, Type::Message(&OPERATION)),
    ("patch", 8, Type::Message(&OPERATION)),
    ("parameters", 9, Type::Parameters),
    ("x-", 10, Type::Any),
];
static OPERATION: [MessageField; 9] = [
    ("tags", 1, Type::Texts),
    ("description", 3, Type::Text),
    ("operationId", 5, Type::Text),
    ("produces", 6, Type::Texts),
    ("consumes", 7, Type::Texts),
    ("parameters", 8, Type::Parameters),
    ("responses", 9, Type::Entries(&Type::Wrapped(&Type::Message(&RESPONSE)))),
    ("schemes", 10, Type::Texts),
    ("x-", 13, Type::Any),
];
static RESPONSE: [MessageField; 2] =
    [("description", 1, Type::Text), ("schema", 2, Type::Wrapped(&Type::Message(&SCHEMA)))];
static REFERENCE: [MessageField; 1] = [("$ref", 1, Type::Text)];
static BODY: [MessageField; 5] = [
    ("description", 1, Type::Text),
    ("name", 2, Type::Text),
    ("in", 3, Type::Text),
    ("required", 4, Type::Flag),
    ("schema", 5, Type::Message(&SCHEMA)),
];
static QUERY: [MessageField; 6] = [
    ("required", 1, Type::Flag),
    ("in", 2, Type::Text),
    ("description", 3, Type::Text),
    ("name", 4, Type::Text),
    ("type", 6, Type::Text),
    ("uniqueItems", 20, Type::Flag),
];
/// The fields of a path parameter. A path parameter has no field `allow_empty_value`, so the next fields have smaller numbers than in
/// `QUERY`.
static IN_PATH: [MessageField; 6] = [
    ("required", 1, Type::Flag),
    ("in", 2, Type::Text),
    ("description", 3, Type::Text),
    ("name", 4, Type::Text),
    ("type", 5, Type::Text),
    ("uniqueItems", 19, Type::Flag),
];
static SCHEMA: [MessageField; 27] = [
    ("$ref", 1, Type::Text),
    ("format", 2, Type::Text),
    ("title", 3, Type::Text),
    ("description", 4, Type::Text),
    ("default", 5, Type::Any),
    ("multipleOf", 6, Type::Double),
    ("maximum", 7, Type::Double),
    ("exclusiveMaximum", 8, Type::Flag),
    ("minimum", 9, Type::Double),
    ("exclusiveMinimum", 10, Type::Flag),
    ("maxLength", 11, Type::Integer),
    ("minLength", 12, Type::Integer),
    ("pattern", 13, Type::Text),
    ("maxItems", 14, Type::Integer),
    ("minItems", 15, Type::Integer),
    ("uniqueItems", 16, Type::Flag),
    ("maxProperties", 17, Type::Integer),
    ("minProperties", 18, Type::Integer),
    ("required", 19, Type::Texts),
    ("enum", 20, Type::Anys),
    ("additionalProperties", 21, Type::AdditionalProperties),
    ("type", 22, Type::Wrapped(&Type::Text)),
    ("items", 23, Type::Wrapped(&Type::Message(&SCHEMA))),
    ("properties", 25, Type::Entries(&Type::Message(&SCHEMA))),
    ("externalDocs", 29, Type::Message(&EXTERNAL_DOCS)),
    ("example", 30, Type::Any),
    ("x-", 31, Type::Any),
];
static EXTERNAL_DOCS: [MessageField; 2] = [("description", 1, Type::Text), ("url", 2, Type::Text)];

/// Encodes a JSON document in protobuf.
pub(crate) fn encode(document: &Value) -> Vec<u8> {
    message(document, &DOCUMENT)
}

fn message(value: &Value, fields: &[MessageField]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, number, type_) in fields {
        if *name == "x-" {
            for (name, value) in entries(value).filter(|(name, _)| name.starts_with("x-")) {
                put_bytes(&mut out, *number, &entry(name, value, *type_));
            }
        } else if let Some(value) = value.get(*name) {
            put(&mut out, *number, *type_, value);
        }
    }
    out
}

/// Writes a field of a message. Empty strings, `false` and zero are omitted, as in proto3, except for strings in lists.
fn put(out: &mut Vec<u8>, number: u32, type_: Type, value: &Value) {
    match type_ {
        Type::Text => {
            let text = value.as_str().unwrap_or_default();
            if !text.is_empty() {
                put_bytes(out, number, text.as_bytes());
            }
        }
        Type::Texts => {
            for item in items(value) {
                put_bytes(out, number, item.as_str().unwrap_or_default().as_bytes());
            }
        }
        Type::Flag => put_integer(out, number, u64::from(value == &Value::Bool(true))),
        Type::Double => {
            let double = value.as_f64().unwrap_or_default();
            // A negative zero is written, as its bits are not zero.
            if double.to_bits() != 0 {
                put_varint(out, u64::from(number << 3 | 1));
                out.extend(double.to_le_bytes());
            }
        }
        Type::Integer => put_integer(out, number, value.as_i64().unwrap_or_default().cast_unsigned()),
        Type::Anys => items(value).for_each(|item| put(out, number, Type::Any, item)),
        Type::Parameters => {
            for item in items(value) {
                put_bytes(out, number, &parameter_or_reference(item));
            }
        }
        _ => put_bytes(out, number, &content(value, type_)),
    }
}

/// Returns the encoded message of a field.
fn content(value: &Value, type_: Type) -> Vec<u8> {
    let mut out = Vec::new();
    match type_ {
        Type::Any => put_bytes(&mut out, YAML, crd_core::yaml::to_yaml(value).as_bytes()),
        Type::Message(fields) => out = message(value, fields),
        Type::Entries(type_) => {
            entries(value).for_each(|(name, value)| put_bytes(&mut out, 1, &entry(name, value, *type_)));
        }
        Type::Paths => {
            entries(value)
                .for_each(|(name, value)| put_bytes(&mut out, 2, &entry(name, value, Type::Message(&PATH))));
        }
        Type::Wrapped(type_) => put(&mut out, 1, *type_, value),
        Type::AdditionalProperties if value.is_boolean() => {
            // One of two fields is written even if it is `false`.
            put_varint(&mut out, 2 << 3);
            put_varint(&mut out, u64::from(value == &Value::Bool(true)));
        }
        Type::AdditionalProperties => put_bytes(&mut out, 1, &message(value, &SCHEMA)),
        Type::Parameter => match value.get("in").and_then(Value::as_str) {
            Some("body") => put_bytes(&mut out, 1, &message(value, &BODY)),
            place => {
                let is_in_path = place == Some("path");
                let (number, fields) = if is_in_path { (4, &IN_PATH) } else { (3, &QUERY) };
                let mut other = Vec::new();
                put_bytes(&mut other, number, &message(value, fields));
                put_bytes(&mut out, 2, &other);
            }
        },
        _ => put(&mut out, 1, type_, value),
    }
    out
}

fn parameter_or_reference(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    if value.get("$ref").is_some() {
        put_bytes(&mut out, 2, &message(value, &REFERENCE));
    } else {
        put_bytes(&mut out, 1, &content(value, Type::Parameter));
    }
    out
}

/// Returns an encoded map entry.
fn entry(name: &str, value: &Value, type_: Type) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, 1, name.as_bytes());
    put_bytes(&mut out, VALUE, &content(value, type_));
    out
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn put_integer(out: &mut Vec<u8>, number: u32, integer: u64) {
    if integer != 0 {
        put_varint(out, u64::from(number << 3));
        put_varint(out, integer);
    }
}

fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_varint(out, u64::from(number << 3 | 2));
    put_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

/// Writes seven bits of an integer in each byte, the lowest bits first. The highest bit of a byte is set if more bytes follow.
fn put_varint(out: &mut Vec<u8>, mut integer: u64) {
    loop {
        let byte = u8::try_from(integer & 0x7f).unwrap_or_default();
        integer >>= 7;
        if integer == 0 {
            return out.push(byte);
        }
        out.push(byte | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes come from `handler.ToProtoBinary` of kube-openapi, the API server's own encoder.
    #[test]
    fn the_bytes_are_those_of_the_api_server() {
        let document = serde_json::from_str(include_str!("../../tests/openapi/v2.json")).unwrap();
        let (found, expected) = (encode(&document), include_bytes!("../../tests/openapi/v2.pb"));
        let difference = found.iter().zip(expected).position(|(found, expected)| found != expected);
        assert_eq!((difference, found.len()), (None, expected.len()));
    }
}
