//! Sums of durations and timestamps, and time zones.

mod zone;

pub(crate) use zone::zone_offset;

use super::Error;
pub(crate) use crate::formats::{schema_date_time, schema_duration};
pub(crate) use crate::go::time::Civil;
use crate::go::time::is_unix_time;
pub use crate::go::time::{Duration, Timestamp};
pub(crate) use crate::go::time::{Layout, parse};

const BILLION: i128 = 1_000_000_000;

impl Duration {
    /// Whether it has as few seconds as a `google.protobuf.Duration` may have.
    pub(crate) fn checked(nanoseconds: i128) -> Result<Self, Error> {
        i64::try_from(nanoseconds).map(Self).map_err(|_| Error::INT_OVERFLOW)
    }
}

impl Timestamp {
    /// A timestamp in UTC.
    ///
    /// # Errors
    /// - It is not in the years 1 to 9999.
    pub(crate) fn new(seconds: i64, nanos: u32, offset: i32) -> Result<Self, Error> {
        if is_unix_time(seconds) {
            Ok(Self { seconds, nanos, offset })
        } else {
            Err(Error::TIMESTAMP_OVERFLOW)
        }
    }

    pub(crate) fn nanoseconds(self) -> i128 {
        i128::from(self.seconds) * BILLION + i128::from(self.nanos)
    }

    pub(crate) fn plus(self, nanoseconds: i128) -> Result<Self, Error> {
        let sum = self.nanoseconds() + nanoseconds;
        let seconds = i64::try_from(sum.div_euclid(BILLION)).map_err(|_| Error::TIMESTAMP_OVERFLOW)?;
        Self::new(seconds, sum.rem_euclid(BILLION) as u32, self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
