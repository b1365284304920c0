//! Findings that a configuration accepts, each with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_diff::Finding;
use serde::Deserialize;

/// A configuration is a file that a person writes.
const LARGEST: u64 = 1 << 20;

/// The waivers of a configuration, by fingerprint.
#[derive(Default)]
pub(super) struct Waivers {
    reasons: BTreeMap<String, String>,
    used: BTreeSet<String>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    diff: WaiverTable,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaiverTable {
    #[serde(default)]
    waive: Vec<Waiver>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Waiver {
    fingerprint: String,
    reason: String,
}

impl Waivers {
    /// Reads the waivers of a configuration file; without one, those of `crdkit.toml`, if it exists.
    pub(super) fn read(path: Option<&Path>) -> Result<Self, String> {
        let default = Path::new("crdkit.toml");
        let path = match path {
            Some(path) => path,
            None if default.exists() => default,
            None => return Ok(Self::default()),
        };
        let fail = |error: String| format!("{}: {error}", path.display());
        let text = crd_input::read_to_string(path, LARGEST).map_err(fail)?;
        let file: File = toml::from_str(&text).map_err(|error| fail(error.message().to_owned()))?;
        let mut reasons = BTreeMap::new();
        for Waiver { fingerprint, reason } in file.diff.waive {
            if reason.trim().is_empty() {
                return Err(fail(format!("the waiver of `{fingerprint}` has no reason")));
            }
            if reasons.insert(fingerprint.clone(), reason).is_some() {
                return Err(fail(format!("`{fingerprint}` is waived twice")));
            }
        }
        Ok(Self { reasons, used: BTreeSet::new() })
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
