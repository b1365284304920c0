//! The API server's answers to requests with objects.

use std::collections::HashSet;
use std::fmt;

use serde_json::Value;

use super::warnings::Warning;
use crate::Diagnostic;
use crate::causes::Causes;
use crate::rules::BrokenRule;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Admission {
    /// The object as it would be stored, or its refusal.
    pub result: Result<Value, Rejection>,
    /// The warnings of the answer, also of a refusal.
    pub warnings: Vec<Warning>,
}

impl Admission {
    /// Returns `true` if the object is accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.result.is_ok()
    }

    /// The causes for which the object is refused; empty if it is accepted, or if the request is refused as a whole.
    #[must_use]
    pub fn causes(&self) -> &[Diagnostic] {
        self.result.as_ref().err().map_or(&[], |refusal| &refusal.causes)
    }
}

/// The refusal of an object: the `Status` with which the API server answers.
///
/// Printed as its message, which contains the texts of all causes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The reason of the refusal.
    pub reason: StatusReason,
    /// Its causes, in the server's order. Only refusals with the reason [`StatusReason::Invalid`] have causes.
    pub causes: Vec<Diagnostic>,
    /// The violated rules among the causes, without rules that could not be evaluated.
    pub broken_rules: Vec<BrokenRule>,
    /// `true` if the last cause only reports that rules did not run because of the other causes.
    pub has_unchecked_rules: bool,
    /// The message, or its beginning if there are causes.
    summary: String,
}

impl Rejection {
    pub(super) fn new(reason: StatusReason, message: impl Into<String>) -> Self {
        let (causes, broken_rules) = (Vec::new(), Vec::new());
        Self { reason, causes, broken_rules, has_unchecked_rules: false, summary: message.into() }
    }

    /// The answer for an object whose validation exceeded a limit: neither accepted nor refused.
    pub(super) fn limit(stop: &Diagnostic) -> Self {
        Self::new(StatusReason::LimitExceeded, stop.to_string())
    }

    /// `NewInvalid` in `k8s.io/apimachinery/pkg/api/errors`. The kind is that of the object.
    pub(super) fn invalid(kind: &str, group: &str, name: &str, answers: Answers) -> Self {
        let kind = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let name = crd_go::strings::quote(name);
        let summary = format!("{kind} {name} is invalid");
        let Answers { all, broken_rules, has_unchecked_rules } = answers;
        let causes = all.into_vec();
        Self { reason: StatusReason::Invalid, causes, broken_rules, has_unchecked_rules, summary }
    }
}

impl Rejection {
    /// The number of causes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.causes.len()
    }

    /// Returns `true` if no causes are listed, as for an object that could not be read or that exceeds a limit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.causes.is_empty()
    }

    /// The causes.
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

/// The `reason` of a `Status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StatusReason {
    /// The object cannot be read, or is not the one that the request names.
    BadRequest,
    /// The object is invalid.
    Invalid,
    /// The version is not served, or the subresource does not exist.
    NotFound,
    /// The stored object is a different one.
    Conflict,
    /// The stored object cannot be read.
    InternalError,
    /// An error without a reason: etcd refuses an object whose defaults exceed its limit.
    Unknown,
    /// Not a reason of the API server: the object takes more work or memory than this crate allows, so there is no
    /// verdict.
    LimitExceeded,
}

impl StatusReason {
    /// The name on the wire.
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

/// The errors of an object.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) all: Causes,
    pub(super) broken_rules: Vec<BrokenRule>,
    pub(super) has_unchecked_rules: bool,
}

impl Answers {
    /// Adds rules only for causes that are kept.
    pub(super) fn forget_left_out(&mut self) {
        let kept = self.all.len();
        self.broken_rules.retain(|broken| broken.cause < kept);
    }
}
