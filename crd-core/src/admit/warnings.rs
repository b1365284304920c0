//! The warnings of a response: without duplicates, and truncated as the API server does.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/filters/warning.go`.

use std::collections::HashSet;
use std::fmt;

use crate::{FieldPath, PathString};

/// If all warnings together have more than this number of characters, each warning is truncated.
const MOST_IN_ALL: usize = 4 * 1024;
/// The length of a truncated warning, in characters.
const MOST_OF_ONE: usize = 256;

/// A warning from the API server.
///
/// ```
/// # use crd_core::admit::Warning;
/// fn show(warning: &Warning) -> String {
///     match warning.field() {
///         Some((problem, path)) => format!("{path}: {problem}"),
///         None => warning.as_str().to_owned(),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    text: String,
    field: Option<(FieldProblem, FieldPath)>,
}

/// The problem of a field that is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldProblem {
    /// The schema does not have the field.
    Unknown,
    /// The text of the object contains the field twice.
    Duplicate,
}

impl Warning {
    /// Returns the text that the API server sends.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the problem and the path for a warning about an unknown or duplicate field.
    #[must_use]
    pub fn field(&self) -> Option<(FieldProblem, &FieldPath)> {
        self.field.as_ref().map(|(problem, path)| (*problem, path))
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<&str> for Warning {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}

impl PartialEq<Warning> for String {
    fn eq(&self, warning: &Warning) -> bool {
        *self == warning.text
    }
}

impl FieldProblem {
    /// Returns the API server's text: `unknown field`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown field",
            Self::Duplicate => "duplicate field",
        }
    }
}

impl fmt::Display for FieldProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error of strict decoding, which is a warning unless the request asks for strict decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrictError {
    /// A problem of the field at this path.
    Field(FieldProblem, PathString),
    /// The number of unknown fields that are not listed.
    More(u64),
}

impl StrictError {
    /// Returns the path of the field.
    #[must_use]
    pub fn field(&self) -> Option<FieldPath> {
        match self {
            Self::Field(_, path) => Some(path.to_field_path()),
            Self::More(_) => None,
        }
    }
}

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(problem, path) => write!(f, "{problem} \"{path}\""),
            Self::More(left_out) => write!(f, "{left_out} more unknown fields are left out"),
        }
    }
}

/// The warnings of a response, in the order in which they were added.
#[derive(Default)]
pub(super) struct Warnings {
    seen: HashSet<String>,
    all: Vec<(String, Option<(FieldProblem, PathString)>)>,
}

impl Warnings {
    /// Adds a warning unless it is a duplicate or contains characters that are not allowed in a header.
    pub(super) fn add(&mut self, text: impl Into<String>) {
        self.add_of_field(text.into(), None);
    }

    /// Adds an error of strict decoding as a warning.
    pub(super) fn add_strict(&mut self, error: StrictError) {
        let text = error.to_string();
        self.add_of_field(
            text,
            match error {
                StrictError::Field(problem, path) => Some((problem, path)),
                StrictError::More(_) => None,
            },
        );
    }

    fn add_of_field(&mut self, text: String, field: Option<(FieldProblem, PathString)>) {
        if !text.is_empty() && !text.contains(char::is_control) && self.seen.insert(text.clone()) {
            self.all.push((text, field));
        }
    }

    /// Returns the warnings that are sent.
    pub(super) fn into_vec(self) -> Vec<Warning> {
        let warning = |(text, field): (String, Option<(FieldProblem, PathString)>)| Warning {
            text,
            field: field.map(|(problem, path)| (problem, path.to_field_path())),
        };
        let all: usize = self.all.iter().map(|(text, _)| text.chars().count()).sum();
        if all <= MOST_IN_ALL {
            return self.all.into_iter().map(warning).collect();
        }
        let mut written = 0;
        let cut = self.all.into_iter().map(|(text, field)| (text.chars().take(MOST_OF_ONE).collect(), field));
        let sent = cut.take_while(|(text, _): &(String, _)| {
            let fits = written < MOST_IN_ALL;
            written += text.chars().count();
            fits
        });
        sent.map(warning).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once_and_not_too_much() {
        let mut warnings = Warnings::default();
        for text in ["a", "", "b\n", "a", "c"] {
            warnings.add(text);
        }
        assert_eq!(warnings.into_vec(), ["a", "c"]);
        let mut warnings = Warnings::default();
        for i in 0..100 {
            warnings.add(format!("{i:0300}"));
        }
        let warnings = warnings.into_vec();
        assert_eq!((warnings.len(), warnings[0].as_str().len()), (16, 256));
    }

    #[test]
    fn a_text_that_is_cut_keeps_its_path() {
        let mut warnings = Warnings::default();
        for i in 0..20 {
            let mut path = PathString::default();
            path.push_child(&format!("a.{i:0300}"));
            warnings.add_strict(StrictError::Field(FieldProblem::Unknown, path));
        }
        let warnings = warnings.into_vec();
        assert_eq!(warnings[1].as_str().len(), 256);
        let path = FieldPath::new(format!("a.{:0300}", 1));
        assert_eq!(warnings[1].field(), Some((FieldProblem::Unknown, &path)));
    }
}
