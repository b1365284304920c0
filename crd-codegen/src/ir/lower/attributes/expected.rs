//! The schema that the derives generate for a Rust type without attributes.

use crd_core::schema::{IntegerType, QUANTITY};
use serde_json::{Value, json};

use super::node::Node;
use crate::config::{BytesType, DateTimeType, NumberType, Settings};
use crate::ir::{Enum, Type, Values};

/// Returns the schema of a type that has no name and no parts. With `in_field`, returns the schema that the type has as the type of a
/// field.
pub(super) fn leaf(type_: &Type, in_field: bool, settings: &Settings) -> Node {
    let schema = match type_ {
        // A field with `preserve_unknown_fields` accepts everything but `null`.
        Type::Any if in_field => json!({"x-kubernetes-preserve-unknown-fields": true}),
        Type::Any => json!({"x-kubernetes-preserve-unknown-fields": true, "nullable": true}),
        Type::Boolean => json!({"type": "boolean"}),
        Type::DateTime if settings.date_time != DateTimeType::String => {
            json!({"type": "string", "format": "date-time"})
        }
        Type::Bytes if settings.bytes == BytesType::Bytes => {
            json!({"type": "string", "format": "byte"})
        }
        Type::String | Type::DateTime | Type::Bytes => json!({"type": "string"}),
        Type::Integer(width) => integer(*width),
        Type::Number if settings.numbers == NumberType::Exact => json!({"type": "number"}),
        Type::Number => json!({"type": "number", "format": "double"}),
        Type::IntOrString => {
            json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]})
        }
        Type::Quantity => json!({
            "x-kubernetes-int-or-string": true,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "pattern": QUANTITY,
        }),
        Type::EmbeddedResource => json!({
            "type": "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
        }),
        // Of maps only those of any values come here.
        Type::Map(_) => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        _ => json!({"type": "object"}),
    };
    node(schema)
}

/// Returns the schema of an enum.
pub(super) fn enum_schema(enum_: &Enum) -> Node {
    match &enum_.values {
        Values::Strings(values) => node(json!({"type": "string", "enum": values})),
        // Names of variants, which are not what is wanted in any case.
        _ => node(json!({"type": "string", "enum": null})),
    }
}

/// Returns the schema of an integer type that the module `numbers` of crdkit generates: a format of the API, with the bounds of the type if
/// the format does not imply them.
fn integer(width: IntegerType) -> Value {
    let bounded = |format: &str, minimum: i64, maximum: i64| json!({"type": "integer", "format": format, "minimum": minimum, "maximum": maximum});
    match width {
        IntegerType::I8 => bounded("int32", i8::MIN.into(), i8::MAX.into()),
        IntegerType::I16 => bounded("int32", i16::MIN.into(), i16::MAX.into()),
        IntegerType::I32 => json!({"type": "integer", "format": "int32"}),
        IntegerType::I64 => json!({"type": "integer", "format": "int64"}),
        IntegerType::U8 => bounded("int32", 0, u8::MAX.into()),
        IntegerType::U16 => bounded("int32", 0, u16::MAX.into()),
        IntegerType::U32 => bounded("int64", 0, u32::MAX.into()),
        IntegerType::U64 => json!({"type": "integer", "format": "int64", "minimum": 0}),
    }
}

fn node(schema: Value) -> Node {
    match schema {
        Value::Object(node) => node,
        _ => Node::new(),
    }
}
