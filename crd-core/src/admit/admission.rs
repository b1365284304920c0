//! The API server's responses to requests with objects.

use std::collections::HashSet;
use std::fmt;

use serde_json::Value;

use super::warnings::{FieldProblem, StrictError, Warning};
use crate::rules::FailedRule;
use crate::{Causes, Diagnostic, FieldPath, Keyword};

/// The API server's response to a request with an object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Admission {
    /// The object as it would be stored, or its rejection.
    pub result: Result<Value, Rejection>,
    /// The warnings of the response. A rejected object can also have warnings.
    pub warnings: Vec<Warning>,
    /// The number of CPU steps that the response took, each of about ten nanoseconds.
    pub work: u64,
    /// `true` if the limit for these steps was reached; causes may then be missing.
    pub is_incomplete: bool,
}

impl Admission {
    /// Returns `true` if the object is accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.result.is_ok()
    }

    /// Returns `true` if the object is neither accepted nor rejected, because the response would exceed a limit for CPU steps or memory.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.result.as_ref().is_err_and(|refusal| refusal.reason == StatusReason::LimitExceeded)
    }

    /// Returns the reasons for the object's rejection. The list is empty if the object is accepted, or if the request is rejected as a
    /// whole.
    #[must_use]
    pub fn causes(&self) -> &[Diagnostic] {
        self.result.as_ref().err().map_or(&[], |refusal| &refusal.causes)
    }
}

/// The rejection of an object: the `Status` that the API server returns.
///
/// `Display` prints the `Status`'s message. It contains the messages of all causes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The reason for the rejection.
    pub reason: StatusReason,
    /// The causes, in the server's order. Only rejections with the reason [`StatusReason::Invalid`] have causes.
    pub causes: Vec<Diagnostic>,
    /// The failed rules, each with the index of its cause in `causes`.
    pub failed_rules: Vec<FailedRule>,
    /// The error for an object that cannot be decoded.
    pub undecoded: Option<Box<Undecoded>>,
    /// The message of the rejection, or only its beginning if the rejection has causes.
    summary: String,
}

/// The error for an object that cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecoded {
    /// The error, which is the end of the rejection's message.
    pub error: String,
    /// The unknown and duplicate fields, if nothing else is wrong.
    pub strict_errors: Vec<StrictError>,
}

impl Rejection {
    pub(super) fn new(reason: StatusReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            causes: Vec::new(),
            failed_rules: Vec::new(),
            undecoded: None,
            summary: message.into(),
        }
    }

    /// Returns the response for an object that cannot be decoded.
    pub(super) fn undecoded(object_kind: &str, version: &str, kind: &str, error: Undecoded) -> Self {
        let message =
            format!("{object_kind} in version \"{version}\" cannot be handled as a {kind}: {}", error.error);
        Self { undecoded: Some(Box::new(error)), ..Self::new(StatusReason::BadRequest, message) }
    }

    /// Returns the response for an object whose validation exceeded a limit. The object is neither accepted nor rejected.
    pub(super) fn limit(stop: &Diagnostic) -> Self {
        Self::new(StatusReason::LimitExceeded, stop.to_string())
    }

    /// Returns the rejection of an invalid object: `NewInvalid` in `k8s.io/apimachinery/pkg/api/errors`.
    pub(super) fn invalid(kind: &str, group: &str, name: &str, answers: Answers) -> Self {
        let kind = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let name = crd_go::strings::quote(name);
        let summary = format!("{kind} {name} is invalid");
        let Answers { all, failed_rules } = answers;
        Self { causes: all.into_vec(), failed_rules, ..Self::new(StatusReason::Invalid, summary) }
    }
}

impl Rejection {
    /// Returns the number of causes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.causes.len()
    }

    /// Returns `true` if the rejection has no causes, for example because the object could not be read or exceeds a limit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.causes.is_empty()
    }

    /// Returns the causes without the note that the rules did not run because of the other causes.
    pub fn faults(&self) -> impl Iterator<Item = &Diagnostic> {
        self.causes.iter().filter(|cause| cause.keyword != Some(Keyword::UncheckedRules))
    }

    /// Returns the violated rules, without rules that could not be evaluated.
    pub fn broken_rules(&self) -> impl Iterator<Item = &FailedRule> {
        self.failed_rules.iter().filter(|rule| rule.is_broken)
    }

    /// Returns the unknown and duplicate fields, which are errors under strict field validation.
    #[must_use]
    pub fn strict_errors(&self) -> &[StrictError] {
        self.undecoded.as_ref().map_or(&[], |undecoded| &undecoded.strict_errors)
    }

    /// Returns the unknown fields for which the object is rejected.
    pub fn unknown_fields(&self) -> impl Iterator<Item = FieldPath> {
        self.strict_errors().iter().filter_map(|error| match error {
            StrictError::Field(FieldProblem::Unknown, path) => Some(path.to_field_path()),
            _ => None,
        })
    }

    /// Returns an iterator over the causes of the rejection.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.causes.iter()
    }
}

impl<'a> IntoIterator for &'a Rejection {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Rejection {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.causes.into_iter()
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)?;
        let mut seen = HashSet::new();
        let texts: Vec<String> =
            self.causes.iter().map(ToString::to_string).filter(|text| seen.insert(text.clone())).collect();
        // Several errors as one text, each text once: utilerrors.Aggregate.
        match texts.as_slice() {
            [] => Ok(()),
            [text] => write!(f, ": {text}"),
            texts => write!(f, ": [{}]", texts.join(", ")),
        }
    }
}

impl std::error::Error for Rejection {}

/// The `reason` of a `Status` that rejects an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StatusReason {
    /// The object cannot be read, or the request is for another object.
    BadRequest,
    /// The object is invalid.
    Invalid,
    /// The version is not served, or the subresource does not exist.
    NotFound,
    /// The stored object is a different object.
    Conflict,
    /// The stored object cannot be read.
    InternalError,
    /// No reason, as when etcd rejects an object because its defaults make it too large.
    Unknown,
    /// The API server does not have this reason. The object needs more work or memory than this crate allows, so
    /// there is no verdict.
    LimitExceeded,
}

impl StatusReason {
    /// Returns the `reason` as in a response, such as `Invalid`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadRequest => "BadRequest",
            Self::Invalid => "Invalid",
            Self::NotFound => "NotFound",
            Self::Conflict => "Conflict",
            Self::InternalError => "InternalError",
            Self::Unknown => "",
            Self::LimitExceeded => "LimitExceeded",
        }
    }
}

impl fmt::Display for StatusReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The results of an object's checks: the causes, and the failed rules.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) all: Causes,
    pub(super) failed_rules: Vec<FailedRule>,
}

impl Answers {
    /// Removes the failed rules whose causes were left out because there are too many causes.
    pub(super) fn forget_left_out(&mut self) {
        let kept = self.all.len();
        self.failed_rules.retain(|failed| failed.cause < kept);
    }
}
