//! Parses scalars in all YAML styles, with the position of each byte of the value in the text.

use std::ops::Range;

/// A parsed scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadScalar {
    pub(crate) value: String,
    /// The offset in the text for each byte of the value, and for the value's end.
    places: Vec<usize>,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    Single,
    Double,
    Block,
}

impl ReadScalar {
    /// Parses the scalar in a byte range of a text. Returns `None` for an empty scalar or an alias.
    pub(crate) fn read(text: &str, bytes: Range<usize>) -> Option<Self> {
        let raw = text.get(bytes.clone())?;
        let form = match raw.chars().next()? {
            '\'' => Form::Single,
            '"' => Form::Double,
            '|' | '>' => Form::Block,
            '*' => return None,
            _ => Form::Plain,
        };
        let mut read = Self { value: String::new(), places: Vec::new(), form };
        match form {
            Form::Block => read.block(raw, bytes.start),
            _ => read.flow(raw, bytes.start),
        }
        let end = read.end(raw, bytes);
        read.places.push(end);
        Some(read)
    }

    /// Returns an empty scalar, for a position without text.
    pub(crate) fn empty(at: usize) -> Self {
        Self { value: String::new(), places: vec![at], form: Form::Plain }
    }

    /// Converts an offset in the value to an offset in the text.
    pub(crate) fn place(&self, at: usize) -> usize {
        self.places.get(at).or(self.places.last()).copied().unwrap_or_default()
    }

    /// Returns the offset of the first byte of the value that is at or after an offset in the text.
    pub(crate) fn at(&self, place: usize) -> usize {
        self.places.partition_point(|own| *own < place).min(self.value.len())
    }

    /// Converts a range in the value to a range in the text.
    pub(crate) fn bytes(&self, value: Range<usize>) -> Range<usize> {
        let start = self.place(value.start);
        // The end is that of the last byte, not the start of the next line.
        let last = value
            .end
            .checked_sub(1)
            .filter(|last| *last >= value.start)
            .map_or(start, |last| self.place(last));
        let end = self.place(value.end);
        start..if end > last + 8 { last + 1 } else { end.max(start) }
    }

    /// Returns `true` for a plain scalar, which is neither quoted nor a block scalar.
    pub(crate) fn is_plain(&self) -> bool {
        self.form == Form::Plain
    }

    /// Escapes a string for insertion into a scalar of this form.
    pub(crate) fn escaped(&self, text: &str) -> String {
        match self.form {
            Form::Plain | Form::Block => text.to_owned(),
            Form::Single => text.replace('\'', "''"),
            Form::Double => text.replace('\\', "\\\\").replace('"', "\\\""),
        }
    }

    /// Returns the end of the contents, before the closing quote if there is one.
    fn end(&self, raw: &str, bytes: Range<usize>) -> usize {
        match self.form {
            Form::Single if raw.len() > 1 && raw.ends_with('\'') => bytes.end - 1,
            Form::Double if raw.len() > 1 && raw.ends_with('"') => bytes.end - 1,
            _ => bytes.end,
        }
    }

    fn push(&mut self, next: char, place: usize) {
        self.value.push(next);
        for i in 0..next.len_utf8() {
            self.places.push(place + i);
        }
    }

    /// Parses a plain or quoted scalar. Line breaks are folded.
    fn flow(&mut self, raw: &str, start: usize) {
        let quoted = usize::from(self.form != Form::Plain);
        let end = self.end(raw, start..start + raw.len()) - start;
        let mut at = quoted.min(end);
        while at < end {
            let rest = &raw[at..end];
            let Some(next) = rest.chars().next() else { break };
            match (self.form, next) {
                (_, '\n' | '\r') => {
                    at += self.fold(rest, start + at);
                    continue;
                }
                (Form::Single, '\'') => {
                    self.push('\'', start + at);
                    at += 2;
                    continue;
                }
                (Form::Double, '\\') => {
                    at += self.escape(rest, start + at);
                    continue;
                }
                _ => self.push(next, start + at),
            }
            at += next.len_utf8();
        }
    }

    /// Parses a line break and the whitespace around it. Returns the length in bytes.
    fn fold(&mut self, rest: &str, place: usize) -> usize {
        while self.value.ends_with([' ', '\t']) {
            self.value.pop();
            self.places.pop();
        }
        let blank = rest.len() - rest.trim_start().len();
        match rest[..blank].matches('\n').count() {
            0 | 1 => self.push(' ', place),
            breaks => (1..breaks).for_each(|_| self.push('\n', place)),
        }
        blank
    }

    /// Parses an escape sequence in double quotes. Returns the length in bytes.
    fn escape(&mut self, rest: &str, place: usize) -> usize {
        let Some(kind) = rest[1..].chars().next() else { return 1 };
        let digits = match kind {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if digits > 0 {
            let code = rest.get(2..2 + digits).and_then(|code| u32::from_str_radix(code, 16).ok());
            if let Some(next) = code.and_then(char::from_u32) {
                self.value.push(next);
                self.places.extend(std::iter::repeat_n(place, next.len_utf8()));
            }
            return (2 + digits).min(rest.len());
        }
        if kind == '\n' || kind == '\r' {
            return 1 + rest[1..].len() - rest[1..].trim_start().len();
        }
        let next = match kind {
            'n' => '\n',
            't' | '\t' => '\t',
            'r' => '\r',
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'e' => '\u{1b}',
            other => other,
        };
        self.value.push(next);
        self.places.extend(std::iter::repeat_n(place, next.len_utf8()));
        1 + kind.len_utf8()
    }

    /// Parses the lines of a block scalar.
    fn block(&mut self, raw: &str, start: usize) {
        let folds = raw.starts_with('>');
        let header = raw.find('\n').map_or(raw.len(), |end| end + 1);
        let lines = raw[header..].split_inclusive('\n');
        let indent = lines.clone().find(|line| !line.trim().is_empty());
        let indent = indent.map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
        let mut at = start + header;
        // The line breaks since the last line with contents, and whether that line was indented deeper.
        let (mut breaks, mut was_deep) = (Vec::new(), false);
        for line in lines {
            let content = line.trim_end_matches(['\n', '\r']);
            let cut = indent.min(content.len() - content.trim_start_matches(' ').len());
            let own = &content[cut..];
            let is_deep = own.starts_with([' ', '\t']);
            if !own.is_empty() {
                self.breaks(&breaks, folds && !is_deep && !was_deep);
                breaks.clear();
                for (i, next) in own.char_indices() {
                    self.push(next, at + cut + i);
                }
                was_deep = is_deep;
            }
            if line.ends_with('\n') {
                breaks.push(at + content.len());
            }
            at += line.len();
        }
    }

    fn breaks(&mut self, breaks: &[usize], folds: bool) {
        let folds = folds && !self.value.is_empty();
        if let ([only], true) = (breaks, folds) {
            self.push(' ', *only);
        } else {
            // The first of several line breaks is folded.
            breaks.iter().skip(usize::from(folds)).for_each(|at| self.push('\n', *at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;

    #[test]
    fn values_are_those_of_the_reader_with_their_places() {
        for scalar in [
            "self.a > 1",
            "'it''s 😀 x'",
            "\"say \\\"é\\\" \\u0041 \\\\ x\"",
            "\"a\n    b \\\n    c\"",
            "self.a &&\n    self.b",
            "self.a &&\n\n    self.b",
            "|\n    self.a &&\n      x\n\n    self.b\n",
            "|-\n    self.a &&\n    self.b\n",
            ">-\n    self.a &&\n    self.b\n\n    || c\n",
            ">\n    self.a\n      deeper\n    self.b\n",
        ] {
            for text in
                [format!("a:\n  rule: {scalar}"), format!("a:\n  rule: {scalar}").replace('\n', "\r\n")]
            {
                let start = text.find("rule: ").unwrap() + 6;
                let cursor = Cursor::find(&text, start).unwrap();
                let read = ReadScalar::read(&text, cursor.bytes).unwrap();
                let (documents, faults) = crd_input::documents(
                    &crd_input::Source::from_string("", text.as_str()),
                    &crd_input::Limits::default(),
                );
                assert!(faults.is_empty(), "{faults:?}");
                let value = documents[0].value["a"]["rule"].as_str().unwrap();
                // How many line breaks end it is of no use to an expression.
                assert_eq!(read.value, value.trim_end(), "{text:?}");
                for (at, next) in value.char_indices().filter(|(_, next)| next.is_ascii_lowercase()) {
                    assert!(text[read.place(at)..].starts_with(next), "{text:?}: {at}");
                    assert_eq!(read.at(read.place(at)), at, "{text:?}");
                }
            }
        }
    }
}
