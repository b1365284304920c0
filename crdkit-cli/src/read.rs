//! Reads the CRDs in a command's inputs, and collects messages about them.

use crd_input::{Definition, Definitions, Error, Limits, Source};
use crd_report::{LeftOut, Message, Messages, has_errors};

/// The CRDs in the inputs.
pub(crate) struct Read {
    pub(crate) definitions: Vec<Definition>,
    /// The errors about inputs and CRDs that could not be read or decoded.
    pub(crate) messages: Vec<Message>,
    /// `true` if an input or a document could not be read.
    pub(crate) has_errors: bool,
    /// The number of objects of other kinds.
    others: usize,
    pub(crate) left_out: LeftOut,
}

impl Read {
    /// Reads sources. `errors` are the errors about inputs that could not be opened.
    pub(crate) fn from_sources(
        sources: &[Source],
        mut errors: Vec<Error>,
        mut left_out: LeftOut,
        limits: &Limits,
    ) -> Self {
        let Definitions { definitions, findings, errors: unread, others, more_others, parts, .. } =
            crd_input::definitions(sources, limits, &|| ());
        left_out.add_parts(parts);
        others.iter().for_each(|other| left_out.add_other(other.kind.as_deref().unwrap_or_default()));
        errors.extend(left_out.sift(unread, sources, limits));
        let messages = Messages::new(sources, limits).all(&errors, &findings);
        let others = others.len() + more_others;
        Self { definitions, messages, has_errors: !errors.is_empty(), others, left_out }
    }

    /// Keeps only the first of several CRDs with the same name, if they are in directories.
    pub(crate) fn keep_first(mut self, sources: &[Source]) -> Self {
        self.left_out.keep_first(&mut self.definitions, sources);
        self
    }

    /// Returns the error for inputs without a CRD.
    pub(crate) fn no_definition(&self) -> Message {
        self.left_out.no_definition(self.others)
    }

    /// Adds the error for inputs without a CRD, if there is no CRD and no other error.
    pub(crate) fn expect_some(mut self) -> Self {
        if self.definitions.is_empty() && !has_errors(&self.messages) {
            self.messages.push(self.no_definition());
        }
        self
    }
}
