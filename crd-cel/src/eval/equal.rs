//! Compares values for equality, across types, like cel-go and the API server.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde_json::{Number, Value as Json};

use super::Error;
use super::data::{Data, ListType};
use super::key::RawKey;
use super::list::{List, held};
use super::map::Map;
use super::meter::{Meter, work};
use super::opaque::Opaque;
use super::order::numeric_order;
use super::raw_key::{element_key, named_key, raw_key, raw_keys, scalar_key};
use super::value::Value;

/// Maximum depth to which values are compared. Values with a schema are nested less deeply, and data without a schema is compared without
/// recursion.
const MAX_DEPTH: u32 = 400;

/// Returns the result of `==`, for which null equals only null.
///
/// # Errors
/// - The left value is comparable only with values of the same type, and the right value has another type.
/// - An element or a field is not of its schema's type.
/// - The comparison exceeds the remaining CPU work.
pub(crate) fn equal(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>) -> Result<bool, Error> {
    nullable_equal(meter, left, right, 0)
}

/// Returns the result of `left.Equal(right)` in cel-go. Lists and optionals compare their elements with this method.
///
/// # Errors
/// - As for [`equal`]. Comparing a list, a map or a value of a Kubernetes library with null is also an error.
pub(crate) fn equals(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>) -> Result<bool, Error> {
    deep_equal(meter, left, right, 0)
}

/// Returns `true` if `left.Equal(right)` is true in cel-go. If the comparison fails, the values count as different.
///
/// # Errors
/// - The comparison exceeds the remaining CPU work.
pub(crate) fn is_equal(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>) -> Result<bool, Error> {
    equals(meter, left, right).or_else(|error| if error.is_final() { Err(error) } else { Ok(false) })
}

/// Returns `true` if a list contains `needle`. If a rule has created the list, `needle` is the left operand of each comparison, and a
/// comparison that fails counts as unequal. If the list has a schema, the element is the left operand.
///
/// # Errors
/// - The list has a schema, no element equals the value, and some element cannot be compared with the value.
/// - The comparison exceeds the remaining CPU work.
pub(crate) fn contains(meter: &mut Meter, list: &List<'_>, needle: &Value<'_>) -> Result<bool, Error> {
    let mut failed = None;
    for index in 0..list.len() {
        let element = held(element(meter, list, index))?;
        let found = if list.is_of_schema() {
            equals(meter, &element, needle)
        } else {
            is_equal(meter, needle, &element)
        };
        match found {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) if error.is_final() => return Err(error),
            Err(error) => drop(failed.get_or_insert(error)),
        }
    }
    failed.map_or(Ok(false), Err)
}

fn nullable_equal(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>, depth: u32) -> Result<bool, Error> {
    match (left, right) {
        (Value::Null, Value::Null) => Ok(true),
        (Value::Null, _) | (_, Value::Null) => Ok(false),
        _ => deep_equal(meter, left, right, depth),
    }
}

fn deep_equal(meter: &mut Meter, left: &Value<'_>, right: &Value<'_>, depth: u32) -> Result<bool, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::OUT_OF_WORK);
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
            return deep_equal(meter, left, right, depth + 1);
        }
        (Value::Opaque(left), right) => return opaque_equal(meter, left, right),
        (Value::Preserved(left), right) => preserved_equal(meter, *left, right)?,
        (Value::List(left), Value::List(right)) => return lists_equal(meter, left, right, depth + 1),
        (Value::List(list), other) if list.is_of_schema() => return Err(incomparable(other)),
        (Value::Map(left), Value::Map(right)) => return maps_equal(meter, left, right, depth + 1),
        (Value::Map(map), other) if map.is_of_schema() => return Err(incomparable(other)),
        _ => numeric_order(left, right) == Some(Ordering::Equal),
    })
}

/// Returns the error for a comparison of two values with incompatible types.
fn incomparable(other: &Value<'_>) -> Error {
    match other {
        Value::Opaque(opaque) => match &**opaque {
            Opaque::Unconverted(error) => Error::text(&**error),
            _ => Error::no_such_overload(),
        },
        _ => Error::no_such_overload(),
    }
}

/// Compares values of Kubernetes' libraries. They are comparable only with values of the same type. The server holds a sum behind a
/// pointer, which counts as another type on the right side of `==`.
fn opaque_equal(meter: &mut Meter, left: &Opaque, other: &Value<'_>) -> Result<bool, Error> {
    if let Opaque::Unconverted(error) = left {
        return Err(Error::text(&**error));
    }
    let Value::Opaque(right) = other else { return Err(incomparable(other)) };
    meter.work(left.work().min(right.work()))?;
    match (left.quantity(), &**right) {
        (_, Opaque::Sum(_) | Opaque::Unconverted(_)) => Err(incomparable(other)),
        (Some(left), Opaque::Quantity(right)) => Ok(left == right),
        _ if left.type_name() == right.type_name() => Ok(*left == **right),
        _ => Err(Error::no_such_overload()),
    }
}

/// Compares two values if the left value has no type. As in Go, the right value's type is then ignored.
fn preserved_equal(meter: &mut Meter, left: Data<'_>, right: &Value<'_>) -> Result<bool, Error> {
    let data = match right {
        Value::Preserved(right) => Some(*right),
        Value::List(list) => list.data(),
        Value::Map(map) => map.data(),
        _ => None,
    };
    if let Some(right) = data {
        return json_equal(meter, left.json(), right.json(), false);
    }
    Ok(match (left.json(), right) {
        (Json::Bool(left), Value::Bool(right)) => left == right,
        (Json::String(left), Value::String(right)) => *left == **right,
        (Json::Number(left), Value::Int(right)) => left.as_i64() == Some(*right),
        (Json::Number(left), Value::Double(right)) => !left.is_i64() && left.as_f64() == Some(*right),
        _ => false,
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
    let mut failed = None;
    for index in 0..left.len() {
        meter.work(3 * work::ELEMENT)?;
        let (this, other) = (held(element(meter, left, index))?, held(element(meter, right, index))?);
        if left.is_of_schema() {
            if !deep_equal(meter, &this, &other, depth)? {
                return Ok(false);
            }
            continue;
        }
        // Elements that cannot be compared count as equal, unless the list is a sum.
        match nullable_equal(meter, &this, &other, depth) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) if error.is_final() => return Err(error),
            Err(error) => drop(failed.get_or_insert(error)),
        }
    }
    match failed {
        Some(error) if left.is_sum() => Err(error),
        _ => Ok(true),
    }
}

/// Returns the number of bytes to compare: the length of the shorter string.
fn shared_bytes(left: &Value<'_>, right: &Value<'_>) -> u64 {
    match (left, right) {
        (Value::String(left), Value::String(right)) if left.len() == right.len() => left.len() as u64,
        (Value::Bytes(left), Value::Bytes(right)) if left.len() == right.len() => left.len() as u64,
        _ => 0,
    }
}

/// Returns an element of a list; the index must be valid.
pub(crate) fn element<'v>(meter: &mut Meter, list: &List<'v>, index: usize) -> Result<Value<'v>, Error> {
    meter.work_on_element(list, index)?;
    list.get(index).unwrap_or(Ok(Value::Null))
}

/// Compares a set with a list: they are equal if they have the same number of elements, and the set contains each of them. As on the API
/// server, the comparison is asymmetric: the values in the set are raw, but the values in the list are typed. Therefore, a set of dates
/// does not equal itself.
fn set_equals(meter: &mut Meter, left: &List<'_>, right: &List<'_>) -> Result<bool, Error> {
    if meter.server.is_at_least(37) {
        return scalar_sets_equal(meter, left, right);
    }
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

/// Compares sets as in Kubernetes since 1.37: two sets are equal if they have the same elements.
fn scalar_sets_equal(meter: &mut Meter, left: &List<'_>, right: &List<'_>) -> Result<bool, Error> {
    // Each element is inserted into a set, and those on the right side are looked up as well.
    meter.work_on_each(left.len(), work::HASH)?;
    let mut set = HashSet::with_capacity(left.len());
    for index in 0..left.len() {
        let element = element(meter, left, index)?;
        set.insert(scalar_key(meter, &element)?);
    }
    meter.work_on_each(right.len(), 2 * work::HASH)?;
    let mut seen = HashSet::with_capacity(right.len());
    for index in 0..right.len() {
        let element = element(meter, right, index)?;
        let key = scalar_key(meter, &element)?;
        if !set.contains(&key) {
            return Ok(false);
        }
        seen.insert(key);
    }
    Ok(seen.len() == set.len())
}

fn map_list_equals(
    meter: &mut Meter,
    left: &List<'_>,
    right: &List<'_>,
    keys: &[Box<str>],
    depth: u32,
) -> Result<bool, Error> {
    let is_new = meter.server.is_at_least(37);
    // Since 1.37, the sum of lists looks for keys by their own names.
    let key_of = if is_new && left.data().is_none() { named_key } else { element_key };
    let mut seen = HashSet::new();
    let mut by_key = std::collections::HashMap::with_capacity(left.len());
    for index in 0..left.len() {
        let element = element(meter, left, index)?;
        by_key.insert(key_of(meter, &element, keys)?, element);
    }
    for index in 0..right.len() {
        let element = element(meter, right, index)?;
        let key = key_of(meter, &element, keys)?;
        match by_key.get(&key) {
            Some(same) if deep_equal(meter, same, &element, depth)? => {}
            _ => return Ok(false),
        }
        seen.insert(key);
    }
    // Since 1.37, the right side has to have all keys.
    Ok(!is_new || seen.len() == by_key.len())
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
    let Some(data) = left.data().filter(|data| !data.is_untyped()) else {
        return made_maps_equal(meter, left, right, depth);
    };
    for (name, json) in data.members().into_iter().flatten() {
        meter.work(2 * work::HASH)?;
        let Some(of) = data.type_of(name) else {
            // Unknown fields are compared without types. A missing unknown field is not noticed.
            let Some(other) = right.data().filter(|data| !data.is_untyped()) else {
                return Err(Error::no_such_overload());
            };
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
            // A null field counts as absent, so it must be absent on the other side. Up to 1.33, it is never found
            // there.
            if found.is_some() || !meter.server.is_at_least(34) {
                return Ok(false);
            }
            continue;
        }
        let data = Data::new(json, of);
        meter.work_on_data(data)?;
        let value = data.value()?;
        let Some(other) = found else { return Ok(false) };
        if !deep_equal(meter, &value, &held(other)?, depth)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compares a map from a rule with another map. Entries that cannot be compared count as equal.
fn made_maps_equal(meter: &mut Meter, left: &Map<'_>, right: &Map<'_>, depth: u32) -> Result<bool, Error> {
    meter.work_on_keys(left)?;
    meter.work_on_keys(right)?;
    for key in left.keys() {
        let (Some(this), Some(other)) = (left.get(&key), right.get(&key)) else { return Ok(false) };
        match nullable_equal(meter, &held(this)?, &held(other)?, depth) {
            Ok(false) => return Ok(false),
            Err(error) if error.is_final() => return Err(error),
            Ok(true) | Err(_) => {}
        }
    }
    Ok(true)
}

/// Compares two decoded JSON values. In Go, `1.0` and `1` differ. With `as_values`, they are equal, as for values in rules.
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
