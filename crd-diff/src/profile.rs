//! Profiles: which findings make a change unacceptable.

use crate::finding::{Class, Finding, Severity};
use crate::rows;

/// A set of findings that are not acceptable. `Clients` includes `Stored`, and `Strict` includes `Clients`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// The API server rejects the update, or stored objects lose data or can no longer be changed.
    Stored,
    /// In addition, requests of clients or changes of stored objects are rejected.
    #[default]
    Clients,
    /// In addition, readers, a rollback or server-side apply are affected, or a class is undecided.
    Strict,
    /// Generated Rust code changes.
    Rust,
}

/// The judgement of a profile on a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judgement {
    /// The finding is acceptable.
    Accepted,
    /// The finding has an undecided class that would not be acceptable.
    Undecided,
    /// The finding is not acceptable.
    Rejected,
}

impl Profile {
    /// Returns the judgement of this profile on a finding.
    #[must_use]
    pub fn judge(self, finding: &Finding) -> Judgement {
        // Nothing is known of it.
        let is_unknown = [rows::NOT_COMPARED.id, rows::OBJECTS_NOT_TRIED.id].contains(&finding.id);
        if is_unknown {
            return Judgement::Undecided;
        }
        let judged = |class: &Class| {
            let is_undecided = finding.undecided.contains(class);
            let severity = if is_undecided { finding.worst } else { finding.decided };
            match self.rejects(*class, severity) {
                false => Judgement::Accepted,
                true if is_undecided => Judgement::Undecided,
                true => Judgement::Rejected,
            }
        };
        finding.classes.iter().map(judged).max().unwrap_or(Judgement::Accepted)
    }

    /// Returns `true` if the profile rejects at least one decided class of the finding.
    #[must_use]
    pub fn fails(self, finding: &Finding) -> bool {
        self.judge(finding) == Judgement::Rejected
    }

    /// Returns `true` if the profile does not accept a class in a finding of this severity.
    fn rejects(self, class: Class, severity: Severity) -> bool {
        let is_error = severity == Severity::Error;
        match self {
            Self::Stored => is_error && [Class::Server, Class::Stuck, Class::Data].contains(&class),
            Self::Clients => {
                let all = [Class::Server, Class::Stuck, Class::Data, Class::Edit, Class::Write];
                is_error && all.contains(&class)
            }
            Self::Strict => severity >= Severity::Warning,
            Self::Rust => [Class::Rust, Class::Server].contains(&class),
        }
    }
}
