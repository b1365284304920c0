//! Prints values as lines of JSON.

use std::io;

use crd_core::check::CrdAdvice;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use serde_json::{Value, json};

/// Returns the value on one line, with a line feed at the end.
///
/// Characters that many readers treat as the end of a line are escaped, although JSON does not require this.
#[must_use]
pub fn line(value: &Value) -> String {
    let mut line = text(value);
    line.push('\n');
    if line.contains(ends_line) {
        let escaped = |char| if ends_line(char) { format!("\\u{:04x}", char as u32) } else { char.into() };
        line = line.chars().map(escaped).collect();
    }
    line
}

/// Converts advice to JSON.
#[must_use]
pub fn advice(advice: &CrdAdvice) -> Value {
    let CrdAdvice { name, field, message, .. } = advice;
    json!({"name": name, "field": field.to_string(), "message": message, "help": advice.help()})
}

fn text(value: &Value) -> String {
    let mut bytes = Vec::new();
    // Neither writing to memory nor a value can fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, AsGo(CompactFormatter)));
    String::from_utf8(bytes).unwrap_or_default()
}

/// Writes floats as the API server does. Whole numbers are written as integers, and only very large and very small numbers have exponents.
struct AsGo(CompactFormatter);

impl Formatter for AsGo {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
            return write!(writer, "{value}");
        }
        self.0.write_f64(writer, value)
    }
}

/// Returns `true` for characters that end a line in Unicode. Control characters are excluded, because JSON always escapes them.
fn ends_line(char: char) -> bool {
    matches!(char, '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_for_every_reader() {
        let value = json!({"a\u{2028}": "\n\u{b}\u{c}\r\u{1c}\u{85}\u{2029}é😀"});
        let line = line(&value);
        assert_eq!(line, "{\"a\\u2028\":\"\\n\\u000b\\f\\r\\u001c\\u0085\\u2029é😀\"}\n");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }

    #[test]
    fn floats_as_the_api_server_writes_them() {
        let value = json!([1.0, 1e20, 1e21, 0.1, 1e-6, 1e-7, -0.0, 9.3e18]);
        let [zero, tenth] = ["-0", "0.1"];
        let expected =
            format!("[1,100000000000000000000,1e+21,{tenth},0.000001,1e-7,{zero},9300000000000000000]\n");
        assert_eq!(line(&value), expected);
    }
}
