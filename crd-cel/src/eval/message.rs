//! Protobuf messages that rules create: `google.protobuf.Duration{seconds: 5}`. Such messages are converted to CEL values immediately.
//!
//! Source: `Registry.NewValue` and `msgSetField` in cel-go's `common/types/provider.go`.

use crd_go::base64;
use crd_go::time::Duration;

use super::Error;
use super::map::Entries;
use super::meter::Meter;
use super::time::timestamp;
use super::value::{Value, printed_key};

/// Maximum depth to which a `google.protobuf.Value` is converted. Values in rules are nested less deeply.
const MAX_DEPTH: u32 = 300;
/// The largest integer that a JSON number represents exactly.
const LARGEST_WHOLE: i64 = 1 << 53;

/// A message type that every protobuf registry knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Duration,
    Timestamp,
    Bool,
    Bytes,
    Double,
    Float,
    Int32,
    Int64,
    String,
    Uint32,
    Uint64,
    /// `google.protobuf.Value`, which becomes the value in its only field.
    Value,
    Struct,
    List,
    /// A serialized message. Evaluating it is not supported.
    Any,
}

/// The message names in the package `google.protobuf`.
const NAMES: [(&str, Message); 15] = [
    ("Any", Message::Any),
    ("BoolValue", Message::Bool),
    ("BytesValue", Message::Bytes),
    ("DoubleValue", Message::Double),
    ("Duration", Message::Duration),
    ("FloatValue", Message::Float),
    ("Int32Value", Message::Int32),
    ("Int64Value", Message::Int64),
    ("ListValue", Message::List),
    ("StringValue", Message::String),
    ("Struct", Message::Struct),
    ("Timestamp", Message::Timestamp),
    ("UInt32Value", Message::Uint32),
    ("UInt64Value", Message::Uint64),
    ("Value", Message::Value),
];

impl Message {
    /// Returns the message type with this name. The type checker must have accepted the name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix("google.protobuf.")?;
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, message)| *message)
    }

    fn name(self) -> &'static str {
        NAMES.iter().find(|(_, message)| *message == self).map_or("", |(name, _)| name)
    }

    /// Converts the message with these fields to a value. If a field is set twice, the last value is used.
    ///
    /// # Errors
    /// - The field cannot hold its value.
    /// - The time is not in the years 1 to 9999.
    pub(crate) fn value<'v>(
        self,
        meter: &mut Meter,
        fields: &[(&str, Value<'v>)],
    ) -> Result<Value<'v>, Error> {
        let field = |name: &str| field(fields, name);
        let value = field("value");
        Ok(match self {
            Self::Duration => {
                let (seconds, nanos) = self.seconds_and_nanos(fields)?;
                // A duration that does not fit becomes the longest.
                let total = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
                let limit = if total < 0 { i64::MIN } else { i64::MAX };
                Value::Duration(Duration(i64::try_from(total).unwrap_or(limit)))
            }
            Self::Timestamp => {
                let (seconds, nanos) = self.seconds_and_nanos(fields)?;
                let carried = seconds.saturating_add(i64::from(nanos.div_euclid(1_000_000_000)));
                let nanos = nanos.rem_euclid(1_000_000_000) as u32;
                Value::Timestamp(timestamp(carried, nanos, 0)?)
            }
            Self::Int32 => Value::Int(int32(value).map_err(|error| self.unfit_field("value", error))?.into()),
            Self::Int64 => Value::Int(integer(value).map_err(|error| self.unfit_field("value", error))?),
            Self::Uint32 => {
                let number = unsigned(value)?;
                u32::try_from(number).map_err(|_| self.unfit_field("value", Error::UINT_OVERFLOW))?;
                Value::Uint(number)
            }
            Self::Uint64 => Value::Uint(unsigned(value)?),
            Self::Float => Value::Double(f64::from(double(value)? as f32)),
            Self::Double => Value::Double(double(value)?),
            Self::Bool => plain(value, || Value::Bool(false), |value| matches!(value, Value::Bool(_)))?,
            Self::String => plain(value, || "".into(), |value| matches!(value, Value::String(_)))?,
            Self::Bytes => {
                plain(value, || Value::Bytes(Vec::new().into()), |value| matches!(value, Value::Bytes(_)))?
            }
            Self::Any => {
                return Err(Error::text(
                    "unsupported conversion to ref.Val: (*dynamicpb.Message)".to_owned(),
                ));
            }
            Self::Value => match fields.last() {
                Some(("null_value", _)) | None => Value::Null,
                Some((_, value)) => as_json(meter, value, 0)?,
            },
            Self::Struct => match field("fields") {
                Some(fields) => as_json(meter, fields, 0)?,
                None => Value::Map(Entries::default().into()),
            },
            Self::List => match field("values") {
                Some(values) => as_json(meter, values, 0)?,
                None => Vec::new().into(),
            },
        })
    }

    fn seconds_and_nanos(self, fields: &[(&str, Value<'_>)]) -> Result<(i64, i32), Error> {
        let seconds =
            integer(field(fields, "seconds")).map_err(|error| self.unfit_field("seconds", error))?;
        let nanos = int32(field(fields, "nanos")).map_err(|error| self.unfit_field("nanos", error))?;
        Ok((seconds, nanos))
    }

    /// Returns the error for a field that cannot hold its value.
    fn unfit_field(self, field: &str, error: Error) -> Error {
        if error.is_final() {
            return error;
        }
        let message = self.name();
        Error::text(format!(
            "field type conversion error for google.protobuf.{message}.{field} value type: {error}"
        ))
    }
}

/// Returns the last value of a field.
fn field<'f, 'v>(fields: &'f [(&str, Value<'v>)], name: &str) -> Option<&'f Value<'v>> {
    fields.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn integer(value: Option<&Value<'_>>) -> Result<i64, Error> {
    match value {
        None => Ok(0),
        Some(Value::Int(number)) => Ok(*number),
        Some(other) => Err(unfit(other)),
    }
}

fn int32(value: Option<&Value<'_>>) -> Result<i32, Error> {
    i32::try_from(integer(value)?).map_err(|_| Error::INT_OVERFLOW)
}

fn unsigned(value: Option<&Value<'_>>) -> Result<u64, Error> {
    match value {
        None => Ok(0),
        Some(Value::Uint(number)) => Ok(*number),
        Some(other) => Err(unfit(other)),
    }
}

fn double(value: Option<&Value<'_>>) -> Result<f64, Error> {
    match value {
        None => Ok(0.0),
        Some(Value::Double(number)) => Ok(*number),
        Some(other) => Err(unfit(other)),
    }
}

fn plain<'v>(
    value: Option<&Value<'v>>,
    empty: impl Fn() -> Value<'v>,
    is_of_type: impl Fn(&Value<'v>) -> bool,
) -> Result<Value<'v>, Error> {
    match value {
        None => Ok(empty()),
        Some(value) if is_of_type(value) => Ok(value.clone()),
        Some(other) => Err(unfit(other)),
    }
}

fn unfit(value: &Value<'_>) -> Error {
    Error::text(format!("field type conversion error: value type '{}'", value.type_name()))
}

/// Returns the value of a `google.protobuf.Value`, which holds JSON. All numbers become doubles.
fn as_json<'v>(meter: &mut Meter, value: &Value<'v>, depth: u32) -> Result<Value<'v>, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::OUT_OF_WORK);
    }
    meter.work(1)?;
    Ok(match value {
        Value::Int(number) if number.unsigned_abs() <= LARGEST_WHOLE.unsigned_abs() => {
            Value::Double(*number as f64)
        }
        Value::Int(number) => number.to_string().into(),
        Value::Uint(number) if *number <= LARGEST_WHOLE.unsigned_abs() => Value::Double(*number as f64),
        Value::Uint(number) => number.to_string().into(),
        Value::Bytes(bytes) => {
            meter.allocate(2 * bytes.len())?;
            base64::encode_std(bytes).into()
        }
        Value::Timestamp(timestamp) => timestamp.print().into(),
        Value::Duration(duration) => duration.print().into(),
        Value::List(list) => {
            meter.work_on_list(list)?;
            meter.allocate_values(list.len())?;
            let elements = list.iter().map(|element| as_json(meter, &element?, depth + 1));
            elements.collect::<Result<Vec<_>, Error>>()?.into()
        }
        Value::Map(map) => {
            meter.allocate_values(map.len() * 4)?;
            let mut entries = Entries::default();
            for key in map.keys() {
                meter.work_on_key(&key)?;
                if let Some(value) = map.get(&key) {
                    let value = as_json(meter, &value?, depth + 1)?;
                    entries.insert(printed_key(&key).into(), value)?;
                }
            }
            Value::Map(entries.into())
        }
        Value::Null | Value::Bool(_) | Value::Double(_) | Value::String(_) => value.clone(),
        other => return Err(unfit(other)),
    })
}

#[cfg(test)]
mod tests {
    use crate::eval::{Program, Value};

    fn run(rule: &str) -> Result<bool, String> {
        let ast = crate::parse(rule).expect(rule);
        let program = Program::unchecked(&ast, &[]).map_err(|error| error.to_string())?;
        match program.run([None::<Value<'_>>; 0], Program::CALL_LIMIT).result {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(format!("{other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn messages_are_values_of_cel() {
        for rule in [
            "google.protobuf.Duration{seconds: 5, nanos: 1} > duration('5s')",
            "google.protobuf.Timestamp{seconds: 5} == timestamp('1970-01-01T00:00:05Z')",
            "google.protobuf.StringValue{value: 'a'} == 'a' && google.protobuf.StringValue{} == ''",
            "google.protobuf.Int32Value{value: -1} == -1 && google.protobuf.UInt64Value{value: 2u} == 2u",
            "google.protobuf.BoolValue{} == false && google.protobuf.BytesValue{value: b'a'} == b'a'",
            "google.protobuf.FloatValue{value: 0.5} == 0.5 && google.protobuf.DoubleValue{?value: optional.none()} == 0.0",
            "google.protobuf.Value{} == null && google.protobuf.Value{number_value: 1.5} == 1.5",
            "google.protobuf.Struct{fields: {'a': 1}} == {'a': 1.0}",
            "google.protobuf.ListValue{values: [1, b'a', null]} == [1.0, 'YQ==', null]",
            "google.protobuf.Value{null_value: 0} == null",
        ] {
            assert_eq!(run(rule), Ok(true), "{rule}");
        }
    }

    #[test]
    fn numbers_have_to_fit() {
        for rule in [
            "google.protobuf.Int32Value{value: 2147483648} == 0",
            "google.protobuf.UInt32Value{value: 4294967296u} == 0u",
            "google.protobuf.Timestamp{seconds: 9223372036854775807} == timestamp('1970-01-01T00:00:05Z')",
            "google.protobuf.Int64Value{?value: 1} == 1",
            "google.protobuf.Any{type_url: 'a'} == 1",
        ] {
            assert!(run(rule).is_err(), "{rule}");
        }
    }
}
