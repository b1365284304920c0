//! Checks whether `enum` contains a value. A number is converted to the type of each value before it is compared, as Go's reflection does.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crd_go::json::{Num, deep_equal, marshal, show};
use serde_json::Value;

use super::meter::Meter;
use super::node::Node;
use super::outcome::{FindingKind, Trail, ValidationResult, ValueError};
use crate::FieldPath;
use crate::Keyword;
use crate::shown::shown;
use crd_go::field::supported_values;

/// Enums with more values than this are looked up in a hash table.
const MANY: usize = 64;

/// The values of long enums, by the address of the list.
pub(super) type LongEnums<'a> = RefCell<HashMap<*const Value, Rc<Values<'a>>>>;

/// The values of an enum, grouped for fast comparison.
#[derive(Default)]
pub(super) struct Values<'a> {
    texts: HashSet<&'a str>,
    integers: HashSet<i64>,
    /// The bits of floats, with one representation of zero.
    floats: HashSet<u64>,
    others: Vec<&'a Value>,
}

impl<'a> Values<'a> {
    fn new(values: &'a [Value]) -> Self {
        let mut sorted = Self::default();
        for value in values {
            match value {
                Value::String(text) => {
                    sorted.texts.insert(text);
                }
                Value::Number(number) => match Num::from(number) {
                    Num::Int(number) => {
                        sorted.integers.insert(number);
                    }
                    Num::Float(number) => {
                        sorted.floats.insert(bits(number));
                    }
                },
                other => sorted.others.push(other),
            }
        }
        sorted
    }

    /// Returns `true` if `value` equals one of the enum's values according to [`is_same`].
    fn have(&self, value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::String(text) => self.texts.contains(text.as_str()),
            Value::Number(number) => match Num::from(number) {
                Num::Int(number) => {
                    self.integers.contains(&number)
                        || self.floats.contains(&bits(Num::Int(number).as_float()))
                        || self.texts.contains(character(number).encode_utf8(&mut [0; 4]) as &str)
                }
                Num::Float(number) => {
                    self.integers.contains(&(number.trunc() as i64)) || self.floats.contains(&bits(number))
                }
            },
            compound => self.others.iter().any(|wanted| deep_equal(compound, wanted)),
        }
    }
}

fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// Checks that the value is in the enum.
pub(super) fn check<'a>(
    enums: &LongEnums<'a>,
    meter: &Meter,
    node: Node<'a>,
    value: &Value,
    trail: &Trail<'_>,
) -> ValidationResult {
    let values = node.validation.and_then(|validation| validation.enum_.as_deref()).unwrap_or_default();
    if values.is_empty() || has(enums, meter, values, value) {
        return ValidationResult::default();
    }
    if trail.is_silent() {
        return ValidationResult::silent(true);
    }
    let supported: Vec<Cow<'_, str>> = values.iter().map(supported).collect();
    let kind = FindingKind::NotSupported(shown(value, node.version), supported_values(&supported));
    let mut message = format!("{trail} in body should be one of [");
    for (i, value) in values.iter().enumerate() {
        message.push_str(if i == 0 { "" } else { " " });
        message.push_str(&show(value));
    }
    message.push(']');
    ValidationResult::failed(ValueError::new(trail, Keyword::Enum, message, kind))
}

fn supported(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(marshal(other)),
    }
}

/// Returns `true` if an enum contains a value.
pub(super) fn has<'a>(enums: &LongEnums<'a>, meter: &Meter, values: &'a [Value], value: &Value) -> bool {
    if values.len() <= MANY {
        return values.iter().any(|wanted| is_same(value, wanted));
    }
    let known = enums.borrow().get(&values.as_ptr()).cloned();
    let known = known.unwrap_or_else(|| {
        let known = Rc::new(Values::new(values));
        enums.borrow_mut().insert(values.as_ptr(), Rc::clone(&known));
        known
    });
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        // The compared values are not larger than the value, except for the last one.
        let steps = known.others.len();
        if !meter.work(steps, FieldPath::root) {
            return true;
        }
    }
    known.have(value)
}

fn is_same(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::String(value), Value::String(wanted)) => value == wanted,
        // `null` is never one of them.
        (Value::Null, _) => false,
        (Value::Number(value), Value::Number(wanted)) => match (Num::from(value), Num::from(wanted)) {
            // A float is truncated to an integer, even if it is not whole.
            (Num::Float(value), Num::Int(wanted)) => value.trunc() as i64 == wanted,
            (value, Num::Float(wanted)) => value.as_float() == wanted,
            (Num::Int(value), Num::Int(wanted)) => value == wanted,
        },
        // An integer becomes the character with that number.
        (Value::Number(value), Value::String(wanted)) => match Num::from(value) {
            Num::Int(value) => wanted.chars().eq([character(value)]),
            Num::Float(_) => false,
        },
        (value, wanted) => deep_equal(value, wanted),
    }
}

/// Returns the result of `string(i)` in Go.
fn character(number: i64) -> char {
    u32::try_from(number).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_enums_hold_what_short_ones_hold() {
        let values = [
            json!("a"),
            json!("ab"),
            json!("\u{fffd}"),
            json!(1),
            json!(1.5),
            json!(-0.0),
            json!(2.0),
            json!(i64::MAX),
            json!(u64::MAX),
            json!(1e300),
            json!(true),
            json!(null),
            json!([1]),
            json!({"a": 1}),
            json!(97),
            json!(-1),
            json!(0),
        ];
        for enum_ in values.chunks(3).chain(values.windows(5)).chain([&values[..]]) {
            let known = Values::new(enum_);
            for value in &values {
                let is_one = enum_.iter().any(|wanted| is_same(value, wanted));
                assert_eq!(known.have(value), is_one, "{value} of {enum_:?}");
            }
        }
    }
}
