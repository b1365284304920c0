//! Dates, times and durations.

use crate::crd::days_in;

/// `2006-01-02`: a day that exists.
pub(super) fn is_date(text: &str) -> bool {
    let [year @ .., b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year), number(&[*m1, *m2]), number(&[*d1, *d2]))
    else {
        return false;
    };
    text.len() == 10 && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day)
}

fn number(digits: &[u8]) -> Option<u32> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    digits.iter().try_fold(0u32, |number, byte| number.checked_mul(10)?.checked_add(digit(byte)?))
}

/// A date, a `t` or `T`, and a time with a zone.
pub(super) fn is_date_time(text: &str) -> bool {
    let text = crate::go::to_lower(text);
    let mut parts = text.split('t');
    match (parts.next(), parts.next()) {
        (Some(date), Some(time)) => is_date(date) && is_time(time),
        _ => false,
    }
}

fn is_time(text: &str) -> bool {
    let (Some(clock), Some(rest)) = (text.get(..8), text.get(8..)) else { return false };
    let [h1, h2, b':', m1, m2, b':', s1, s2] = clock.as_bytes() else { return false };
    let is_below = |digits: [u8; 2], limit: u32| number(&digits).is_some_and(|number| number < limit);
    is_below([*h1, *h2], 24)
        && is_below([*m1, *m2], 60)
        && is_below([*s1, *s2], 60)
        && (is_zone(rest) || fraction(rest).is_some_and(is_zone))
}

/// What follows any one character and digits; a line break is no such character.
fn fraction(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(|c| c != '\n')?;
    let zone = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    (zone.len() < rest.len()).then_some(zone)
}

fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        b"z" => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

const UNITS: [&[&str]; 8] = [
    &["ns", "nano"],
    &["us", "\u{b5}s", "micro"],
    &["ms", "milli"],
    &["s", "sec"],
    &["m", "min"],
    &["h", "hr", "hour"],
    &["d", "day"],
    &["w", "wk", "week"],
];

/// A duration as Go writes it, or any text in which numbers with units stand.
pub(super) fn is_duration(text: &str) -> bool {
    is_go_duration(text) || has_duration(text)
}

fn has_duration(text: &str) -> bool {
    let is_space = |c: char| matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ');
    let is_unit = |c: char| c.is_ascii_alphabetic() || c == '\u{b5}';
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[start..];
        let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let unit = after.trim_start_matches(is_space);
        rest = unit.trim_start_matches(is_unit);
        let name = &unit[..unit.len() - rest.len()];
        if name.is_empty() {
            continue;
        }
        if digits[..digits.len() - after.len()].parse::<i64>().is_err() {
            return false;
        }
        found |= is_known_unit(name);
    }
    found
}

fn is_known_unit(name: &str) -> bool {
    let name = crate::go::to_lower(name);
    UNITS.iter().any(|variants| {
        variants.contains(&name.as_str()) || variants.last().is_some_and(|last| name.starts_with(last))
    })
}

/// `time.ParseDuration`: numbers, each with a unit, and a sign before all of them.
pub(crate) fn is_go_duration(text: &str) -> bool {
    let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let negative = text.starts_with('-');
    let mut rest = rest;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let Some((nanoseconds, after)) = go_duration_part(rest) else { return false };
        let Some(sum) = total.checked_add(nanoseconds).filter(|sum| *sum <= 1 << 63) else { return false };
        (total, rest) = (sum, after);
    }
    !text.is_empty() && !text.ends_with(['+', '-']) && (negative || total < 1 << 63)
}

fn go_duration_part(text: &str) -> Option<(u64, &str)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (whole, mut rest) = text.split_at(digits(text));
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        (fraction, rest) = after.split_at(digits(after));
    }
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let unit: u64 = match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let whole = whole.checked_mul(unit).filter(|nanoseconds| *nanoseconds <= 1 << 63)?;
    // Only whether the whole fits matters, so the fraction may be rounded.
    let fraction = format!("0.{fraction}0").parse::<f64>().ok()? * unit as f64;
    Some((whole.checked_add(fraction as u64)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        assert!(is_date("2024-02-29") && !is_date("2023-02-29") && !is_date("2024-2-29") && !is_date(""));
        for text in ["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20z", "2014-12-15T19:30:20x5+99:99"] {
            assert!(is_date_time(text), "{text}");
        }
        for text in
            ["2014-12-15", "2014-12-15T19:30:60Z", "2014-12-15T19:30:20", "2014-12-15 19:30:20Z", "tt"]
        {
            assert!(!is_date_time(text), "{text}");
        }
    }

    #[test]
    fn durations() {
        for text in ["1h30m", "-1.5h", "0", "foo 3 days bar", "22 ns", "1.s", "3 weeks", "5WK"] {
            assert!(is_duration(text), "{text}");
        }
        for text in ["", "1", "s", "3 x", "9223372036854775808 days", "-"] {
            assert!(!is_duration(text), "{text}");
        }
        assert!(!is_go_duration("9223372036854775808ns") && is_go_duration("-9223372036854775808ns"));
    }
}
