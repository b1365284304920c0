//! Numbers, to text as Go's `strconv` does it, and compared across types.

use std::cmp::Ordering;

/// How a double is written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// `%g`: an exponent below -4 and from 7 digits on.
    General,
    /// `%f`: never an exponent.
    Fixed,
}

/// The shortest text from which the double can be read again.
pub(crate) fn shortest(value: f64, form: Form) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    if form == Form::Fixed {
        return value.to_string();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// `strings.quote`: escapes what CEL's literals do, and nothing else.
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

/// Compares an int with a double as cel-go does; `None` for NaN.
pub(crate) fn int_with_double(int: i64, double: f64) -> Option<Ordering> {
    if double < i64::MIN as f64 {
        return Some(Ordering::Greater);
    }
    if double > i64::MAX as f64 {
        return Some(Ordering::Less);
    }
    (int as f64).partial_cmp(&double)
}

/// Compares a uint with a double as cel-go does; `None` for NaN.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_as_go_writes_them() {
        for (value, general, fixed) in [
            (0.1, "0.1", "0.1"),
            (3.0, "3", "3"),
            (1e5, "100000", "100000"),
            (1_234_567.0, "1.234567e+06", "1234567"),
            (1e21, "1e+21", "1000000000000000000000"),
            (1e-7, "1e-07", "0.0000001"),
            (0.0001, "0.0001", "0.0001"),
            (-1.5e300, "-1.5e+300", ""),
            (f64::INFINITY, "+Inf", "+Inf"),
            (f64::NAN, "NaN", "NaN"),
            (1.152921504606847e18, "1.152921504606847e+18", "1152921504606847000"),
        ] {
            if !fixed.is_empty() {
                assert_eq!(shortest(value, Form::Fixed), fixed);
            }
            assert_eq!(shortest(value, Form::General), general);
        }
    }
}
