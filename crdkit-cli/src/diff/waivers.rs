//! Findings that a configuration accepts, each with a reason.

use std::collections::{BTreeMap, BTreeSet};

use crd_diff::Finding;

/// The waivers of a configuration, by fingerprint.
pub(super) struct Waivers<'c> {
    reasons: &'c BTreeMap<String, String>,
    used: BTreeSet<String>,
}

impl<'c> Waivers<'c> {
    /// The waivers of a configuration.
    pub(super) fn new(reasons: &'c BTreeMap<String, String>) -> Self {
        Self { reasons, used: BTreeSet::new() }
    }

    /// Returns `true` if a finding is waived.
    pub(super) fn has(&mut self, finding: &Finding) -> bool {
        let is_waived = self.reasons.contains_key(&finding.fingerprint);
        if is_waived {
            self.used.insert(finding.fingerprint.clone());
        }
        is_waived
    }

    /// Fingerprints that no finding has.
    pub(super) fn unused(&self) -> impl Iterator<Item = &str> {
        self.reasons.keys().filter(|fingerprint| !self.used.contains(*fingerprint)).map(String::as_str)
    }
}
