//! Remedies for causes: advice in words, and the corresponding edits to the document.

use super::path::FieldPath;
use crate::strings::write_json_string;

/// Advice for a cause. The API server's response does not contain this advice.
///
/// ```
/// use crd_go::field::{Edit, FieldPath, Remedy};
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
    /// The edits with which the document follows the advice. They must be applied together. The list is empty if the advice leaves a
    /// choice.
    pub edits: Vec<Edit>,
}

/// A change to a JSON document. The path begins at the root of the original document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Adds a value: a new key in an object, or a new list item before the item at that index.
    Add {
        /// The path of the new value.
        at: FieldPath,
        /// The value.
        value: EditValue,
    },
    /// Replaces a value.
    Replace {
        /// The path of the value.
        at: FieldPath,
        /// The replacement.
        value: EditValue,
    },
    /// Removes a value with its key.
    Remove {
        /// The path of the value.
        at: FieldPath,
    },
    /// Renames the key of a value in an object.
    Rename {
        /// The path of the value, with the old key.
        at: FieldPath,
        /// The new key.
        name: String,
    },
}

/// A value that an edit writes, as JSON.
///
/// ```
/// use crd_go::field::EditValue;
///
/// assert_eq!(EditValue::from(vec!["a", "b"]).json(), r#"["a","b"]"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditValue(String);

impl EditValue {
    /// Returns the empty schema of an object.
    #[must_use]
    pub fn object_schema() -> Self {
        Self(r#"{"type":"object"}"#.to_owned())
    }

    /// Returns the value as JSON.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EditValue {
    fn from(text: &str) -> Self {
        let mut json = String::new();
        write_json_string(&mut json, text);
        Self(json)
    }
}

impl From<String> for EditValue {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<bool> for EditValue {
    fn from(flag: bool) -> Self {
        Self(flag.to_string())
    }
}

impl From<u64> for EditValue {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

impl From<Vec<&str>> for EditValue {
    fn from(texts: Vec<&str>) -> Self {
        let items: Vec<String> = texts.into_iter().map(|text| Self::from(text).0).collect();
        Self(format!("[{}]", items.join(",")))
    }
}

impl Remedy {
    /// Creates advice in words only.
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

    /// Returns the advice to write another value.
    #[must_use]
    pub fn meant(value: &str, at: FieldPath) -> Self {
        Self::new(format!("did you mean `{value}`?")).with(Edit::replace(at, value))
    }
}

impl Edit {
    /// Returns the edit that adds a value.
    #[must_use]
    pub fn add(at: FieldPath, value: impl Into<EditValue>) -> Self {
        Self::Add { at, value: value.into() }
    }

    /// Returns the edit that replaces a value.
    #[must_use]
    pub fn replace(at: FieldPath, value: impl Into<EditValue>) -> Self {
        Self::Replace { at, value: value.into() }
    }

    /// Returns the edit that removes a value.
    #[must_use]
    pub fn remove(at: FieldPath) -> Self {
        Self::Remove { at }
    }

    /// Returns the edit that renames the key of a value.
    #[must_use]
    pub fn rename(at: FieldPath, name: impl Into<String>) -> Self {
        Self::Rename { at, name: name.into() }
    }

    /// Returns the path of the edited value.
    #[must_use]
    pub fn at(&self) -> &FieldPath {
        match self {
            Self::Add { at, .. }
            | Self::Replace { at, .. }
            | Self::Remove { at }
            | Self::Rename { at, .. } => at,
        }
    }

    /// Returns the path of the value, mutable.
    pub fn at_mut(&mut self) -> &mut FieldPath {
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
