//! Represents the keys and values that identify list items in a path.
//!
//! Source: `serialize-pe.go` in `fieldpath` of `sigs.k8s.io/structured-merge-diff`.

use std::cmp::Ordering;

use crd_go::json::{Num, sorted, write_json};
use crd_go::number::{Form, shortest};
use crd_go::strings::write_json_string;
use serde_json::{Map, Number, Value};

/// JSON with sorted fields that identifies a list item: the item's keys in a list of type `map`, or the whole item in a list of type `set`.
///
/// In `FieldsV1`, every number is a float. A large integer can therefore have other digits there than in an object. The two literals are
/// nevertheless equal.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    text: String,
    /// The text in which all numbers are floats, if it differs from `text`.
    rounded: Option<Box<str>>,
    is_recorded: bool,
}

impl Literal {
    /// Returns the literal of a value in an object.
    pub(crate) fn from_object(value: &Value) -> Self {
        let text = print(value);
        let rounded = print(&with_floats(value));
        let rounded = (rounded != text).then(|| rounded.into());
        Self { text, rounded, is_recorded: false }
    }

    /// Returns the literal of a value in `FieldsV1`.
    pub(crate) fn from_record(value: &Value) -> Self {
        Self { text: print(&with_floats(value)), rounded: None, is_recorded: true }
    }

    /// Returns `true` if the literal was read from `FieldsV1`, where all numbers are floats.
    pub(crate) fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// Returns the literal's text in `FieldsV1`.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    fn rounded(&self) -> &str {
        self.rounded.as_deref().unwrap_or(&self.text)
    }
}

impl Ord for Literal {
    fn cmp(&self, other: &Self) -> Ordering {
        // Two integers are compared as integers.
        if self.rounded.is_some() && other.rounded.is_some() {
            return self.text.cmp(&other.text);
        }
        self.rounded().cmp(other.rounded())
    }
}

impl PartialOrd for Literal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Literal {}

/// Returns the value with all numbers converted to floats.
fn with_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            number.as_f64().and_then(Number::from_f64).map_or_else(|| value.clone(), Value::Number)
        }
        Value::Array(items) => items.iter().map(with_floats).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), with_floats(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// Serializes a value as `json-iterator` does: exponents have two digits.
fn print(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(fields) => {
            for (name, value) in sorted(fields) {
                out.push(if out.is_empty() { '{' } else { ',' });
                write_json_string(&mut out, name);
                out.push(':');
                write_scalar(&mut out, value);
            }
            out.push_str(if out.is_empty() { "{}" } else { "}" });
        }
        value => write_scalar(&mut out, value),
    }
    out
}

fn write_scalar(out: &mut String, value: &Value) {
    let number = value.as_number().map(Num::from);
    match number {
        Some(Num::Float(number)) if number != 0.0 && number.abs() < 1e-6 => {
            out.push_str(&shortest(number, Form::General));
        }
        _ => write_json(out, value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recorded_numbers_are_floats() {
        for (value, object, record) in [
            (json!(80), "80", "80"),
            (json!(9_007_199_254_740_993_i64), "9007199254740993", "9007199254740992"),
            (json!(i64::MAX), "9223372036854775807", "9223372036854776000"),
            (
                json!({"b": 1, "a": i64::MAX}),
                r#"{"a":9223372036854775807,"b":1}"#,
                r#"{"a":9223372036854776000,"b":1}"#,
            ),
            (json!(1.0), "1", "1"),
            (json!(1e-7), "1e-07", "1e-07"),
            (json!(1e21), "1e+21", "1e+21"),
            (json!({}), "{}", "{}"),
            (json!("<"), "\"\\u003c\"", "\"\\u003c\""),
        ] {
            assert_eq!(Literal::from_object(&value).text(), object);
            assert_eq!(Literal::from_record(&value).text(), record);
            assert_eq!(Literal::from_object(&value), Literal::from_record(&value));
        }
    }

    #[test]
    fn integers_of_an_object_are_compared_as_integers() {
        let (largest, next) = (json!(i64::MAX), json!(i64::MAX - 1));
        assert_ne!(Literal::from_object(&largest), Literal::from_object(&next));
        assert_eq!(Literal::from_object(&largest), Literal::from_record(&next));
    }
}
