//! JSON schemas of the recorded cases, as types and as data types.

use crd_cel::eval::{DataKind, DataType, ListType};
use crd_cel::{DeclId, Declarations, Declared, Shape};
use serde_json::Value as Json;

const MAX: u64 = 3_145_726;

/// Declares the type of a schema; `None` for one without a type.
pub(crate) fn declare(schema: &Json, declarations: &mut Declarations) -> Option<DeclId> {
    let size = |name: &str| schema[name].as_u64();
    let mut add = |shape, max_elements, min_serialized_size| {
        Some(declarations.add(Declared { shape, max_elements, min_serialized_size }))
    };
    if schema["x-kubernetes-int-or-string"] == Json::Bool(true) {
        return add(Shape::Dyn, size("maxLength").map_or(MAX, |length| length * 4), 1);
    }
    match schema["type"].as_str()? {
        "boolean" => add(Shape::Bool, 0, 4),
        "integer" => add(Shape::Int, 0, 1),
        "number" => add(Shape::Double, 0, 1),
        "string" => match schema["format"].as_str() {
            Some("byte") => add(Shape::Bytes, size("maxLength").unwrap_or(MAX), 2),
            Some("date") => add(Shape::Timestamp, 12, 12),
            Some("date-time") => add(Shape::Timestamp, 32, 21),
            Some("duration") => add(Shape::Duration, 32, 3),
            _ => add(Shape::String, size("maxLength").map_or(MAX, |length| length * 4), 2),
        },
        "array" => {
            let items = declare(&schema["items"], declarations)?;
            let max_elements = size("maxItems").unwrap_or(MAX);
            Some(declarations.add(Declared {
                shape: Shape::List(items),
                max_elements,
                min_serialized_size: 2,
            }))
        }
        "object" if schema["additionalProperties"].is_object() => {
            let values = declare(&schema["additionalProperties"], declarations)?;
            let max_elements = size("maxProperties").unwrap_or(MAX);
            Some(declarations.add(Declared {
                shape: Shape::Map(values),
                max_elements,
                min_serialized_size: 2,
            }))
        }
        "object" => {
            let mut fields = Vec::new();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                fields.extend(declare(property, declarations).map(|of| (name.as_str().into(), of)));
            }
            let shape = Shape::Object(fields);
            Some(declarations.add(Declared { shape, max_elements: 0, min_serialized_size: 2 }))
        }
        _ => None,
    }
}

/// How the schema types data.
pub(crate) fn data_type(schema: &Json) -> DataType {
    let nullable = schema["nullable"] == Json::Bool(true);
    let kind = match schema["type"].as_str() {
        _ if schema["x-kubernetes-int-or-string"] == Json::Bool(true) => DataKind::IntOrString,
        Some("boolean") => DataKind::Bool,
        Some("integer") => DataKind::Int,
        Some("number") => DataKind::Double,
        Some("string") => match schema["format"].as_str() {
            Some("byte") => DataKind::Bytes,
            Some("date") => DataKind::Date,
            Some("date-time") => DataKind::DateTime,
            Some("duration") => DataKind::Duration,
            _ => DataKind::String,
        },
        Some("array") => {
            let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
            let list_type = match schema["x-kubernetes-list-type"].as_str() {
                Some("set") => ListType::Set,
                Some("map") => ListType::Map(keys.filter_map(Json::as_str).map(Into::into).collect()),
                _ => ListType::Atomic,
            };
            DataKind::List(Box::new(data_type(&schema["items"])), list_type)
        }
        Some("object") if schema["additionalProperties"].is_object() => {
            DataKind::Map(Box::new(data_type(&schema["additionalProperties"])))
        }
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            DataKind::object(properties.map(|(name, property)| (name.as_str(), data_type(property))))
        }
        _ => DataKind::Preserved,
    };
    DataType { kind, nullable }
}
