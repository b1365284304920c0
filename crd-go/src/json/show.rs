//! JSON values as Go's `fmt` prints them: `%v`, `%#v` and `%T`.

use serde_json::Value;

use super::{Num, sorted};
use crate::number::{Form, shortest};
use crate::strings::quote;

/// Prints a value as `%v` does.
///
/// ```
/// use crd_go::json::show;
/// use serde_json::json;
///
/// assert_eq!(show(&json!({"b": [1, "x"], "a": null})), "map[a:<nil> b:[1 x]]");
/// assert_eq!(show(&json!(1_000_000.0)), "1e+06");
/// ```
#[must_use]
pub fn show(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match Num::from(number) {
            Num::Int(number) => number.to_string(),
            Num::Float(number) => shortest(number, Form::General),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let fields = sorted(fields).into_iter().map(|(key, value)| format!("{key}:{}", show(value)));
            format!("map[{}]", fields.collect::<Vec<_>>().join(" "))
        }
    }
}

/// Prints a value as `%#v` does, in Go syntax.
///
/// ```
/// use crd_go::json::go_syntax;
/// use serde_json::json;
///
/// let value = json!({"b": [1, "x"], "a": null});
/// let printed = r#"map[string]interface {}{"a":interface {}(nil), "b":[]interface {}{1, "x"}}"#;
/// assert_eq!(go_syntax(&value), printed);
/// ```
#[must_use]
pub fn go_syntax(value: &Value) -> String {
    let listed = |parts: Vec<String>| format!("{}{{{}}}", type_of(value), parts.join(", "));
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => quote(text),
        Value::Bool(_) | Value::Number(_) => show(value),
        Value::Array(items) => listed(items.iter().map(go_syntax).collect()),
        Value::Object(fields) => {
            let fields =
                sorted(fields).into_iter().map(|(key, value)| format!("{}:{}", quote(key), go_syntax(value)));
            listed(fields.collect())
        }
    }
}

/// Prints the type of a value as `%T` does.
///
/// ```
/// assert_eq!(crd_go::json::type_of(&serde_json::json!(1.5)), "float64");
/// ```
#[must_use]
pub fn type_of(value: &Value) -> &'static str {
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
