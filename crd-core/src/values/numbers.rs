//! Numbers as Go's `encoding/json` reads and writes them.

use serde_json::{Number, Value};

use crd_go::json::Num;

/// Replaces each number in a value for which `replace` returns another number.
pub fn for_each_number(value: &mut Value, replace: &impl Fn(&Number) -> Option<Number>) {
    match value {
        Value::Number(number) => {
            if let Some(new) = replace(number) {
                *number = new;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| for_each_number(item, replace)),
        Value::Object(fields) => fields.values_mut().for_each(|value| for_each_number(value, replace)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Returns a number as Go decodes it: a number that does not fit into `int64` becomes a `float64`, with other digits.
pub fn as_decoded(number: &Number) -> Option<Number> {
    match Num::from(number) {
        Num::Float(float) if !number.is_f64() => Number::from_f64(float),
        _ => None,
    }
}

/// Returns a number after encoding to JSON and decoding: a whole float becomes an integer if it fits.
pub fn through_string(number: &Number) -> Option<Number> {
    let Num::Float(float) = Num::from(number) else { return None };
    // From here on encoding/json writes an exponent.
    if float.fract() != 0.0 || float.abs() >= 1e21 {
        return None;
    }
    float.to_string().parse::<i64>().ok().map(Number::from)
}
