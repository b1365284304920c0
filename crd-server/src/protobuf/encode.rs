//! Converts JSON to protobuf messages.

use std::collections::HashMap;

use crd_go::base64::decode_std;
use crd_go::time::Timestamp;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value as Field};
use serde_json::Value;

use super::special::Special;

/// Converts a value to a message. Returns `None` if a field has a different type than in Go. Fields unknown to Go are omitted.
pub(super) fn message(descriptor: &MessageDescriptor, value: &Value) -> Option<DynamicMessage> {
    if let Some(special) = Special::of(descriptor) {
        return self::special(descriptor, special, value);
    }
    let fields = value.as_object()?;
    let mut message = DynamicMessage::new(descriptor.clone());
    for descriptor in descriptor.fields() {
        if let (Some(_), Kind::Message(inline)) =
            (descriptor.json_name().strip_prefix('.'), descriptor.kind())
        {
            message.set_field(&descriptor, Field::Message(self::message(&inline, value)?));
        } else if let Some(value) = fields.get(descriptor.json_name()).filter(|value| !value.is_null()) {
            message.set_field(&descriptor, field(&descriptor, value)?);
        }
    }
    Some(message)
}

fn field(descriptor: &FieldDescriptor, value: &Value) -> Option<Field> {
    if descriptor.is_map() {
        let Kind::Message(entry) = descriptor.kind() else { return None };
        let kind = entry.map_entry_value_field().kind();
        let entries = value.as_object()?.iter();
        let entries = entries.map(|(key, value)| Some((MapKey::String(key.clone()), single(&kind, value)?)));
        return entries.collect::<Option<HashMap<_, _>>>().map(Field::Map);
    }
    let kind = descriptor.kind();
    if descriptor.is_list() {
        return value
            .as_array()?
            .iter()
            .map(|item| single(&kind, item))
            .collect::<Option<_>>()
            .map(Field::List);
    }
    single(&kind, value)
}

fn single(kind: &Kind, value: &Value) -> Option<Field> {
    Some(match kind {
        Kind::Message(descriptor) => Field::Message(match value {
            // Go reads an absent value.
            Value::Null => DynamicMessage::new(descriptor.clone()),
            value => message(descriptor, value)?,
        }),
        Kind::String => Field::String(value.as_str()?.to_owned()),
        Kind::Bytes => Field::Bytes(decode_std(value.as_str()?).ok()?.into()),
        Kind::Bool => Field::Bool(value.as_bool()?),
        Kind::Int32 => Field::I32(value.as_i64()?.try_into().ok()?),
        Kind::Int64 => Field::I64(value.as_i64()?),
        Kind::Double => Field::F64(value.as_f64()?),
        _ => return None,
    })
}

fn special(descriptor: &MessageDescriptor, special: Special, value: &Value) -> Option<DynamicMessage> {
    let mut message = DynamicMessage::new(descriptor.clone());
    let mut set = |name: &str, field: Field| message.set_field_by_name(name, field);
    let own = |name: &str, value: &Value| field(&descriptor.get_field_by_name(name)?, value);
    match (special, value) {
        (Special::Time | Special::MicroTime, value) => {
            let time = Timestamp::parse(value.as_str()?)?;
            set("seconds", Field::I64(time.seconds));
            if special == Special::MicroTime {
                set("nanos", Field::I32(i32::try_from(time.nanos / 1_000 * 1_000).ok()?));
            }
        }
        (Special::Quantity, Value::Number(number)) => set("string", Field::String(number.to_string())),
        (Special::Quantity, value) => set("string", own("string", value)?),
        (Special::IntOrString, Value::String(text)) => {
            set("type", Field::I64(1));
            set("strVal", Field::String(text.clone()));
        }
        (Special::IntOrString, value) => set("intVal", own("intVal", value)?),
        (Special::Raw, value) => {
            let raw = descriptor.fields().next()?.name().to_owned();
            set(&raw, Field::Bytes(value.to_string().into_bytes().into()));
        }
        (Special::Items, value) => set("items", own("items", value)?),
        (Special::SchemaOrArray, Value::Array(_)) => set("jSONSchemas", own("jSONSchemas", value)?),
        (Special::SchemaOrTexts, Value::Array(_)) => set("property", own("property", value)?),
        (Special::SchemaOrBool, Value::Bool(_)) => set("allows", own("allows", value)?),
        (Special::SchemaOrBool, value) => {
            set("allows", Field::Bool(true));
            set("schema", own("schema", value)?);
        }
        (Special::SchemaOrArray | Special::SchemaOrTexts, value) => set("schema", own("schema", value)?),
    }
    Some(message)
}
