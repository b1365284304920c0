//! Errors for texts that cannot be parsed, with the position, the reason and the remedy.

use std::fmt;
use std::ops::Range;

/// The reason why an input, or one of its documents, cannot be read.
///
/// It is displayed as `file:line:column: reason`. Unknown parts are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    file: String,
    fault: Fault,
}

/// An error in a text, without the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The reason, on one line.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// The position in the text, if there is one.
    pub place: Option<Position>,
    /// `true` if lists and maps are nested deeper than the limit.
    pub is_too_deep: bool,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The range of bytes.
    pub span: Range<usize>,
}

impl Error {
    /// Returns the error `fault` with the name of its file.
    #[must_use]
    pub fn new(file: impl Into<String>, fault: Fault) -> Self {
        Self(Box::new(Inner { file: file.into(), fault }))
    }

    /// Returns the file as the user gave it; `<stdin>` for standard input.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// Returns the line, from 1, if the error has a position in the text.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.0.fault.place.as_ref().map(|place| place.line)
    }

    /// Returns the column in characters, from 1, if the error has a position in the text.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.0.fault.place.as_ref().map(|place| place.column)
    }

    /// Returns the range of bytes in the text that the error refers to.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.0.fault.place.as_ref().map(|place| place.span.clone())
    }

    /// Returns the reason, as a single line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.fault.message
    }

    /// Returns `true` if lists and maps are nested deeper than the limit.
    #[must_use]
    pub fn is_too_deep(&self) -> bool {
        self.0.fault.is_too_deep
    }

    /// Returns the remedy.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.0.fault.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file())?;
        if let Some(place) = &self.0.fault.place {
            write!(f, ":{}:{}", place.line, place.column)?;
        }
        write!(f, ": {}", self.message())
    }
}

impl std::error::Error for Error {}

impl Fault {
    /// Returns an error without a position.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, place: None, is_too_deep: false }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a place.
    #[must_use]
    pub fn with_position(mut self, place: Position) -> Self {
        self.place = Some(place);
        self
    }
}

impl Position {
    /// Returns the position of a range of bytes. Offsets beyond the text or inside a character are moved back to the start of a character.
    #[must_use]
    pub fn from_span(text: &str, span: Range<usize>) -> Self {
        Self::after(text, (0, 1), span)
    }

    /// Returns the position of a range of bytes, counted from a byte whose line is known.
    pub(crate) fn after(text: &str, known: (usize, usize), span: Range<usize>) -> Self {
        let start = floor_char_boundary(text, span.start);
        let end = floor_char_boundary(text, span.end.max(start));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let (from, line) = if known.0 <= start { known } else { (0, 1) };
        Self {
            line: line + before.as_bytes()[from..].iter().filter(|byte| **byte == b'\n').count(),
            column: before[line_start..].chars().count() + 1,
            span: start..end,
        }
    }
}

/// Returns the error for a text that is nested deeper than `limit`.
pub(crate) fn too_deep(limit: usize) -> Fault {
    let message = format!("lists and maps are nested more than {limit} deep");
    Fault { is_too_deep: true, ..Fault::new(message) }
}

/// Returns the last offset up to `offset` at which a character begins.
pub(super) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
