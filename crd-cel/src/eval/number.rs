//! Numbers, from text and to text as Go's `strconv` does it, and compared across types.

use std::cmp::Ordering;
use std::fmt::Write;

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

/// `strconv.ParseFloat`, which takes hexadecimal floats too.
pub(crate) fn parse_double(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let value = hexadecimal(digits)?;
        return Some(if text.starts_with('-') { -value } else { value });
    }
    let is_name = |name: &str| unsigned.eq_ignore_ascii_case(name);
    let starts_as_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // Rust takes the same names as Go for these, except that a NaN has no sign in Go.
    if !starts_as_number && !is_name("inf") && !is_name("infinity") && !text.eq_ignore_ascii_case("nan") {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    // Too large a number is an error in Go.
    (value.is_finite() || !starts_as_number).then_some(value)
}

fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let exponent: i32 = exponent.parse().ok()?;
    let shift = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    let value = value * 2f64.powi(exponent.checked_sub(shift)?);
    value.is_finite().then_some(value)
}

/// `strconv.Quote`.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            // Writing to a string does not fail.
            c if c < ' ' || c == '\u{7f}' => _ = write!(quoted, "\\x{:02x}", u32::from(c)),
            // Rust escapes what is not printable, and marks that combine.
            c if c.is_control() || (c.is_whitespace() && c != ' ') => {
                _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
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

    #[test]
    fn doubles_are_read_as_go_reads_them() {
        for (text, value) in [
            ("1.50", Some(1.5)),
            (".75", Some(0.75)),
            ("0x1p1", Some(2.0)),
            ("-0x.8p0", Some(-0.5)),
            ("inf", Some(f64::INFINITY)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("1e400", None),
            ("+nan", None),
            ("", None),
            ("1 ", None),
            ("one", None),
        ] {
            assert_eq!(parse_double(text), value, "{text}");
        }
    }

    #[test]
    fn quotes() {
        assert_eq!(
            quoted("a\"\\\n\u{1}\u{200b}\u{3000}\u{e9}"),
            "\"a\\\"\\\\\\n\\x01\u{200b}\\u3000\u{e9}\""
        );
    }
}
