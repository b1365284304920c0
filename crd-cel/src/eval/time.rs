//! Durations and timestamps, read and written as Go's `time` package does.

mod formats;
mod layout;
mod zone;

use std::fmt::Write;

pub(crate) use formats::{schema_date_time, schema_duration};
pub(crate) use layout::{Layout, parse};
pub(crate) use zone::zone_offset;

use super::Error;

/// A `google.protobuf.Duration`, in nanoseconds as Go has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// A `google.protobuf.Timestamp`: the seconds since 1970 and the nanoseconds after them, and the offset in seconds
/// of the zone in which it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    pub(crate) seconds: i64,
    pub(crate) nanos: u32,
    pub(crate) offset: i32,
}

/// The seconds of the years 1 to 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
const BILLION: i128 = 1_000_000_000;

impl Duration {
    /// Reads `1h30m` or `-1.5s`.
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

    /// Whether it has as few seconds as a `google.protobuf.Duration` may have.
    pub(crate) fn checked(nanoseconds: i128) -> Result<Self, Error> {
        i64::try_from(nanoseconds).map(Self).map_err(|_| Error::DURATION_OVERFLOW)
    }

    /// As `string` prints it: seconds, as many digits as needed.
    pub(crate) fn print(self) -> String {
        format!("{}s", super::number::shortest(self.0 as f64 / 1e9, super::number::Form::Fixed))
    }
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

impl Timestamp {
    /// A timestamp in UTC.
    ///
    /// # Errors
    /// - It is not in the years 1 to 9999.
    pub(crate) fn new(seconds: i64, nanos: u32, offset: i32) -> Result<Self, Error> {
        if SECONDS.contains(&seconds) {
            Ok(Self { seconds, nanos, offset })
        } else {
            Err(Error::TIMESTAMP_OVERFLOW)
        }
    }

    /// Reads RFC 3339 as Go does. The year is not checked.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse(text, Layout::Rfc3339).ok()
    }

    pub(crate) fn nanoseconds(self) -> i128 {
        i128::from(self.seconds) * BILLION + i128::from(self.nanos)
    }

    pub(crate) fn plus(self, nanoseconds: i128) -> Result<Self, Error> {
        let sum = self.nanoseconds() + nanoseconds;
        let seconds = i64::try_from(sum.div_euclid(BILLION)).map_err(|_| Error::TIMESTAMP_OVERFLOW)?;
        Self::new(seconds, sum.rem_euclid(BILLION) as u32, self.offset)
    }

    pub(crate) fn is_in_range(self) -> bool {
        SECONDS.contains(&self.seconds)
    }

    /// The calendar at an offset.
    pub(crate) fn civil(self, offset: i32) -> Civil {
        Civil::of(self.seconds + i64::from(offset))
    }

    /// RFC 3339 with as many digits of the second as needed.
    pub(crate) fn print(self) -> String {
        let civil = self.civil(self.offset);
        let Civil { year, month, day, hour, minute, second, .. } = civil;
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if self.nanos > 0 {
            let digits = format!(".{:09}", self.nanos);
            text.push_str(digits.trim_end_matches('0'));
        }
        if self.offset == 0 {
            text.push('Z');
        } else {
            let minutes = self.offset.abs() / 60;
            let sign = if self.offset < 0 { '-' } else { '+' };
            // Writing to a string does not fail.
            _ = write!(text, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        }
        text
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        (self.seconds, self.nanos) == (other.seconds, other.nanos)
    }
}

/// A date and a time of day.
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    pub(crate) day_of_week: i64,
    pub(crate) day_of_year: i64,
}

impl Civil {
    fn of(seconds: i64) -> Self {
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Days since the first of March of year 0, in eras of 400 years: the leap day is the last of its year.
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let from_march = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * from_march + 2) / 153;
        let day = from_march - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self {
            year,
            month,
            day,
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
            day_of_week: (days + 4).rem_euclid(7),
            day_of_year: days - days_since_1970(year, 1, 1),
        }
    }
}

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
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
    fn timestamps_are_read_and_printed() {
        for (text, printed) in [
            ("2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"),
            ("2020-01-02T3:04:05Z", "2020-01-02T03:04:05Z"),
            ("2020-02-29T23:59:59,120+05:30", "2020-02-29T23:59:59.12+05:30"),
            ("0001-01-01T00:00:00-00:30", "0001-01-01T00:00:00-00:30"),
            ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
        ] {
            assert_eq!(Timestamp::parse(text).map(Timestamp::print).as_deref(), Some(printed), "{text}");
        }
    }

    #[test]
    fn errors_are_those_of_go() {
        for (text, error) in [
            ("2020-01-01t00:00:00z", r#" as "2006-01-02T15:04:05": cannot parse "t00:00:00z" as "T""#),
            ("2020-13-01T00:00:00", ": month out of range"),
            ("2021-02-29T00:00:00", ": day out of range"),
            ("20-01-01", r#" as "2006-01-02T15:04:05": cannot parse "20-01-01" as "2006""#),
            ("2020-01-01T00:00:00x", r#": extra text: "x""#),
        ] {
            let parsed = parse(text, Layout::Local).map(Timestamp::print);
            assert_eq!(parsed, Err(format!("parsing time {text:?}{error}")));
        }
    }

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
        assert_eq!(schema_duration("foo 3 days bar"), Ok(Duration(3 * 86_400_000_000_000)));
        assert_eq!(schema_duration("2 x"), Err("unable to parse 2 x as duration".to_owned()));
        assert_eq!(Duration(5_400_000_000_000).print(), "5400s");
        assert_eq!(Duration(-1_500_000_000).print(), "-1.5s");
    }

    #[test]
    fn zones_come_with_the_program() {
        let summer = Timestamp::parse("2021-07-01T10:15:00Z").unwrap();
        for (zone, offset) in [
            ("Europe/Berlin", 7200),
            ("-03:30", -12_600),
            ("UTC", 0),
            ("02:00", 7200),
            ("America/New_York", -14_400),
        ] {
            assert_eq!(zone_offset(zone, summer), Ok(offset), "{zone}");
        }
        for zone in ["Mars/Base", "europe/berlin"] {
            assert_eq!(zone_offset(zone, summer), Err(Error::text(format!("unknown time zone {zone}"))));
        }
    }
}
