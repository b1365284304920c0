//! Values -> text, as the API server's language prints them: `%q`, `%v` and `json.Marshal` of Go.

mod equal;
mod json;
mod number;
mod show;
pub(crate) mod url;

pub(crate) use equal::deep_equal;
pub(crate) use json::{json, write_json, write_json_string};
pub(crate) use number::{Num, float};
pub(crate) use show::{show, type_of};

use serde_json::Value;

/// A value as it stands in the message of a cause.
pub(crate) struct Shown(pub(crate) String);

impl Shown {
    /// A text that is no `string` in Go but a pointer to one, or of a type of its own: shown as JSON.
    pub(crate) fn json_text(text: &str) -> Self {
        let mut out = String::new();
        write_json_string(&mut out, text);
        Self(out)
    }
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self(quote(text))
    }
}

impl From<bool> for Shown {
    fn from(value: bool) -> Self {
        Self(value.to_string())
    }
}

impl From<i64> for Shown {
    fn from(value: i64) -> Self {
        Self(value.to_string())
    }
}

impl From<f64> for Shown {
    fn from(value: f64) -> Self {
        Self(float(value))
    }
}

/// Scalars as `%v` and `%q` print them, everything else as JSON: `field.Error.ErrorBody`.
impl From<&Value> for Shown {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Self(quote(text)),
            Value::Number(number) => match Num::from(number) {
                Num::Int(number) => number.into(),
                Num::Float(number) => number.into(),
            },
            other => Self(json(other)),
        }
    }
}

impl From<&[String]> for Shown {
    fn from(texts: &[String]) -> Self {
        let mut out = String::from("[");
        for (i, text) in texts.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            write_json_string(&mut out, text);
        }
        out.push(']');
        Self(out)
    }
}

/// `%q`: a Go string literal.
pub(crate) fn quote(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if is_print(c) => out.push(c),
            c => {
                // Writing to a string cannot fail.
                let _ = match u32::from(c) {
                    code @ (..0x20 | 0x7f) => write!(out, "\\x{code:02x}"),
                    code @ ..0x1_0000 => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push('"');
    out
}

/// `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space.
pub(crate) fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    // `escape_debug` escapes just what is not printable in that sense, and a combining mark only at the beginning.
    let mut buffer = [0; 8];
    buffer[0] = b'a';
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    std::str::from_utf8(&buffer[..length]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
}

/// `strings.ToLower`, which maps every character to one.
pub(crate) fn to_lower(text: &str) -> String {
    text.chars()
        .map(|c| {
            let mut lower = c.to_lowercase();
            // Only U+0130 has two; its simple mapping is the first.
            lower.next().unwrap_or(c)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_go() {
        for (text, quoted) in [
            ("a\"b\\", r#""a\"b\\""#),
            ("\u{1}\u{1f}\u{7f}", r#""\x01\x1f\x7f""#),
            ("a\u{a0}b", r#""a\u00a0b""#),
            ("e\u{301}\u{5d0}\u{1f642}", "\"e\u{301}\u{5d0}\u{1f642}\""),
            ("\u{301}", "\"\u{301}\""),
            ("\u{200b}\u{e000}\u{f0000}", r#""\u200b\ue000\U000f0000""#),
            ("\u{7}\u{8}\u{b}\u{c}\t\r\n'", r#""\a\b\v\f\t\r\n'""#),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }

    #[test]
    fn lowers_as_go() {
        assert_eq!(to_lower("\u{130}K\u{212a}\u{3a3}"), "ikk\u{3c3}");
    }
}
