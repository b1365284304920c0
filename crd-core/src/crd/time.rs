//! Times in RFC 3339, which Go's `metav1.Time` reads itself.

use serde_json::Value;

use super::wire::{Decoder, kind};

/// The text as it is, once it is known to be a time.
pub(super) fn decode(value: Value, decoder: &mut Decoder) -> Option<String> {
    let Value::String(text) = value else {
        let message = decoder.type_error(kind(&value), "string");
        decoder.abort(message);
        return None;
    };
    match check(&text) {
        Ok(()) => Some(text),
        Err(message) => {
            decoder.abort(message);
            None
        }
    }
}

/// What `time.Parse(time.RFC3339, text)` says.
fn check(text: &str) -> Result<(), String> {
    let mut reader = Reader { text, rest: text.as_bytes() };
    let year = reader.digits(4, "2006")?;
    reader.literal("-")?;
    let month = reader.digits(2, "01")?;
    reader.range((1..=12).contains(&month), "month")?;
    reader.literal("-")?;
    let day = reader.digits(2, "02")?;
    reader.literal("T")?;
    let hour = reader.one_or_two_digits("15")?;
    reader.range(hour < 24, "hour")?;
    reader.literal(":")?;
    let minute = reader.digits(2, "04")?;
    reader.range(minute < 60, "minute")?;
    reader.literal(":")?;
    let second = reader.digits(2, "05")?;
    reader.range(second < 60, "second")?;
    reader.fraction();
    reader.zone("Z07:00")?;
    if !reader.rest.is_empty() {
        let extra = quote(reader.rest);
        return Err(reader.failed(&format!(": extra text: {extra}")));
    }
    reader.range((1..=days_in(year, month)).contains(&day), "day")
}

/// A time as Go prints it once it was read: in UTC, without fractions of a second. What is no time stays as it is.
#[cfg(feature = "check")]
pub(crate) fn in_utc(text: &str) -> String {
    utc(text).unwrap_or_else(|| text.to_owned())
}

#[cfg(feature = "check")]
fn utc(text: &str) -> Option<String> {
    let (date, clock) = text.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<u32>().ok());
    let (mut year, mut month, mut day) = (date.next()??, date.next()??, date.next()??);
    let zone = clock.find(['Z', '+', '-'])?;
    let (clock, zone) = clock.split_at(zone);
    let mut clock = clock.split([':', '.', ',']).map(|part| part.parse::<i32>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let offset = match zone.split_at_checked(1)? {
        ("Z", _) => 0,
        (sign, offset) => {
            let (hours, minutes) = offset.split_once(':')?;
            let minutes = hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?;
            if sign == "-" { -minutes } else { minutes }
        }
    };
    const DAY: i32 = 24 * 60;
    let mut minutes = hour * 60 + minute - offset;
    while minutes < 0 {
        minutes += DAY;
        (year, month, day) = match (month, day) {
            (1, 1) => (year.checked_sub(1)?, 12, 31),
            (_, 1) => (year, month - 1, days_in(year, month - 1)),
            _ => (year, month, day - 1),
        };
    }
    while minutes >= DAY {
        minutes -= DAY;
        (year, month, day) = match (month, day) {
            (12, 31) => (year + 1, 1, 1),
            _ if day == days_in(year, month) => (year, month + 1, 1),
            _ => (year, month, day + 1),
        };
    }
    let (hour, minute) = (minutes / 60, minutes % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// The number of days of a month of the Gregorian calendar.
fn days_in(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a [u8],
}

impl Reader<'_> {
    fn digits(&mut self, count: usize, layout: &str) -> Result<u32, String> {
        match self.rest.get(..count).and_then(number) {
            Some(number) => {
                self.rest = &self.rest[count..];
                Ok(number)
            }
            None => Err(self.cannot_parse(self.rest, layout)),
        }
    }

    /// Hours are not padded in Go.
    fn one_or_two_digits(&mut self, layout: &str) -> Result<u32, String> {
        let count = if self.rest.get(1).is_some_and(u8::is_ascii_digit) { 2 } else { 1 };
        self.digits(count, layout)
    }

    fn literal(&mut self, literal: &str) -> Result<(), String> {
        match self.rest.strip_prefix(literal.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.cannot_parse(self.rest, literal)),
        }
    }

    /// A fraction of a second, which the layout does not name and Go takes all the same.
    fn fraction(&mut self) {
        if let [b'.' | b',', first, ..] = self.rest
            && first.is_ascii_digit()
        {
            let digits = self.rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.rest = &self.rest[1 + digits..];
        }
    }

    fn zone(&mut self, layout: &str) -> Result<(), String> {
        if let Some(rest) = self.rest.strip_prefix(b"Z") {
            self.rest = rest;
            return Ok(());
        }
        let [b'+' | b'-', h1, h2, b':', m1, m2, rest @ ..] = self.rest else {
            return Err(self.cannot_parse(self.rest, layout));
        };
        let (Some(hours), Some(minutes)) = (number(&[*h1, *h2]), number(&[*m1, *m2])) else {
            return Err(self.cannot_parse(self.rest, layout));
        };
        self.rest = rest;
        self.range(hours <= 24, "time zone offset hour")?;
        self.range(minutes <= 60, "time zone offset minute")
    }

    fn range(&self, is_in_range: bool, name: &str) -> Result<(), String> {
        if is_in_range { Ok(()) } else { Err(self.failed(&format!(": {name} out of range"))) }
    }

    fn cannot_parse(&self, rest: &[u8], layout: &str) -> String {
        let layout = quote(layout.as_bytes());
        self.failed(&format!(" as \"2006-01-02T15:04:05Z07:00\": cannot parse {} as {layout}", quote(rest)))
    }

    fn failed(&self, detail: &str) -> String {
        format!("parsing time {}{detail}", quote(self.text.as_bytes()))
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    digits.iter().try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))
}

/// Quotes as Go's package `time` does: byte by byte, with everything but printable ASCII in hexadecimal.
fn quote(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    #[cfg(feature = "check")]
    fn times_are_kept_in_utc() {
        for (text, utc) in [
            ("2024-01-01T01:02:03Z", "2024-01-01T01:02:03Z"),
            ("2024-01-01T1:02:03.75+01:30", "2023-12-31T23:32:03Z"),
            ("2024-02-29T23:30:00,5-01:00", "2024-03-01T00:30:00Z"),
            ("2023-12-31T23:59:59-24:60", "2024-01-02T00:59:59Z"),
            ("0000-01-01T00:00:00+01:00", "0000-01-01T00:00:00+01:00"),
        ] {
            assert_eq!(super::in_utc(text), utc);
        }
    }

    #[test]
    fn says_what_go_says() {
        for text in [
            "2024-02-29T00:00:00Z",
            "2024-01-01T1:02:03Z",
            "2024-01-01T01:02:03.5+24:60",
            "2024-01-01T01:02:03,25-01:00",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        let layout = "as \"2006-01-02T15:04:05Z07:00\": cannot parse";
        for (text, message) in [
            ("", format!("parsing time \"\" {layout} \"\" as \"2006\"")),
            ("zz", format!("parsing time \"zz\" {layout} \"zz\" as \"2006\"")),
            ("2024-1-01", format!("parsing time \"2024-1-01\" {layout} \"1-01\" as \"01\"")),
            ("2024-13-01T00:00:00Z", "parsing time \"2024-13-01T00:00:00Z\": month out of range".into()),
            ("2023-02-29T00:00:00Z", "parsing time \"2023-02-29T00:00:00Z\": day out of range".into()),
            ("2023-02-01 00", format!("parsing time \"2023-02-01 00\" {layout} \" 00\" as \"T\"")),
            ("2024-01-01T00:00:00Zx", "parsing time \"2024-01-01T00:00:00Zx\": extra text: \"x\"".into()),
            (
                "2024-01-01T00:00:00",
                format!("parsing time \"2024-01-01T00:00:00\" {layout} \"\" as \"Z07:00\""),
            ),
            ("\u{e9}", format!("parsing time \"\\xc3\\xa9\" {layout} \"\\xc3\\xa9\" as \"2006\"")),
        ] {
            assert_eq!(check(text), Err(message), "{text}");
        }
    }
}
