//! Conversions: `int`, `uint`, `double`, `string`, `bytes`, `bool`, `dyn`, `type`, `duration`, `timestamp`.

use crd_go::number::{Form, parse_float, shortest};
use crd_go::time::{Duration, Timestamp};

use crate::eval::Error;
use crate::eval::implementation::{Implementation, Outcome};
use crate::eval::meter::Meter;
use crate::eval::opaque::Opaque;
use crate::eval::time;
use crate::eval::value::{Blob, CelString, Value};

pub(crate) const INT: Implementation = Implementation::plain(|_, args| one(args, int));
pub(crate) const UINT: Implementation = Implementation::plain(|_, args| one(args, uint));
pub(crate) const DOUBLE: Implementation = Implementation::plain(|_, args| one(args, double));
pub(crate) const STRING: Implementation = Implementation::plain(|meter, args| {
    one(args, |value| {
        // Only `format` converts a type to a string.
        if let Value::Type(_) = value {
            return Err(Error::no_such_overload());
        }
        let text = to_text(value)?;
        if !text.is_borrowed() {
            meter.allocate(text.len())?;
        }
        Ok(Value::String(text))
    })
});
pub(crate) const BYTES: Implementation = Implementation::plain(bytes).work(8);
pub(crate) const BOOL: Implementation = Implementation::plain(|_, args| one(args, bool)).work(0);
pub(crate) const DYN: Implementation =
    Implementation::plain(|_, args| one(args, |value| Ok(value.clone()))).work(0);
pub(crate) const TYPE: Implementation =
    Implementation::plain(|_, args| one(args, |value| Ok(Value::Type(value.type_name().into())))).work(0);
pub(crate) const DURATION: Implementation = Implementation::plain(|_, args| one(args, duration));
pub(crate) const TIMESTAMP: Implementation = Implementation::plain(|_, args| one(args, timestamp));

fn one<'v>(args: &[Value<'v>], convert: impl FnOnce(&Value<'v>) -> Outcome<'v>) -> Outcome<'v> {
    match args {
        [value] => convert(value),
        _ => Err(Error::no_such_overload()),
    }
}

fn int<'v>(value: &Value<'v>) -> Outcome<'v> {
    Ok(Value::Int(match value {
        Value::Int(value) => *value,
        Value::Uint(value) => i64::try_from(*value).map_err(|_| Error::INT_OVERFLOW)?,
        // The ends of the range are not doubles, and cel-go rejects the doubles next to them.
        Value::Double(value) if *value > i64::MIN as f64 && *value < i64::MAX as f64 => *value as i64,
        Value::Double(_) => return Err(Error::INT_OVERFLOW),
        Value::String(text) => text.parse().map_err(|_| Error::conversion("string", "int"))?,
        Value::Duration(value) => value.0,
        Value::Timestamp(value) => value.seconds,
        _ => return Err(Error::no_such_overload()),
    }))
}

fn uint<'v>(value: &Value<'v>) -> Outcome<'v> {
    Ok(Value::Uint(match value {
        Value::Uint(value) => *value,
        Value::Int(value) => u64::try_from(*value).map_err(|_| Error::UINT_OVERFLOW)?,
        Value::Double(value) if *value >= 0.0 && *value < u64::MAX as f64 => *value as u64,
        Value::Double(_) => return Err(Error::UINT_OVERFLOW),
        // Go accepts no sign here.
        Value::String(text) if !text.starts_with('+') => {
            text.parse().map_err(|_| Error::conversion("string", "uint"))?
        }
        Value::String(_) => return Err(Error::conversion("string", "uint")),
        _ => return Err(Error::no_such_overload()),
    }))
}

fn double<'v>(value: &Value<'v>) -> Outcome<'v> {
    Ok(Value::Double(match value {
        Value::Double(value) => *value,
        Value::Int(value) => *value as f64,
        Value::Uint(value) => *value as f64,
        Value::String(text) => parse_float(text).ok_or_else(|| Error::conversion("string", "double"))?,
        _ => return Err(Error::no_such_overload()),
    }))
}

/// Returns the text that `string` produces for a value.
pub(super) fn to_text<'v>(value: &Value<'v>) -> Result<CelString<'v>, Error> {
    Ok(match value {
        Value::String(text) | Value::Type(text) => text.clone(),
        Value::Bool(value) => CelString::Borrowed(if *value { "true" } else { "false" }),
        Value::Int(value) => value.to_string().into(),
        Value::Uint(value) => value.to_string().into(),
        Value::Double(value) => shortest(*value, Form::General).into(),
        Value::Bytes(Blob::Borrowed(bytes)) => CelString::Borrowed(utf8(bytes)?),
        Value::Bytes(bytes) => utf8(bytes)?.to_owned().into(),
        Value::Duration(value) => value.print().into(),
        Value::Timestamp(value) => value.print().into(),
        Value::Opaque(opaque) => match &**opaque {
            Opaque::Ip(ip) => ip.to_string().into(),
            Opaque::Cidr(cidr) => cidr.to_string().into(),
            _ => return Err(Error::no_such_overload()),
        },
        _ => return Err(Error::no_such_overload()),
    })
}

fn utf8(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|_| Error::new("invalid UTF-8 in bytes, cannot convert to string"))
}

fn bytes<'v>(meter: &mut Meter, args: &[Value<'v>]) -> Outcome<'v> {
    match args {
        [Value::Bytes(value)] => Ok(Value::Bytes(value.clone())),
        [Value::String(CelString::Borrowed(text))] => Ok(Value::Bytes(Blob::Borrowed(text.as_bytes()))),
        [Value::String(text)] => {
            meter.allocate(text.len())?;
            Ok(Value::Bytes(Blob::Shared(text.as_bytes().into())))
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn bool<'v>(value: &Value<'v>) -> Outcome<'v> {
    match value {
        Value::Bool(value) => Ok(Value::Bool(*value)),
        Value::String(text) => match &**text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
            _ => Err(Error::conversion("string", "bool")),
        },
        _ => Err(Error::no_such_overload()),
    }
}

fn duration<'v>(value: &Value<'v>) -> Outcome<'v> {
    match value {
        Value::Duration(value) => Ok(Value::Duration(*value)),
        Value::String(text) => Duration::parse(text)
            .map(Value::Duration)
            .ok_or_else(|| Error::conversion("string", "google.protobuf.Duration")),
        Value::Int(_) => Err(Error::conversion("int", "google.protobuf.Duration")),
        _ => Err(Error::no_such_overload()),
    }
}

fn timestamp<'v>(value: &Value<'v>) -> Outcome<'v> {
    match value {
        Value::Timestamp(value) => Ok(Value::Timestamp(*value)),
        Value::Int(seconds) => time::timestamp(*seconds, 0, 0).map(Value::Timestamp),
        Value::String(text) => {
            let time = Timestamp::parse(text)
                .ok_or_else(|| Error::conversion("string", "google.protobuf.Timestamp"))?;
            if time.is_in_range() { Ok(Value::Timestamp(time)) } else { Err(Error::TIMESTAMP_OVERFLOW) }
        }
        _ => Err(Error::no_such_overload()),
    }
}

#[cfg(test)]
mod tests {
    use crate::eval::Program;
    use crate::eval::value::Value;

    #[test]
    fn conversions() {
        for (rule, result) in [
            ("int('+42') == 42 && int(-1.9) == -1 && int(timestamp('1970-01-01T00:00:09Z')) == 9", "true"),
            ("int(dyn(' 42'))", "type conversion error from 'string' to 'int'"),
            ("int(dyn(1e19))", "integer overflow"),
            ("uint(dyn(-1))", "unsigned integer overflow"),
            (
                "double('1.0e+3') == 1000.0 && string(double('inf')) == '+Inf' && double('0x1p1') == 2.0",
                "true",
            ),
            ("bool('t') && !bool('False')", "true"),
            ("bool(dyn('tRue'))", "type conversion error from 'string' to 'bool'"),
            ("string(b'hi') == 'hi' && size(bytes('\u{e9}!')) == 3 && string(1e21) == '1e+21'", "true"),
            ("string(dyn(b'\\xff'))", "invalid UTF-8 in bytes, cannot convert to string"),
            ("string(timestamp('2020-01-02T03:04:05.500+05:30')) == '2020-01-02T03:04:05.5+05:30'", "true"),
            (
                "string(timestamp(-1)) == '1969-12-31T23:59:59Z' && string(duration('1h2m3s')) == '3723s'",
                "true",
            ),
            ("timestamp(dyn('0000-12-31T00:00:00Z'))", "timestamp overflow"),
            (
                "timestamp(dyn('2020-01-01'))",
                "type conversion error from 'string' to 'google.protobuf.Timestamp'",
            ),
            ("duration(dyn('1d'))", "type conversion error from 'string' to 'google.protobuf.Duration'"),
            ("type(1) == int && type('') == string && type([]) == list && type(type(1)) == type", "true"),
            ("double(dyn('NaN')) > 0.5", "NaN values cannot be ordered"),
        ] {
            let ast = crate::parse(rule).unwrap();
            // Constants are converted when the program is compiled.
            let found = match Program::unchecked(&ast, &[]).map(|program| {
                format!(
                    "{:?}",
                    program
                        .run(Vec::<Option<Value<'_>>>::new(), 1_000_000)
                        .result
                        .map_err(|error| error.to_string())
                )
            }) {
                Ok(found) => found,
                Err(error) => format!("Err({:?})", error.to_string()),
            };
            let expected = if result == "true" {
                format!("Ok({:?})", Value::Bool(true))
            } else {
                format!("Err({result:?})")
            };
            assert_eq!(found, expected, "{rule}");
        }
    }
}
