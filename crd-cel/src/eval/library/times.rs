//! Functions that return parts of timestamps and durations.

use crd_go::time::{Civil, Timestamp};

use crate::eval::Error;
use crate::eval::implementation::{Implementation, Outcome};

use crate::eval::time::zone_offset;
use crate::eval::value::Value;

pub(crate) const GET_FULL_YEAR: Implementation =
    Implementation::plain(|_, args| civil(args, |civil| civil.year));
pub(crate) const GET_MONTH: Implementation =
    Implementation::plain(|_, args| civil(args, |civil| civil.month - 1));
pub(crate) const GET_DAY_OF_YEAR: Implementation =
    Implementation::plain(|_, args| civil(args, |civil| civil.day_of_year));
pub(crate) const GET_DAY_OF_MONTH: Implementation =
    Implementation::plain(|_, args| civil(args, |civil| civil.day - 1));
pub(crate) const GET_DATE: Implementation = Implementation::plain(|_, args| civil(args, |civil| civil.day));
pub(crate) const GET_DAY_OF_WEEK: Implementation =
    Implementation::plain(|_, args| civil(args, |civil| civil.day_of_week));
pub(crate) const GET_HOURS: Implementation =
    Implementation::plain(|_, args| clock(args, 3_600_000_000_000, |civil| civil.hour));
pub(crate) const GET_MINUTES: Implementation =
    Implementation::plain(|_, args| clock(args, 60_000_000_000, |civil| civil.minute));
pub(crate) const GET_SECONDS: Implementation =
    Implementation::plain(|_, args| clock(args, 1_000_000_000, |civil| civil.second));
pub(crate) const GET_MILLISECONDS: Implementation = Implementation::plain(|_, args| match args {
    [Value::Duration(duration)] => Ok(Value::Int(duration.0 / 1_000_000)),
    _ => time_and_offset(args).map(|(time, _)| Value::Int(i64::from(time.nanos / 1_000_000))),
});

/// Returns a timestamp and its time zone; UTC if none is given.
fn time_and_offset(args: &[Value<'_>]) -> Result<(Timestamp, i32), Error> {
    match args {
        [Value::Timestamp(time)] => Ok((*time, 0)),
        [Value::Timestamp(time), Value::String(zone)] => Ok((*time, zone_offset(zone, *time)?)),
        _ => Err(Error::no_such_overload()),
    }
}

fn civil<'v>(args: &[Value<'v>], part: impl Fn(&Civil) -> i64) -> Outcome<'v> {
    let (time, offset) = time_and_offset(args)?;
    Ok(Value::Int(part(&time.civil(offset))))
}

fn clock<'v>(args: &[Value<'v>], unit: i64, part: impl Fn(&Civil) -> i64) -> Outcome<'v> {
    match args {
        [Value::Duration(duration)] => Ok(Value::Int(duration.0 / unit)),
        _ => civil(args, part),
    }
}
