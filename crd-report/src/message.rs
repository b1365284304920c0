//! Errors, warnings and advice, each with a position in an input.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crd_core::check::CrdAdvice;
use crd_core::{Diagnostic, FieldPath};

use crd_input::{Error, Limits, Lines, Origin, Problem, ProblemSeverity, Source, SourceMap};

/// Maximum number of messages about one document. A hostile document can have an error every ten bytes.
const MOST_OF_A_DOCUMENT: usize = 200;

/// Maximum length of a line that is shown. Minified JSON is a single line.
const LONGEST_LINE: usize = 2_000;

/// An error, a warning or advice about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The severity.
    pub level: Level,
    /// The file's name as the user gave it; empty if the message concerns the whole run.
    pub file: String,
    /// The kind of message, such as `FieldValueInvalid` or `Unreadable`, or the name of the advice.
    pub reason: &'static str,
    /// `true` for advice. The message then includes `reason`, because users allow and deny advice by this name.
    pub is_advice: bool,
    /// The message.
    pub text: String,
    /// The length in bytes of the field path at the start of the text, including the colon.
    pub path_bytes: usize,
    /// The remedy.
    pub help: Option<String>,
    /// The position in the file.
    pub spot: Option<Spot>,
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The run fails.
    Error,
    /// A warning from the API server or the generator.
    Warning,
    /// Advice, which does not affect the exit status.
    Note,
    /// Information that needs no action.
    Notice,
}

/// The position of a message, with the line that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The whole line, without its end.
    pub source: String,
    /// The range of bytes in the line that the message refers to.
    pub span: Range<usize>,
}

impl From<ProblemSeverity> for Level {
    fn from(severity: ProblemSeverity) -> Self {
        match severity {
            ProblemSeverity::Error => Self::Error,
            ProblemSeverity::Warning => Self::Warning,
        }
    }
}

impl Message {
    /// Creates an error that concerns the whole run.
    #[must_use]
    pub fn for_run(text: String) -> Self {
        Self {
            level: Level::Error,
            file: String::new(),
            reason: "Failed",
            is_advice: false,
            text,
            path_bytes: 0,
            help: None,
            spot: None,
        }
    }
}

/// Converts findings to messages with positions. Unless there is only one file, files are read again to find the positions.
pub struct Messages<'s> {
    sources: &'s [Source],
    /// The indexes of the sources by relative path.
    numbers: HashMap<&'s str, usize>,
    limits: &'s Limits,
    /// The indexes of the sources by name.
    names: HashMap<&'s str, usize>,
    /// The most recently used files, the latest at the end. Two files are enough, because messages are sorted by file, or by pairs of
    /// files if they compare two.
    opened: Vec<Opened>,
    /// The remaining number of bytes for lines that are shown.
    lines: usize,
}

struct Opened {
    number: usize,
    text: Arc<str>,
    map: Option<SourceMap>,
    lines: Option<Lines>,
}

/// Maximum number of files whose texts and positions are kept.
const MOST_OPENED: usize = 2;
/// Maximum size in bytes of all lines that are shown. Beyond this size, messages have a position, but no line.
const MOST_LINES: usize = 8 << 20;

impl<'s> Messages<'s> {
    /// Creates a converter for messages about these sources. `limits` are the limits with which the sources were read.
    #[must_use]
    pub fn new(sources: &'s [Source], limits: &'s Limits) -> Self {
        let numbers =
            sources.iter().enumerate().map(|(number, source)| (source.relative(), number)).collect();
        // The first of several sources of one name counts.
        let names =
            sources.iter().enumerate().rev().map(|(number, source)| (source.name(), number)).collect();
        Self { sources, numbers, names, limits, opened: Vec::new(), lines: MOST_LINES }
    }

    /// Returns a file's name as the user gave it.
    #[must_use]
    pub fn name<'f>(&self, relative: &'f str) -> &'f str
    where
        's: 'f,
    {
        self.numbers.get(relative).map_or(relative, |number| self.sources[*number].name())
    }

    /// Returns all messages, in the order of the sources and of their documents.
    pub fn all(&mut self, errors: &[Error], findings: &[Problem]) -> Vec<Message> {
        let mut messages: Vec<(Option<usize>, Message)> = Vec::new();
        for error in errors {
            let number = self.names.get(error.file()).copied();
            messages.push((number, self.error(error, number)));
        }
        let mut counts: BTreeMap<&Origin, (usize, ProblemSeverity)> = BTreeMap::new();
        for finding in findings {
            let (count, worst) = counts.entry(&finding.origin).or_insert((0, ProblemSeverity::Warning));
            *count += 1;
            if *count > MOST_OF_A_DOCUMENT {
                if finding.severity == ProblemSeverity::Error {
                    *worst = ProblemSeverity::Error;
                }
                continue;
            }
            messages.push((self.numbers.get(&*finding.origin.file).copied(), self.finding(finding)));
        }
        let mut messages = in_order(messages);
        let rest = counts.into_iter().filter(|(_, (count, _))| *count > MOST_OF_A_DOCUMENT);
        messages.extend(rest.map(|(origin, (count, worst))| Message {
            level: worst.into(),
            file: self.name(&origin.file).to_owned(),
            ..Message::for_run(format!("{} more messages are not shown", count - MOST_OF_A_DOCUMENT))
        }));
        messages
    }

    /// Converts advice with its levels and origins to messages, in the same order as [`Messages::all`].
    pub fn advice<'a>(
        &mut self,
        advice: impl Iterator<Item = (Level, &'a Origin, &'a CrdAdvice)>,
    ) -> Vec<Message> {
        let messages = advice.map(|(level, origin, advice)| {
            let CrdAdvice { name, field, message, .. } = advice;
            let (file, spot) = self.place(origin, field);
            let text = if field.is_root() { message.clone() } else { format!("{field}: {message}") };
            let message = Message {
                level,
                file,
                reason: name,
                is_advice: true,
                text,
                path_bytes: 0,
                help: advice.help().map(str::to_owned),
                spot,
            };
            (self.numbers.get(&*origin.file).copied(), message)
        });
        in_order(messages.collect())
    }

    fn finding(&mut self, finding: &Problem) -> Message {
        let Diagnostic { field, reason, message, .. } = &finding.diagnostic;
        let (file, spot) = self.place(&finding.origin, field);
        let text = if field.is_root() { message.clone() } else { finding.diagnostic.to_string() };
        Message {
            level: finding.severity.into(),
            file,
            reason: reason.as_str(),
            is_advice: false,
            path_bytes: text.strip_suffix(message.as_str()).map_or(0, str::len),
            text,
            help: finding.diagnostic.help().map(str::to_owned),
            spot,
        }
    }

    /// Returns the file's name as the user gave it, and the position of a field in the file.
    pub fn place(&mut self, origin: &Origin, field: &FieldPath) -> (String, Option<Spot>) {
        let number = self.numbers.get(&*origin.file).copied();
        let (room, sources) = (self.lines, self.sources);
        let opened = number.and_then(|number| self.open(number));
        let spot = opened.and_then(|opened| {
            let source = &sources[opened.number];
            let map = opened.map.get_or_insert_with(|| source.places(&opened.text));
            let location = map.locate(origin.document, field)?;
            let span = location.key.unwrap_or(location.value);
            let (text, lines) = (&opened.text, map.lines());
            Some(Spot::new(text, lines, span, location.line, location.column).within(room))
        });
        self.lines -= spot.as_ref().map_or(0, |spot| spot.source.len());
        (self.name(&origin.file).to_owned(), spot)
    }

    fn error(&mut self, error: &Error, number: Option<usize>) -> Message {
        let place = error.span().zip(error.line().zip(error.column()));
        let spot = place.map(|(span, (line, column))| match number.and_then(|number| self.open(number)) {
            Some(opened) => {
                let lines = opened.lines.get_or_insert_with(|| Lines::new(&opened.text));
                Spot::new(&opened.text, lines, span, line, column)
            }
            None => Spot { line, column, source: String::new(), span: 0..0 },
        });
        Message {
            level: Level::Error,
            file: error.file().to_owned(),
            reason: "Unreadable",
            is_advice: false,
            text: error.message().to_owned(),
            path_bytes: 0,
            help: error.help().map(str::to_owned),
            spot,
        }
    }

    fn open(&mut self, number: usize) -> Option<&mut Opened> {
        let known = self.opened.iter().position(|opened| opened.number == number);
        let opened = match known {
            Some(known) => self.opened.remove(known),
            None => {
                let text = self.sources[number].read_again(self.limits).ok()?;
                Opened { number, text, map: None, lines: None }
            }
        };
        if self.opened.len() == MOST_OPENED {
            self.opened.remove(0);
        }
        self.opened.push(opened);
        self.opened.last_mut()
    }
}

/// Sorts messages by the index of the source and by line.
fn in_order(mut messages: Vec<(Option<usize>, Message)>) -> Vec<Message> {
    let line = |message: &Message| message.spot.as_ref().map(|spot| spot.line);
    messages.sort_by_key(|(number, message)| (*number, line(message)));
    messages.into_iter().map(|(_, message)| message).collect()
}

impl Spot {
    /// Creates the position of a range of bytes that begins at this line and column.
    #[must_use]
    pub fn new(text: &str, lines: &Lines, bytes: Range<usize>, line: usize, column: usize) -> Self {
        // The file may have changed since it was read.
        let bytes = if text.is_char_boundary(bytes.start) { bytes } else { 0..0 };
        let of_line = lines.line(text, bytes.start);
        let start = of_line.start;
        let source = text.get(of_line).unwrap_or_default();
        let span = bytes.start - start..bytes.end.saturating_sub(start).min(source.len());
        if source.get(span.clone()).is_none() || source.len() > LONGEST_LINE {
            return Self { line, column, source: String::new(), span: 0..0 };
        }
        Self { line, column, source: source.to_owned(), span }
    }

    /// Removes the text of the line.
    pub fn forget_line(&mut self) {
        (self.source, self.span) = (String::new(), 0..0);
    }

    /// Returns the position, without the line's text if this text is longer than `bytes`.
    fn within(self, bytes: usize) -> Self {
        if self.source.len() <= bytes { self } else { Self { source: String::new(), span: 0..0, ..self } }
    }
}
