//! Objects after a round trip through generated types: equal to the stored objects, except for the cases that the book lists
//! (`generated-types.md`, "What comes back").
//!
//! The module uses only JSON, so that the fuzz target `generated_types` can include it.

use serde_json::{Map, Number, Value};

/// The options on which the result depends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// `explicit-null`
    pub explicit_null: bool,
    /// `numbers = "exact"`
    pub exact_numbers: bool,
}

/// A value that the API server stores and generated types reject with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// A value of a different type than that of the schema, which has a `format`.
    Format,
    /// A fraction just above a whole number, for an integer or a string of the schema.
    NearInteger,
}

/// Returns the object after the round trip.
///
/// # Errors
/// - The value is one of those that generated types reject.
pub fn comes_back(schema: &Value, stored: &Value, choices: Choices) -> Result<Value, Rejected> {
    let mut schema = schema.clone();
    schema["x-kubernetes-embedded-resource"] = Value::Bool(true);
    value(&schema, stored, choices)
}

/// Returns the value as the API server sends it: whole numbers have no exponent, and are integers if they fit.
#[must_use]
pub fn as_sent(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(sent(number)),
        Value::Array(items) => items.iter().map(as_sent).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), as_sent(value))).collect())
        }
        other => other.clone(),
    }
}

/// Returns `true` if the API server reads both as the same value: numbers are `int64`s if they fit, otherwise `float64`s.
#[must_use]
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || !a.is_i64() && !b.is_i64() && a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

fn sent(number: &Number) -> Number {
    let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < 1e21);
    // `-0.0` is `-0` on the wire, which is read as 0.
    let text = whole.map(|float| format!("{:.0}", float + 0.0));
    text.and_then(|text| text.parse::<Number>().ok()).unwrap_or_else(|| number.clone())
}

fn value(schema: &Value, stored: &Value, choices: Choices) -> Result<Value, Rejected> {
    if stored.is_null() {
        return Ok(Value::Null);
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return match stored {
            Value::Number(number) if !number.is_i64() => Err(Rejected::NearInteger),
            other => Ok(other.clone()),
        };
    }
    match (schema["type"].as_str(), stored) {
        (None, stored) => Ok(stored.clone()),
        (Some("object"), Value::Object(entries)) => fields(schema, entries, choices),
        (Some("array"), Value::Array(items)) => {
            items.iter().map(|item| value(&schema["items"], item, choices)).collect()
        }
        (Some("number"), Value::Number(number)) => {
            Ok(if choices.exact_numbers || !number.is_i64() { stored.clone() } else { nearest(number) })
        }
        (Some("integer"), Value::Number(_))
        | (Some("string"), Value::String(_))
        | (Some("boolean"), Value::Bool(_)) => Ok(stored.clone()),
        _ => Err(Rejected::Format),
    }
}

/// Returns the integer that is written for the `f64` nearest to an integer.
fn nearest(number: &Number) -> Value {
    let float = number.as_f64().unwrap_or_default();
    Value::Number(sent(&Number::from_f64(float).unwrap_or_else(|| number.clone())))
}

fn fields(schema: &Value, entries: &Map<String, Value>, choices: Choices) -> Result<Value, Rejected> {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_own = |name: &str| {
        schema["x-kubernetes-embedded-resource"] == true && matches!(name, "apiVersion" | "kind" | "metadata")
    };
    let mut fields = Map::new();
    for (name, entry) in entries {
        let property = &schema["properties"][name];
        if is_own(name) {
            fields.insert(name.clone(), entry.clone());
        } else if property.is_object() {
            let has_type = property["type"].is_string() || property["x-kubernetes-int-or-string"] == true;
            let is_told_apart = choices.explicit_null
                || required.iter().any(|required| required == name)
                || !property["default"].is_null()
                || !has_type;
            if !entry.is_null() || is_told_apart {
                fields.insert(name.clone(), value(property, entry, choices)?);
            }
        } else if schema["additionalProperties"].is_object() {
            fields.insert(name.clone(), value(&schema["additionalProperties"], entry, choices)?);
        } else {
            fields.insert(name.clone(), entry.clone());
        }
    }
    Ok(Value::Object(fields))
}
