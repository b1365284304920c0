//! Reads and writes the lock file, which contains each job's inputs and their checksums.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use crd_input::output::{DirectoryLock, read_written, replace, sweep};
use crd_input::{Limits, Source};

use super::Job;

/// Maximum size of the lock file, in bytes. A larger file would contain more checksums than a job can have inputs.
const LARGEST: u64 = 64 << 20;

const HEADER: &str =
    "# Written by `crdkit run`: the inputs of each job, with checksums. Keep it under version control.\n";

/// Each job's inputs and their checksums.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lock(BTreeMap<String, BTreeMap<String, String>>);

impl Lock {
    /// Reads the file. A missing file counts as empty.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        match read_written(path, LARGEST) {
            Ok(Some(text)) => toml::from_str(&text)
                .map(Self)
                .map_err(|error| format!("{}: {}", path.display(), error.message())),
            Ok(None) => Ok(Self::default()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }

    /// Records these jobs' current inputs, and removes jobs that no longer exist. Returns the files and jobs that have changed.
    pub(super) fn update(
        &mut self,
        chosen: &[(&Job, Vec<Source>)],
        all: &[Job],
        folder: &Path,
    ) -> Result<Vec<String>, String> {
        let mut changed = BTreeSet::new();
        for (job, sources) in chosen {
            let now = sums(sources, folder)?;
            let before = self.0.insert(job.name.clone(), now.clone()).unwrap_or_default();
            let files = before.keys().chain(now.keys());
            changed.extend(files.filter(|file| before.get(*file) != now.get(*file)).cloned());
        }
        self.0.retain(|name, _| {
            let is_job = all.iter().any(|job| job.name == *name);
            if !is_job {
                changed.insert(format!("job `{name}`"));
            }
            is_job
        });
        Ok(changed.into_iter().collect())
    }

    /// Writes the file if the content changes. Processes that write at the same time wait for each other, and keep each other's entries for
    /// other jobs.
    pub(super) fn write(mut self, path: &Path, chosen: &[String], all: &[Job]) -> Result<(), String> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let waiting =
            || crd_report::line(&format!("another run writes {}: waiting until it ends", path.display()));
        let within = |error: io::Error| format!("{}: {error}", path.display());
        let _lock = DirectoryLock::acquire(folder, &waiting).map_err(within)?;
        let before = Self::read(path)?;
        if !chosen.is_empty() {
            for (name, files) in before.0 {
                if !chosen.contains(&name) && all.iter().any(|job| job.name == name) {
                    self.0.insert(name, files);
                }
            }
        }
        sweep(folder);
        let text = self.text();
        if read_written(path, LARGEST).map_err(within)?.is_some_and(|before| before == text) {
            return Ok(());
        }
        replace(path, &text).map_err(within)
    }

    fn text(&self) -> String {
        let mut text = HEADER.to_owned();
        for (job, files) in &self.0 {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "\n[{}]", quoted(job));
            for (file, sum) in files {
                let _ = writeln!(text, "{} = {}", quoted(file), quoted(sum));
            }
        }
        text
    }
}

/// Returns a JSON string, which is also a valid TOML string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn sums(sources: &[Source], folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let sum_of = |bytes: &[u8]| {
        let mut sum = "sha256:".to_owned();
        for byte in Sha256::digest(bytes) {
            let _ = write!(sum, "{byte:02x}");
        }
        sum
    };
    let sum = |source: &Source| match source.path() {
        Some(path) => {
            let bytes = crd_input::read_bytes(path, Limits::default().file_bytes)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
            Ok((name, sum_of(&bytes)))
        }
        // A CRD of a cluster.
        None => {
            let text = source.read(&Limits::default()).map_err(|error| error.to_string())?;
            Ok((source.name().to_owned(), sum_of(text.as_bytes())))
        }
    };
    sources.iter().map(sum).collect()
}
