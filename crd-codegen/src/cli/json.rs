//! Turns values into lines of JSON.

use serde_json::Value;

/// The value in one line, with its end.
///
/// JSON may hold some characters as they are that end a line for many readers: they are escaped.
pub(super) fn line(value: &Value) -> String {
    let mut line = value.to_string();
    if line.contains(ends_line) {
        let escaped = |char| if ends_line(char) { format!("\\u{:04x}", char as u32) } else { char.into() };
        line = line.chars().map(escaped).collect();
    }
    line + "\n"
}

/// Whether it ends a line, as Unicode has it. The other such characters are controls, which JSON escapes anyway.
fn ends_line(char: char) -> bool {
    matches!(char, '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_one_line_for_every_reader() {
        let value = json!({"a\u{2028}": "\n\u{b}\u{c}\r\u{1c}\u{85}\u{2029}é😀"});
        let line = line(&value);
        assert_eq!(line, "{\"a\\u2028\":\"\\n\\u000b\\f\\r\\u001c\\u0085\\u2029é😀\"}\n");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
}
