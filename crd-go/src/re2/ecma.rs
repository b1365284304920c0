//! Converts patterns to the regular expressions of ECMAScript, as in JSON Schema.

use std::fmt::Write;

use regex_syntax::hir::{ClassUnicode, Look};

use super::ast::{Ast, Kind, Repeat};
use super::class::{cases, perl};
use super::parse::parse;

/// Returns an ECMAScript regular expression that matches the same strings as the pattern. The flag `u` is necessary if classes contain
/// characters beyond U+FFFF, and otherwise makes no difference. Go interprets the result in the same way. A pattern that ECMAScript
/// interprets in the same way as Go is returned unchanged; in other patterns, flags and named classes are expanded: `(?i)a` as `[Aa]`.
///
/// Returns `None` if the pattern is invalid or has `(?m)`, which ECMAScript cannot express within a pattern, or if the result has more than
/// `most_bytes`.
///
/// ```
/// use crd_go::re2::to_ecma;
///
/// assert_eq!(to_ecma("(?i)^on|off$", 100).as_deref(), Some("^[Oo][Nn]|[Oo][Ff][Ff]$"));
/// assert_eq!(to_ecma(r"[[:alpha:]]\d{2,}", 100).as_deref(), Some(r"[A-Za-z]\d{2,}"));
/// assert_eq!(to_ecma("(?m)^a", 100), None);
/// assert_eq!(to_ecma(r"\pL", 100), None);
/// ```
#[must_use]
pub fn to_ecma(pattern: &str, most_bytes: usize) -> Option<String> {
    let ast = parse(pattern).ok()?;
    if is_common(pattern) {
        return Some(pattern.to_owned());
    }
    let mut out = String::new();
    write(&ast, most_bytes, &mut out)?;
    Some(out).filter(|out| out.len() <= most_bytes)
}

/// Returns `true` if all syntax in a pattern that Go accepts has the same meaning in ECMAScript, with or without the flag `u`.
fn is_common(pattern: &str) -> bool {
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' => match rest.as_bytes().get(1) {
                Some(b'd' | b'w') if !in_class => 2,
                Some(escaped) if br"^$\.*+?()[]{}|/".contains(escaped) => 2,
                _ => return false,
            },
            '[' if in_class || rest.starts_with("[]") || rest.starts_with("[^]") => return false,
            '[' if rest.starts_with("[^") => 2,
            '(' if !in_class && rest.starts_with("(?") && !rest.starts_with("(?:") => return false,
            '{' if !in_class => match repetition_length(rest) {
                Some(length) => length,
                None => return false,
            },
            '.' | ']' | '}' if !in_class => return false,
            c => c.len_utf8(),
        };
        in_class = in_class && c != ']' || c == '[';
        rest = &rest[length..];
    }
    true
}

/// Returns the length of `{2}`, `{2,}` or `{2,5}`; `None` for a literal brace.
fn repetition_length(rest: &str) -> Option<usize> {
    let end = rest.find('}')?;
    let (least, most) = rest[1..end].split_once(',').unwrap_or((&rest[1..end], ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then_some(end + 1)
}

/// Writes a node; stops once there are more than `most_bytes`.
fn write(ast: &Ast, most_bytes: usize, out: &mut String) -> Option<()> {
    if out.len() > most_bytes {
        return None;
    }
    match &ast.kind {
        Kind::Empty => {}
        Kind::Literal(text, false) => text.chars().for_each(|c| character(c, false, out)),
        Kind::Literal(text, true) => {
            for c in text.chars() {
                class(&cases(c), out);
                if out.len() > most_bytes {
                    return None;
                }
            }
        }
        Kind::Class(ranges) => class(ranges, out),
        Kind::Look(Look::Start) => out.push('^'),
        Kind::Look(Look::End) => out.push('$'),
        Kind::Look(Look::WordAscii) => out.push_str("\\b"),
        Kind::Look(Look::WordAsciiNegate) => out.push_str("\\B"),
        Kind::Look(_) => return None,
        Kind::Capture(inner) => enclose("(", inner, most_bytes, out)?,
        Kind::Concat(parts) => {
            for part in parts {
                match part.kind {
                    Kind::Alternate(_) => enclose("(?:", part, most_bytes, out)?,
                    _ => write(part, most_bytes, out)?,
                }
            }
        }
        Kind::Alternate(branches) => {
            for (i, branch) in branches.iter().enumerate() {
                if i > 0 {
                    out.push('|');
                }
                write(branch, most_bytes, out)?;
            }
        }
        Kind::Repeat(repeat) => repetition(repeat, most_bytes, out)?,
    }
    Some(())
}

fn enclose(open: &str, inner: &Ast, most_bytes: usize, out: &mut String) -> Option<()> {
    out.push_str(open);
    write(inner, most_bytes, out)?;
    out.push(')');
    Some(())
}

fn repetition(repeat: &Repeat, most_bytes: usize, out: &mut String) -> Option<()> {
    let Repeat { inner, least, most, is_greedy, .. } = repeat;
    let is_one = match &inner.kind {
        Kind::Literal(text, _) => text.chars().count() == 1,
        Kind::Class(_) | Kind::Capture(_) => true,
        _ => false,
    };
    if is_one {
        write(inner, most_bytes, out)?;
    } else {
        enclose("(?:", inner, most_bytes, out)?;
    }
    match (least, most) {
        (0, None) => out.push('*'),
        (1, None) => out.push('+'),
        (0, Some(1)) => out.push('?'),
        (least, None) => out.push_str(&format!("{{{least},}}")),
        (least, Some(most)) if least == most => out.push_str(&format!("{{{least}}}")),
        (least, Some(most)) => out.push_str(&format!("{{{least},{most}}}")),
    }
    if !is_greedy {
        out.push('?');
    }
    Some(())
}

fn class(class: &ClassUnicode, out: &mut String) {
    for (letter, is_negated) in [('d', false), ('D', true), ('w', false), ('W', true)] {
        let known = perl(letter).map(|(known, _)| negated(&known, is_negated));
        if known.as_ref() == Some(class) {
            return out.extend(['\\', letter]);
        }
    }
    let is_negated = class.ranges().last().is_some_and(|last| last.end() == char::MAX);
    let shown = negated(class, is_negated);
    match (shown.ranges(), is_negated) {
        ([], true) => return out.push_str("[\\s\\S]"),
        ([], false) => return out.push_str("[^\\s\\S]"),
        ([one], false) if one.start() == one.end() => return character(one.start(), false, out),
        _ => {}
    }
    out.push_str(if is_negated { "[^" } else { "[" });
    for range in shown.ranges() {
        character(range.start(), true, out);
        if range.start() < range.end() {
            if range.start() as u32 + 1 < range.end() as u32 {
                out.push('-');
            }
            character(range.end(), true, out);
        }
    }
    out.push(']');
}

fn negated(class: &ClassUnicode, is_negated: bool) -> ClassUnicode {
    let mut class = class.clone();
    if is_negated {
        class.negate();
    }
    class
}

/// Writes a literal character.
fn character(c: char, in_class: bool, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // With the flag `u`, ECMAScript allows no other escapes of punctuation, and that of `-` in classes only.
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
            out.extend(['\\', c]);
        }
        '-' if in_class => out.push_str("\\-"),
        c if c.is_control() && u32::from(c) < 0x100 => {
            let _ = write!(out, "\\x{:02x}", u32::from(c));
        }
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::to_ecma;

    #[test]
    fn patterns_are_written_out() {
        for (pattern, expected) in [
            ("", Some("")),
            (r"^[Mk]i{2,3}(?:\.\d)[^A-\]]$", Some(r"^[Mk]i{2,3}(?:\.\d)[^A-\]]$")),
            (r"^[ba]i{,3}", Some(r"^[ab]i\{,3\}")),
            (r"^(?P<a>x-y){1}z??$", Some("^(x-y){1}z??$")),
            ("a(?:b|c)*d", Some("a(?:b|c)*d")),
            ("(?:ab|c)d", Some("(?:ab|c)d")),
            ("(?i)k+", Some("[Kk\u{212a}]+")),
            ("(?s).a", Some("[\\s\\S]a")),
            (".", Some("[^\\n]")),
            (r"[^\x00-\x{10FFFF}]", Some("[^\\s\\S]")),
            (r"[^a]\.[.\]-]é", Some(r"[^a]\.[.\]-]é")),
            (r"\d[\w][^\d]\W[\d.]", Some(r"\d\w\D\W[\.0-9]")),
            (r"\bé\Q(\E\x01", Some("\\bé\\(\\x01")),
            (r"\p{Greek}{2}(", None),
            ("(?m:a$)", None),
        ] {
            let written = |pattern| to_ecma(pattern, 100);
            assert_eq!(written(pattern).as_deref(), expected, "{pattern}");
            // What is written means the same here.
            assert_eq!(expected.and_then(written).as_deref(), expected, "{pattern}");
        }
        assert!(to_ecma(r"\p{Greek}", 1_000).unwrap().starts_with("[Ͱ-ͳ"));
    }
}
