//! Causes: the API server's messages, with additional advice.

use std::fmt;

use super::keyword::Keyword;
use super::path::FieldPath;
use super::remedy::Remedy;
use super::shown::Shown;
use crate::KubeVersion;
use crate::strings::quote;

/// A reason why the API server rejects an object, with the server's message and with advice.
///
/// Printed as the API server prints it: `spec.scope: Required value`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The path, as the API server prints it.
    pub field: FieldPath,
    /// The path in the original document, step by step. The API server prints some paths differently: below `allOf`, `anyOf`, `oneOf` and
    /// `not`, the path of the root, and in CRDs, the path in an internal form.
    pub place: FieldPath,
    /// The kind of cause.
    pub reason: CauseReason,
    /// The keyword that rejects the value, or that is wrong in a schema. `None` for everything outside schemas.
    pub keyword: Option<Keyword>,
    /// The API server's message, without the field: `Invalid value: "x": must be ...`.
    pub message: String,
    /// Advice. The API server's response does not contain it.
    pub remedy: Option<Remedy>,
}

impl Diagnostic {
    /// Returns a cause at `field`, with the API server's complete message.
    #[must_use]
    pub fn new(field: FieldPath, reason: CauseReason, message: impl Into<String>) -> Self {
        let place = field.clone();
        Self { field, place, reason, keyword: None, message: message.into(), remedy: None }
    }

    /// Returns the cause for a required value that is missing. The detail can be empty.
    #[must_use]
    pub fn required(field: FieldPath, detail: &str) -> Self {
        Self::new(field, CauseReason::Required, body("Required value", detail))
    }

    /// Returns the cause for a forbidden value. The detail can be empty.
    #[must_use]
    pub fn forbidden(field: FieldPath, detail: &str) -> Self {
        Self::new(field, CauseReason::Forbidden, body("Forbidden", detail))
    }

    /// Returns the cause for an invalid value.
    pub fn invalid(field: FieldPath, value: impl Into<Shown>, detail: &str) -> Self {
        let Shown(value) = value.into();
        Self::new(field, CauseReason::Invalid, body(&format!("Invalid value: {value}"), detail))
    }

    /// Returns the cause for an invalid value that is too large to show.
    pub fn invalid_unshown(field: FieldPath, detail: &str) -> Self {
        Self::new(field, CauseReason::Invalid, body("Invalid value", detail))
    }

    /// Returns the cause for a value of the wrong type.
    pub fn type_invalid(field: FieldPath, value: impl Into<Shown>, detail: &str) -> Self {
        Self { reason: CauseReason::TypeInvalid, ..Self::invalid(field, value, detail) }
    }

    /// Returns the cause for a value that is not supported.
    pub fn not_supported<S: AsRef<str>>(field: FieldPath, value: impl Into<Shown>, supported: &[S]) -> Self {
        Self::unsupported(field, value, &supported_values(supported))
    }

    /// Returns the cause for a value that is not supported, with the list of supported values.
    pub fn unsupported(field: FieldPath, value: impl Into<Shown>, detail: &str) -> Self {
        let Shown(value) = value.into();
        Self::new(field, CauseReason::NotSupported, body(&format!("Unsupported value: {value}"), detail))
    }

    /// Returns the cause for a duplicate value.
    pub fn duplicate(field: FieldPath, value: impl Into<Shown>) -> Self {
        let Shown(value) = value.into();
        Self::new(field, CauseReason::Duplicate, format!("Duplicate value: {value}"))
    }

    /// Returns the cause for a string of more than `most` bytes.
    pub fn too_long(field: FieldPath, most: i64, version: KubeVersion) -> Self {
        let detail = match most {
            i64::MIN..=-1 => "value is too long".to_owned(),
            _ if !version.is_at_least(32) => format!("may not be longer than {most}"),
            1 if version.is_at_least(34) => "may not be more than 1 byte".to_owned(),
            _ => format!("may not be more than {most} bytes"),
        };
        Self::new(field, CauseReason::TooLong, format!("Too long: {detail}"))
    }

    /// Returns the cause for a list of more than `most` items.
    pub fn too_many(field: FieldPath, count: i64, most: i64, version: KubeVersion) -> Self {
        let detail = match most {
            i64::MIN..=-1 => "has too many items".to_owned(),
            1 if version.is_at_least(34) => "must have at most 1 item".to_owned(),
            _ => format!("must have at most {most} items"),
        };
        Self::new(field, CauseReason::TooMany, format!("Too many: {count}: {detail}"))
    }

    /// Returns this diagnostic with advice: an imperative in lower case, without a full stop.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Remedy>) -> Self {
        self.remedy = Some(help.into());
        self
    }

    /// Returns this diagnostic with the keyword that rejects the value.
    #[must_use]
    pub fn with_keyword(mut self, keyword: Keyword) -> Self {
        self.keyword = Some(keyword);
        self
    }

    /// Returns this diagnostic with the path in the original document. The API server prints another path.
    #[must_use]
    pub fn with_place(mut self, place: FieldPath) -> Self {
        self.place = place;
        self
    }

    /// Returns the text of the advice.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.remedy.as_ref().map(|remedy| remedy.text.as_str())
    }
}

/// Returns the list of allowed values for a message.
#[must_use]
pub fn supported_values<S: AsRef<str>>(supported: &[S]) -> String {
    let mut text = String::from("supported values: ");
    for (i, value) in supported.iter().enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        text.push_str(&quote(value.as_ref()));
    }
    text
}

fn body(title: &str, detail: &str) -> String {
    if detail.is_empty() { title.to_owned() } else { format!("{title}: {detail}") }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// The kind of a cause, named as in `details.causes[].reason` of a `Status`, or as in the `reason` of a `Status`
/// without causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CauseReason {
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
    /// `FieldManagerConflict`, in the rejection of a server-side apply.
    FieldManagerConflict,
    /// `InternalError`
    Internal,
    /// `BadRequest`, the reason of a whole response: the object could not be read.
    BadRequest,
    /// `RequestEntityTooLarge`, the reason of a whole response.
    RequestEntityTooLarge,
    /// The API server does not have this reason. Causes are omitted because there are too many, or a value needs more
    /// work or memory than this crate allows.
    LimitExceeded,
}

impl CauseReason {
    /// Returns `true` if rules do not run on objects with such a cause.
    pub fn is_blocking(self) -> bool {
        matches!(
            self,
            Self::NotSupported | Self::Required | Self::TooLong | Self::TooMany | Self::TypeInvalid
        )
    }

    /// Returns the name as in a `Status`.
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
            Self::FieldManagerConflict => "FieldManagerConflict",
            Self::Internal => "InternalError",
            Self::BadRequest => "BadRequest",
            Self::RequestEntityTooLarge => "RequestEntityTooLarge",
            Self::LimitExceeded => "LimitExceeded",
        }
    }
}

impl fmt::Display for CauseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
