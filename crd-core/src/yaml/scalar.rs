//! Writes strings and numbers as scalars that readers of YAML 1.1 and 1.2 read as the same value.

use std::fmt::Write as _;

use serde_json::Number;

/// Writes a key, without quotes or in double quotes. The mapping that contains the key is indented by `indent`.
pub(super) fn key(text: &str, indent: usize, out: &mut String) {
    // Readers require `?` before a key of more than 1024 bytes; Go's reader before one of more than 128.
    if text.len() > 128 {
        out.push_str("? ");
        quoted(text, out);
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent));
        return;
    }
    if is_plain(text) { out.push_str(text) } else { quoted(text, out) }
}

/// Writes a string: without quotes, as a literal block with lines at `indent`, or in quotes.
pub(super) fn text(text: &str, indent: usize, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else if is_block(text) {
        block(text, indent, out);
    } else if is_readable(text) && (text.contains('\\') || text.contains('"')) {
        // Patterns and CEL rules stay readable in single quotes, where nothing but the quote itself is special.
        out.push('\'');
        out.push_str(&text.replace('\'', "''"));
        out.push('\'');
    } else {
        quoted(text, out);
    }
}

/// Writes a number as YAML. YAML 1.1 reads `1e3` as a string: an exponent needs a point and a sign.
pub(super) fn number(number: &Number, out: &mut String) {
    let digits = number.to_string();
    let Some((mantissa, exponent)) = digits.split_once(['e', 'E']) else {
        out.push_str(&digits);
        return;
    };
    out.push_str(mantissa);
    if !mantissa.contains('.') {
        out.push_str(".0");
    }
    out.push('e');
    if !exponent.starts_with(['-', '+']) {
        out.push('+');
    }
    out.push_str(exponent);
}

/// Returns `true` if a string needs no quotes: it consists of letters, digits and harmless punctuation, begins with a letter
/// or one of `/._`, and has no other meaning in YAML 1.1 or 1.2.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./,()+ $;".contains(c) || is_inner_letter(c);
    (first.is_ascii_alphabetic() || (first == '.' && starts_path(text)) || first == '/')
        && text.chars().all(harmless)
        && !text.ends_with(' ')
        && !is_resolved(text)
}

/// Returns `true` for a string such as `.spec.replicas`; every reader reads `.5` and `.inf` as numbers.
fn starts_path(text: &str) -> bool {
    text.len() > 4 && text[1..].starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Returns `true` for a letter outside ASCII that every version of YAML allows.
fn is_inner_letter(c: char) -> bool {
    c.is_alphabetic() && !c.is_ascii() && is_printable(c)
}

/// Returns `true` for the words with a meaning in YAML 1.1 or 1.2. A number cannot begin with a letter, except for
/// `.inf` and `.nan`, which are short.
fn is_resolved(text: &str) -> bool {
    const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns `true` if every reader reads the string back from a literal block. The string must have several lines of printable characters,
/// and at most one line break at the end. Spaces are not allowed at the beginning of the string or at the end of a line.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    text.contains('\n')
        && !body.is_empty()
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n'])
        && body.split('\n').all(|line| !line.ends_with(' ') && is_readable(line))
        // A document marker within a block ends the document in some readers.
        && !body.split('\n').any(|line| line.starts_with("---") || line.starts_with("..."))
}

fn block(text: &str, indent: usize, out: &mut String) {
    out.push_str(if text.ends_with('\n') { "|" } else { "|-" });
    let body = text.strip_suffix('\n').unwrap_or(text);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            // A block at the top must be indented as well.
            out.extend(std::iter::repeat_n(' ', indent.max(2)));
            out.push_str(line);
        }
    }
}

/// Returns `true` if a block or single quotes can contain every character.
fn is_readable(text: &str) -> bool {
    text.chars().all(is_printable)
}

/// Returns `true` for a printable character of YAML. Line breaks of any kind, tabs, byte order marks and characters that change the
/// direction of text are excluded, because a reviewer must see the text that a cluster reads.
pub(super) fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' => {
            !matches!(c, '\u{2028}'..='\u{202e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
        }
        '\u{10000}'..='\u{10ffff}' => !matches!(c, '\u{e0000}'..='\u{e0fff}'),
        _ => false,
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_printable(c) => out.push(c),
            c => escape(c, out),
        }
    }
    out.push('"');
}

fn escape(c: char, out: &mut String) {
    let code = u32::from(c);
    // Writing into a `String` cannot fail.
    let _ = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}
