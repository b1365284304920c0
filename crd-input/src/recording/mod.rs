//! Records the parser's events for a text, so that positions can be found without parsing the text again.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::Limits;
use crate::error::Fault;
use crate::yaml::{Event, Tag};

/// Texts of at least this size are not recorded, because a recording lives as long as its source.
const MOST_BYTES: usize = 1 << 20;

/// A text with more events than one for this number of bytes is not recorded, because the recording would take much more memory than the
/// text. CRDs have an event for each dozen bytes.
const BYTES_OF_EVENT: usize = 6;
/// Number of events that are recorded for a text of any size.
const MOST_SMALL: usize = 1_000;

/// The recorded events of one text.
#[derive(Debug)]
pub(crate) struct Recording {
    text: Arc<str>,
    entries: Vec<Entry>,
}

/// An event and its range of bytes. Entries are small, because a text has many of them.
#[derive(Clone, Copy, Debug)]
struct Entry {
    form: Form,
    start: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    DocumentStart,
    DocumentEnd,
    SequenceStart,
    SequenceEnd,
    MappingStart,
    MappingEnd,
    /// A plain scalar on one line, whose text is identical to its bytes.
    Plain,
    /// A quoted scalar on one line without escapes, whose text is between the quotes.
    Quoted,
    /// A scalar with escapes or on several lines, which is never null. Its text is not recorded.
    Folded,
}

/// Records the events of a text, as long as they suffice to find positions.
pub(crate) struct Recorder<'t> {
    text: &'t Arc<str>,
    entries: Option<Vec<Entry>>,
    is_whole: bool,
}

impl<'t> Recorder<'t> {
    /// Returns a recorder for a text that is read with these limits; `None` if the recording would be large, or would differ from the
    /// events that `SourceMap` reads.
    pub(crate) fn new(text: &'t Arc<str>, limits: &Limits) -> Option<Self> {
        let is_recorded = text.len() < MOST_BYTES && limits.depth == Limits::default().depth;
        is_recorded.then(|| Self {
            text,
            entries: Some(Vec::with_capacity(text.len() / 12)),
            is_whole: false,
        })
    }

    /// Records an event. Texts with anchors, aliases or tags are rare, and are not recorded.
    pub(crate) fn take(&mut self, next: &Result<(Event<'_>, Range<usize>), Fault>) {
        let (Some(entries), Ok((event, bytes))) = (&mut self.entries, next) else { return };
        let form = match event {
            Event::DocumentStart => Form::DocumentStart,
            Event::DocumentEnd => Form::DocumentEnd,
            Event::SequenceStart { anchor: 0 } => Form::SequenceStart,
            Event::SequenceEnd => Form::SequenceEnd,
            Event::MappingStart { anchor: 0 } => Form::MappingStart,
            Event::MappingEnd => Form::MappingEnd,
            Event::Scalar { text, plain, tag: Tag::None, anchor: 0 } => {
                let verbatim = match text {
                    Cow::Borrowed(text) => Some(*text),
                    Cow::Owned(_) => None,
                };
                scalar(verbatim, *plain, bytes)
            }
            _ => return self.entries = None,
        };
        if entries.len() > MOST_SMALL + self.text.len() / BYTES_OF_EVENT {
            return self.entries = None;
        }
        // No byte of a text of this size has a greater number.
        let short = |byte| u32::try_from(byte).unwrap_or(u32::MAX);
        entries.push(Entry { form, start: short(bytes.start), end: short(bytes.end) });
    }

    /// Records that the text was read to its end without an error.
    pub(crate) fn end(&mut self) {
        self.is_whole = true;
    }

    /// Returns the recording, if the text was read to its end without an error.
    pub(crate) fn finish(self) -> Option<Recording> {
        let entries = self.entries.filter(|_| self.is_whole)?;
        Some(Recording { text: Arc::clone(self.text), entries })
    }
}

/// Returns the form of a scalar. `verbatim` is the scalar's text, if the document contains this text unchanged.
fn scalar(verbatim: Option<&str>, plain: bool, bytes: &Range<usize>) -> Form {
    match verbatim.map(str::len) {
        Some(length) if plain && length == bytes.len() => Form::Plain,
        Some(length) if !plain && length + 2 == bytes.len() => Form::Quoted,
        _ => Form::Folded,
    }
}

impl Recording {
    /// Returns the text that was read.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the events in order, with their ranges of bytes. The event is `None` for a scalar that is not null but whose text is
    /// not recorded.
    pub(crate) fn events(&self) -> impl Iterator<Item = (Option<Event<'_>>, Range<usize>)> {
        self.entries.iter().map(|entry| {
            let bytes = entry.start as usize..entry.end as usize;
            (self.event(entry.form, &bytes), bytes)
        })
    }

    fn event(&self, form: Form, bytes: &Range<usize>) -> Option<Event<'_>> {
        let scalar = |bytes: Range<usize>, plain| {
            let text = Cow::Borrowed(self.text.get(bytes)?);
            Some(Event::Scalar { text, plain, tag: Tag::None, anchor: 0 })
        };
        match form {
            Form::DocumentStart => Some(Event::DocumentStart),
            Form::DocumentEnd => Some(Event::DocumentEnd),
            Form::SequenceStart => Some(Event::SequenceStart { anchor: 0 }),
            Form::SequenceEnd => Some(Event::SequenceEnd),
            Form::MappingStart => Some(Event::MappingStart { anchor: 0 }),
            Form::MappingEnd => Some(Event::MappingEnd),
            Form::Plain => scalar(bytes.clone(), true),
            Form::Quoted => scalar(bytes.start + 1..bytes.end - 1, false),
            Form::Folded => None,
        }
    }
}

#[cfg(test)]
mod tests;
