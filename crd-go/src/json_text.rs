//! JSON in strings of code: patches, schemas, defaults.
//!
//! The derives read such strings while they run. `serde_json` would add serde to the build of the macros, and building serde
//! takes longer than building this whole crate.

use std::fmt;
use std::iter::Peekable;
use std::str::CharIndices;

/// A JSON value.
///
/// ```
/// use crd_go::json_text::JsonText;
///
/// let value = JsonText::parse(r#"{"b": [1.50, "x"], "a": null}"#)?;
/// assert_eq!(value.to_string(), r#"{"b":[1.50,"x"],"a":null}"#);
///
/// let error = JsonText::parse(r#"{"a": treu}"#).unwrap_err();
/// assert_eq!(error, "expected ident at line 1 column 9");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonText {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Self>),
    /// The fields of an object, in order.
    Object(Vec<(String, Self)>),
}

impl JsonText {
    /// Maximum depth of nested values.
    const MAX_DEPTH: u32 = 127;

    /// Reads JSON.
    ///
    /// # Errors
    /// - The text is not valid JSON, or is nested too deeply. The error is the first mistake with its position, in `serde_json`'s words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = JsonReader { text, chars: text.char_indices().peekable(), depth: 0 };
        let value = reader.value()?;
        match reader.next_word() {
            None => Ok(value),
            Some(_) => Err(reader.error("trailing characters")),
        }
    }

    /// Returns the kind of value in words: `a string`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Returns the fields of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(flag) => flag.fmt(f),
            Self::Number(number) => f.write_str(number),
            Self::String(text) => write_string(text, f),
            Self::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "[" } else { "," })?;
                }
                f.write_str(if items.is_empty() { "[]" } else { "]" })
            }
            Self::Object(fields) => {
                for (i, (key, value)) in fields.iter().enumerate() {
                    f.write_str(if i == 0 { "{" } else { "," })?;
                    write_string(key, f)?;
                    write!(f, ":{value}")?;
                }
                f.write_str(if fields.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

fn write_string(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\0'..='\u{1f}' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

struct JsonReader<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    depth: u32,
}

impl JsonReader<'_> {
    /// Returns the next character, without consuming it.
    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    /// Skips space, and returns the character after it without consuming it.
    fn next_word(&mut self) -> Option<char> {
        while self.chars.next_if(|(_, c)| matches!(c, ' ' | '\n' | '\t' | '\r')).is_some() {}
        self.peek()
    }

    /// Returns the error at the next character, or at the end of the text.
    fn error(&mut self, message: &str) -> String {
        let end = self.chars.peek().map_or(self.text.len(), |(at, c)| at + c.len_utf8());
        let before = &self.text[..end];
        let column = end - before.rfind('\n').map_or(0, |line| line + 1);
        format!("{message} at line {} column {column}", before.matches('\n').count() + 1)
    }

    fn value(&mut self) -> Result<JsonText, String> {
        let first = self.next_word();
        match first {
            Some('n') => self.word("null", JsonText::Null),
            Some('t') => self.word("true", JsonText::Bool(true)),
            Some('f') => self.word("false", JsonText::Bool(false)),
            Some('"') => self.string().map(JsonText::String),
            Some('-' | '0'..='9') => self.number(),
            Some('[' | '{') if self.depth == JsonText::MAX_DEPTH => {
                Err(self.error("recursion limit exceeded"))
            }
            Some('[') => self.nested(Self::array),
            Some('{') => self.nested(Self::object),
            Some(_) => Err(self.error("expected value")),
            None => Err(self.error("EOF while parsing a value")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<JsonText, String>) -> Result<JsonText, String> {
        self.chars.next();
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &str, value: JsonText) -> Result<JsonText, String> {
        for expected in word.chars() {
            match self.peek() {
                Some(c) if c == expected => self.chars.next(),
                Some(_) => return Err(self.error("expected ident")),
                None => return Err(self.error("EOF while parsing a value")),
            };
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<JsonText, String> {
        let mut number = String::new();
        self.take("-", &mut number);
        let has_zero = self.peek() == Some('0');
        if self.digits(&mut number)? > 1 && has_zero {
            return Err(self.error("invalid number"));
        }
        if self.take(".", &mut number) {
            self.digits(&mut number)?;
        }
        if self.take("eE", &mut number) {
            self.take("+-", &mut number);
            self.digits(&mut number)?;
        }
        match number.parse::<f64>() {
            Ok(float) if float.is_finite() => Ok(JsonText::Number(number)),
            _ => Err(self.error("number out of range")),
        }
    }

    /// Consumes the next character if it is one of `expected`.
    fn take(&mut self, expected: &str, out: &mut String) -> bool {
        let found = self.chars.next_if(|(_, c)| expected.contains(*c));
        out.extend(found.map(|(_, c)| c));
        found.is_some()
    }

    /// Reads at least one digit, and returns the number of digits.
    fn digits(&mut self, out: &mut String) -> Result<usize, String> {
        let before = out.len();
        while self.take("0123456789", out) {}
        match (out.len() - before, self.peek()) {
            (0, None) => Err(self.error("EOF while parsing a value")),
            (0, Some(_)) => Err(self.error("invalid number")),
            (count, _) => Ok(count),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let mut out = String::new();
        self.chars.next();
        loop {
            match self.peek() {
                None => return Err(self.error("EOF while parsing a string")),
                Some('"') => {
                    self.chars.next();
                    return Ok(out);
                }
                Some('\\') => {
                    self.chars.next();
                    out.push(self.escape()?);
                }
                Some('\0'..='\u{1f}') => {
                    let message = "control character (\\u0000-\\u001F) found while parsing a string";
                    return Err(self.error(message));
                }
                Some(c) => {
                    self.chars.next();
                    out.push(c);
                }
            }
        }
    }

    /// Reads an escape, after the backslash.
    fn escape(&mut self) -> Result<char, String> {
        let c = match self.peek() {
            None => return Err(self.error("EOF while parsing a string")),
            Some('u') => {
                self.chars.next();
                return self.unicode();
            }
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(_) => return Err(self.error("invalid escape")),
        };
        self.chars.next();
        Ok(c)
    }

    /// Reads `XXXX` of `\uXXXX` and, for a pair of surrogates, the second escape.
    fn unicode(&mut self) -> Result<char, String> {
        let high = self.hex()?;
        let mut code = high;
        if let 0xd800..=0xdbff = high {
            let is_pair = self.chars.next_if(|(_, c)| *c == '\\').is_some()
                && self.chars.next_if(|(_, c)| *c == 'u').is_some();
            let low = if is_pair { self.hex()? } else { 0 };
            // Anything but the second half of a pair makes a code that is not a character.
            code = match low {
                0xdc00..=0xdfff => 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00),
                _ => high,
            };
        }
        char::from_u32(code).ok_or_else(|| self.error("lone leading surrogate in hex escape"))
    }

    fn hex(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            match self.peek().map(|c| (c, c.to_digit(16))) {
                Some((_, Some(digit))) => code = code * 16 + digit,
                Some((_, None)) => return Err(self.error("invalid escape")),
                None => return Err(self.error("EOF while parsing a string")),
            }
            self.chars.next();
        }
        Ok(code)
    }

    fn array(&mut self) -> Result<JsonText, String> {
        let mut items = Vec::new();
        if self.next_word() == Some(']') {
            self.chars.next();
            return Ok(JsonText::Array(items));
        }
        if self.peek().is_none() {
            return Err(self.error("EOF while parsing a list"));
        }
        loop {
            items.push(self.value()?);
            match self.next_word() {
                Some(',') => {
                    self.chars.next();
                    if self.next_word() == Some(']') {
                        return Err(self.error("trailing comma"));
                    }
                }
                Some(']') => {
                    self.chars.next();
                    return Ok(JsonText::Array(items));
                }
                Some(_) => return Err(self.error("expected `,` or `]`")),
                None => return Err(self.error("EOF while parsing a list")),
            }
        }
    }

    fn object(&mut self) -> Result<JsonText, String> {
        let mut fields = Vec::new();
        if self.next_word() == Some('}') {
            self.chars.next();
            return Ok(JsonText::Object(fields));
        }
        loop {
            match self.next_word() {
                Some('"') => {}
                Some('}') => return Err(self.error("trailing comma")),
                Some(_) => return Err(self.error("key must be a string")),
                None if fields.is_empty() => return Err(self.error("EOF while parsing an object")),
                None => return Err(self.error("EOF while parsing a value")),
            }
            let key = self.string()?;
            match self.next_word() {
                Some(':') => self.chars.next(),
                Some(_) => return Err(self.error("expected `:`")),
                None => return Err(self.error("EOF while parsing an object")),
            };
            let value = self.value()?;
            fields.push((key, value));
            match self.next_word() {
                Some(',') => self.chars.next(),
                Some('}') => {
                    self.chars.next();
                    return Ok(JsonText::Object(fields));
                }
                Some(_) => return Err(self.error("expected `,` or `}`")),
                None => return Err(self.error("EOF while parsing an object")),
            };
        }
    }
}

#[cfg(all(test, feature = "json"))]
mod tests {
    use super::*;

    const TEXTS: &[&str] = &[
        "null",
        " true ",
        "false",
        "0",
        "-0",
        "12",
        "-1.5e+3",
        "1E9",
        "[]",
        "[ ]",
        "[1, 2]",
        "{}",
        "{ }",
        r#"{"a": {"b": [true, null]}, "a": 1}"#,
        r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00x""#,
        "\"\u{e9}\u{7f}\"",
        "",
        " ",
        "nul",
        "nulx",
        "treu",
        "tru",
        "01",
        "-",
        "-x",
        "1.",
        "1.x",
        "1e",
        "1e+",
        "1e999",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[1 2]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{1: 2}",
        "{\"a\":1 \"b\"}",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12",
        "\"\n\"",
        "1 2",
        "\n\n  x",
        "[\n1,\nx]",
        "'a'",
        "{\"a\":\n treu}",
    ];

    /// Accepted texts give the same value, and rejected texts the same error.
    #[test]
    fn reads_as_serde_json() {
        let mut deep = "[".repeat(127) + &"]".repeat(127);
        for text in TEXTS.iter().copied().chain([deep.as_str()]) {
            let expected = serde_json::from_str::<serde_json::Value>(text).map_err(|error| error.to_string());
            let found = JsonText::parse(text);
            match (found, expected) {
                (Ok(found), Ok(expected)) => {
                    let found: serde_json::Value = serde_json::from_str(&found.to_string()).expect("JSON");
                    assert_eq!(found, expected, "{text}");
                }
                (found, expected) => assert_eq!(found.err(), expected.err(), "{text}"),
            }
        }
        deep.insert(0, '[');
        let error = JsonText::parse(&deep).expect_err("too deep");
        assert_eq!(error, "recursion limit exceeded at line 1 column 128");
    }

    #[test]
    fn surrogates_come_in_pairs() {
        for text in [r#""\ud83d""#, r#""\ud83dx""#, r#""\ud83d\u0041""#, r#""\ude00""#] {
            assert!(JsonText::parse(text).is_err(), "{text}");
        }
    }
}
