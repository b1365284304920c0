//! Quoting and lower-casing of strings, as in Go's `strconv`, `unicode` and `strings`.

/// Quotes a string as a Go string literal: `strconv.Quote`, `%q`.
///
/// ```
/// assert_eq!(crd_go::strings::quote("a\"b\n\u{a0}"), r#""a\"b\n\u00a0""#);
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if is_print(c) => out.push(c),
            c => {
                // Writing to a string cannot fail.
                let _ = match u32::from(c) {
                    code @ (..0x20 | 0x7f) => write!(out, "\\x{code:02x}"),
                    code @ ..0x1_0000 => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push('"');
    out
}

/// Appends a string to `out`, as `json.Marshal` prints it, quotes included.
///
/// ```
/// let mut out = String::new();
/// crd_go::strings::write_json_string(&mut out, "a\t<b>");
/// assert_eq!(out, r#""a\t\u003cb\u003e""#);
/// ```
pub fn write_json_string(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Returns `true` if a character is printable: a letter, mark, number, punctuation mark or symbol, or the ASCII space
/// (`unicode.IsPrint`).
///
/// ```
/// use crd_go::strings::is_print;
///
/// assert!(is_print('\u{e9}') && is_print(' '));
/// assert!(!is_print('\u{a0}') && !is_print('\n'));
/// ```
#[must_use]
pub fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    // `escape_debug` escapes exactly the characters that are not printable in that sense, and combining marks only at the start.
    let mut buffer = [0; 8];
    buffer[0] = b'a';
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    std::str::from_utf8(&buffer[..length]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
}

/// Converts a string to lower case, character by character: `strings.ToLower`.
///
/// ```
/// // Rust's `str::to_lowercase` writes a final sigma differently.
/// assert_eq!(crd_go::strings::to_lower("\u{391}\u{3a3}"), "\u{3b1}\u{3c3}");
/// ```
#[must_use]
pub fn to_lower(text: &str) -> String {
    text.chars()
        .map(|c| {
            let mut lower = c.to_lowercase();
            // Only U+0130 has two; its simple mapping is the first.
            lower.next().unwrap_or(c)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_go() {
        for (text, quoted) in [
            ("a\"b\\", r#""a\"b\\""#),
            ("\u{1}\u{1f}\u{7f}", r#""\x01\x1f\x7f""#),
            ("a\u{a0}b", r#""a\u00a0b""#),
            ("e\u{301}\u{5d0}\u{1f642}", "\"e\u{301}\u{5d0}\u{1f642}\""),
            ("\u{301}", "\"\u{301}\""),
            ("\u{200b}\u{e000}\u{f0000}", r#""\u200b\ue000\U000f0000""#),
            ("\u{7}\u{8}\u{b}\u{c}\t\r\n'", r#""\a\b\v\f\t\r\n'""#),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }

    #[test]
    fn lowers_as_go() {
        assert_eq!(to_lower("\u{130}K\u{212a}\u{3a3}"), "ikk\u{3c3}");
    }
}
