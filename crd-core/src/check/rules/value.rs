//! Prints strings and rules as the API server prints bad values.

use crate::crd::ValidationRule;

/// A rule as the JSON of the server's internal type, with `<`, `>` and `&` escaped for HTML.
pub(super) fn rule(rule: &ValidationRule) -> String {
    let reason = rule.reason.as_deref().map_or_else(|| "null".to_owned(), json);
    let optional = rule.optional_old_self.map_or_else(|| "null".to_owned(), |set| set.to_string());
    format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{reason},\"FieldPath\":{},\
         \"OptionalOldSelf\":{optional}}}",
        json(&rule.rule),
        json(&rule.message),
        json(&rule.message_expression),
        json(&rule.field_path)
    )
}

/// A JSON string as Go writes it.
fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => push_code(&mut out, c),
            c if u32::from(c) < 0x20 => push_code(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn push_code(out: &mut String, c: char) {
    out.push_str(&format!("\\u{:04x}", u32::from(c)));
}

/// A string as Go's `%q` prints it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            c if c.is_ascii_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if c.is_control() => push_code(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
