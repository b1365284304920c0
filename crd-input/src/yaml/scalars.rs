//! Scans plain, quoted and block scalars.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::{Mistake, mistake};

/// A plain scalar; `line_broke` is `true` if a line break follows it.
pub(super) struct Plain<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) end: usize,
    pub(super) line_broke: bool,
}

/// Scans a plain scalar whose further lines are indented by at least `indent`.
pub(super) fn plain<'t>(cursor: &mut Cursor<'t>, in_flow: bool, indent: usize) -> Result<Plain<'t>, Mistake> {
    let start = cursor.at;
    let mut end = start;
    // The result, from the first folded line on; up to there the result is a slice of the text.
    let mut folded: Option<String> = None;
    let mut breaks = Breaks::default();
    while !cursor.is_document_indicator() && cursor.byte() != b'#' {
        let gap = end..cursor.at;
        let piece = cursor.take_plain(in_flow);
        if !piece.is_empty() {
            if breaks.is_some() {
                let folded = folded.get_or_insert_with(|| cursor.text[start..end].to_owned());
                breaks.fold_into(folded);
                folded.push_str(piece);
            } else if let Some(folded) = &mut folded {
                folded.push_str(&cursor.text[gap]);
                folded.push_str(piece);
            }
            end = cursor.at;
        }
        if !cursor.is_blank() && !cursor.is_break() {
            break;
        }
        loop {
            cursor.skip_spaces(usize::MAX);
            if cursor.is_blank() {
                if breaks.is_some() && cursor.byte() == b'\t' && cursor.column() < indent {
                    return Err(mistake::tab(cursor.at));
                }
                cursor.at += 1;
            } else if cursor.is_break() {
                breaks.add(cursor.take_break());
            } else {
                break;
            }
        }
        if !in_flow && cursor.column() < indent {
            break;
        }
    }
    let text = folded.map_or(Cow::Borrowed(&cursor.text[start..end]), Cow::Owned);
    Ok(Plain { text, end, line_broke: breaks.is_some() })
}

/// Scans a quoted scalar. The cursor is at the opening quote.
pub(super) fn quoted<'t>(cursor: &mut Cursor<'t>) -> Result<Cow<'t, str>, Mistake> {
    let quote = cursor.byte();
    let start = cursor.at;
    cursor.at += 1;
    let content = cursor.at;
    // The result, from the first escape or line break on; up to there the result is a slice of the text.
    let mut out: Option<String> = None;
    loop {
        if cursor.is_document_indicator() || cursor.is_end() {
            return Err(mistake::unclosed_quote(start));
        }
        let piece = cursor.take_quoted(quote);
        if let Some(out) = &mut out {
            out.push_str(piece);
        }
        let mut escaped_break = false;
        if cursor.byte() == quote {
            if quote == b'"' || cursor.ahead(1) != b'\'' {
                break;
            }
            out.get_or_insert_with(|| cursor.text[content..cursor.at].to_owned()).push('\'');
            cursor.at += 2;
            continue;
        }
        if quote == b'"' && cursor.byte() == b'\\' {
            let out = out.get_or_insert_with(|| cursor.text[content..cursor.at].to_owned());
            if cursor.break_length(1) == 0 {
                out.push(escape(cursor)?);
                continue;
            }
            cursor.at += 1;
            cursor.take_break();
            escaped_break = true;
        }
        white_space(cursor, content, escaped_break, &mut out);
    }
    let end = cursor.at;
    cursor.at += 1;
    Ok(out.map_or(Cow::Borrowed(&cursor.text[content..end]), Cow::Owned))
}

/// Scans blanks and line breaks in a quoted scalar, whose content begins at `content`, and folds the line breaks.
fn white_space(cursor: &mut Cursor<'_>, content: usize, escaped_break: bool, out: &mut Option<String>) {
    let blanks = cursor.at;
    let mut blanks_end = blanks;
    let mut breaks = Breaks::default();
    loop {
        if cursor.is_blank() {
            cursor.at += 1;
            if !escaped_break && !breaks.is_some() {
                blanks_end = cursor.at;
            }
        } else if cursor.is_break() {
            let out = out.get_or_insert_with(|| cursor.text[content..blanks].to_owned());
            let line_break = cursor.take_break();
            if escaped_break {
                out.push_str(line_break);
            } else {
                breaks.add(line_break);
            }
        } else {
            break;
        }
    }
    if let Some(out) = out {
        if breaks.is_some() {
            breaks.fold_into(out);
        } else if !escaped_break {
            out.push_str(&cursor.text[blanks..blanks_end]);
        }
    }
}

fn escape(cursor: &mut Cursor<'_>) -> Result<char, Mistake> {
    let start = cursor.at;
    let char = match cursor.ahead(1) {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0B',
        b'f' => '\x0C',
        b'r' => '\r',
        b'e' => '\x1B',
        byte @ (b' ' | b'"' | b'\'' | b'\\') => char::from(byte),
        b'N' => '\u{85}',
        b'_' => '\u{A0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        b'x' => return code_point(cursor, 2),
        b'u' => return code_point(cursor, 4),
        b'U' => return code_point(cursor, 8),
        _ => return Err(mistake::escape(start)),
    };
    cursor.at += 2;
    Ok(char)
}

fn code_point(cursor: &mut Cursor<'_>, digits: usize) -> Result<char, Mistake> {
    let start = cursor.at;
    let end = start + 2 + digits;
    let hex = cursor.text.get(start + 2..end).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let code = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
    cursor.at = end;
    code.ok_or_else(|| mistake::code_point(start))
}

/// Scans a literal (`|`) or folded (`>`) block below a node that is indented by `parent`. Returns the text and its end.
pub(super) fn block(cursor: &mut Cursor<'_>, parent: Option<usize>) -> Result<(String, usize), Mistake> {
    let literal = cursor.byte() == b'|';
    let (chomping, increment) = block_header(cursor)?;
    let mut end = cursor.at;
    let mut indent = if increment > 0 { parent.unwrap_or(0) + increment } else { 0 };
    let mut out = String::new();
    let mut line_break = "";
    let mut trailing = String::new();
    block_breaks(cursor, parent, &mut indent, &mut trailing, &mut end)?;
    let mut after_blank = false;
    while cursor.column() == indent && !cursor.is_end() {
        let begins_blank = cursor.is_blank();
        if !literal && !after_blank && !begins_blank && line_break == "\n" {
            if trailing.is_empty() {
                out.push(' ');
            }
        } else {
            out.push_str(line_break);
        }
        out.push_str(&trailing);
        trailing.clear();
        after_blank = begins_blank;
        out.push_str(cursor.take_line());
        // kubectl reads line by line, and adds a line break at the end if it is missing.
        line_break = if cursor.is_end() { "\n" } else { cursor.take_break() };
        block_breaks(cursor, parent, &mut indent, &mut trailing, &mut end)?;
    }
    if chomping != Chomping::Strip {
        out.push_str(line_break);
    }
    if chomping == Chomping::Keep {
        out.push_str(&trailing);
    }
    Ok((out, end))
}

#[derive(Clone, Copy, PartialEq)]
enum Chomping {
    Clip,
    Strip,
    Keep,
}

/// Scans `|` or `>`, a sign and a digit in either order, blanks and a comment.
fn block_header(cursor: &mut Cursor<'_>) -> Result<(Chomping, usize), Mistake> {
    let start = cursor.at;
    let (mut chomping, mut increment) = (None, None);
    cursor.at += 1;
    loop {
        match cursor.byte() {
            b'+' if chomping.is_none() => chomping = Some(Chomping::Keep),
            b'-' if chomping.is_none() => chomping = Some(Chomping::Strip),
            b'0' => return Err(mistake::block_header(start)),
            digit @ b'1'..=b'9' if increment.is_none() => increment = Some(usize::from(digit - b'0')),
            _ => break,
        }
        cursor.at += 1;
    }
    cursor.skip_blanks();
    if cursor.byte() == b'#' {
        cursor.take_line();
    }
    if !cursor.is_break_or_end() {
        return Err(mistake::block_header(start));
    }
    cursor.take_break_or_end();
    Ok((chomping.unwrap_or(Chomping::Clip), increment.unwrap_or(0)))
}

/// Skips empty lines and the next line's indentation. If `indent` is 0, the indentation is detected.
fn block_breaks(
    cursor: &mut Cursor<'_>,
    parent: Option<usize>,
    indent: &mut usize,
    breaks: &mut String,
    end: &mut usize,
) -> Result<(), Mistake> {
    *end = cursor.at;
    let mut deepest = 0;
    loop {
        cursor.skip_spaces(if *indent == 0 { usize::MAX } else { indent.saturating_sub(cursor.column()) });
        deepest = deepest.max(cursor.column());
        if (*indent == 0 || cursor.column() < *indent) && cursor.byte() == b'\t' {
            return Err(mistake::tab(cursor.at));
        }
        if !cursor.is_break() {
            break;
        }
        breaks.push_str(cursor.take_break());
        *end = cursor.at;
    }
    if *indent == 0 {
        *indent = deepest.max(parent.map_or(0, |parent| parent + 1)).max(1);
    }
    Ok(())
}

/// The line breaks between two pieces of a scalar.
#[derive(Default)]
struct Breaks<'t> {
    first: Option<&'t str>,
    more: String,
}

impl<'t> Breaks<'t> {
    fn is_some(&self) -> bool {
        self.first.is_some()
    }

    fn add(&mut self, line_break: &'t str) {
        if self.first.is_some() {
            self.more.push_str(line_break);
        } else {
            self.first = Some(line_break);
        }
    }

    /// Folds the breaks: a single `\n` becomes a space, and the first of several `\n` is removed. LS and PS are kept.
    fn fold_into(&mut self, out: &mut String) {
        match self.first.take() {
            Some("\n") if self.more.is_empty() => out.push(' '),
            Some("\n") | None => {}
            Some(other) => out.push_str(other),
        }
        out.push_str(&self.more);
        self.more.clear();
    }
}
