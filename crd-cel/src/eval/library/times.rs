//! The parts of timestamps and durations.

use crd_go::time::{Civil, Timestamp};

use super::{Outcome, Plain};
use crate::eval::Error;

use crate::eval::time::zone_offset;
use crate::eval::value::Value;

pub(super) fn find(name: &str) -> Option<Plain> {
    Some(match name {
        "getFullYear" => |_, args| civil(args, |civil| civil.year),
        "getMonth" => |_, args| civil(args, |civil| civil.month - 1),
        "getDayOfYear" => |_, args| civil(args, |civil| civil.day_of_year),
        "getDayOfMonth" => |_, args| civil(args, |civil| civil.day - 1),
        "getDate" => |_, args| civil(args, |civil| civil.day),
        "getDayOfWeek" => |_, args| civil(args, |civil| civil.day_of_week),
        "getHours" => |_, args| clock(args, 3_600_000_000_000, |civil| civil.hour),
        "getMinutes" => |_, args| clock(args, 60_000_000_000, |civil| civil.minute),
        "getSeconds" => |_, args| clock(args, 1_000_000_000, |civil| civil.second),
        "getMilliseconds" => |_, args| match args {
            [Value::Duration(duration)] => Ok(Value::Int(duration.0 / 1_000_000)),
            _ => at(args).map(|(time, _)| Value::Int(i64::from(time.nanos / 1_000_000))),
        },
        _ => return None,
    })
}

/// A timestamp and the zone in which it is looked at; UTC where none is named.
fn at(args: &[Value<'_>]) -> Result<(Timestamp, i32), Error> {
    match args {
        [Value::Timestamp(time)] => Ok((*time, 0)),
        [Value::Timestamp(time), Value::String(zone)] => Ok((*time, zone_offset(zone, *time)?)),
        _ => Err(Error::no_such_overload()),
    }
}

fn civil<'v>(args: &[Value<'v>], part: impl Fn(&Civil) -> i64) -> Outcome<'v> {
    let (time, offset) = at(args)?;
    Ok(Value::Int(part(&time.civil(offset))))
}

fn clock<'v>(args: &[Value<'v>], unit: i64, part: impl Fn(&Civil) -> i64) -> Outcome<'v> {
    match args {
        [Value::Duration(duration)] => Ok(Value::Int(duration.0 / unit)),
        _ => civil(args, part),
    }
}
