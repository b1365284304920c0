//! Functions for optional values.

use crate::eval::Error;
use crate::eval::implementation::{Implementation, Outcome};
use crate::eval::list::{List, held};
use crate::eval::meter::Meter;
use crate::eval::value::Value;
use crate::eval::value::printed_key;

pub(crate) const OF: Implementation = Implementation::plain(|_, args| match args {
    [value] => Ok(value.clone().some()),
    _ => Err(Error::no_such_overload()),
})
.work(0);
pub(crate) const OF_NON_ZERO: Implementation = Implementation::plain(|_, args| match args {
    [value] if is_zero(value) => Ok(Value::Optional(None)),
    [value] => Ok(value.clone().some()),
    _ => Err(Error::no_such_overload()),
})
.work(0);
pub(crate) const NONE: Implementation = Implementation::plain(|_, _| Ok(Value::Optional(None))).work(0);
pub(crate) const HAS_VALUE: Implementation = Implementation::plain(|_, args| match args {
    [Value::Optional(value)] => Ok(Value::Bool(value.is_some())),
    _ => Err(Error::no_such_overload()),
})
.work(0);
pub(crate) const VALUE: Implementation = Implementation::plain(|_, args| match args {
    [Value::Optional(Some(value))] => (**value).clone().converted(),
    [Value::Optional(None)] => Err(Error::new("optional.none() dereference")),
    _ => Err(Error::no_such_overload()),
})
.work(0);
pub(crate) const UNWRAP: Implementation = Implementation::plain(|meter, args| match args {
    [Value::List(list)] => {
        meter.work_on_list(list)?;
        meter.allocate_values(list.len())?;
        unwrap(list)
    }
    _ => Err(Error::no_such_overload()),
})
.work(0);
pub(crate) const FIRST: Implementation =
    Implementation::plain(|meter, args| at_end(meter, args, |_| 0)).work(0);
pub(crate) const LAST: Implementation =
    Implementation::plain(|meter, args| at_end(meter, args, |length| length.wrapping_sub(1))).work(0);

fn unwrap<'v>(list: &List<'v>) -> Outcome<'v> {
    // The server determines the type of a list from its first element.
    if !matches!(list.get(0), None | Some(Ok(Value::Optional(_)))) {
        return Err(Error::no_such_overload());
    }
    let mut values = Vec::new();
    for element in list.iter() {
        match element? {
            Value::Optional(Some(value)) => values.push((*value).clone()),
            Value::Optional(None) => {}
            other => return Err(Error::text(format!("value {} is not optional", printed(&other)))),
        }
    }
    Ok(values.into())
}

/// Formats a value like Go's `%v`. Returns the name of the type if the output is not known, such as a memory address.
fn printed(value: &Value<'_>) -> String {
    match value {
        // The number of the only value of its type.
        Value::Null => "0".to_owned(),
        Value::Bytes(bytes) => {
            let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
            format!("[{}]", bytes.join(" "))
        }
        Value::Type(name) => name.to_string(),
        Value::Opaque(opaque) => opaque.printed(),
        other => printed_key(other),
    }
}

fn at_end<'v>(meter: &mut Meter, args: &[Value<'v>], place: impl Fn(usize) -> usize) -> Outcome<'v> {
    match args {
        [Value::List(list)] => {
            meter.work_on_element(list, place(list.len()))?;
            Ok(Value::Optional(list.get(place(list.len())).map(held).transpose()?.map(std::sync::Arc::new)))
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn is_zero(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Int(value) => *value == 0,
        Value::Uint(value) => *value == 0,
        Value::Double(value) => *value == 0.0,
        Value::String(value) => value.is_empty(),
        Value::Bytes(value) => value.is_empty(),
        Value::Duration(value) => value.0 == 0,
        // The first second of the first year.
        Value::Timestamp(value) => value.seconds == -62_135_596_800 && value.nanos == 0,
        // Lists and objects of a schema have no zero value for the API server.
        Value::List(list) => list.is_empty() && !list.is_of_schema(),
        Value::Map(map) => map.is_empty() && !map.is_of_schema(),
        Value::Type(_) | Value::Opaque(_) | Value::Preserved(_) | Value::Optional(_) => false,
    }
}
