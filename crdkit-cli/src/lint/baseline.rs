//! Reads and writes baselines. A baseline is a file with one known problem per line, and only problems that are not in the file are
//! reported.

use std::collections::BTreeMap;
use std::path::Path;

use crd_core::CustomResourceDefinition;
use crd_input::output::{Directory, WriteError, put};
use crd_lint::LintFinding;
use crd_report::waiting;

/// Maximum size of a baseline, in bytes.
const LARGEST: u64 = 16 << 20;

/// The first line of a baseline.
const HEAD: &str = "# Findings of `crdkit lint` that are known: rule, CRD, version, path. `--write-baseline` writes this file.\n";

/// The number of problems by rule, CRD, version and path. A baseline remains valid if files are renamed or versions are reordered.
#[derive(Default)]
pub(super) struct Baseline(BTreeMap<String, usize>);

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = crd_input::read_to_string(path, LARGEST)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let mut baseline = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            *baseline.0.entry(line.to_owned()).or_default() += 1;
        }
        Ok(baseline)
    }

    /// Adds a finding.
    pub(super) fn add(&mut self, crd: &CustomResourceDefinition, finding: &LintFinding) {
        *self.0.entry(line(crd, finding)).or_default() += 1;
    }

    /// Removes a problem from the baseline. Returns `true` if the baseline contained the problem.
    pub(super) fn take(&mut self, crd: &CustomResourceDefinition, finding: &LintFinding) -> bool {
        match self.0.get_mut(&line(crd, finding)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    /// Returns the number of unused entries.
    pub(super) fn left(&self) -> usize {
        self.0.values().sum()
    }

    /// Writes the baseline.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        let lines = self.0.iter().flat_map(|(line, count)| std::iter::repeat_n(format!("{line}\n"), *count));
        let text: String = std::iter::once(HEAD.to_owned()).chain(lines).collect();
        let write = || -> Result<(), WriteError> {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let directory = Directory::locked(parent.unwrap_or(Path::new(".")), &waiting(path))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            put(vec![directory.write(&name, &text)?])
        };
        write().map_err(|error| error.to_string())
    }
}

fn line(crd: &CustomResourceDefinition, finding: &LintFinding) -> String {
    let (version, path) = finding.place(crd);
    let line = format!("{} {} {} {path}", finding.rule.id, crd.metadata.name, version.unwrap_or("-"));
    // A name of a field can contain a line break.
    line.replace(['\n', '\r'], " ")
}
