//! Ages of dates: `5m30s`, `47h`, `3y12d`.
//!
//! Source: `apimachinery/pkg/util/duration` and `api/meta/table`.

use crd_go::time::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// Formats the time between a date and `now` as an age.
pub(super) fn age(date: &str, now: Option<Timestamp>) -> String {
    if matches!(date, "" | "null") {
        return "<unknown>".to_owned();
    }
    match (Timestamp::parse(date), now) {
        (None, _) => "<invalid>".to_owned(),
        (Some(_), None) => "<unknown>".to_owned(),
        // The first second of the year 1 is Go's zero time.
        (Some(date), _) if (date.seconds, date.nanos) == (-62_135_596_800, 0) => "<unknown>".to_owned(),
        (Some(date), Some(now)) => {
            let nanos = i64::from(now.nanos) - i64::from(date.nanos);
            let nanos =
                now.seconds.saturating_sub(date.seconds).saturating_mul(1_000_000_000).saturating_add(nanos);
            // Go divides towards zero.
            human_duration(nanos / 1_000_000_000)
        }
    }
}

/// Formats a number of seconds like an age in kubectl: `duration.HumanDuration`.
///
/// ```
/// use crd_docs::table::human_duration;
///
/// assert_eq!(human_duration(330), "5m30s");
/// assert_eq!(human_duration(-5), "<invalid>");
/// ```
#[must_use]
pub fn human_duration(seconds: i64) -> String {
    let two = |large: i64, unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large}{unit}"),
        small => format!("{large}{unit}{small}{small_unit}"),
    };
    let (minutes, hours) = (seconds / MINUTE, seconds / HOUR);
    match seconds {
        // Clocks may differ a little.
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        _ if minutes < 60 * 3 => format!("{minutes}m"),
        _ if hours < 8 => two(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 24 * 8 => two(hours / 24, "d", hours % 24, "h"),
        _ if hours < 24 * 365 * 2 => format!("{}d", hours / 24),
        _ if hours < 24 * 365 * 8 => two(hours / 24 / 365, "y", hours / 24 % 365, "d"),
        _ => format!("{}y", hours / 24 / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::{HOUR, age, human_duration};
    use crd_go::time::Timestamp;

    #[test]
    fn durations_as_kubectl_shows_them() {
        for (seconds, expected) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (599, "9m59s"),
            (600, "10m"),
            (3 * HOUR - 1, "179m"),
            (3 * HOUR, "3h"),
            (8 * HOUR - 60, "7h59m"),
            (47 * HOUR, "47h"),
            (48 * HOUR, "2d"),
            (49 * HOUR, "2d1h"),
            (8 * 24 * HOUR, "8d"),
            (729 * 24 * HOUR, "729d"),
            (730 * 24 * HOUR, "2y"),
            (731 * 24 * HOUR, "2y1d"),
            (8 * 365 * 24 * HOUR, "8y"),
        ] {
            assert_eq!(human_duration(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn ages_of_dates() {
        let now = Timestamp::parse("2026-01-01T00:01:00Z");
        assert_eq!(age("2026-01-01T00:00:00Z", now), "60s");
        assert_eq!(age("2026-01-01T00:01:01.5Z", now), "0s");
        assert_eq!(age("2026-01-01T00:02:00Z", now), "<invalid>");
        assert_eq!(age("yesterday", now), "<invalid>");
        assert_eq!(age("", now), "<unknown>");
    }
}
