//! Quotes strings as CEL literals, and compares numbers of different types.

use std::cmp::Ordering;

/// Quotes a string as a CEL literal, with the same escape sequences as `strings.quote`.
pub(crate) fn quoted_cel(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Compares an int with a double, like cel-go. Returns `None` for NaN.
pub(crate) fn int_with_double(int: i64, double: f64) -> Option<Ordering> {
    if double < i64::MIN as f64 {
        return Some(Ordering::Greater);
    }
    if double > i64::MAX as f64 {
        return Some(Ordering::Less);
    }
    (int as f64).partial_cmp(&double)
}

/// Compares a uint with a double, like cel-go. Returns `None` for NaN.
pub(crate) fn uint_with_double(uint: u64, double: f64) -> Option<Ordering> {
    if double < 0.0 {
        return Some(Ordering::Greater);
    }
    if double > u64::MAX as f64 {
        return Some(Ordering::Less);
    }
    (uint as f64).partial_cmp(&double)
}

/// Compares an int with a uint.
pub(crate) fn int_with_uint(int: i64, uint: u64) -> Ordering {
    i128::from(int).cmp(&i128::from(uint))
}
