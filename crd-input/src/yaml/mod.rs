//! Parses YAML into events with their positions. The grammar is YAML 1.1, as go-yaml v2 and kubectl read it.
//!
//! The parser is our own and was compared with go-yaml. The existing crates read YAML 1.2. They reject some CRDs that
//! kubectl accepts, for instance with tabs in brackets, and accept other CRDs that kubectl rejects.

mod cursor;
mod mistake;
mod parse;
mod scalars;
mod scan;

use std::borrow::Cow;
use std::ops::Range;

use super::error::{Fault, Position};
use mistake::Mistake;
use parse::Parser;

/// An event in the text.
#[derive(Clone, Debug)]
pub(crate) enum Event<'t> {
    DocumentStart,
    DocumentEnd,
    Scalar {
        text: Cow<'t, str>,
        plain: bool,
        tag: Tag,
        anchor: usize,
    },
    SequenceStart {
        anchor: usize,
    },
    SequenceEnd,
    MappingStart {
        anchor: usize,
    },
    MappingEnd,
    /// An alias, with the number of its anchor. Numbers begin at 1 and are unique in a text; 0 means no anchor.
    Alias(usize),
}

/// The tag of a scalar. go-yaml ignores tags of lists and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    None,
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    Merge,
    Other,
}

impl Tag {
    /// Returns the tag with this name below `tag:yaml.org,2002:`.
    fn from_name(name: Option<&str>) -> Self {
        match name {
            Some("str") => Self::Str,
            Some("bool") => Self::Bool,
            Some("int") => Self::Int,
            Some("float") => Self::Float,
            Some("null") => Self::Null,
            Some("timestamp") => Self::Timestamp,
            Some("binary") => Self::Binary,
            Some("merge") => Self::Merge,
            _ => Self::Other,
        }
    }
}

/// Iterates over the events of a text. After an error, the next document follows, as in kubectl.
pub(crate) struct Events<'t> {
    text: &'t str,
    parser: Parser<'t>,
    /// Maximum depth of nested lists and maps.
    depth: usize,
    /// The offset where the parser began.
    base: usize,
    /// A byte and its line. Errors come in order, so each line is counted only once.
    counted: (usize, usize),
    ended: bool,
}

impl<'t> Events<'t> {
    pub(crate) fn new(text: &'t str, depth: usize) -> Self {
        Self { text, parser: Parser::new(text, depth, 0, 1), depth, base: 0, counted: (0, 1), ended: false }
    }

    /// Returns the next event with its range of bytes, an error, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Result<(Event<'t>, Range<usize>), Fault>> {
        if self.ended {
            return None;
        }
        match self.parser.next() {
            Ok(Some(event)) => Some(Ok(event)),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(mistake) => {
                self.skip_document(mistake.at);
                Some(Err(self.fault(mistake)))
            }
        }
    }

    /// Continues with the first document that begins at or after this byte.
    pub(crate) fn skip_document(&mut self, from: usize) {
        let from = from.max(self.base + 1).min(self.text.len());
        // A line can begin at this byte.
        let mut from = from - 1;
        let bytes = self.text.as_bytes();
        while let Some(found) = memchr::memmem::find(&bytes[from..], b"\n---") {
            let line = from + found + 1;
            if bytes.get(line + 3).is_none_or(u8::is_ascii_whitespace) {
                self.base = line;
                self.parser = Parser::new(self.text, self.depth, line, self.parser.next_anchor());
                return;
            }
            from = line;
        }
        self.ended = true;
    }

    /// Returns the error for the first character that is not allowed in YAML (`readerc.go` of go-yaml).
    pub(crate) fn forbidden_character(text: &str) -> Option<Fault> {
        // All forbidden characters, and few others, begin with one of these bytes. Without branches, many are compared at once.
        let is_control = |byte: u8| (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r');
        let is_suspicious = |byte: u8| is_control(byte) | (byte == 0x7F) | (byte == 0xC2) | (byte == 0xEF);
        let has_suspicious =
            |bytes: &[u8]| bytes.iter().fold(false, |found, byte| found | is_suspicious(*byte));
        if !text.as_bytes().chunks(1024).any(has_suspicious) {
            return None;
        }
        let forbidden = |char: char| !matches!(char, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..);
        let at = text.find(forbidden)?;
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        let fault = Fault::new("YAML allows no control characters")
            .help("remove the character, or write it as an escape in double quotes");
        Some(fault.with_position(Position::from_span(text, at..end)))
    }

    /// Returns the error with its position, or another error if the text is a template.
    pub(crate) fn place(&mut self, fault: Fault, bytes: Range<usize>) -> Fault {
        if let Some(template) = self.template_before(bytes.start) {
            return Fault::new("this is a template, not YAML")
                .help("render the template first, for instance with `helm template`, and use the output as input")
                .with_position(self.count(template..template + 2));
        }
        fault.with_position(self.count(bytes))
    }

    fn count(&mut self, bytes: Range<usize>) -> Position {
        let place = Position::after(self.text, self.counted, bytes);
        self.counted = (place.span.start, place.line);
        place
    }

    fn fault(&mut self, mistake: Mistake) -> Fault {
        let end = self.text[mistake.at..].chars().next().map_or(mistake.at, |c| mistake.at + c.len_utf8());
        self.place(mistake.fault, mistake.at..end)
    }

    /// Returns the offset of a template action in the line of a mistake, or in the previous line.
    fn template_before(&self, at: usize) -> Option<usize> {
        let at = at.min(self.text.len());
        let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let start = self.text[..line.saturating_sub(1)].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[start..end].find("{{").map(|found| start + found)
    }
}
