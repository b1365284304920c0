//! Floating-point numbers, parsed and printed as Go's `strconv` does.

/// Parses a number: `strconv.ParseFloat`. The number may be decimal or hexadecimal, have underscores between digits, or
/// be a name such as `Inf` in any case.
///
/// Returns `None` if Go returns an error, which includes numbers that are too large.
///
/// ```
/// use crd_go::number::parse_float;
///
/// assert_eq!(parse_float("0x1.8p1"), Some(3.0));
/// assert_eq!(parse_float("1e400"), None);
/// ```
#[must_use]
pub fn parse_float(text: &str) -> Option<f64> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if ["inf", "infinity"].iter().any(|name| unsigned.eq_ignore_ascii_case(name)) {
        return Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if text.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    let without = without_underscores(unsigned)?;
    let digits = without.strip_prefix("0x").or_else(|| without.strip_prefix("0X"));
    let value = match digits {
        Some(digits) => hexadecimal(digits)?,
        // Rust takes the names that were dealt with; next to them, the same numbers as Go.
        None if without.starts_with(|c: char| c.is_ascii_digit() || c == '.') => without.parse().ok()?,
        None => return None,
    };
    value.is_finite().then_some(if negative { -value } else { value })
}

/// Returns the number without underscores if each underscore is between digits or after the `0x`.
fn without_underscores(text: &str) -> Option<String> {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    // After `0x` Go counts letters as digits. Other mistakes are found later.
    let prefix = if is_hexadecimal { 2 } else { 0 };
    let (mut after_digit, mut after_underscore) = (is_hexadecimal, false);
    for byte in text.bytes().skip(prefix) {
        let is_digit = byte.is_ascii_digit() || is_hexadecimal && byte.is_ascii_hexdigit();
        let is_misplaced = if byte == b'_' { !after_digit } else { after_underscore && !is_digit };
        if is_misplaced {
            return None;
        }
        (after_digit, after_underscore) = (is_digit, byte == b'_');
    }
    (!after_underscore).then(|| text.replace('_', ""))
}

/// Parses a number such as `1.8p-2`: digits in base 16 with a point, and a required exponent in base 2.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty()
        || !is_number(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
    {
        return None;
    }
    // Sixteen digits and whether anything but zeros follows them decide how it is rounded.
    let (mut mantissa, mut taken, mut dropped) = (0u64, 0, 0i64);
    let mut is_inexact = false;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = digit.to_digit(16)?;
        if taken < 16 {
            mantissa = mantissa << 4 | u64::from(digit);
            taken += i32::from(mantissa != 0);
        } else {
            is_inexact |= digit != 0;
            dropped += 4;
        }
    }
    // Larger exponents give the same result, because strings are shorter than that.
    let exponent =
        exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { -1 << 40 } else { 1 << 40 });
    let exponent = exponent.clamp(-(1 << 40), 1 << 40) + dropped - 4 * fraction.len() as i64;
    Some(scaled(mantissa, is_inexact, exponent))
}

/// Returns `mantissa` times two to the power of `exponent`, rounded to even.
fn scaled(mantissa: u64, is_inexact: bool, exponent: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let shift = mantissa.leading_zeros();
    // The first bit is worth two to the `top`; below -1022 there are fewer bits.
    let (mantissa, top) = (mantissa << shift, exponent + 63 - i64::from(shift));
    if top > 1023 {
        return f64::INFINITY;
    }
    let bits = (53 + (top + 1022).min(0)).max(-1);
    if bits < 0 {
        return 0.0;
    }
    let rest = 64 - bits as u32;
    let (kept, below) = (mantissa.checked_shr(rest).unwrap_or(0), u128::from(mantissa) << (128 - rest));
    let half = 1u128 << 127;
    let rounds_up = below > half || below == half && (is_inexact || kept & 1 == 1);
    // Both factors are exact, and so is the product: there are as many bits as the result has.
    let kept = (kept + u64::from(rounds_up)) as f64;
    let exponent = top - bits + 1;
    let power = |exponent: i64| f64::from_bits(((exponent + 1023) as u64) << 52);
    if exponent < -1022 { kept * power(-1022) * power(exponent + 1022) } else { kept * power(exponent) }
}

/// The notation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `%g` and `%v`: with an exponent below 1e-04 and from 1e+06 upwards.
    General,
    /// `%f`: without an exponent.
    Fixed,
    /// `json.Marshal`: with an exponent below 1e-6 and from 1e21 upwards.
    Json,
}

/// Prints the shortest string from which the number can be parsed again: `strconv.FormatFloat` with precision
/// -1.
///
/// ```
/// use crd_go::number::{Form, shortest};
///
/// assert_eq!(shortest(1_234_567.0, Form::General), "1.234567e+06");
/// assert_eq!(shortest(1_234_567.0, Form::Json), "1234567");
/// ```
#[must_use]
pub fn shortest(value: f64, form: Form) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    match form {
        Form::General if !(-4..6).contains(&exponent) => format!("{digits}e{sign}{:02}", exponent.abs()),
        Form::Json if !(-6..21).contains(&exponent) => format!("{digits}e{sign}{}", exponent.abs()),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_read_as_go_reads_them() {
        for (text, value) in [
            ("1.50", Some(1.5)),
            (".75", Some(0.75)),
            ("+5.", Some(5.0)),
            ("1_000.2_5e1_0", Some(1000.25e10)),
            ("0x1p1", Some(2.0)),
            ("-0x.8p0", Some(-0.5)),
            ("0X_1_0.8p-2", Some(4.125)),
            ("0x1p-1074", Some(5e-324)),
            ("0x1p-1075", Some(0.0)),
            ("0x1.8p-1075", Some(5e-324)),
            ("0x1p-99999999999999999999", Some(0.0)),
            ("0x1.fffffffffffffp1023", Some(f64::MAX)),
            ("0x1.fffffffffffff7p1023", Some(f64::MAX)),
            ("0x1.fffffffffffff8p1023", None),
            ("0x1.00000000000008p0", Some(1.0)),
            ("0x1.000000000000080000001p0", Some(1.0000000000000002)),
            ("0x1.00000000000018p0", Some(1.0000000000000004)),
            ("0x0p9999", Some(0.0)),
            ("0x1p1024", None),
            ("inf", Some(f64::INFINITY)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("1e400", None),
            ("0x1", None),
            ("0xp1", None),
            ("0x1p", None),
            ("0x1p+-1", None),
            ("_1", None),
            ("1_", None),
            ("1__0", None),
            ("1_.5", None),
            ("1._5", None),
            ("1e_5", None),
            ("+nan", None),
            ("++1", None),
            ("-+1", None),
            ("", None),
            ("1 ", None),
            ("one", None),
        ] {
            assert_eq!(parse_float(text), value, "{text}");
        }
        assert!(parse_float("NaN").is_some_and(f64::is_nan));
    }

    #[test]
    fn doubles_are_written_as_go_writes_them() {
        for (value, general, json) in [
            (0.1, "0.1", "0.1"),
            (3.0, "3", "3"),
            (-0.0, "-0", "-0"),
            (100_000.0, "100000", "100000"),
            (1_000_000.0, "1e+06", "1000000"),
            (1_234_567.5, "1.2345675e+06", "1234567.5"),
            (1.152921504606847e18, "1.152921504606847e+18", "1152921504606847000"),
            (1e21, "1e+21", "1e+21"),
            (1e100, "1e+100", "1e+100"),
            (-1.5e300, "-1.5e+300", "-1.5e+300"),
            (0.0001, "0.0001", "0.0001"),
            (0.00001, "1e-05", "0.00001"),
            (0.000001, "1e-06", "0.000001"),
            (1e-7, "1e-07", "1e-7"),
            (f64::INFINITY, "+Inf", "+Inf"),
            (f64::NAN, "NaN", "NaN"),
        ] {
            assert_eq!(shortest(value, Form::General), general);
            assert_eq!(shortest(value, Form::Json), json);
        }
        for (value, fixed) in [(1e21, "1000000000000000000000"), (1e-7, "0.0000001"), (-2.5, "-2.5")] {
            assert_eq!(shortest(value, Form::Fixed), fixed);
        }
    }
}
