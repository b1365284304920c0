//! Turns YAML text into events with places; the only module that knows the YAML parser.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{ErrorKind, Event as Raw, Marker, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::Limits;
use super::error::{Fault, Place};

/// A step through the text.
#[derive(Clone, Debug)]
pub(crate) enum Event<'t> {
    DocumentStart,
    DocumentEnd,
    Scalar { text: Cow<'t, str>, plain: bool, tag: Tag, anchor: usize },
    SequenceStart { anchor: usize },
    SequenceEnd,
    MappingStart { anchor: usize },
    MappingEnd,
    /// The use of an anchor, by its number; names are resolved, and every number is given once in a stream.
    Alias(usize),
}

/// What a tag says about a scalar. Tags of lists and maps say nothing to go-yaml.
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

/// The events of a text. After a fault it goes on with the next document, as kubectl would.
pub(crate) struct Events<'t> {
    text: &'t str,
    parser: Parser<'t, StrInput<'t>>,
    depth: usize,
    end: bool,
}

impl<'t> Events<'t> {
    pub(crate) fn new(text: &'t str, limits: &Limits) -> Self {
        let options = granit_parser::options! {
            flow_nesting_limit: limits.depth,
            block_nesting_limit: limits.depth,
        };
        Self { text, parser: Parser::new_from_str_with_options(text, options), depth: limits.depth, end: false }
    }

    /// The next event with the bytes where it stands, a fault, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Result<(Event<'t>, Range<usize>), Fault>> {
        while !self.end {
            let (event, span) = match self.parser.next_event()? {
                Ok(next) => next,
                Err(error) => {
                    // A fault in what is skipped belongs to the document that is skipped.
                    self.end = !self.parser.proceed_next_document().unwrap_or(false);
                    return Some(Err(self.fault(&error)));
                }
            };
            let event = match event {
                Raw::StreamEnd => break,
                Raw::DocumentStart(..) => Event::DocumentStart,
                Raw::DocumentEnd => Event::DocumentEnd,
                Raw::Scalar(text, style, anchor, tag) => Event::Scalar {
                    text,
                    plain: style == ScalarStyle::Plain,
                    tag: tag.map_or(Tag::None, |tag| Tag::of(&tag)),
                    anchor,
                },
                Raw::SequenceStart(_, anchor, _) => Event::SequenceStart { anchor },
                Raw::SequenceEnd => Event::SequenceEnd,
                Raw::MappingStart(_, anchor, _) => Event::MappingStart { anchor },
                Raw::MappingEnd => Event::MappingEnd,
                Raw::Alias(anchor) => Event::Alias(anchor),
                _ => continue,
            };
            return Some(Ok((event, self.bytes(&span))));
        }
        None
    }

    /// The place of some bytes of the text.
    pub(crate) fn place(&self, bytes: Range<usize>) -> Place {
        Place::of(self.text, bytes)
    }

    fn bytes(&self, span: &Span) -> Range<usize> {
        self.offset(&span.start)..self.offset(&span.end)
    }

    fn offset(&self, marker: &Marker) -> usize {
        marker.byte_offset().unwrap_or(self.text.len())
    }

    fn fault(&self, error: &ScanError) -> Fault {
        let at = self.offset(error.marker());
        let end = self.text[at.min(self.text.len())..].chars().next().map_or(at, |c| at + c.len_utf8());
        let (message, help) = self.words(error.kind());
        let mut fault = Fault::new(message).at(self.place(at..end));
        fault.help = help.map(str::to_owned);
        if let Some(template) = self.template_before(at) {
            let line = self.place(template..template).line;
            return Fault::new(format!("this is a template and no YAML: `{{{{` in line {line}"))
                .help("render it first, for instance with `helm template`, and read what comes out")
                .at(self.place(template..template + 2));
        }
        fault
    }

    /// Where a template action begins in the line of a fault or in the one before it.
    fn template_before(&self, at: usize) -> Option<usize> {
        let text = &self.text[..self.text[at.min(self.text.len())..].find('\n').map_or(self.text.len(), |n| at + n)];
        let line = text.rfind('\n').map_or(0, |newline| newline + 1);
        let start = text[..line.saturating_sub(1)].rfind('\n').map_or(0, |newline| newline + 1);
        text[start..].find("{{").map(|found| start + found)
    }

    fn words(&self, kind: &ErrorKind) -> (String, Option<&'static str>) {
        let (message, help) = match kind {
            ErrorKind::RecursionLimitExceeded => return (too_deep(self.depth), None),
            ErrorKind::UnknownAnchor => ("this alias has no anchor before it", Some("define it with `&name` first")),
            ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInPlainScalar => ("a tab stands where YAML wants spaces", Some("indent with spaces")),
            ErrorKind::UnexpectedEofFlowSequence | ErrorKind::UnclosedFlowCollection { open: '[' } => {
                ("this list has no end", Some("close it with `]`"))
            }
            ErrorKind::UnexpectedEofFlowMapping
            | ErrorKind::UnexpectedEofImplicitFlowMapping
            | ErrorKind::UnclosedFlowCollection { .. } => ("this map has no end", Some("close it with `}`")),
            ErrorKind::UnclosedQuotedScalar => ("this quoted text has no end", Some("close the quote")),
            ErrorKind::MappingValueNotAllowed => {
                ("a `:` stands where no map can begin", Some("put the text before it into quotes, or break the line"))
            }
            ErrorKind::BlockSequenceEntryNotAllowed | ErrorKind::BlockEntryInFlowCollection => {
                ("a `- ` stands where no list can begin", Some("begin the list in a line of its own"))
            }
            ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
                ("a key without `: ` after it", Some("check the indentation of this line and of the one before"))
            }
            ErrorKind::ExpectedBlockMappingKey
            | ErrorKind::ExpectedBlockSequenceEntry
            | ErrorKind::InvalidIndentation
            | ErrorKind::InvalidBlockScalarIndent
            | ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::InvalidFlowScalarIndent => {
                ("the indentation fits no list, map or text above", Some("align it with its siblings"))
            }
            ErrorKind::UnexpectedCharacter { character } => {
                let message = format!("a value cannot begin with {character:?}");
                return (message, Some("put it into quotes"));
            }
            ErrorKind::UnknownQuotedScalarEscape => {
                ("an unknown escape in double quotes", Some("write `\\\\` for a backslash, or use single quotes"))
            }
            ErrorKind::UndeclaredTagHandle => ("a tag with a handle that nothing declares", None),
            other => return (format!("no YAML: {other}"), None),
        };
        (message.to_owned(), help)
    }
}

/// What to say of a text that is nested deeper than `limit`.
pub(super) fn too_deep(limit: usize) -> String {
    format!("lists and maps stand in each other more than {limit} deep")
}

impl Tag {
    fn of(tag: &granit_parser::Tag) -> Self {
        match tag.suffix_in_namespace("tag:yaml.org,2002:").as_deref() {
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
