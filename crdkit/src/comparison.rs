//! Compares the CRDs of Rust types with the CRDs of an earlier release. Needs the feature `diff`.

use std::collections::{BTreeMap, BTreeSet};

use crd_core::CustomResourceDefinition;
pub use crd_diff::{Class, Finding, Judgement, Profile, Severity, Undecided, Witness};
use crd_diff::{DiffOptions, added, diff, removed};
use crd_input::Limits;

use crate::{CrdFiles, Error};

impl CrdFiles {
    /// Reads earlier CRDs and compares them with these CRDs. `earlier` is a file, a directory, or `git:REF:PATH` for a file or directory
    /// in a commit. In tests, a path is relative to the package's directory.
    ///
    /// ```no_run
    /// # use crdkit::{CrdSchema, CustomResource};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    /// # #[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
    /// # struct ShirtSpec { color: String }
    /// use crdkit::comparison::Profile;
    ///
    /// #[test]
    /// fn the_crds_are_compatible_with_the_last_release() -> Result<(), crdkit::Error> {
    ///     let mut files = crdkit::CrdFiles::new("crds");
    ///     files.add::<Shirt>()?.against("git:v1.2.0:crds/")?.check(Profile::Clients)
    /// }
    /// ```
    ///
    /// # Errors
    /// - The file, directory or commit does not exist, or a file cannot be read.
    /// - An earlier CRD cannot be decoded, is defined twice, or does not exist.
    pub fn against(&self, earlier: &str) -> Result<Comparison, Error> {
        let limits = Limits::default();
        let (sources, mut errors) = crd_input::sources_or_commit(earlier, &limits);
        let read = crd_input::definitions(&sources, &limits, &|| ());
        errors.extend(read.errors);
        let undecoded =
            read.findings.iter().filter(|finding| finding.severity == crd_input::ProblemSeverity::Error);
        let undecoded = undecoded.map(|finding| format!("{}: {}", finding.origin.file, finding.diagnostic));
        let faults: Vec<String> = errors.iter().map(ToString::to_string).chain(undecoded).collect();
        if !faults.is_empty() {
            return Err(Error::files(faults.join("\n"), ""));
        }
        let mut old = BTreeMap::new();
        for definition in read.definitions {
            let name = definition.crd.metadata.name.clone();
            if old.insert(name.clone(), definition.crd).is_some() {
                return Err(Error::files(format!("`{earlier}` defines `{name}` twice"), ""));
            }
        }
        if old.is_empty() {
            return Err(Error::files(format!("`{earlier}` has no CRD"), ""));
        }
        let new = self.definitions().map(|crd| (crd.metadata.name.clone(), crd)).collect();
        Ok(Comparison { old, new, options: DiffOptions::default(), waived: BTreeSet::new() })
    }
}

/// A comparison of earlier CRDs with the current CRDs.
#[derive(Clone, Debug)]
pub struct Comparison {
    old: BTreeMap<String, CustomResourceDefinition>,
    new: BTreeMap<String, CustomResourceDefinition>,
    options: DiffOptions,
    /// Fingerprints of accepted findings.
    waived: BTreeSet<String>,
}

impl Comparison {
    /// Sets the number of sample objects for each change and direction. The default is 40.
    pub fn budget(&mut self, objects: usize) -> &mut Self {
        self.options.budget = objects;
        self
    }

    /// Accepts the change with this fingerprint. `reason` only informs readers of the test.
    pub fn waive(&mut self, fingerprint: &str, reason: &str) -> &mut Self {
        let _ = reason;
        self.waived.insert(fingerprint.to_owned());
        self
    }

    /// Returns the changes that are not waived, each with an example object if one was found. New and removed CRDs are also changes.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let names: BTreeSet<&String> = self.old.keys().chain(self.new.keys()).collect();
        let of_name = |name: &String| match (self.old.get(name), self.new.get(name)) {
            (Some(old), Some(new)) => diff(old, new, &self.options),
            (Some(old), None) => vec![removed(old)],
            (None, Some(new)) => vec![added(new)],
            (None, None) => Vec::new(),
        };
        let all = names.into_iter().flat_map(of_name);
        all.filter(|finding| !self.waived.contains(&finding.fingerprint)).collect()
    }

    /// Checks that the profile accepts all changes.
    ///
    /// # Errors
    /// The profile does not accept a change, or cannot decide whether to accept it. The error lists these changes, with an example
    /// object and the API server's response.
    pub fn check(&self, profile: Profile) -> Result<(), Error> {
        let is_failing = |finding: &&Finding| profile.judge(finding) != Judgement::Accepted;
        let failing: Vec<String> = self.findings().iter().filter(is_failing).map(described).collect();
        if failing.is_empty() {
            return Ok(());
        }
        Err(Error::files(
            failing.join("\n"),
            "correct the types, or accept a change with `waive(fingerprint, reason)`",
        ))
    }
}

/// Returns the text for a change.
fn described(finding: &Finding) -> String {
    let parts = [finding.crd.as_str(), finding.version.as_deref().unwrap_or_default(), finding.path.as_str()];
    let subject: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let classes: Vec<&str> = finding.classes.iter().map(|class| class.as_str()).collect();
    let mut text = format!(
        "{}: {}: {} ({}): {}; {} (fingerprint {})",
        finding.id,
        subject.join(" "),
        finding.message,
        classes.join(", "),
        finding.why,
        finding.mend,
        finding.fingerprint
    );
    if let Some(witness) = finding.witness() {
        for (title, object) in [("stored object", &witness.old), ("object", &witness.new)] {
            if let Some(object) = object {
                text += &format!("\n  {title}: {object}");
            }
        }
        text += &format!("\n  answer ({}): {}", witness.class, witness.answer);
    }
    text + &finding.possible().map(|reason| format!("\n  {reason}")).unwrap_or_default()
}
