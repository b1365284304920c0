//! String formats that exist both in schemas (`format`) and in CEL: dates, durations, UUIDs and base64.
//!
//! Source: `k8s.io/kube-openapi/pkg/validation/strfmt`.

use crate::strings::{quote, to_lower};
use crate::time::{Duration, Layout, Timestamp, parse};

/// Parses the format `duration`: a Go duration, or any string that contains numbers with units.
///
/// # Errors
/// - The string contains no number with a unit, or a number is out of range. The error is the reason, in the API
///   server's words.
///
/// ```
/// use crd_go::formats::schema_duration;
///
/// assert_eq!(schema_duration("3 days"), schema_duration("72h"));
/// assert_eq!(schema_duration("soon"), Err("unable to parse soon as duration".to_owned()));
/// ```
pub fn schema_duration(text: &str) -> Result<Duration, String> {
    const DAY: i64 = 86_400_000_000_000;
    const UNITS: [(&[&str], i64); 8] = [
        (&["ns", "nano"], 1),
        (&["us", "\u{b5}s", "micro"], 1_000),
        (&["ms", "milli"], 1_000_000),
        (&["s", "sec"], 1_000_000_000),
        (&["m", "min"], 60_000_000_000),
        (&["h", "hr", "hour"], 3_600_000_000_000),
        (&["d", "day"], DAY),
        (&["w", "wk", "week"], 7 * DAY),
    ];
    if let Some(duration) = Duration::parse(text) {
        return Ok(duration);
    }
    let is_space = |c: char| matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ');
    let mut total = None;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[start..];
        let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let unit = after.trim_start_matches(is_space);
        rest = unit.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '\u{b5}');
        let name = unit[..unit.len() - rest.len()].to_lowercase();
        if name.is_empty() {
            continue;
        }
        let digits = &digits[..digits.len() - after.len()];
        let number: i64 = digits
            .parse()
            .map_err(|_| format!("strconv.Atoi: parsing {}: value out of range", quote(digits)))?;
        for (variants, unit) in UNITS {
            // Sums wrap around, as in Go. A unit is a variant, or begins with the last variant.
            let is_last = variants.last().is_some_and(|last| name.starts_with(last));
            if is_last || variants.contains(&name.as_str()) {
                total = Some(total.unwrap_or(0i64).wrapping_add(number.wrapping_mul(unit)));
            }
        }
    }
    total.map(Duration).ok_or_else(|| format!("unable to parse {text} as duration"))
}

/// Parses the format `date-time` as CEL does. CEL accepts other strings than schemas do ([`is_date_time`]).
///
/// # Errors
/// - The string is not a timestamp. The error is the reason, in Go's words.
///
/// ```
/// use crd_go::formats::{is_date_time, schema_date_time};
///
/// assert!(schema_date_time("2024-01-01T00:00:00").is_ok() && !is_date_time("2024-01-01T00:00:00"));
/// assert!(schema_date_time("2024-01-01t00:00:00z").is_err() && is_date_time("2024-01-01t00:00:00z"));
/// ```
pub fn schema_date_time(text: &str) -> Result<Timestamp, String> {
    if text.is_empty() {
        return Ok(Timestamp { seconds: 0, nanos: 0, offset: 0 });
    }
    parse(text, Layout::Rfc3339).or_else(|_| parse(text, Layout::Local))
}

/// Returns `true` if the string is a valid date in the form `2006-01-02`: the format `date`.
#[must_use]
pub fn is_date(text: &str) -> bool {
    parse(text, Layout::Date).is_ok()
}

/// Returns `true` if the string is a date, a `t` or `T`, and a time with a zone: the format `date-time`.
#[must_use]
pub fn is_date_time(text: &str) -> bool {
    let text = to_lower(text);
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

/// Removes a separator (any character except a line break) and at least one digit, and returns the rest.
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

fn number(digits: &[u8]) -> Option<u32> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    digits.iter().try_fold(0u32, |number, byte| number.checked_mul(10)?.checked_add(digit(byte)?))
}

/// Returns `true` for a UUID with or without hyphens, of the given version, or of any version if none is given: the formats `uuid` to
/// `uuid5`.
///
/// ```
/// use crd_go::formats::is_uuid;
///
/// assert!(is_uuid("025b0d74-00a2-4048-bf57-227c5111bb34", Some('4')));
/// assert!(!is_uuid("025b0d74-00a2-4048-bf57-227c5111bb34", Some('5')));
/// ```
#[must_use]
pub fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    for (i, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if i > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(length) else { return false };
        let is_right = match (i, version) {
            (2, Some(version)) => group.starts_with(version),
            (3, Some('4' | '5')) => group.starts_with(['8', '9', 'a', 'b', 'A', 'B']),
            _ => true,
        };
        if !is_right || !is_hex(group) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns `true` for a non-empty string of standard base64 with padding: the format `byte`.
#[must_use]
pub fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - digits.len() <= 2
        && digits.bytes().all(is_digit)
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
            ["2014-12-15", "2014-12-15T19:30:60Z", "2014-12-15T19:30:20", "2014-12-15 19:30:20Z", "tt", ""]
        {
            assert!(!is_date_time(text), "{text}");
        }
    }

    #[test]
    fn durations() {
        let days = Duration(3 * 86_400_000_000_000);
        for text in ["foo 3 days bar", "72h", "3 D", "1day 48 hours"] {
            assert_eq!(schema_duration(text), Ok(days), "{text}");
        }
        for text in ["1h30m", "-1.5h", "0", "22 ns", "1.s", "3 weeks", "5WK"] {
            assert!(schema_duration(text).is_ok(), "{text}");
        }
        for text in ["", "1", "s", "3 x", "9223372036854775808 days", "-"] {
            assert!(schema_duration(text).is_err(), "{text}");
        }
        assert_eq!(schema_duration("2 x"), Err("unable to parse 2 x as duration".to_owned()));
    }
}
