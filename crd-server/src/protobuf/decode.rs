//! Converts protobuf messages to JSON.

use crd_go::base64::encode_std;
use crd_go::time::Timestamp;
use prost_reflect::{DynamicMessage, MapKey, ReflectMessage as _, Value as Field};
use serde_json::{Map, Number, Value};

use super::special::Special;

/// Returns a message's fields with their JSON names.
pub(super) fn fields(message: &DynamicMessage) -> Result<Map<String, Value>, String> {
    let mut fields = Map::new();
    for (descriptor, field) in message.fields() {
        match (descriptor.json_name().strip_prefix('.'), field) {
            (Some(_), Field::Message(inline)) => fields.extend(self::fields(inline)?),
            _ => {
                fields.insert(descriptor.json_name().to_owned(), value(field)?);
            }
        }
    }
    Ok(fields)
}

fn value(field: &Field) -> Result<Value, String> {
    Ok(match field {
        Field::Bool(flag) => (*flag).into(),
        Field::I32(number) | Field::EnumNumber(number) => (*number).into(),
        Field::I64(number) => (*number).into(),
        Field::U32(number) => (*number).into(),
        Field::U64(number) => (*number).into(),
        Field::F32(number) => self::number(f64::from(*number)),
        Field::F64(number) => self::number(*number),
        Field::String(text) => text.as_str().into(),
        Field::Bytes(bytes) => encode_std(bytes).into(),
        Field::Message(message) => self::message(message)?,
        Field::List(items) => Value::Array(items.iter().map(value).collect::<Result<_, _>>()?),
        Field::Map(entries) => {
            let mut entries: Vec<(String, &Field)> =
                entries.iter().map(|(key, field)| (key_text(key), field)).collect();
            // Go prints maps in the order of their keys.
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            let entries = entries.into_iter().map(|(key, field)| Ok((key, value(field)?)));
            Value::Object(entries.collect::<Result<_, String>>()?)
        }
    })
}

/// Returns a number in Go's notation: whole numbers have no fraction.
fn number(number: f64) -> Value {
    const MOST_WHOLE: f64 = 1e18;
    if number.fract() == 0.0 && number.abs() < MOST_WHOLE {
        return (number as i64).into();
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

fn key_text(key: &MapKey) -> String {
    match key {
        MapKey::Bool(flag) => flag.to_string(),
        MapKey::I32(number) => number.to_string(),
        MapKey::I64(number) => number.to_string(),
        MapKey::U32(number) => number.to_string(),
        MapKey::U64(number) => number.to_string(),
        MapKey::String(text) => text.clone(),
    }
}

fn message(message: &DynamicMessage) -> Result<Value, String> {
    let Some(special) = Special::of(&message.descriptor()) else { return fields(message).map(Value::Object) };
    let field = |name: &str| message.get_field_by_name(name).map(std::borrow::Cow::into_owned);
    let number = |name: &str| match field(name) {
        Some(Field::I64(number)) => number,
        Some(Field::I32(number)) => number.into(),
        _ => 0,
    };
    let json = |name: &str| field(name).map_or(Ok(Value::Null), |field| value(&field));
    let has = |name: &str| message.has_field_by_name(name);
    let schema = || if has("schema") { json("schema") } else { Ok(Value::Null) };
    match special {
        // The zero time has no bytes, and is `null` in JSON.
        Special::Time | Special::MicroTime if message.fields().next().is_none() => Ok(Value::Null),
        Special::Time => time(number("seconds")).map(Value::from),
        Special::MicroTime => {
            let (time, nanos) = (time(number("seconds"))?, number("nanos"));
            Ok(format!("{}.{:06}Z", time.trim_end_matches('Z'), nanos.clamp(0, 999_999_999) / 1_000).into())
        }
        Special::Quantity => json("string"),
        Special::IntOrString if number("type") == 0 => json("intVal"),
        Special::IntOrString => json("strVal"),
        Special::Raw => match field("raw").or_else(|| field("Raw")) {
            Some(Field::Bytes(bytes)) if !bytes.is_empty() => {
                serde_json::from_slice(&bytes).map_err(|error| format!("json: {error}"))
            }
            _ => Ok(Value::Null),
        },
        Special::Items => json("items"),
        Special::SchemaOrArray if has("jSONSchemas") => json("jSONSchemas"),
        Special::SchemaOrTexts if has("property") => json("property"),
        Special::SchemaOrArray | Special::SchemaOrTexts => schema(),
        Special::SchemaOrBool if has("schema") => schema(),
        Special::SchemaOrBool => json("allows"),
    }
}

/// Returns a UTC time in the format of RFC 3339.
fn time(seconds: i64) -> Result<String, String> {
    let time = Timestamp { seconds, nanos: 0, offset: 0 };
    // `Time.MarshalJSON` of Go.
    if time.is_in_range() {
        Ok(time.print())
    } else {
        Err("Time.MarshalJSON: year outside of range [0,9999]".to_owned())
    }
}
