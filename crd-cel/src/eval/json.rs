//! Converts values to JSON, for display.

use crd_go::base64;
use serde_json::{Map as JsonMap, Number, Value as Json};

use super::error::Error;
use super::opaque::Opaque;
use super::value::Value;

/// Maximum depth to which a value is converted. Values in rules are nested less deeply.
const MAX_DEPTH: u32 = 300;

impl Value<'_> {
    /// Returns the value as JSON. Timestamps and durations become strings, bytes become base64, and an empty optional becomes null. If JSON
    /// cannot express a value, its type's name is used.
    ///
    /// # Errors
    /// - An element or a field is not of its schema's type.
    ///
    /// ```
    /// use crd_cel::eval::{Program, Value};
    ///
    /// let ast = crd_cel::parse("{'a': [1, 2u, 2.5], 'b': duration('1m'), 'c': b'hi'}")?;
    /// let program = Program::unchecked(&ast, &[]).unwrap();
    /// let evaluation = program.run([None::<Value<'_>>; 0], Program::CALL_LIMIT);
    /// let json = evaluation.result.unwrap().to_json().unwrap();
    /// assert_eq!(json, serde_json::json!({"a": [1, 2, 2.5], "b": "60s", "c": "aGk="}));
    /// # Ok::<(), crd_cel::Issues>(())
    /// ```
    pub fn to_json(&self) -> Result<Json, Error> {
        to_json(self, 0)
    }
}

fn to_json(value: &Value<'_>, depth: u32) -> Result<Json, Error> {
    if depth > MAX_DEPTH {
        return Ok(Json::String("...".to_owned()));
    }
    Ok(match value {
        Value::Null | Value::Optional(None) => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Uint(value) => (*value).into(),
        // JSON has no infinity.
        Value::Double(value) => {
            Number::from_f64(*value).map_or_else(|| value.to_string().into(), Json::Number)
        }
        Value::String(text) | Value::Type(text) => (**text).into(),
        Value::Bytes(bytes) => base64::encode_std(bytes).into(),
        Value::Timestamp(timestamp) => timestamp.print().into(),
        Value::Duration(duration) => duration.print().into(),
        Value::Preserved(data) => data.json().clone(),
        Value::Optional(Some(value)) => to_json(value, depth + 1)?,
        Value::Opaque(opaque) => match &**opaque {
            Opaque::Ip(ip) => ip.to_string().into(),
            Opaque::Cidr(cidr) => cidr.to_string().into(),
            other => other.type_name().into(),
        },
        Value::List(list) => match list.data() {
            Some(data) => data.json().clone(),
            None => {
                let elements = list.iter().map(|element| to_json(&element?, depth + 1));
                Json::Array(elements.collect::<Result<_, Error>>()?)
            }
        },
        Value::Map(map) => match map.data() {
            Some(data) => data.json().clone(),
            None => {
                let mut members = JsonMap::new();
                for key in map.keys() {
                    if let Some(value) = map.get(&key) {
                        members.insert(super::value::printed_key(&key), to_json(&value?, depth + 1)?);
                    }
                }
                Json::Object(members)
            }
        },
    })
}
