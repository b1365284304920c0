//! Durations and timestamps, parsed and printed as Go's `time` does.

mod calendar;
mod layout;

pub use calendar::Civil;
pub use layout::{Layout, parse};

/// A `time.Duration`, a number of nanoseconds. In CEL it is a `google.protobuf.Duration`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// A `time.Time`, an instant with the offset of its zone. In CEL it is a `google.protobuf.Timestamp`.
///
/// Two timestamps are equal if they are the same instant, regardless of their offsets.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// The number of seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// The number of nanoseconds within the second.
    pub nanos: u32,
    /// The time zone's offset from UTC for printing, in seconds.
    pub offset: i32,
}

/// The range of `seconds` for the years 1 to 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

impl Duration {
    /// Parses a duration such as `1h30m` or `-1.5s`: `time.ParseDuration`.
    ///
    /// ```
    /// use crd_go::time::Duration;
    ///
    /// assert_eq!(Duration::parse("1m1.5s"), Some(Duration(61_500_000_000)));
    /// assert_eq!(Duration::parse("1d"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let negative = text.starts_with('-');
        let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
        if rest == "0" {
            return Some(Self(0));
        }
        if rest.is_empty() {
            return None;
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let (nanoseconds, after) = part(rest)?;
            total = total.checked_add(nanoseconds).filter(|total| *total <= 1 << 63)?;
            rest = after;
        }
        if negative { 0i64.checked_sub_unsigned(total) } else { i64::try_from(total).ok() }.map(Self)
    }
}

impl Timestamp {
    /// Returns `true` if a `google.protobuf.Timestamp` can have this year: 1 to 9999.
    #[must_use]
    pub fn is_in_range(self) -> bool {
        is_unix_time(self.seconds)
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        (self.seconds, self.nanos) == (other.seconds, other.nanos)
    }
}

/// Returns `true` if a `google.protobuf.Timestamp` can be that many seconds after 1970-01-01T00:00:00Z.
#[must_use]
pub fn is_unix_time(seconds: i64) -> bool {
    SECONDS.contains(&seconds)
}

/// Reads a number with its unit, as nanoseconds.
fn part(text: &str) -> Option<(u64, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, mut rest) = text.split_at(digits(text));
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        (fraction, rest) = after.split_at(digits(after));
    }
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let unit: u64 = match &rest[..end] {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut nanoseconds = whole.checked_mul(unit).filter(|nanoseconds| *nanoseconds <= 1 << 63)?;
    // More digits than these change nothing in a nanosecond.
    let fraction = &fraction[..fraction.len().min(18)];
    if !fraction.is_empty() {
        let parts: u128 = fraction.parse().ok()?;
        let parts = parts * u128::from(unit) / 10u128.pow(fraction.len() as u32);
        nanoseconds = nanoseconds.checked_add(parts as u64)?;
    }
    (nanoseconds <= 1 << 63).then_some((nanoseconds, &rest[end..]))
}

/// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar.
///
/// ```
/// assert_eq!(crd_go::time::days_since_1970(2000, 3, 1), 11_017);
/// ```
#[must_use]
pub fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let shifted_month = (month + 9) % 12;
    let day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + (153 * shifted_month + 2) / 5 + day - 1;
    era * 146_097 + day_of_era - 719_468
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, nanoseconds) in [
            ("1h2m3s", Some(3_723_000_000_000)),
            ("-1.5s", Some(-1_500_000_000)),
            ("1\u{b5}s", Some(1000)),
            (".5m", Some(30_000_000_000)),
            ("9223372036854775807ns", Some(i64::MAX)),
            ("-9223372036854775808ns", Some(i64::MIN)),
            ("9223372036854775808ns", None),
            ("1", None),
            ("1d", None),
            ("", None),
        ] {
            assert_eq!(Duration::parse(text), nanoseconds.map(Duration), "{text}");
        }
    }
}
