//! Turns messages into text: snippets for people, and the forms that machines read.

mod github;
mod human;
mod sarif;
mod visible;

use std::collections::HashMap;
use std::ops::Range;

use crate::input::{Error, Limits, Source};
use crate::{Finding, Severity, SourceMap};

pub(crate) use github::github;
pub(crate) use human::human;
pub(crate) use sarif::sarif;
pub(crate) use visible::visible;

/// Something to say about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) level: Level,
    /// The name by which the user knows the file.
    pub(crate) file: String,
    /// The kind of cause: `FieldValueInvalid`, or `Unreadable`.
    pub(crate) reason: &'static str,
    pub(crate) text: String,
    pub(crate) help: Option<String>,
    pub(crate) spot: Option<Spot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Error,
    Warning,
}

/// Where a message points, and the line it points into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// From 1.
    pub(crate) line: usize,
    /// In characters, from 1.
    pub(crate) column: usize,
    /// The whole line, without its end.
    pub(crate) source: String,
    /// The bytes of the line that are meant.
    pub(crate) span: Range<usize>,
}

/// Makes messages of what was found, with their places: a file is read again when it has something wrong.
pub(crate) struct Messages<'s> {
    sources: &'s [Source],
    /// The number of a source by its relative path.
    numbers: HashMap<&'s str, usize>,
    limits: &'s Limits,
    /// The map of the file that was last looked at: messages come file by file.
    last: Option<(String, Option<SourceMap>)>,
}

impl<'s> Messages<'s> {
    pub(crate) fn new(sources: &'s [Source], limits: &'s Limits) -> Self {
        let numbers =
            sources.iter().enumerate().map(|(number, source)| (source.relative(), number)).collect();
        Self { sources, numbers, limits, last: None }
    }

    /// All messages, in the order of the sources, and of the documents in each.
    pub(crate) fn all(&mut self, errors: &[Error], findings: &[Finding]) -> Vec<Message> {
        let mut messages: Vec<(Option<usize>, Message)> = Vec::new();
        for error in errors {
            let number = self.sources.iter().position(|source| source.name() == error.file());
            messages.push((number, self.error(error, number)));
        }
        for finding in findings {
            messages.push((self.numbers.get(&*finding.origin.file).copied(), self.finding(finding)));
        }
        let line = |message: &Message| message.spot.as_ref().map(|spot| spot.line);
        messages.sort_by(|a, b| (a.0, line(&a.1)).cmp(&(b.0, line(&b.1))));
        messages.into_iter().map(|(_, message)| message).collect()
    }

    fn finding(&mut self, finding: &Finding) -> Message {
        let diagnostic = &finding.diagnostic;
        let map = self.map(&finding.origin.file);
        let location = map.and_then(|map| {
            let location = map.locate(finding.origin.document, &diagnostic.field)?;
            Some(Spot::new(map.text(), location.key.unwrap_or(location.value)))
        });
        Message {
            level: match finding.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
            },
            file: self.source(&finding.origin.file).map_or(&*finding.origin.file, Source::name).to_owned(),
            reason: diagnostic.reason.as_str(),
            text: if diagnostic.field.is_root() {
                diagnostic.message.clone()
            } else {
                diagnostic.to_string()
            },
            help: diagnostic.help.clone(),
            spot: location,
        }
    }

    fn error(&self, error: &Error, number: Option<usize>) -> Message {
        let text = number.and_then(|number| self.sources[number].read(self.limits).ok());
        Message {
            level: Level::Error,
            file: error.file().to_owned(),
            reason: "Unreadable",
            text: error.message().to_owned(),
            help: error.help().map(str::to_owned),
            spot: match (error.span(), error.line().zip(error.column())) {
                (Some(span), Some(_)) if text.is_some() => text.map(|text| Spot::new(&text, span)),
                (_, place) => {
                    place.map(|(line, column)| Spot { line, column, source: String::new(), span: 0..0 })
                }
            },
        }
    }

    fn source(&self, relative: &str) -> Option<&'s Source> {
        self.numbers.get(relative).map(|number| &self.sources[*number])
    }

    fn map(&mut self, relative: &str) -> Option<&SourceMap> {
        if self.last.as_ref().is_none_or(|(file, _)| file != relative) {
            let text = self.source(relative).and_then(|source| source.read(self.limits).ok());
            self.last = Some((relative.to_owned(), text.map(|text| SourceMap::new(&text))));
        }
        self.last.as_ref()?.1.as_ref()
    }
}

impl Spot {
    fn new(text: &str, span: Range<usize>) -> Self {
        let place = crate::input::Place::of(text, span);
        let start = text[..place.span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end =
            text[place.span.start..].find('\n').map_or(text.len(), |newline| place.span.start + newline);
        let source = text[start..end].trim_end_matches('\r');
        let span =
            place.span.start - start..place.span.end.min(start + source.len()).max(place.span.start) - start;
        Self { line: place.line, column: place.column, source: source.to_owned(), span }
    }
}
