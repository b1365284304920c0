//! JSON values as `json.Marshal` prints them: keys sorted, `<`, `>` and `&` escaped.

use serde_json::Value;

use super::{Num, sorted};
use crate::number::{Form, shortest};
use crate::strings::write_json_string;

/// Prints a JSON value: `json.Marshal`.
///
/// ```
/// let value = serde_json::json!({"b": 1e-7, "a": "x > y"});
/// assert_eq!(crd_go::json::marshal(&value), r#"{"a":"x \u003e y","b":1e-7}"#);
/// ```
#[must_use]
pub fn marshal(value: &Value) -> String {
    let mut out = String::new();
    write_json(&mut out, value);
    out
}

/// Appends a JSON value to `out`, as [`marshal`] prints it.
pub fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => match Num::from(number) {
            Num::Int(number) => out.push_str(&number.to_string()),
            Num::Float(number) => out.push_str(&shortest(number, Form::Json)),
        },
        Value::String(text) => write_json_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_json(out, item);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (i, (key, value)) in sorted(fields).into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_json_string(out, key);
                out.push(':');
                write_json(out, value);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marshals_as_go() {
        let value = serde_json::json!({"b": [1, 1.5, 1e21, null], "a": "<&>\u{2028}\u{7f}\u{8}\u{1}"});
        assert_eq!(
            marshal(&value),
            "{\"a\":\"\\u003c\\u0026\\u003e\\u2028\u{7f}\\b\\u0001\",\"b\":[1,1.5,1e+21,null]}"
        );
    }
}
