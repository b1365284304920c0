//! Reads the values of literals.

use std::borrow::Cow;

use crd_go::KubeVersion;

use crate::ast::Literal;
use crate::lex::TokenKind;

/// Parses a number, including its sign.
pub(crate) fn number<'s>(kind: TokenKind, text: &str, negative: bool) -> Result<Literal<'s>, &'static str> {
    match kind {
        TokenKind::Int => int(text, negative).map(Literal::Int).ok_or("invalid int literal"),
        TokenKind::Uint => {
            let text = &text[..text.len() - 1];
            unsigned(text).map(Literal::Uint).ok_or("invalid uint literal")
        }
        _ => {
            let value: f64 = text.parse().map_err(|_| "invalid double literal")?;
            if value.is_infinite() {
                return Err("invalid double literal");
            }
            Ok(Literal::Double(if negative { -value } else { value }))
        }
    }
}

fn int(text: &str, negative: bool) -> Option<i64> {
    let value = unsigned(text)?;
    if negative { 0i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() }
}

fn unsigned(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Parses a string literal, including its prefix and quotes.
pub(crate) fn string(text: &str, server: KubeVersion) -> Result<Cow<'_, str>, &'static str> {
    let (body, raw) = body(text);
    let body = normalize_newlines(body);
    if raw || !body.contains('\\') {
        return Ok(body);
    }
    let mut value = String::with_capacity(body.len());
    let mut rest = &*body;
    while let Some(backslash) = rest.find('\\') {
        value.push_str(&rest[..backslash]);
        let (code, _, length) = escape(&rest[backslash..])?;
        value.push(match char::from_u32(code) {
            Some(point) => point,
            None if server.is_at_least(33) => return Err("invalid unicode code point"),
            None if code > u32::from(char::MAX) => return Err("unable to unescape string"),
            // Half of a pair of surrogates was replaced.
            None => char::REPLACEMENT_CHARACTER,
        });
        rest = &rest[backslash + length..];
    }
    value.push_str(rest);
    Ok(Cow::Owned(value))
}

/// Parses a bytes literal, including its prefix and quotes.
pub(crate) fn bytes(text: &str) -> Result<Cow<'_, [u8]>, &'static str> {
    let (body, raw) = body(&text[1..]);
    let body = normalize_newlines(body);
    if raw || !body.contains('\\') {
        return Ok(match body {
            Cow::Borrowed(body) => Cow::Borrowed(body.as_bytes()),
            Cow::Owned(body) => Cow::Owned(body.into_bytes()),
        });
    }
    let mut value = Vec::with_capacity(body.len());
    let mut rest = &*body;
    while let Some(backslash) = rest.find('\\') {
        value.extend_from_slice(&rest.as_bytes()[..backslash]);
        let (code, unicode, length) = escape(&rest[backslash..])?;
        let byte = u8::try_from(code).ok().filter(|_| !unicode);
        value.push(byte.ok_or("unable to unescape string")?);
        rest = &rest[backslash + length..];
    }
    value.extend_from_slice(rest.as_bytes());
    Ok(Cow::Owned(value))
}

/// Returns the text between the quotes, and `true` for a raw literal.
fn body(text: &str) -> (&str, bool) {
    let unprefixed = text.trim_start_matches(['r', 'R']);
    let quote = &unprefixed[..1];
    let triple = unprefixed.len() >= 6 && unprefixed.starts_with(&quote.repeat(3));
    let quotes = if triple { 3 } else { 1 };
    (&unprefixed[quotes..unprefixed.len() - quotes], unprefixed.len() < text.len())
}

fn normalize_newlines(body: &str) -> Cow<'_, str> {
    if body.contains('\r') {
        return Cow::Owned(body.replace("\r\n", "\n").replace('\r', "\n"));
    }
    Cow::Borrowed(body)
}

/// Decodes the escape sequence at the beginning of `text`. Returns the code, `true` for `\u` and `\U`, and the sequence's length. The lexer
/// has checked that the sequence is complete.
fn escape(text: &str) -> Result<(u32, bool, usize), &'static str> {
    const BROKEN: &str = "unable to unescape string";
    let hex = |length: usize| {
        let digits = text.get(2..length).ok_or(BROKEN)?;
        u32::from_str_radix(digits, 16).map_err(|_| BROKEN)
    };
    let code = match text.as_bytes().get(1).ok_or(BROKEN)? {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => 0x0a,
        b'r' => 0x0d,
        b't' => 0x09,
        b'v' => 0x0b,
        b'x' | b'X' => return Ok((hex(4)?, false, 4)),
        b'u' => return Ok((hex(6)?, true, 6)),
        b'U' => return Ok((hex(10)?, true, 10)),
        b'0'..=b'3' => {
            let digits = text.get(1..4).ok_or(BROKEN)?;
            return Ok((u32::from_str_radix(digits, 8).map_err(|_| BROKEN)?, false, 4));
        }
        other => u32::from(*other),
    };
    Ok((code, false, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: KubeVersion = KubeVersion::new(33);

    #[test]
    fn strings_are_unescaped() {
        for (text, value) in [
            ("'a'", "a"),
            (r#""\a\b\f\n\r\t\v\\\?\"\'\`""#, "\x07\x08\x0c\n\r\t\x0b\\?\"'`"),
            (r"'\x41\101\u00e9\U0001F600'", "AAé😀"),
            (r"r'\n'", r"\n"),
            ("'''a\r\nb\rc'''", "a\nb\nc"),
            ("''''''", ""),
            ("''", ""),
        ] {
            assert_eq!(string(text, NEW).as_deref(), Ok(value), "{text}");
        }
        assert_eq!(string(r"'\ud800'", NEW), Err("invalid unicode code point"));
        let old = KubeVersion::new(32);
        assert_eq!(string(r"'\ud800'", old).as_deref(), Ok("\u{fffd}"));
        assert_eq!(string(r"'\U00110000'", old), Err("unable to unescape string"));
        assert_eq!(bytes(r"b'é\xff\377'").as_deref(), Ok(&[0xc3, 0xa9, 0xff, 0xff][..]));
        assert_eq!(bytes(r"b'\u00e9'"), Err("unable to unescape string"));
    }

    #[test]
    fn numbers_have_their_limits() {
        assert_eq!(number(TokenKind::Int, "9223372036854775808", true), Ok(Literal::Int(i64::MIN)));
        assert_eq!(number(TokenKind::Int, "9223372036854775808", false), Err("invalid int literal"));
        assert_eq!(number(TokenKind::Uint, "0xffu", false), Ok(Literal::Uint(255)));
        assert_eq!(number(TokenKind::Float, ".5", true), Ok(Literal::Double(-0.5)));
        assert_eq!(number(TokenKind::Float, "1e400", false), Err("invalid double literal"));
    }
}
