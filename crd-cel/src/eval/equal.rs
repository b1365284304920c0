//! Equality and order of values, across types as CEL has them.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde_json::{Number, Value as Json};

use super::Error;
use super::data::{Data, ListType};
use super::list::List;
use super::map::Map;
use super::meter::{Meter, work};
use super::number::{int_with_double, int_with_uint, uint_with_double};
use super::opaque::Opaque;
use super::time;
use super::value::Value;
use crate::names::escape_name;

/// How deep values are compared. Schemas are not as deep as this, and data without one is compared without recursion.
const MAX_DEPTH: u32 = 400;

/// Returns `true` if two values are equal.
///
/// # Errors
/// - An element or a field is not of its schema's type.
/// - To compare them takes more work than is left.
pub(crate) fn equal(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>) -> Result<bool, Error> {
    deep_equal(meter, left, right, 0)
}

fn deep_equal(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>, depth: u32) -> Result<bool, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::LIMIT);
    }
    meter.work(2 + shared_bytes(left, right) / 8)?;
    Ok(match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::String(left), Value::String(right)) | (Value::Type(left), Value::Type(right)) => {
            left == right
        }
        (Value::Bytes(left), Value::Bytes(right)) => **left == **right,
        (Value::Timestamp(left), Value::Timestamp(right)) => left == right,
        (Value::Duration(left), Value::Duration(right)) => left == right,
        (Value::Null, Value::Null) | (Value::Optional(None), Value::Optional(None)) => true,
        (Value::Optional(Some(left)), Value::Optional(Some(right))) => {
            if !is_comparable(left, right) {
                return Err(Error::no_such_overload());
            }
            return deep_equal(meter, left, right, depth + 1);
        }
        (Value::Opaque(left), Value::Opaque(right)) => {
            meter.work(left.work().min(right.work()))?;
            match (left.quantity(), &**right) {
                (Some(_), Opaque::Sum(_)) => return Err(Error::no_such_overload()),
                (Some(left), Opaque::Quantity(right)) => left == right,
                _ => left == right,
            }
        }
        (Value::Preserved(left), Value::Preserved(right)) => {
            json_equal(meter, left.json(), right.json(), false)?
        }
        (Value::List(left), Value::List(right)) => return lists_equal(meter, left, right, depth + 1),
        (Value::Map(left), Value::Map(right)) => return maps_equal(meter, left, right, depth + 1),
        _ => numeric_order(left, right) == Some(Ordering::Equal),
    })
}

/// The order of two numbers of any types; `None` for what is no number, and for NaN.
fn numeric_order(left: &Value<'_>, right: &Value<'_>) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Uint(left), Value::Uint(right)) => Some(left.cmp(right)),
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::Uint(right)) => Some(int_with_uint(*left, *right)),
        (Value::Uint(left), Value::Int(right)) => Some(int_with_uint(*right, *left).reverse()),
        (Value::Int(left), Value::Double(right)) => int_with_double(*left, *right),
        (Value::Double(left), Value::Int(right)) => int_with_double(*right, *left).map(Ordering::reverse),
        (Value::Uint(left), Value::Double(right)) => uint_with_double(*left, *right),
        (Value::Double(left), Value::Uint(right)) => uint_with_double(*right, *left).map(Ordering::reverse),
        _ => None,
    }
}

pub(crate) fn is_number(value: &Value<'_>) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

/// Returns `true` if a value is of a type that has an order.
pub(crate) fn has_order(value: &Value<'_>) -> bool {
    use Value as V;
    is_number(value)
        || matches!(value, V::Bool(_) | V::String(_) | V::Bytes(_) | V::Timestamp(_) | V::Duration(_))
}

/// The order of two values.
///
/// # Errors
/// - They have no order: different types, types without an order, NaN.
/// - To compare them takes more work than is left.
pub(crate) fn order(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>) -> Result<Ordering, Error> {
    meter.work(2)?;
    Ok(match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::String(left), Value::String(right)) => {
            meter.work_on_copy(left.len().min(right.len()))?;
            (**left).cmp(right)
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            meter.work_on_copy(left.len().min(right.len()))?;
            (**left).cmp(right)
        }
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            time::nanoseconds(*left).cmp(&time::nanoseconds(*right))
        }
        (Value::Duration(left), Value::Duration(right)) => left.cmp(right),
        _ if is_number(left) && is_number(right) => {
            return numeric_order(left, right).ok_or(Error::new("NaN values cannot be ordered"));
        }
        _ => return Err(Error::no_such_overload()),
    })
}

fn lists_equal(meter: &mut Meter, left: &List<'_>, right: &List<'_>, depth: u32) -> Result<bool, Error> {
    if left.len() != right.len() {
        return Ok(false);
    }
    if let (Some(left), Some(right)) = (left.data(), right.data())
        && left.is_untyped()
        && right.is_untyped()
    {
        return json_equal(meter, left.json(), right.json(), true);
    }
    match left.list_type() {
        Some(ListType::Set) => return set_equals(meter, left, right),
        Some(ListType::Map(keys)) => return map_list_equals(meter, left, right, keys, depth),
        _ => {}
    }
    for index in 0..left.len() {
        meter.work(3 * work::ELEMENT)?;
        let (left, right) = (element(meter, left, index)?, element(meter, right, index)?);
        if !deep_equal(meter, &left, &right, depth)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `false` for values in optionals which the API server compares without a look at their types, although the left
/// one can be compared with its own type only.
fn is_comparable(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Opaque(_), right) => left.type_name() == right.type_name(),
        (Value::Map(left), right) => left.data().is_none() || matches!(right, Value::Map(_)),
        (Value::List(left), right) => left.data().is_none() || matches!(right, Value::List(_)),
        _ => true,
    }
}

/// The bytes that both strings have, which is all that is compared.
fn shared_bytes(left: &Value<'_>, right: &Value<'_>) -> u64 {
    match (left, right) {
        (Value::String(left), Value::String(right)) if left.len() == right.len() => left.len() as u64,
        (Value::Bytes(left), Value::Bytes(right)) if left.len() == right.len() => left.len() as u64,
        _ => 0,
    }
}

/// An element of a list that has it.
pub(crate) fn element<'v>(meter: &mut Meter, list: &List<'v>, index: usize) -> Result<Value<'v>, Error> {
    meter.work_on_element(list, index)?;
    list.get(index).unwrap_or(Ok(Value::Null))
}

/// What Go's map of a set's raw values has for a value: typed values and other numbers are not found in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RawKey {
    Bool(bool),
    Int(i64),
    Double(u64),
    String(Box<str>),
    /// A time or bytes as raw values of a rule, which no data has.
    Typed,
    Other(String),
}

impl RawKey {
    pub(crate) fn of(value: &Value<'_>) -> Self {
        match value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Double(value) => Self::Double(value.to_bits()),
            Value::String(value) => Self::String((**value).into()),
            _ => Self::Typed,
        }
    }

    /// The bytes of its text.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::String(text) => text.len(),
            Self::Other(text) => text.len(),
            _ => 0,
        }
    }

    fn of_json(json: &Json) -> Self {
        match json {
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => match number.as_i64() {
                Some(value) => Self::Int(value),
                None => Self::Double(number.as_f64().unwrap_or_default().to_bits()),
            },
            Json::String(value) => Self::String(value.as_str().into()),
            other => Self::Other(other.to_string()),
        }
    }
}

/// The raw values of a list as Go's maps know them.
pub(crate) fn raw_keys(meter: &mut Meter, list: &List<'_>) -> Result<Vec<RawKey>, Error> {
    meter.work_on_list(list)?;
    match list.data() {
        Some(data) => data
            .elements()
            .iter()
            .map(|json| {
                meter.work(2 * work::HASH + 2 * json.as_str().map_or(0, str::len) as u64)?;
                Ok(RawKey::of_json(json))
            })
            .collect(),
        None => list.iter().map(|element| raw_key(meter, &element?)).collect(),
    }
}

fn raw_key(meter: &mut Meter, value: &Value<'_>) -> Result<RawKey, Error> {
    let bytes = if let Value::String(text) = value { text.len() } else { 0 };
    meter.work(2 * work::HASH + 2 * bytes as u64)?;
    Ok(RawKey::of(value))
}

/// A set equals what has as many elements, all of which it has. Asymmetric, as the API server's is: the values of the
/// right side are typed, those of the set raw, so a set of dates is not even equal to itself.
fn set_equals(meter: &mut Meter, left: &List<'_>, right: &List<'_>) -> Result<bool, Error> {
    let mut set: HashSet<RawKey> = raw_keys(meter, left)?.into_iter().collect();
    left.with_added(|added| {
        meter.work_on_each(added.len(), 2 * work::HASH)?;
        set.extend(added.iter().cloned());
        Ok(())
    })?;
    for index in 0..right.len() {
        let element = element(meter, right, index)?;
        let key = raw_key(meter, &element)?;
        if key == RawKey::Typed || !set.contains(&key) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The raw values of an element's key fields.
pub(crate) fn element_key(
    meter: &mut Meter,
    element: &Value<'_>,
    keys: &[Box<str>],
) -> Result<Option<Vec<RawKey>>, Error> {
    let Value::Map(map) = element else { return Ok(None) };
    let key = |name: &str| match map.data() {
        Some(data) => data.members().and_then(|members| members.get(name)).map(RawKey::of_json),
        None => map.get(&Value::from(name)).and_then(|value| value.ok().as_ref().map(RawKey::of)),
    };
    // The API server looks for the names that rules use, which is wrong for those that are escaped.
    let raw = |name: &str| escape_name(name).and_then(|name| key(&name));
    let mut found = Vec::with_capacity(keys.len());
    for name in keys {
        let key = raw(name).unwrap_or(RawKey::Other(String::new()));
        meter.work(4 * work::HASH + 4 * key.bytes() as u64)?;
        found.push(key);
    }
    Ok(Some(found))
}

fn map_list_equals(
    meter: &mut Meter,
    left: &List<'_>,
    right: &List<'_>,
    keys: &[Box<str>],
    depth: u32,
) -> Result<bool, Error> {
    let mut by_key = std::collections::HashMap::with_capacity(left.len());
    for index in 0..left.len() {
        let element = element(meter, left, index)?;
        by_key.insert(element_key(meter, &element, keys)?, element);
    }
    for index in 0..right.len() {
        let element = element(meter, right, index)?;
        match by_key.get(&element_key(meter, &element, keys)?) {
            Some(same) if deep_equal(meter, same, &element, depth)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn maps_equal(meter: &mut Meter, left: &Map<'_>, right: &Map<'_>, depth: u32) -> Result<bool, Error> {
    if left.len() != right.len() {
        return Ok(false);
    }
    if let (Some(left), Some(right)) = (left.data(), right.data())
        && left.is_untyped()
        && right.is_untyped()
    {
        return json_equal(meter, left.json(), right.json(), true);
    }
    let Some(data) = left.data() else {
        meter.work_on_keys(left)?;
        meter.work_on_keys(right)?;
        for key in left.keys() {
            let (Some(left), Some(right)) = (left.get(&key), right.get(&key)) else { return Ok(false) };
            if !deep_equal(meter, &left?, &right?, depth)? {
                return Ok(false);
            }
        }
        return Ok(true);
    };
    for (name, json) in data.members().into_iter().flatten() {
        meter.work(2 * work::HASH)?;
        let Some(of) = data.type_of(name) else {
            // What the schema does not know is compared as it is; that it is missing goes unnoticed.
            let Some(other) = right.data() else { return Ok(false) };
            match other.members().and_then(|members| members.get(name)) {
                Some(other) if !json_equal(meter, json, other, false)? => return Ok(false),
                _ => continue,
            }
        };
        if let Some(other) = right.data().and_then(|right| right.member(name)) {
            meter.work_on_data(other)?;
        }
        let found = right.get(&Value::from(name.as_str()));
        if data.is_object() && json.is_null() {
            // A null field is absent, and so it has to be on the other side.
            if found.is_some() {
                return Ok(false);
            }
            continue;
        }
        let data = Data::new(json, of);
        meter.work_on_data(data)?;
        let value = data.value()?;
        let Some(other) = found else { return Ok(false) };
        if !deep_equal(meter, &value, &other?, depth)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Equality of decoded JSON. In Go, a whole number that was written with a point is another than one without; in
/// rules (`as_values`) they are equal.
fn json_equal(meter: &mut Meter, left: &Json, right: &Json, as_values: bool) -> Result<bool, Error> {
    let mut pairs = vec![(left, right)];
    while let Some((left, right)) = pairs.pop() {
        meter.work(work::ELEMENT)?;
        match (left, right) {
            (Json::Array(left), Json::Array(right)) if left.len() == right.len() => {
                pairs.extend(left.iter().zip(right));
            }
            (Json::Object(left), Json::Object(right)) if left.len() == right.len() => {
                meter.work_on_each(left.len(), work::HASH)?;
                for (name, value) in left {
                    let Some(other) = right.get(name) else { return Ok(false) };
                    pairs.push((value, other));
                }
            }
            (Json::Array(_) | Json::Object(_), _) | (_, Json::Array(_) | Json::Object(_)) => {
                return Ok(false);
            }
            (Json::Number(left), Json::Number(right)) if as_values => {
                let value = |number: &Number| {
                    number
                        .as_i64()
                        .map_or_else(|| Value::Double(number.as_f64().unwrap_or(f64::NAN)), Value::Int)
                };
                if numeric_order(&value(left), &value(right)) != Some(Ordering::Equal) {
                    return Ok(false);
                }
            }
            (Json::String(left), Json::String(right)) => {
                meter.work_on_copy(left.len().min(right.len()))?;
                if left != right {
                    return Ok(false);
                }
            }
            (left, right) if left != right => return Ok(false),
            _ => {}
        }
    }
    Ok(true)
}
