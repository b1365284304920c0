//! Instants, dates and durations.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use jiff::civil;
use jiff::{SignedDuration, Span, Timestamp, Zoned};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};

use super::{compare, row};

#[test]
fn time() {
    let date = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    let time = NaiveTime::from_hms_milli_opt(23, 59, 59, 1).unwrap();
    let now: DateTime<Utc> = DateTime::from_timestamp(1_700_000_000, 5).unwrap();
    let there = now.with_timezone(&FixedOffset::east_opt(3600).unwrap());
    let stamp = Timestamp::new(1_700_000_000, 123_000_000).unwrap();
    compare(
        "time",
        &[
            row("chrono DateTime<Utc>", [now]),
            row("chrono DateTime<FixedOffset>", [there]),
            row("chrono NaiveDate", [date]),
            row("chrono NaiveTime", [time]),
            row("chrono NaiveDateTime", [NaiveDateTime::new(date, time)]),
            row("jiff Timestamp", [stamp]),
            row("jiff Zoned", [stamp.in_tz("Europe/Vienna").unwrap()] as [Zoned; 1]),
            row("jiff Date", [civil::date(2024, 2, 29)]),
            row("jiff Time", [civil::time(1, 2, 3, 4)]),
            row("jiff DateTime", [civil::date(2024, 2, 29).at(1, 2, 3, 4)]),
            row("jiff SignedDuration", [SignedDuration::from_secs(90), SignedDuration::ZERO]),
            row("jiff Span", [Span::new().hours(1).try_minutes(30).unwrap().fieldwise()].map(|span| span.0)),
            row("Time", [Time(stamp)]),
            row("MicroTime", [MicroTime(stamp)]),
            row("std Duration", [Duration::ZERO, Duration::new(1, 999_999_999)]),
            row("std SystemTime", [UNIX_EPOCH + Duration::new(1, 1)] as [SystemTime; 1]),
        ],
    );
}
