//! One finding: what the API server would say, and what we add to it.

use std::fmt;

use crate::FieldPath;

/// One cause for which the API server refuses an object, in its words, and our help.
///
/// Printed as the API server prints it: `spec.scope: Required value`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The place, as the API server names it.
    pub field: FieldPath,
    /// The kind of cause.
    pub reason: Reason,
    /// The API server's message, without the field: `Invalid value: "x": must be ...`.
    pub message: String,
    /// What to do about it; ours, never part of the API server's answer.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding at `field`, with the whole of the API server's message.
    #[must_use]
    pub fn new(field: FieldPath, reason: Reason, message: impl Into<String>) -> Self {
        Self { field, reason, message: message.into(), help: None }
    }

    /// A value that must be there and is not. The detail may be empty.
    #[must_use]
    pub fn required(field: FieldPath, detail: &str) -> Self {
        Self::new(field, Reason::Required, body("Required value", detail))
    }

    /// A value that must not be there. The detail may be empty.
    #[must_use]
    pub fn forbidden(field: FieldPath, detail: &str) -> Self {
        Self::new(field, Reason::Forbidden, body("Forbidden", detail))
    }

    /// The same finding with our help: an imperative in lower case, without a full stop.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

fn body(title: &str, detail: &str) -> String {
    if detail.is_empty() { title.to_owned() } else { format!("{title}: {detail}") }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// The kind of a cause, named as in `details.causes[].reason` of a `Status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// `FieldValueRequired`
    Required,
    /// `FieldValueInvalid`
    Invalid,
    /// `FieldValueTypeInvalid`
    TypeInvalid,
    /// `FieldValueNotSupported`
    NotSupported,
    /// `FieldValueForbidden`
    Forbidden,
    /// `FieldValueDuplicate`
    Duplicate,
    /// `FieldValueNotFound`
    NotFound,
    /// `FieldValueTooLong`
    TooLong,
    /// `FieldValueTooMany`
    TooMany,
    /// `InternalError`
    Internal,
}

impl Reason {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotFound => "FieldValueNotFound",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
