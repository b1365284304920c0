//! Prints durations and timestamps, and converts times to dates of the Gregorian calendar.

use std::fmt::Write;

use super::{Duration, Timestamp, days_since_1970};
use crate::number::{Form, shortest};

impl Duration {
    /// Prints the duration as CEL's `string()` does: in seconds, with as many digits as needed.
    #[must_use]
    pub fn print(self) -> String {
        format!("{}s", shortest(self.0 as f64 / 1e9, Form::Fixed))
    }
}

impl Timestamp {
    /// Returns the date and the time of day at an offset from UTC in seconds.
    #[must_use]
    pub fn civil(self, offset: i32) -> Civil {
        Civil::from_seconds(self.seconds + i64::from(offset))
    }

    /// Prints RFC 3339 with as many fractional digits as needed, in the timestamp's own zone.
    #[must_use]
    pub fn print(self) -> String {
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

/// A date and a time of day. Days of the week (from Sunday) and days of the year are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the fields suffice")]
pub struct Civil {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    pub day_of_week: i64,
    pub day_of_year: i64,
}

impl Civil {
    fn from_seconds(seconds: i64) -> Self {
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
    fn durations_are_printed_in_seconds() {
        assert_eq!(Duration(5_400_000_000_000).print(), "5400s");
        assert_eq!(Duration(-1_500_000_000).print(), "-1.5s");
    }
}
