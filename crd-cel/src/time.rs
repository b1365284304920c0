//! Says what durations and timestamps are, as Go's `time` package reads them.

/// The latest and the earliest second that a timestamp can have: the years 1 to 9999.
const UNIX_SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Whether a timestamp can be that many seconds after 1970.
pub(crate) fn is_unix_time(seconds: i64) -> bool {
    UNIX_SECONDS.contains(&seconds)
}

/// Whether `text` is a duration such as `1h30m` or `-1.5s`.
pub(crate) fn is_duration(text: &str) -> bool {
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let Some((nanoseconds, after)) = part(rest) else { return false };
        total = match total.checked_add(nanoseconds) {
            Some(total) if total <= 1 << 63 => total,
            _ => return false,
        };
        rest = after;
    }
    negative || total < 1 << 63
}

/// Reads a number with its unit, as nanoseconds.
fn part(text: &str) -> Option<(u64, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let mut rest = &text[whole..];
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        let length = digits(after);
        fraction = &after[..length];
        rest = &after[length..];
    }
    if whole == 0 && fraction.is_empty() {
        return None;
    }
    let unit_end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let unit: u64 = match &rest[..unit_end] {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let number: u64 = if whole == 0 { 0 } else { text[..whole].parse().ok()? };
    let mut nanoseconds = number.checked_mul(unit).filter(|nanoseconds| *nanoseconds <= 1 << 63)?;
    // More digits than these change nothing in a nanosecond.
    let fraction = &fraction[..fraction.len().min(18)];
    if !fraction.is_empty() {
        let scale = 10u128.pow(fraction.len() as u32);
        let parts: u128 = fraction.parse().ok()?;
        nanoseconds = nanoseconds.checked_add((parts * u128::from(unit) / scale) as u64)?;
    }
    (nanoseconds <= 1 << 63).then_some((nanoseconds, &rest[unit_end..]))
}

/// Whether `text` is a timestamp as RFC 3339 has it, in the years 1 to 9999.
pub(crate) fn is_timestamp(text: &str) -> bool {
    unix_seconds(text).is_some_and(is_unix_time)
}

fn unix_seconds(text: &str) -> Option<i64> {
    let mut rest = text;
    let year = number(&mut rest, 4)?;
    literal(&mut rest, '-')?;
    let month = number(&mut rest, 2)?;
    literal(&mut rest, '-')?;
    let day = number(&mut rest, 2)?;
    literal(&mut rest, 'T')?;
    // Go takes an hour of one digit.
    let hour_digits = if rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) { 2 } else { 1 };
    let hour = number(&mut rest, hour_digits)?;
    literal(&mut rest, ':')?;
    let minute = number(&mut rest, 2)?;
    literal(&mut rest, ':')?;
    let second = number(&mut rest, 2)?;
    if rest.starts_with(['.', ',']) && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
        rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    let offset = offset(rest)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if day == 0 || day > days || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset)
}

fn number(rest: &mut &str, length: usize) -> Option<i64> {
    let digits = rest.get(..length).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    *rest = &rest[length..];
    digits.parse().ok()
}

fn literal(rest: &mut &str, literal: char) -> Option<()> {
    *rest = rest.strip_prefix(literal)?;
    Some(())
}

/// The seconds that `Z` or `+01:00` are east of Greenwich.
fn offset(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let mut rest = &text[1..];
    let hours = number(&mut rest, 2)?;
    literal(&mut rest, ':')?;
    let minutes = number(&mut rest, 2)?;
    // Go lets 24 hours and 60 minutes pass.
    (rest.is_empty() && hours <= 24 && minutes <= 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// The days from 1970-01-01 to a date of the Gregorian calendar.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for text in [
            "0",
            "1h",
            "-1.5h",
            "+5s",
            "1h1m1s1ms1us1µs1ns",
            ".5s",
            "1.s",
            "9223372036854775807ns",
            "-9223372036854775808ns",
        ] {
            assert!(is_duration(text), "{text}");
        }
        for text in ["", "-", "1", "1d", "1 h", ".s", "s", "9223372036854775808ns", "2562048h"] {
            assert!(!is_duration(text), "{text}");
        }
    }

    #[test]
    fn timestamps() {
        assert_eq!(unix_seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(unix_seconds("2024-02-29T23:59:59.123+01:30"), Some(1_709_245_799));
        assert!(is_timestamp("0001-01-01T00:00:00Z") && is_timestamp("9999-12-31T23:59:59Z"));
        for text in [
            "2024-02-30T00:00:00Z",
            "2024-02-29",
            "2023-02-29T00:00:00Z",
            "0000-12-31T00:00:00Z",
            "2024-01-01t00:00:00Z",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}
