//! `json.Marshal`: keys sorted, `<`, `>` and `&` escaped.

use serde_json::Value;

use super::Num;
use super::number::json_float;

/// A JSON value as `json.Marshal` prints it.
pub(crate) fn json(value: &Value) -> String {
    let mut out = String::new();
    write_json(&mut out, value);
    out
}

/// The same, at the end of `out`.
pub(crate) fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => match Num::from(number) {
            Num::Int(number) => out.push_str(&number.to_string()),
            Num::Float(number) => out.push_str(&json_float(number)),
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

/// A string as `json.Marshal` prints it.
pub(crate) fn write_json_string(out: &mut String, text: &str) {
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
            json(&value),
            "{\"a\":\"\\u003c\\u0026\\u003e\\u2028\u{7f}\\b\\u0001\",\"b\":[1,1.5,1e+21,null]}"
        );
    }
}
