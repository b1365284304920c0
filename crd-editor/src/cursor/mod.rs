//! Finds the path to a cursor in YAML or JSON, from the surrounding lines. This works even if the text cannot be parsed.

mod flow;
mod lines;
mod place;

use crate::placed::document_around;
use lines::{Around, Entry, Line, LinePart};
pub(crate) use place::{Cursor, CursorPart, CursorStep};

/// Maximum number of lines to read above a cursor.
const MOST_LINES: usize = 200_000;

/// Maximum number of keys to collect from a map.
const MOST_KEYS: usize = 1_000;

impl Cursor {
    /// Returns the cursor at a byte. Returns `None` between values, in comments, and if the lines do not determine the path.
    pub(crate) fn find(text: &str, at: usize) -> Option<Self> {
        let document = document_around(text, at);
        let inside = &text[document.clone()];
        let at = at.checked_sub(document.start)?;
        let found = match inside.trim_start().starts_with(['{', '[']) {
            true => flow::find(inside, inside.len() - inside.trim_start().len(), at, Vec::new()),
            false => Block::find(inside, at),
        };
        let mut cursor = found?;
        cursor.bytes = cursor.bytes.start + document.start..cursor.bytes.end + document.start;
        Some(cursor)
    }

    /// Returns the other keys in the block map around the cursor's key.
    pub(crate) fn siblings(&self, text: &str) -> Vec<String> {
        let mut names = Vec::new();
        let Some(column) = self.column else { return names };
        let start = text[..self.bytes.start].rfind('\n').map_or(0, |end| end + 1);
        let mut end = start;
        let mut is_first = !text[start..self.bytes.start].trim().is_empty();
        while end > 0 && !is_first && names.len() < MOST_KEYS {
            let start = text[..end - 1].rfind('\n').map_or(0, |end| end + 1);
            let line = Line::read(text, start);
            is_first = line.is_left_of(column);
            names.extend(line.key_at_column(column));
            end = start;
        }
        let mut from = text[self.bytes.end..].find('\n').map(|end| self.bytes.end + end + 1);
        while let Some(start) = from.filter(|start| *start < text.len() && names.len() < MOST_KEYS) {
            let line = Line::read(text, start);
            if line.is_left_of(column) {
                break;
            }
            names.extend(line.key_at_column(column));
            from = text[start..].find('\n').map(|end| start + end + 1);
        }
        names
    }
}

/// The state of the search. The search begins at the cursor's line and goes up.
struct Block<'t> {
    text: &'t str,
    /// The cursor.
    at: usize,
    path: Vec<CursorStep>,
    /// The column of the dash or key whose parent is searched for.
    column: usize,
    /// The number of preceding items, if the search is at a list item.
    items: Option<usize>,
    around: Around,
}

impl<'t> Block<'t> {
    fn find(text: &'t str, at: usize) -> Option<Cursor> {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let LinePart { part, bytes, column, key, before, flow } = Line::read(text, start).at(text, at)?;
        let mut walk = Self { text, at, path: Vec::new(), column, items: None, around: Around::Map };
        walk.path.extend(key.map(CursorStep::Key));
        for entry in before.iter().rev() {
            walk.meet(entry);
        }
        walk.up(start);
        let (path, around) = walk.finished();
        match (around, flow) {
            // The line continues a value in braces or a scalar that begins above.
            (Around::Scalar(bytes), _) => Some(Cursor { path, part: CursorPart::Value, bytes, column: None }),
            (Around::Flow(open), _) | (Around::Map, Some(open)) => flow::find(text, open, at, path),
            (Around::Map, None) => {
                let column = (part == CursorPart::Key).then_some(column);
                Some(Cursor { path, part, bytes, column })
            }
        }
    }

    /// Examines a preceding dash or key. Returns `true` if it is the key whose value contains the cursor.
    fn meet(&mut self, entry: &Entry) -> bool {
        match (&entry.key, self.items) {
            (None, Some(count)) if entry.column == self.column => self.items = Some(count + 1),
            (None, _) if entry.column < self.column => {
                self.finish_items();
                self.column = entry.column;
                self.items = Some(0);
            }
            (Some(key), items)
                if entry.column < self.column || items.is_some() && entry.column == self.column =>
            {
                self.finish_items();
                self.path.push(CursorStep::Key(key.clone()));
                self.column = entry.column;
                return true;
            }
            _ => {}
        }
        false
    }

    fn finish_items(&mut self) {
        if let Some(count) = self.items.take() {
            self.path.push(CursorStep::Item(count));
        }
    }

    /// Continues upwards to the root of the document.
    fn up(&mut self, start: usize) {
        let mut end = start;
        for _ in 0..MOST_LINES {
            if end == 0 || self.column == 0 && self.items.is_none() {
                break;
            }
            let start = self.text[..end - 1].rfind('\n').map_or(0, |end| end + 1);
            let indent = self.text[start..].bytes().take_while(|byte| *byte == b' ').count();
            if indent <= self.column {
                self.meet_line(&Line::read(self.text, start));
            }
            end = start;
        }
    }

    fn meet_line(&mut self, line: &Line) {
        for (i, entry) in line.entries.iter().enumerate().rev() {
            if !self.meet(entry) || i + 1 < line.entries.len() {
                continue;
            }
            match line.value(self.text) {
                Some(Around::Scalar(bytes)) if bytes.contains(&self.at) || bytes.end == self.at => {
                    self.around = Around::Scalar(bytes);
                }
                Some(Around::Flow(open)) => self.around = Around::Flow(open),
                _ => continue,
            }
            // What was found below is inside this value.
            self.path.drain(..self.path.len() - 1);
        }
    }

    fn finished(mut self) -> (Vec<CursorStep>, Around) {
        self.finish_items();
        self.path.reverse();
        (self.path, self.around)
    }
}

#[cfg(test)]
mod tests;
