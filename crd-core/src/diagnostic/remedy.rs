//! Remedies of causes: advice in words, and the changes that it names.

use serde_json::Value;

use crate::FieldPath;

/// Advice for a cause, which is not part of the API server's answer.
///
/// ```
/// use crd_core::{Edit, FieldPath, Remedy};
///
/// let length = FieldPath::new("spec").child("maxLength");
/// let remedy = Remedy::new("add `maxLength: 64`").with(Edit::add(length, 64));
/// assert_eq!(remedy.edits.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remedy {
    /// An imperative in lower case, without a full stop.
    pub text: String,
    /// The changes of the document that the advice names. All of them together are one remedy. Empty if the advice leaves a
    /// choice.
    pub edits: Vec<Edit>,
}

/// A change of a JSON document. Its path leads from the root of the document as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Adds a value: a new key of an object, or an item of a list, before the one at that index.
    Add {
        /// The place of the new value.
        at: FieldPath,
        /// The value.
        value: Value,
    },
    /// Replaces a value.
    Replace {
        /// The place of the value.
        at: FieldPath,
        /// The value that takes its place.
        value: Value,
    },
    /// Removes a value with its key.
    Remove {
        /// The place of the value.
        at: FieldPath,
    },
    /// Gives a value of an object another key.
    Rename {
        /// The place of the value, with the old key.
        at: FieldPath,
        /// The new key.
        name: String,
    },
}

impl Remedy {
    /// Advice in words alone.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), edits: Vec::new() }
    }

    /// Adds a change.
    #[must_use]
    pub fn with(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }

    /// The advice to write another value.
    pub(crate) fn meant(value: &str, at: FieldPath) -> Self {
        Self::new(format!("did you mean `{value}`?")).with(Edit::replace(at, value))
    }
}

impl Edit {
    /// Adds a value.
    #[must_use]
    pub fn add(at: FieldPath, value: impl Into<Value>) -> Self {
        Self::Add { at, value: value.into() }
    }

    /// Replaces a value.
    #[must_use]
    pub fn replace(at: FieldPath, value: impl Into<Value>) -> Self {
        Self::Replace { at, value: value.into() }
    }

    /// Removes a value.
    #[must_use]
    pub fn remove(at: FieldPath) -> Self {
        Self::Remove { at }
    }

    /// Gives a value another key.
    #[must_use]
    pub fn rename(at: FieldPath, name: impl Into<String>) -> Self {
        Self::Rename { at, name: name.into() }
    }

    /// Returns the place of the value.
    #[must_use]
    pub fn at(&self) -> &FieldPath {
        match self {
            Self::Add { at, .. }
            | Self::Replace { at, .. }
            | Self::Remove { at }
            | Self::Rename { at, .. } => at,
        }
    }

    /// Returns the place of the value, to change it.
    pub(crate) fn at_mut(&mut self) -> &mut FieldPath {
        match self {
            Self::Add { at, .. }
            | Self::Replace { at, .. }
            | Self::Remove { at }
            | Self::Rename { at, .. } => at,
        }
    }
}

impl From<String> for Remedy {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Remedy {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
