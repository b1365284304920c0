//! The parts of a YAML line: dashes, a key, and the start of the key's value.

use std::ops::Range;

use super::place::CursorPart;

/// The kind of value that contains a line.
pub(super) enum Around {
    /// A map or a list in block style, whose entries begin on lines of their own.
    Map,
    /// A scalar that begins on an earlier line.
    Scalar(Range<usize>),
    /// A value in braces or brackets. It begins at this byte.
    Flow(usize),
}

/// A dash, or a key with its colon.
pub(super) struct Entry {
    pub(super) column: usize,
    /// `None` for a dash.
    pub(super) key: Option<String>,
}

/// A line.
pub(super) struct Line {
    start: usize,
    end: usize,
    pub(super) entries: Vec<Entry>,
    /// The key's byte range, including quotes.
    key: Option<Range<usize>>,
    /// The start of the value or, in a line without a key, of the text.
    value: usize,
}

/// The part of a line at a cursor.
pub(super) struct LinePart {
    pub(super) part: CursorPart,
    pub(super) bytes: Range<usize>,
    pub(super) column: usize,
    /// The key whose value contains the cursor.
    pub(super) key: Option<String>,
    /// The preceding entries in the line.
    pub(super) before: Vec<Entry>,
    /// The start of a value in braces or brackets.
    pub(super) flow: Option<usize>,
}

impl Line {
    /// Parses the line that begins at a byte.
    pub(super) fn read(text: &str, start: usize) -> Self {
        let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
        let end = start + text[start..end].trim_end_matches('\r').len();
        let mut at = start;
        let mut entries = Vec::new();
        loop {
            at += text[at..end].bytes().take_while(|byte| *byte == b' ').count();
            let rest = &text[at..end];
            if rest == "-" || rest.starts_with("- ") {
                entries.push(Entry { column: at - start, key: None });
                at += 1;
            } else {
                break;
            }
        }
        let mut line = Self { start, end, entries, key: None, value: at };
        if let Some((key, bytes, value)) = key(text, at..end) {
            line.entries.push(Entry { column: at - start, key: Some(key) });
            line.key = Some(bytes);
            line.value = value;
        }
        line
    }

    /// Returns the part of the line at a cursor. Returns `None` in a comment, and between a key and the space before the value.
    pub(super) fn at(mut self, text: &str, at: usize) -> Option<LinePart> {
        if let Some(key) = self.key.clone().filter(|key| at <= key.end) {
            self.entries.pop();
            let bytes = if at < key.start { at..at } else { key };
            return Some(self.key_at(bytes));
        }
        if self.has_comment_before(text, at) {
            return None;
        }
        let (bytes, flow) = value_bytes(text, self.value, self.end);
        let bytes = if let Some(Around::Scalar(whole)) = self.value(text) { whole } else { bytes };
        let flow = flow.filter(|open| at > *open);
        let is_inside = bytes.contains(&at) || bytes.end == at;
        if self.key.is_none() && flow.is_none() {
            return Some(self.key_at(if is_inside { bytes } else { at..at }));
        }
        let last = if self.key.is_some() { self.entries.pop() } else { None };
        if at < self.value {
            return None;
        }
        let column = last.as_ref().map_or(self.value - self.start, |entry| entry.column);
        let key = last.and_then(|entry| entry.key);
        let bytes = if is_inside || flow.is_some() { bytes } else { at..at };
        Some(LinePart { part: CursorPart::Value, bytes, column, key, before: self.entries, flow })
    }

    /// Returns the part for a key, or for a scalar in a line without a key.
    fn key_at(self, bytes: Range<usize>) -> LinePart {
        let column = bytes.start - self.start;
        let before = self.before(column);
        LinePart { part: CursorPart::Key, bytes, column, key: None, before, flow: None }
    }

    fn has_comment_before(&self, text: &str, at: usize) -> bool {
        let before = &text[self.start..at];
        let (bytes, _) = value_bytes(text, self.value, self.end);
        let from = bytes.end.clamp(self.start, at) - self.start;
        before.trim_start().starts_with('#')
            || before[from..].contains(" #")
            || before[from..].starts_with('#')
    }

    /// Returns `true` if the line has text to the left of a column, so that a map at this column begins or ends here.
    pub(super) fn is_left_of(&self, column: usize) -> bool {
        match self.entries.first() {
            Some(entry) => entry.column < column,
            None => self.start < self.end && self.value - self.start < column && self.value < self.end,
        }
    }

    /// Returns the key at a column.
    pub(super) fn key_at_column(mut self, column: usize) -> Option<String> {
        self.entries.pop().filter(|entry| entry.column == column)?.key
    }

    fn before(self, column: usize) -> Vec<Entry> {
        self.entries.into_iter().filter(|entry| entry.column < column).collect()
    }

    /// Returns the kind of the last key's value, if the value can continue on later lines.
    pub(super) fn value(&self, text: &str) -> Option<Around> {
        self.key.as_ref()?;
        let rest = text[self.value..self.end].trim_start();
        let start = self.end - rest.len();
        match rest.chars().next()? {
            '|' | '>' => Some(Around::Scalar(start..block_end(text, self))),
            '{' | '[' => Some(Around::Flow(start)),
            '\'' | '"' => Some(Around::Scalar(start..quoted_end(text, start))),
            '#' | '&' | '!' | '*' => None,
            _ => Some(Around::Scalar(start..plain_end(text, start, self))),
        }
    }
}

/// Returns the key at the beginning of `line`, the key's byte range, and the start of the value.
fn key(text: &str, line: Range<usize>) -> Option<(String, Range<usize>, usize)> {
    let rest = &text[line.clone()];
    let length = match rest.chars().next()? {
        '#' | '{' | '[' | '|' | '>' | '&' | '*' | '!' => return None,
        '\'' | '"' => quoted_end(rest, 0),
        _ => {
            let colon = rest
                .match_indices(':')
                .find(|(at, _)| rest[at + 1..].is_empty() || rest[at + 1..].starts_with([' ', '\t']));
            colon.filter(|(at, _)| !rest[..*at].contains(" #"))?.0
        }
    };
    let after = rest[length..].trim_start_matches(' ');
    let colon = rest.len() - after.len();
    let is_key = after.starts_with(':') && (after.len() == 1 || after[1..].starts_with([' ', '\t']));
    let name = rest[..length].trim_end();
    let plain = name.trim_matches(['\'', '"']);
    is_key.then(|| (plain.to_owned(), line.start..line.start + name.len(), line.start + colon + 1))
}

/// Returns the byte range of a value on one line, and the start of a value in braces or brackets.
fn value_bytes(text: &str, from: usize, end: usize) -> (Range<usize>, Option<usize>) {
    let rest = &text[from..end];
    let mut start = from + rest.len() - rest.trim_start().len();
    // Anchors and tags stand before the value.
    while text[start..end].starts_with(['&', '!']) {
        let word = text[start..end].find(' ').unwrap_or(end - start);
        start += word;
        start += text[start..end].len() - text[start..end].trim_start().len();
    }
    let rest = &text[start..end];
    match rest.chars().next() {
        None => (from..from, None),
        Some('#') if start > from => (from..from, None),
        Some('{' | '[') => (start..end, Some(start)),
        Some('\'' | '"') => (start..quoted_end(text, start).min(text.len()), None),
        Some(_) => {
            let comment = rest.find(" #").unwrap_or(rest.len());
            (start..start + rest[..comment].trim_end().len(), None)
        }
    }
}

/// Returns the end of a quoted scalar, after the closing quote. Without a closing quote, this is the end of the text.
pub(super) fn quoted_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote => {
                if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') {
                    at += 1;
                } else {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Returns the end of a block scalar. Its lines are indented deeper than the key.
fn block_end(text: &str, line: &Line) -> usize {
    lines_below(text, line, true)
}

fn plain_end(text: &str, start: usize, line: &Line) -> usize {
    let first = &text[start..line.end];
    match first.find(" #") {
        Some(comment) => start + first[..comment].trim_end().len(),
        None => lines_below(text, line, false),
    }
}

/// Returns the end of the following lines that are indented deeper than the line's last key.
fn lines_below(text: &str, line: &Line, keeps_blank: bool) -> usize {
    let column = line.entries.last().map_or(0, |entry| entry.column);
    let mut end = line.end;
    let mut at = text.len().min(line.end + 1);
    while at < text.len() {
        let next = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let content = text[at..next].trim();
        let indent = text[at..next].len() - text[at..next].trim_start_matches(' ').len();
        if !content.is_empty() && indent <= column {
            break;
        }
        if !content.is_empty() || keeps_blank {
            end = next;
        }
        at = next + 1;
    }
    end.min(text.len())
}
