//! `%v` and `%T` of what Go's decoder makes of JSON.

use serde_json::Value;

use super::{Num, float};

/// A value as `%v` prints it.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match Num::from(number) {
            Num::Int(number) => number.to_string(),
            Num::Float(number) => float(number),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by(|a, b| a.0.cmp(b.0));
            let fields = fields.into_iter().map(|(key, value)| format!("{key}:{}", show(value)));
            format!("map[{}]", fields.collect::<Vec<_>>().join(" "))
        }
    }
}

/// The type of a value as `%T` prints it.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::String(_) => "string",
        Value::Number(number) => match Num::from(number) {
            Num::Int(_) => "int64",
            Num::Float(_) => "float64",
        },
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
