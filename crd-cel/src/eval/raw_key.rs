//! Keys in the server's Go maps. The server uses such maps to compare sets and lists of type `map`. The keys are raw values, without CEL
//! types.

use serde_json::Value as Json;

use super::Error;
use super::key::RawKey;
use super::list::List;
use super::meter::{Meter, work};
use super::value::Value;
use crd_go::cel_names::escape_name;

impl RawKey {
    pub(crate) fn from_value(value: &Value<'_>) -> Self {
        match value {
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(value) => Self::Int(*value),
            Value::Double(value) => Self::Double(value.to_bits()),
            Value::String(value) => Self::String((**value).into()),
            _ => Self::Typed,
        }
    }
}

/// Returns a list's elements as keys for the server's Go maps.
///
/// # Errors
/// - An element is a list or an object.
pub(crate) fn raw_keys(meter: &mut Meter, list: &List<'_>) -> Result<Vec<RawKey>, Error> {
    meter.work_on_list(list)?;
    match list.data() {
        Some(data) => data
            .elements()
            .iter()
            .map(|json| {
                meter.work(2 * work::HASH + 2 * json.as_str().map_or(0, str::len) as u64)?;
                RawKey::from_element(json)
            })
            .collect(),
        None => list.iter().map(|element| raw_key(meter, &element?)).collect(),
    }
}

pub(super) fn raw_key(meter: &mut Meter, value: &Value<'_>) -> Result<RawKey, Error> {
    let bytes = if let Value::String(text) = value { text.len() } else { 0 };
    meter.work(2 * work::HASH + 2 * bytes as u64)?;
    match value {
        Value::Preserved(data) => RawKey::from_element(data.json()),
        Value::List(_) => Err(Error::UNHASHABLE_LIST),
        Value::Map(_) => Err(Error::UNHASHABLE_MAP),
        value => Ok(RawKey::from_value(value)),
    }
}

/// Returns the key for a set's element, as in Kubernetes 1.37 and later. There, elements are compared as CEL values, not as raw values.
///
/// # Errors
/// - The element is not a scalar.
pub(crate) fn scalar_key(meter: &mut Meter, value: &Value<'_>) -> Result<RawKey, Error> {
    Ok(match value {
        Value::List(_) | Value::Map(_) => {
            return Err(Error::new("listSet operations are only supported on lists of scalar values"));
        }
        Value::Preserved(data) if !is_scalar(data.json()) => RawKey::Other(format!("{:?}", data.json())),
        // 0.0 and -0.0 are the same key.
        Value::Double(value) => RawKey::Double((value + 0.0).to_bits()),
        other => match raw_key(meter, other)? {
            RawKey::Typed => RawKey::Other(format!("{other:?}")),
            key => key,
        },
    })
}

fn is_scalar(json: &Json) -> bool {
    !matches!(json, Json::Array(_) | Json::Object(_))
}

/// Returns the raw values of an element's key fields. Fields are looked up by their unescaped names, as in the schema.
pub(crate) fn named_key(
    meter: &mut Meter,
    element: &Value<'_>,
    keys: &[Box<str>],
) -> Result<Option<Vec<RawKey>>, Error> {
    let Value::Map(map) = element else { return Ok(None) };
    let mut found = Vec::with_capacity(keys.len());
    for name in keys {
        let key = match map.data() {
            Some(data) => data.members().and_then(|members| members.get(&**name)).map(RawKey::from_json),
            None => escape_name(name).and_then(|name| {
                map.get(&Value::from(&*name)).and_then(|value| value.ok().as_ref().map(RawKey::from_value))
            }),
        };
        let key = key.unwrap_or(RawKey::Other(String::new()));
        meter.work(4 * work::HASH + 4 * key.bytes() as u64)?;
        found.push(key);
    }
    Ok(Some(found))
}

/// Returns the raw values of an element's key fields. Fields are looked up by their escaped names, as in rules.
pub(crate) fn element_key(
    meter: &mut Meter,
    element: &Value<'_>,
    keys: &[Box<str>],
) -> Result<Option<Vec<RawKey>>, Error> {
    let Value::Map(map) = element else { return Ok(None) };
    let key = |name: &str| match map.data() {
        Some(data) => data.members().and_then(|members| members.get(name)).map(RawKey::from_json),
        None => map.get(&Value::from(name)).and_then(|value| value.ok().as_ref().map(RawKey::from_value)),
    };
    // The API server looks for the escaped names, as rules write them, which is wrong.
    let raw = |name: &str| escape_name(name).and_then(|name| key(&name));
    let mut found = Vec::with_capacity(keys.len());
    for name in keys {
        let key = raw(name).unwrap_or(RawKey::Other(String::new()));
        meter.work(4 * work::HASH + 4 * key.bytes() as u64)?;
        found.push(key);
    }
    Ok(Some(found))
}
