//! Parser of timestamps: Go's `time.Parse`, with its errors.

use super::{Timestamp, days_in, days_since_1970};

/// A layout of timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `2006-01-02T15:04:05Z07:00`
    Rfc3339,
    /// The layout without a zone.
    Local,
    /// `2006-01-02`
    Date,
}

impl Layout {
    fn text(self) -> &'static str {
        match self {
            Self::Rfc3339 => "2006-01-02T15:04:05Z07:00",
            Self::Local => "2006-01-02T15:04:05",
            Self::Date => "2006-01-02",
        }
    }
}

impl Timestamp {
    /// Parses a timestamp of RFC 3339 as Go does. The year may be outside the range of [`Timestamp::is_in_range`].
    ///
    /// ```
    /// use crd_go::time::Timestamp;
    ///
    /// // Go accepts an hour of one digit and a comma before the fraction.
    /// let time = Timestamp::parse("2024-01-01T1:02:03,5Z").unwrap();
    /// assert_eq!(time.print(), "2024-01-01T01:02:03.5Z");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse(text, Layout::Rfc3339).ok()
    }
}

/// Parses a timestamp: `time.Parse`.
///
/// # Errors
/// - The string does not have the layout, or a number is out of range. The error is the reason, in Go's words.
///
/// ```
/// use crd_go::time::{Layout, parse};
///
/// assert_eq!(parse("2024-02-29", Layout::Date).unwrap().seconds, 19_782 * 86_400);
/// let error = parse("2023-02-29", Layout::Date).unwrap_err();
/// assert_eq!(error, r#"parsing time "2023-02-29": day out of range"#);
/// ```
pub fn parse(text: &str, layout: Layout) -> Result<Timestamp, String> {
    let mut reader = Reader { whole: text, rest: text, layout };
    let year = reader.number("2006", 4, 4)?;
    reader.literal("-")?;
    let month = reader.in_range("01", "month", 2, 1..=12)?;
    reader.literal("-")?;
    let day = reader.number("02", 2, 2)?;
    let (mut clock, mut nanos, mut offset) = (0, 0, 0);
    if layout != Layout::Date {
        reader.literal("T")?;
        // Go takes an hour of one digit.
        let hour = reader.in_range("15", "hour", 1, 0..=23)?;
        reader.literal(":")?;
        let minute = reader.in_range("04", "minute", 2, 0..=59)?;
        reader.literal(":")?;
        let second = reader.in_range("05", "second", 2, 0..=59)?;
        nanos = reader.fraction();
        clock = hour * 3600 + minute * 60 + second;
        if layout == Layout::Rfc3339 {
            offset = reader.offset()?;
        }
    }
    if !reader.rest.is_empty() {
        return Err(reader.message(&format!(": extra text: {}", quote(reader.rest))));
    }
    if day < 1 || day > days_in(year, month) {
        return Err(reader.message(": day out of range"));
    }
    let seconds = days_since_1970(year, month, day) * 86_400 + clock - i64::from(offset);
    Ok(Timestamp { seconds, nanos, offset })
}

struct Reader<'t> {
    whole: &'t str,
    rest: &'t str,
    layout: Layout,
}

impl Reader<'_> {
    fn message(&self, message: &str) -> String {
        format!("parsing time {}{message}", quote(self.whole))
    }

    fn bad(&self, rest: &str, expected: &str) -> String {
        let layout = quote(self.layout.text());
        let (rest, expected) = (quote(rest), quote(expected));
        self.message(&format!(" as {layout}: cannot parse {rest} as {expected}"))
    }

    fn literal(&mut self, literal: &str) -> Result<(), String> {
        self.rest = self.rest.strip_prefix(literal).ok_or_else(|| self.bad(self.rest, literal))?;
        Ok(())
    }

    /// Returns a number of two to four digits; if `least` is 1, one digit is enough.
    fn number(&mut self, name: &str, least: usize, most: usize) -> Result<i64, String> {
        let digits = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let length = if digits == most { most } else { least };
        let number =
            self.rest.get(..length).filter(|_| digits >= least).and_then(|digits| digits.parse().ok());
        let number = number.ok_or_else(|| self.bad(self.rest, name))?;
        self.rest = &self.rest[length..];
        Ok(number)
    }

    fn in_range(
        &mut self,
        name: &str,
        what: &str,
        least: usize,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<i64, String> {
        let number = self.number(name, least, 2)?;
        if range.contains(&number) {
            Ok(number)
        } else {
            Err(self.message(&format!(": {what} out of range")))
        }
    }

    fn fraction(&mut self) -> u32 {
        let Some(after) = self.rest.strip_prefix(['.', ',']) else { return 0 };
        let length = after.bytes().take_while(u8::is_ascii_digit).count();
        if length > 0 {
            self.rest = &after[length..];
        }
        // Digits beyond the nanosecond are cut off.
        let nine: String = after[..length].chars().chain(std::iter::repeat('0')).take(9).collect();
        nine.parse().unwrap_or(0)
    }

    fn offset(&mut self) -> Result<i32, String> {
        const NAME: &str = "Z07:00";
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let digit = |byte: u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
        let parsed = match *self.rest.as_bytes() {
            [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2, ..] => (|| {
                let (hours, minutes) = (digit(h1)? * 10 + digit(h2)?, digit(m1)? * 10 + digit(m2)?);
                Some((hours, minutes, if sign == b'-' { -1 } else { 1 }))
            })(),
            _ => None,
        };
        let (hours, minutes, sign) = parsed.ok_or_else(|| self.bad(self.rest, NAME))?;
        // Some write offsets of 24 hours or 60 minutes, so Go takes them.
        if hours > 24 {
            return Err(self.message(": time zone offset hour out of range"));
        }
        if minutes > 60 {
            return Err(self.message(": time zone offset minute out of range"));
        }
        self.rest = &self.rest[6..];
        Ok(sign * (hours * 3600 + minutes * 60))
    }
}

/// Quotes a string as Go's package `time` does. Each byte that is not printable ASCII is written in hexadecimal, as in `\x0a`.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
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
    use super::*;

    #[test]
    fn errors_are_those_of_go() {
        for (text, error) in [
            ("2020-01-01t00:00:00z", r#" as "2006-01-02T15:04:05": cannot parse "t00:00:00z" as "T""#),
            ("2020-13-01T00:00:00", ": month out of range"),
            ("2021-02-29T00:00:00", ": day out of range"),
            ("20-01-01", r#" as "2006-01-02T15:04:05": cannot parse "20-01-01" as "2006""#),
            ("2020-01-01T00:00:00x", r#": extra text: "x""#),
        ] {
            let parsed = parse(text, Layout::Local);
            assert_eq!(parsed, Err(format!("parsing time {text:?}{error}")));
        }
        let accented = r#"parsing time "\xc3\xa9" as "2006-01-02": cannot parse "\xc3\xa9" as "2006""#;
        assert_eq!(parse("\u{e9}", Layout::Date), Err(accented.to_owned()));
    }
}
