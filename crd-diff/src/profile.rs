//! Profiles: which findings make a change unacceptable.

use crate::finding::{Class, Finding, Severity};
use crate::rows;

/// A set of findings that are not acceptable; each of the first three includes the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// The API server refuses the update, or stored objects are lost or stuck.
    Stored,
    /// Also, requests of clients or changes of stored objects are refused.
    #[default]
    Clients,
    /// Also, readers, a rollback or server-side apply are affected, or something could not be decided.
    Strict,
    /// Generated Rust code changes.
    Rust,
}

impl Profile {
    /// Returns `true` if the profile does not accept the finding.
    ///
    /// Classes that are undecided count in [`Profile::Strict`] only, as do notes in [`Profile::Rust`] only.
    #[must_use]
    pub fn fails(self, finding: &Finding) -> bool {
        let has = |classes: &[Class]| {
            finding.classes.iter().any(|class| classes.contains(class) && !finding.undecided.contains(class))
        };
        let is_error = finding.severity == Severity::Error;
        // Nothing is known of it.
        if [rows::NOT_COMPARED.id, rows::OBJECTS_NOT_TRIED.id].contains(&finding.id) {
            return true;
        }
        match self {
            Self::Stored => is_error && has(&[Class::Server, Class::Stuck, Class::Data]),
            Self::Clients => {
                is_error && has(&[Class::Server, Class::Stuck, Class::Data, Class::Edit, Class::Write])
            }
            Self::Strict => finding.severity >= Severity::Warning,
            Self::Rust => has(&[Class::Rust, Class::Server]),
        }
    }
}
