//! A text with positions as in editors: lines and UTF-16 code units, both counted from 0.

use std::ops::Range;
use std::sync::Arc;

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 0.
    pub line: u32,
    /// The number of UTF-16 code units between the start of the line and the position.
    pub character: u32,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextRange {
    /// The start.
    pub start: Position,
    /// The end, which is exclusive.
    pub end: Position,
}

/// A change to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The part to replace.
    pub range: TextRange,
    /// The replacement.
    pub new_text: String,
}

/// The byte order mark. Some editors write it at the start of a text.
const MARK: char = '\u{feff}';

/// A text, split into lines. Lines end with `\n`, `\r\n` or `\r`.
///
/// ```
/// use crd_editor::{Position, Text};
///
/// let text = Text::new("a: 😀 x\r\nb");
/// assert_eq!(text.position(8), Position { line: 0, character: 6 });
/// assert_eq!(text.offset(Position { line: 0, character: 6 }), 8);
/// assert_eq!(text.offset(Position { line: 0, character: 99 }), 9);
/// assert_eq!(text.position(11), Position { line: 1, character: 0 });
/// ```
#[derive(Clone, Debug)]
pub struct Text {
    text: Arc<str>,
    /// The byte offset of each line.
    starts: Vec<u32>,
}

impl Text {
    /// Splits a text into lines.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        // Most texts have one kind of line end, which is found many bytes at a time.
        if text.contains('\r') {
            let is_end = |(at, end): &(usize, &str)| *end == "\n" || !text[at + 1..].starts_with('\n');
            let ends = text.match_indices(['\n', '\r']).filter(is_end);
            starts.extend(ends.map(|(at, _)| short(at + 1)));
        } else {
            starts.extend(text.match_indices('\n').map(|(at, _)| short(at + 1)));
        }
        Self { text: Arc::from(text), starts }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn shared(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// Returns the text without its byte order mark.
    pub(crate) fn body(&self) -> &str {
        self.text.strip_prefix(MARK).unwrap_or(&self.text)
    }

    /// Returns a shared reference to the text without its byte order mark.
    pub(crate) fn shared_body(&self) -> Arc<str> {
        if self.mark() == 0 { self.shared() } else { Arc::from(self.body()) }
    }

    /// Converts a byte range to positions. The bytes are counted without the byte order mark.
    pub(crate) fn range_in_body(&self, bytes: Range<usize>) -> TextRange {
        self.range(bytes.start + self.mark()..bytes.end + self.mark())
    }

    /// Returns the length of the byte order mark, or 0 if there is none.
    pub(crate) fn mark(&self) -> usize {
        self.text.len() - self.body().len()
    }

    /// Returns the byte range of a line, without the line end.
    #[must_use]
    pub fn line(&self, line: usize) -> Range<usize> {
        let Some(start) = self.starts.get(line) else { return self.text.len()..self.text.len() };
        let start = *start as usize;
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| *next as usize);
        start..start + self.text[start..end].trim_end_matches(['\r', '\n']).len()
    }

    /// Returns the number of lines, which is at least 1.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Returns the number of the line that contains a byte.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= offset) - 1
    }

    /// Converts a byte offset to a position. An offset beyond the text, or inside a character, is moved back.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let Range { start, end } = self.line(line);
        let character = self.text[start..offset.min(end)].encode_utf16().count();
        Position { line: short(line), character: short(character) }
    }

    /// Converts a byte range to positions.
    #[must_use]
    pub fn range(&self, bytes: Range<usize>) -> TextRange {
        TextRange { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// Converts a position to a byte offset. A position after the end of a line is moved to the line's end.
    #[must_use]
    pub fn offset(&self, position: Position) -> usize {
        let Range { start, end } = self.line(position.line as usize);
        let mut left = position.character as usize;
        for (at, character) in self.text[start..end].char_indices() {
            if left < character.len_utf16() {
                return start + at;
            }
            left -= character.len_utf16();
        }
        end
    }

    /// Converts positions to a byte range.
    #[must_use]
    pub fn bytes(&self, range: TextRange) -> Range<usize> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        start..end.max(start)
    }

    /// Returns the text with a part replaced.
    #[must_use]
    pub fn with(&self, range: TextRange, new: &str) -> Self {
        let Range { start, end } = self.bytes(range);
        let text = &self.text;
        let mut whole = String::with_capacity(text.len() + new.len());
        for part in [&text[..start], new, &text[end..]] {
            whole.push_str(part);
        }
        Self::new(&whole)
    }

    /// Returns the smallest edit that turns this text into `new`, or `None` if the texts are equal.
    #[must_use]
    pub fn edit_to(&self, new: &str) -> Option<TextEdit> {
        let old = self.as_str();
        if old == new {
            return None;
        }
        let (mut start, mut end) = (0, 0);
        let most = old.len().min(new.len());
        while start < most && old.as_bytes()[start] == new.as_bytes()[start] {
            start += 1;
        }
        while end < most - start && old.as_bytes()[old.len() - 1 - end] == new.as_bytes()[new.len() - 1 - end]
        {
            end += 1;
        }
        let is_inside = |at: usize, text: &str| !text.is_char_boundary(at) || text[..at].ends_with('\r');
        while start > 0 && (is_inside(start, old) || is_inside(start, new)) {
            start -= 1;
        }
        while end > 0 && (is_inside(old.len() - end, old) || is_inside(new.len() - end, new)) {
            end -= 1;
        }
        let range = self.range(start..old.len() - end);
        Some(TextEdit { range, new_text: new[start..new.len() - end].to_owned() })
    }
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_are_inverse() {
        for text in ["", "a", "é😀x\r\n\r\n😀", "a\rb\nc\r\n", "\u{feff}k: 1\n"] {
            let lines = Text::new(text);
            for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
                    continue;
                }
                assert_eq!(lines.offset(lines.position(offset)), offset, "{text:?} at {offset}");
            }
        }
        let text = Text::new("😀");
        assert_eq!(text.offset(Position { line: 0, character: 1 }), 0, "in the middle of a character");
        assert_eq!(text.offset(Position { line: 7, character: 1 }), 4, "behind the text");
    }

    #[test]
    fn edits_are_small_and_whole() {
        let cases = [
            ("a: 1\nb: 2\n", "a: 1\nc: 3\nb: 2\n"),
            ("a: é\n", "a: è\n"),
            ("a\r\nb\r\n", "a\r\n\r\nb\r\n"),
            ("aaa", "aa"),
            ("😀", "😁"),
            ("", "x"),
            ("x\r\ny", "x\ny"),
        ];
        for (old, new) in cases {
            let text = Text::new(old);
            let edit = text.edit_to(new).unwrap();
            assert_eq!(text.with(edit.range, &edit.new_text).as_str(), new);
        }
        assert_eq!(Text::new("a").edit_to("a"), None);
    }
}
