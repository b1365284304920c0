//! The formats of schemas that have types of their own: durations and timestamps.

use super::{Duration, Layout, Timestamp, parse};
use crate::eval::number::quoted;

/// The `duration` format of a schema: Go's, or any text in which numbers with units stand.
pub(crate) fn schema_duration(text: &str) -> Result<Duration, String> {
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
            .map_err(|_| format!("strconv.Atoi: parsing {}: value out of range", quoted(digits)))?;
        for (variants, unit) in UNITS {
            // Sums wrap around as Go's do. A name may be a variant and begin with the last one.
            let is_last = variants.last().is_some_and(|last| name.starts_with(last));
            if is_last || variants.contains(&name.as_str()) {
                total = Some(total.unwrap_or(0i64).wrapping_add(number.wrapping_mul(unit)));
            }
        }
    }
    total.map(Duration).ok_or_else(|| format!("unable to parse {text} as duration"))
}

/// The `date-time` format of a schema.
pub(crate) fn schema_date_time(text: &str) -> Result<Timestamp, String> {
    if text.is_empty() {
        return Ok(Timestamp { seconds: 0, nanos: 0, offset: 0 });
    }
    parse(text, Layout::Rfc3339).or_else(|_| parse(text, Layout::Local))
}
