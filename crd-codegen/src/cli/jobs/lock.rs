//! The lock file: for each job the files and definitions that went in, with the sums of their contents.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Job;
use crate::input::{Limits, Source};

const HEADER: &str =
    "# Written by `crd-codegen run`: what each job was made of. Keep it under version control.\n";

/// For each job, what went in and its sums.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lock(BTreeMap<String, BTreeMap<String, String>>);

impl Lock {
    /// Reads the file; an absent one is empty.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        match fs::read_to_string(path) {
            Ok(text) => toml::from_str(&text)
                .map(Self)
                .map_err(|error| format!("{}: {}", path.display(), error.message())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }

    /// Takes in the inputs of these jobs as they are, and forgets jobs that are none any more. Returns what has changed.
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

    /// Writes the file, if it changes.
    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        let text = self.text();
        if fs::read_to_string(path).is_ok_and(|before| before == text) {
            return Ok(());
        }
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
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

/// A string of JSON is one of TOML.
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
            let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
            Ok((name, sum_of(&bytes)))
        }
        // A definition of a cluster.
        None => {
            let text = source.read(&Limits::default()).map_err(|error| error.to_string())?;
            Ok((source.name().to_owned(), sum_of(text.as_bytes())))
        }
    };
    sources.iter().map(sum).collect()
}
