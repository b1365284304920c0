//! Findings: differences between two CRDs, the failures that they cause, and example objects.

use std::fmt;

use crd_core::FieldPath;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A class of failures that replacing a CRD may cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// The API server rejects the new CRD as an update of the old CRD.
    Server,
    /// Every update of a stored object is rejected, even a change to a label.
    Stuck,
    /// Stored data is lost or silently changed, or requests are stored differently. If only the new CRD keeps a value, this is not a
    /// failure, because new fields are meant to keep values.
    Data,
    /// Updates of unrelated fields of a stored object are rejected.
    Edit,
    /// A request that clients send today is rejected.
    Write,
    /// Clients may read objects that the old CRD did not allow.
    Read,
    /// After a rollback to the old CRD, objects that were stored under the new CRD lose data or can no longer be changed.
    Rollback,
    /// With server-side apply, fields get other owners, or manifests with a removed field are rejected.
    Apply,
    /// Generated Rust code changes, and programs that use the code may fail to compile.
    Rust,
}

impl Class {
    /// All classes, with the most severe first.
    pub const ALL: [Self; 9] = [
        Self::Server,
        Self::Stuck,
        Self::Data,
        Self::Edit,
        Self::Write,
        Self::Read,
        Self::Rollback,
        Self::Apply,
        Self::Rust,
    ];

    /// Returns the name of the class, such as `write`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Stuck => "stuck",
            Self::Data => "data",
            Self::Edit => "edit",
            Self::Write => "write",
            Self::Read => "read",
            Self::Rollback => "rollback",
            Self::Apply => "apply",
            Self::Rust => "rust",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The severity of a finding. Greater values are more severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing that works today fails.
    Note,
    /// A failure is possible, or only readers, rollbacks or server-side apply are affected.
    Warning,
    /// Something that works today fails.
    Error,
}

impl Severity {
    /// Returns the name of the severity, such as `error`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An example object for a class of failures. The failure was confirmed by validating the object against both CRDs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Witness {
    /// The class of the failure.
    pub class: Class,
    /// The stored object, or the object that the old CRD accepts.
    pub old: Option<Value>,
    /// `true` if `old` is an object that was stored before the CRD was replaced. Otherwise, `old` is the result of the same request under
    /// the old CRD.
    pub is_stored: bool,
    /// The rejected request, or the object as the API server returns it.
    pub new: Option<Value>,
    /// The API server's message, or the difference between the two objects.
    pub answer: String,
}

/// The reason why a class is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecided {
    /// The search was completed, but found no affected object.
    NoneFound,
    /// The search reached its limit for CPU steps.
    NoWorkLeft,
    /// The failure depends on the state of the cluster or on a webhook, or the API server rejects one of the CRDs.
    NotKnown,
}

impl Undecided {
    /// Returns the name of the reason, such as `no-work-left`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoneFound => "none-found",
            Self::NoWorkLeft => "no-work-left",
            Self::NotKnown => "not-known",
        }
    }
}

/// A difference between two CRDs, and the failures that it may cause.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of change, such as `enum-value-removed`.
    pub id: &'static str,
    /// The name of the CRD.
    pub crd: String,
    /// The version, unless the whole CRD is affected.
    pub version: Option<String>,
    /// The field, such as `spec.ports[].protocol`, or empty for the whole object.
    pub path: String,
    /// All classes of failures, including undecided classes, with the most severe first.
    pub classes: Vec<Class>,
    /// The classes for which no affected object was found, although failures cannot be ruled out.
    pub undecided: Vec<Class>,
    /// The reason why some classes are undecided; `None` if all classes are decided.
    pub undecided_because: Option<Undecided>,
    /// The severity of the finding. Undecided classes count as warnings at most.
    pub severity: Severity,
    /// The severity without undecided classes.
    pub(crate) decided: Severity,
    /// The severity if the undecided classes are counted as failures.
    pub(crate) worst: Severity,
    /// The change in one sentence.
    pub message: String,
    /// The reason why the change matters.
    pub why: &'static str,
    /// Advice on how to avoid the failures.
    pub mend: &'static str,
    /// The old value, `null` if there was none.
    pub old: Value,
    /// The new value, `null` if there is none.
    pub new: Value,
    /// The path of the change in the old CRD.
    pub old_field: FieldPath,
    /// The path of the change in the new CRD.
    pub new_field: FieldPath,
    /// The example objects that were found, one for each class, with the most severe class first.
    pub witnesses: Vec<Witness>,
    /// Twelve hexadecimal digits that identify the finding, for example in waivers.
    pub fingerprint: String,
}

impl Finding {
    /// Returns `true` if `classes` contains this class.
    #[must_use]
    pub fn has(&self, class: Class) -> bool {
        self.classes.contains(&class)
    }

    /// Returns the example object for the most severe class, if one was found.
    #[must_use]
    pub fn witness(&self) -> Option<&Witness> {
        self.witnesses.first()
    }

    /// Returns a sentence about the undecided classes, with the reason. Returns `None` if all classes are decided.
    #[must_use]
    pub fn possible(&self) -> Option<String> {
        let names: Vec<&str> = self.undecided.iter().map(|class| class.as_str()).collect();
        let text = match self.undecided_because? {
            Undecided::NoneFound => {
                "none found: the search found no object that fails, but such an object may exist"
            }
            Undecided::NoWorkLeft => {
                "no work left: the search ended before it had tried all objects; `--budget 80` doubles the work"
            }
            Undecided::NotKnown => {
                "not known: the effect depends on the cluster, on a webhook or on a rejected CRD"
            }
        };
        Some(format!("undecided ({}): {text}", names.join(", ")))
    }
}

/// Returns the fingerprint of a change.
pub(crate) fn fingerprint(
    id: &str,
    crd: &str,
    version: Option<&str>,
    path: &str,
    old: &Value,
    new: &Value,
) -> String {
    let mut hasher = Sha256::new();
    let values = [old.to_string(), new.to_string()];
    for text in [id, crd, version.unwrap_or_default(), path, &values[0], &values[1]] {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text);
    }
    hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}
