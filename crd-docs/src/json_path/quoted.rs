//! Quoted strings in paths: Go's `strconv.Unquote`, but single quotes also enclose strings.

/// Returns the string between the quotes, or `None` if it is malformed.
pub(super) fn unquote(text: &str) -> Option<String> {
    let quote = text.chars().next()?;
    if text.len() < 2 || !text.ends_with(quote) || !matches!(quote, '"' | '\'') {
        return None;
    }
    let mut rest = &text[1..text.len() - 1];
    let mut out = Vec::with_capacity(rest.len());
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == quote {
            return None;
        }
        if c == '\\' {
            rest = escape(rest, quote, &mut out)?;
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    // Escapes of bytes may make a string that is not UTF-8, which Go prints as replacement characters in JSON.
    Some(String::from_utf8_lossy(&out).into_owned())
}

/// Parses an escape sequence after the backslash, and returns the rest of the text.
fn escape<'t>(rest: &'t str, quote: char, out: &mut Vec<u8>) -> Option<&'t str> {
    let c = rest.chars().next()?;
    let after = &rest[c.len_utf8()..];
    let simple = match c {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '\'' | '"' if c == quote => return push(out, &[c as u8], after),
        'x' => return number(after, 2, 16, false, out),
        'u' => return number(after, 4, 16, true, out),
        'U' => return number(after, 8, 16, true, out),
        '0'..='7' => return number(rest, 3, 8, false, out),
        _ => return None,
    };
    push(out, &[simple], after)
}

fn number<'t>(rest: &'t str, digits: usize, radix: u32, is_char: bool, out: &mut Vec<u8>) -> Option<&'t str> {
    let text = rest.get(..digits).filter(|text| text.chars().all(|c| c.is_digit(radix)))?;
    let value = u32::from_str_radix(text, radix).ok()?;
    let after = &rest[digits..];
    if is_char {
        return push(out, char::from_u32(value)?.encode_utf8(&mut [0; 4]).as_bytes(), after);
    }
    push(out, &[u8::try_from(value).ok()?], after)
}

fn push<'t>(out: &mut Vec<u8>, bytes: &[u8], rest: &'t str) -> Option<&'t str> {
    out.extend_from_slice(bytes);
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn strings_are_read_as_go_reads_them() {
        for (text, expected) in [
            (r#""a""#, Some("a")),
            (r"'a\'b'", Some("a'b")),
            (r#"'a\"b'"#, None),
            (r#""\n\x41\101\u00e9""#, Some("\nAA\u{e9}")),
            (r#""a"#, None),
            (r#""\q""#, None),
            (r#""\400""#, None),
        ] {
            assert_eq!(unquote(text).as_deref(), expected, "{text}");
        }
    }
}
