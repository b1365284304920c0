//! JSON values as `json.Marshal` prints them: keys sorted, `<`, `>` and `&` escaped.

use serde_json::Value;

use super::Num;
use crate::number::{Form, shortest};

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
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (i, (key, value)) in fields.into_iter().enumerate() {
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

/// Appends a string to `out`, as [`marshal`] prints it, quotes included.
///
/// ```
/// let mut out = String::new();
/// crd_go::json::write_json_string(&mut out, "a\t<b>");
/// assert_eq!(out, r#""a\t\u003cb\u003e""#);
/// ```
pub fn write_json_string(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
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
