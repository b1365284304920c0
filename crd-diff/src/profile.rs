//! Profiles, which determine which findings are acceptable.

use crate::finding::{Class, Finding, Severity};
use crate::rows;

/// A policy for findings that are not acceptable. `Clients` includes `Stored`, and `Strict` includes `Clients`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// Not acceptable: the API server rejects the new CRD, or stored objects lose data or can no longer be changed.
    Stored,
    /// Also not acceptable: requests from clients, or changes to stored objects, are rejected.
    #[default]
    Clients,
    /// Also not acceptable: readers, rollbacks or server-side apply are affected, or a class is undecided.
    Strict,
    /// Not acceptable: generated Rust code changes, or the API server rejects the new CRD.
    Rust,
}

/// A profile's judgement on a finding.
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
    /// Applies the profile to a finding.
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

    /// Returns `true` if the finding is not acceptable, even without undecided classes.
    #[must_use]
    pub fn fails(self, finding: &Finding) -> bool {
        self.judge(finding) == Judgement::Rejected
    }

    /// Returns `true` if failures of this class are not acceptable at this severity.
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
