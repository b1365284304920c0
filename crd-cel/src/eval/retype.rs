//! Converts elements that a rule adds to a list with a schema. The API server keeps the raw value of such an element, and reads it with the
//! schema's element type.

use serde_json::Value as Json;

use super::Error;
use super::data::{Data, DataKind, DataType};
use super::list::List;
use super::map::Map;
use super::opaque::Opaque;
use super::value::{Blob, Value};

/// Converts a value to the element type of the list that it is added to. Returns a value that holds an error if the types do not fit.
pub(crate) fn retyped<'v>(value: Value<'v>, of: &'v DataType) -> Value<'v> {
    read(value, of).unwrap_or_else(|error| Value::Opaque(Opaque::Unconverted(error.message().into()).into()))
}

fn read<'v>(value: Value<'v>, of: &'v DataType) -> Result<Value<'v>, Error> {
    use DataKind as K;
    let value = match value {
        // The raw value of a type is its name.
        Value::Type(name) => Value::String(name),
        Value::Optional(None) => return Data::new(&Json::Null, of).value().map(|_| Value::Null),
        Value::Optional(Some(inner)) => return read((*inner).clone(), of),
        value => value,
    };
    let expected =
        |what: &str| Err(Error::text(format!("invalid data, expected {what}, got {}", raw_type(&value))));
    match (&of.kind, &value) {
        (K::String | K::IntOrString, Value::String(_))
        | (K::Int | K::IntOrString, Value::Int(_))
        | (K::Double, Value::Double(_))
        | (K::Bool, Value::Bool(_))
        | (K::Preserved | K::Json, _) => Ok(value),
        (K::Double, Value::Int(value)) => Ok(Value::Double(*value as f64)),
        (K::Bytes | K::Date | K::DateTime | K::Duration, Value::String(text)) => {
            decoded(Data::new(&Json::String((**text).to_owned()), of))
        }
        (K::String | K::Bytes | K::Date | K::DateTime | K::Duration, _) => expected("string"),
        (K::Int, _) => expected("int"),
        (K::Double, _) => expected("float"),
        (K::Bool, _) => expected("bool"),
        (K::IntOrString, _) => {
            Err(Error::new("invalid data, expected XIntOrString value to be either a string or integer"))
        }
        (K::Object(_) | K::Map(_), Value::Map(map)) if map.data().is_some() => {
            map.data().map_or(Ok(Value::Null), |data| Data::new(data.json(), of).value())
        }
        (K::List(..), Value::List(list)) if list.data().is_some() => {
            list.data().map_or(Ok(Value::Null), |data| Data::new(data.json(), of).value())
        }
        (K::List(..), Value::List(list)) if list.is_of_schema() => Ok(value),
        (K::Object(_) | K::Map(_), _) => {
            Err(Error::new("invalid data, expected a map for the provided schema with type=object"))
        }
        (K::List(..), _) => {
            Err(Error::new("invalid data, expected an array for the provided schema with type=array"))
        }
    }
}

/// Decodes a value from a string, without borrowing from the string.
fn decoded<'v>(data: Data<'_>) -> Result<Value<'v>, Error> {
    match data.value()? {
        Value::Bytes(bytes) => Ok(Value::Bytes(Blob::Shared((*bytes).into()))),
        Value::Timestamp(time) => Ok(Value::Timestamp(time)),
        Value::Duration(duration) => Ok(Value::Duration(duration)),
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns Go's name for the type of a raw value.
fn raw_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "structpb.NullValue",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Double(_) => "float64",
        Value::String(_) | Value::Type(_) => "string",
        Value::Bytes(_) => "[]uint8",
        Value::Timestamp(_) => "time.Time",
        Value::Duration(_) => "time.Duration",
        Value::List(list) => list_type(list),
        Value::Map(map) => map_type(map),
        Value::Opaque(opaque) => match &**opaque {
            Opaque::Quantity(_) | Opaque::Sum(_) => "*resource.Quantity",
            Opaque::Url(_) => "*url.URL",
            Opaque::Semver(_) => "semver.Version",
            Opaque::Ip(_) => "netip.Addr",
            Opaque::Cidr(_) => "netip.Prefix",
            Opaque::Format(_) => "cel.Format",
            Opaque::Unconverted(_) => "*errors.errorString",
        },
        // Optionals are unwrapped before.
        Value::Optional(_) | Value::Preserved(_) => "interface {}",
    }
}

fn list_type(list: &List<'_>) -> &'static str {
    if list.data().is_some() || list.is_of_schema() || list.is_sum() { "[]interface {}" } else { "[]ref.Val" }
}

fn map_type(map: &Map<'_>) -> &'static str {
    if map.data().is_some() { "map[string]interface {}" } else { "map[ref.Val]ref.Val" }
}
