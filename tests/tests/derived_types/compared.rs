//! Values before and after a type: what was lost.

use serde_json::{Number, Value};

/// Returns the place of the first value that is not there any more, or is another one. Fields that the type adds count as kept, and so does
/// `null` that the type leaves out.
pub(crate) fn lost(before: &Value, after: &Value) -> Option<String> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().find_map(|(name, value)| match after.get(name) {
                Some(kept) => lost(value, kept).map(|place| format!(".{name}{place}")),
                None => (!is_nothing(value)).then(|| format!(".{name}")),
            })
        }
        // A set has an order of its own.
        (Value::Array(before), Value::Array(after)) if before.iter().all(|item| after.contains(item)) => None,
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => before
            .iter()
            .zip(after)
            .enumerate()
            .find_map(|(at, (before, after))| lost(before, after).map(|place| format!("[{at}]{place}"))),
        (Value::Number(before), Value::Number(after)) => (!is_same(before, after)).then(String::new),
        // `Quantity` of k8s-openapi reads numbers, and writes strings.
        (Value::Number(before), Value::String(after)) => (before.to_string() != *after).then(String::new),
        // A duration has several texts.
        (Value::String(before), Value::String(after)) => {
            let duration = |text: &str| text.parse::<crdkit::Duration>().ok();
            (before != after && (duration(before).is_none() || duration(before) != duration(after)))
                .then(String::new)
        }
        (before, after) => (before != after).then(String::new),
    }
}

/// Returns `true` if two numbers are the same to the precision of an `f32`.
fn is_same(before: &Number, after: &Number) -> bool {
    let (Some(before), Some(after)) = (before.as_f64(), after.as_f64()) else { return before == after };
    (before - after).abs() <= before.abs() * f64::from(f32::EPSILON)
}

/// Returns `true` for values that a type may leave out, because it reads an absent field as the same.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_nothing),
        Value::Number(number) => number.as_f64() == Some(0.0),
    }
}
