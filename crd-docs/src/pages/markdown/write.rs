//! Writes blocks as Markdown, and parses the result.

use super::super::description::{Block, Inline, begins_esm, read_again};
use super::tame;

/// Characters that have no special meaning within a line.
const KEPT: &str = ",.-/();?%:";

/// Writes blocks, and parses the result. If the parser finds anything other than these blocks, only the text in the blocks is written.
pub(super) fn blocks(blocks: Vec<Block>) -> String {
    let blocks = tame::tame(blocks, false);
    let mut out = String::new();
    write(&blocks, 0, KEPT, &mut out);
    if read_again(&out).as_ref() == Some(&blocks) {
        return out;
    }
    out.clear();
    write(&tame::words(&blocks), 0, "", &mut out);
    out
}

/// Writes a code block in a language.
pub(super) fn code_block(code: &str, language: &str) -> String {
    match tame::code_block(code, false) {
        Ok(code) => fenced(&code, language, 0),
        Err(lines) => blocks(lines.into_iter().collect()),
    }
}

/// Writes a text within a line.
pub(super) fn text(text: &str) -> String {
    let text = Inline::Text(format!("a{text}"));
    let mut out = String::new();
    if let Some(Block::Paragraph(inlines)) = tame::tame(vec![Block::Paragraph(vec![text])], false).pop() {
        line(&inlines, KEPT, &mut out);
    }
    out.split_off(1.min(out.len()))
}

fn write(blocks: &[Block], indent: usize, kept: &str, out: &mut String) {
    for block in blocks {
        match block {
            Block::Paragraph(inlines) => {
                for (at, inlines) in inlines.split(|inline| *inline == Inline::Break).enumerate() {
                    // Two spaces end a line for every reader; Python's does not know the backslash.
                    *out += if at > 0 { "  \n" } else { "" };
                    *out += &" ".repeat(indent);
                    line(inlines, kept, out);
                }
                *out += "\n\n";
            }
            Block::Code(code) => *out += &fenced(code, "", indent),
            Block::List(items) => list(items, indent, kept, out),
        }
    }
}

fn list(items: &[Vec<Block>], indent: usize, kept: &str, out: &mut String) {
    let is_tight = items.iter().all(|item| matches!(item.as_slice(), [Block::Paragraph(_)]));
    // Python-Markdown asks for four columns where an item has more than a line.
    let within = indent + if is_tight { 2 } else { 4 };
    for item in items {
        let mut inside = String::new();
        write(item, within, kept, &mut inside);
        let marker = format!("{:indent$}-", "");
        *out += &format!("{marker:within$}{}", inside.get(within..).unwrap_or_default());
        if is_tight {
            out.pop();
        }
    }
    *out += if is_tight { "\n" } else { "" };
}

fn fenced(code: &str, language: &str, indent: usize) -> String {
    let longest = code.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    let mut out = format!("{:indent$}{fence}{language}\n", "");
    for line in code.split('\n') {
        let indent = if line.is_empty() { 0 } else { indent };
        out += &format!("{:indent$}{line}\n", "");
    }
    out + &format!("{:indent$}{fence}\n\n", "")
}

/// Writes the contents of a line as Markdown.
fn line(inlines: &[Inline], kept: &str, out: &mut String) {
    for (at, inline) in inlines.iter().enumerate() {
        match inline {
            Inline::Text(text) => {
                escaped(text, if at == 0 { LinePosition::Start } else { LinePosition::Line }, kept, out);
            }
            Inline::Code(code) => {
                let fence = if code.contains('`') { "``" } else { "`" };
                let space = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
                *out += &format!("{fence}{space}{code}{space}{fence}");
            }
            Inline::Link { url, text } => {
                out.push('[');
                escaped(text, LinePosition::Link, kept, out);
                *out += &format!("]({url})");
            }
            Inline::Break => {}
        }
    }
}

/// A text's position in a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinePosition {
    Start,
    Line,
    /// In a link's text, where no renderer turns addresses into links.
    Link,
}

/// Writes a text. Special characters become entities, because site templates are evaluated before Markdown is parsed.
fn escaped(text: &str, place: LinePosition, kept: &str, out: &mut String) {
    let (starts_line, in_link) = (place == LinePosition::Start, place == LinePosition::Link);
    // MDX reads lines that begin with these words as code.
    let esm = if starts_line && begins_esm(text) { text.find(char::is_alphanumeric) } else { None };
    // `1.` and `1)` begin a list.
    let number = if starts_line { text.trim_start_matches(|char: char| char.is_ascii_digit()) } else { text };
    let number = text.len() - number.len();
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let before = &text[..at];
        let is_plain = match char {
            ' ' => true,
            _ if esm == Some(at) => false,
            _ if char.is_ascii_alphanumeric() => true,
            _ if !char.is_ascii() => !is_hidden(char),
            _ if starts_line && (at == 0 || at == number) => false,
            _ if !kept.contains(char) => false,
            // Directives have a name behind it, addresses two slashes.
            ':' => next.is_none_or(|next| next == ' ' || in_link && next == '/'),
            // A reader that looks for the end of an address takes what is between them for a part of it.
            '(' | ')' => !in_link,
            '/' => in_link || next != Some('/') && !before.ends_with('/'),
            '.' => !before.get(at.saturating_sub(3)..).is_some_and(|end| end.eq_ignore_ascii_case("www")),
            _ => true,
        };
        if is_plain {
            out.push(char);
        } else {
            *out += &format!("&#{};", u32::from(char));
        }
    }
}

/// Returns `true` for whitespace and invisible characters.
fn is_hidden(char: char) -> bool {
    char.is_whitespace()
        || matches!(char, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
