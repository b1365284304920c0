//! Formats the verdict on all changes as one line.

use std::collections::BTreeSet;

use crd_diff::{Judgement, Severity};
use crd_report::{Level, Status, some};

use super::placed::{Placed, Policy};

/// The verdict, with the number of findings of each kind.
pub(super) struct GateVerdict {
    policy: Policy,
    /// The number of CRDs that were compared.
    crds: usize,
    /// The number of inputs that cannot be read.
    unread: usize,
    rejected: GateCount,
    undecided: GateCount,
    warnings: usize,
    notes: usize,
    waived: usize,
}

/// The number of findings, and the number of CRDs with findings.
struct GateCount {
    findings: usize,
    crds: usize,
}

impl GateVerdict {
    pub(super) fn new(findings: &[Placed], crds: usize, unread: usize, policy: Policy) -> Self {
        let open = || findings.iter().filter(|placed| placed.waived.is_none());
        let count = |judgement: Judgement| {
            let found = || open().filter(|placed| placed.judgement == judgement);
            let names: BTreeSet<&str> = found().map(|placed| placed.finding.crd.as_str()).collect();
            GateCount { findings: found().count(), crds: names.len() }
        };
        let accepted = || open().filter(|placed| placed.judgement == Judgement::Accepted);
        Self {
            policy,
            crds,
            unread,
            rejected: count(Judgement::Rejected),
            undecided: count(Judgement::Undecided),
            warnings: accepted().filter(|placed| placed.finding.severity > Severity::Note).count(),
            notes: accepted().filter(|placed| placed.finding.severity == Severity::Note).count(),
            waived: findings.len() - open().count(),
        }
    }

    /// Returns the exit status.
    pub(super) fn status(&self) -> Status {
        match self.level() {
            _ if self.unread > 0 => Status::Unreadable,
            Level::Error if self.rejected.findings > 0 => Status::Wrong,
            Level::Error => Status::Undecided,
            _ => Status::Fine,
        }
    }

    /// Returns the verdict's level.
    pub(super) fn level(&self) -> Level {
        let is_undecided = self.undecided.findings > 0 && !self.policy.allows_undecided;
        if self.unread > 0 || !self.policy.is_warn_only && (self.rejected.findings > 0 || is_undecided) {
            return Level::Error;
        }
        if self.rejected.findings + self.undecided.findings > 0 { Level::Warning } else { Level::Notice }
    }

    /// Returns the verdict: `FAIL: 2 breaking in 1 of 7 CRDs; 3 undecided; 41 notes hidden`.
    pub(super) fn line(&self, has_notes: bool, left_out: &str) -> String {
        let all = some(self.crds, "CRD");
        let of =
            |count: &GateCount, noun: &str| format!("{} {noun} in {} of {all}", count.findings, count.crds);
        let (rejected, undecided) = (self.rejected.findings, self.undecided.findings);
        let mut parts = Vec::new();
        if self.unread > 0 {
            parts.push(some(self.unread, "error"));
        }
        if rejected > 0 {
            parts.push(of(&self.rejected, "breaking"));
        }
        match undecided {
            0 => {}
            _ if rejected > 0 => parts.push(format!("{undecided} undecided")),
            _ => parts.push(of(&self.undecided, "undecided")),
        }
        if parts.is_empty() {
            let is_same = self.warnings + self.notes + self.waived == 0;
            parts.push(format!("{} in {all}", if is_same { "no changes" } else { "nothing breaks" }));
        }
        if self.warnings > 0 {
            parts.push(some(self.warnings, "warning"));
        }
        if self.notes > 0 {
            let hidden = if has_notes { "" } else { " hidden" };
            parts.push(format!("{}{hidden}", some(self.notes, "note")));
        }
        if self.waived > 0 {
            parts.push(format!("{} waived", self.waived));
        }
        format!("{}: {}{left_out}", self.word(), parts.join("; "))
    }

    fn word(&self) -> &'static str {
        match (self.rejected.findings, self.undecided.findings) {
            _ if self.unread > 0 => "ERROR",
            (0, 0) => "PASS",
            _ if self.level() == Level::Warning => "WARNING",
            (0, _) => "UNDECIDED",
            _ => "FAIL",
        }
    }
}
