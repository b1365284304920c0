//! Reads the configuration file `crdkit.toml`.

mod job;
mod keys;
mod lint;
mod package;
mod waiver;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crd_codegen::Config;
use crd_core::check::FeatureGate;

use crate::release::{Releases, gate_named, releases};
pub(crate) use job::Job;
use keys::{Fault, Keys};
pub(crate) use lint::{Levels, LevelsAt, LintChoices, unknown_rule};
pub(crate) use waiver::Waiver;

/// Maximum size of a configuration file in bytes.
const LARGEST: u64 = 1 << 20;

/// The configuration file in the current directory.
const FILE: &str = "crdkit.toml";

/// A configuration. An absent file counts as empty.
#[derive(Default)]
pub(crate) struct Configuration {
    path: PathBuf,
    /// The Kubernetes versions of the API server.
    pub(crate) releases: Option<Releases>,
    /// The feature gates of the API server.
    pub(crate) gates: Vec<(FeatureGate, bool)>,
    /// The accepted problems.
    pub(crate) waivers: Vec<Waiver>,
    /// The settings for `lint`.
    pub(crate) lint: LintChoices,
    /// The names of CRDs to which another tool adds a conversion webhook.
    pub(crate) webhooks: Vec<String>,
    /// The options for generated code that apply to all jobs.
    pub(crate) options: Config,
    /// The jobs for `crdkit run`. Each job's own options take precedence over the options for all jobs.
    pub(crate) jobs: Vec<Job>,
}

impl Configuration {
    /// Reads the given file, or by default `crdkit.toml` in the current directory, if it exists.
    ///
    /// # Errors
    /// - The file cannot be read, or is not TOML.
    /// - A key is unknown, or has a wrong value.
    pub(crate) fn read(path: Option<&Path>) -> Result<Self, String> {
        let default = Path::new(FILE);
        let path = match path {
            Some(path) => path,
            None if fs::symlink_metadata(default).is_ok() => default,
            None => return Ok(Self { path: default.to_owned(), ..Self::default() }),
        };
        let text = crd_input::read_to_string(path, LARGEST)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let read = Keys::parse(&text).and_then(|keys| Self::from_keys(path, keys));
        read.map_err(|fault| fault.shown(path, &text))
    }

    fn from_keys(path: &Path, mut keys: Keys<'_>) -> Result<Self, Fault> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let releases = keys.take_parsed("kube-version", "`kube-version = \"1.37\"`", releases)?;
        let gates = keys.take_table("feature-gates", "a table of feature gates")?;
        let waivers = keys.take_tables("waive", "tables, as in `[[waive]]`")?;
        let diff = keys.take_table("diff", "a table, as in `[diff.crd.\"shirts.stable.example.com\"]`")?;
        let lint = keys.take_table("lint", "a table, as in `[lint.levels]`")?;
        let jobs = keys.take_table("job", "a table of jobs, as in `[job.name]`")?;
        let options = keys.options(&["kube-version", "feature-gates", "waive", "diff", "lint", "job"])?;
        let jobs = jobs.map_or(Ok(Vec::new()), |jobs| job::jobs(jobs, folder, &options))?;
        Ok(Self {
            path: path.to_owned(),
            releases,
            gates: gates.map_or(Ok(Vec::new()), feature_gates)?,
            waivers: waivers.into_iter().map(waiver::waiver).collect::<Result<_, _>>()?,
            lint: lint.map_or(Ok(LintChoices::default()), |keys| lint::lint(keys, folder))?,
            webhooks: diff.map_or(Ok(Vec::new()), webhooks)?,
            options,
            jobs,
        })
    }

    /// Returns the message for an error in this file.
    pub(crate) fn error(&self, reason: &str) -> String {
        format!("{}: {reason}", self.path.display())
    }

    /// Returns `true` if the file exists. Without a file, all settings have their defaults.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Returns the file's directory. Paths in the file are relative to this directory.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Returns the path of the lock file. This file contains checksums of the inputs.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.path.with_extension("lock")
    }
}

/// Returns the error in a configuration's text, and the byte range of the error.
pub(crate) fn fault(path: &Path, text: &str) -> Option<(String, Range<usize>)> {
    let read = Keys::parse(text).and_then(|keys| Configuration::from_keys(path, keys));
    read.err().map(Fault::into_parts)
}

fn feature_gates(mut keys: Keys<'_>) -> Result<Vec<(FeatureGate, bool)>, Fault> {
    let mut gates = Vec::new();
    for (name, place) in keys.names() {
        let gate = gate_named(&name).map_err(|error| Fault::new(error).at(place))?;
        let value = keys.take(&name, &format!("`{name} = true` or `{name} = false`"))?;
        gates.extend(value.map(|value| (gate, value)));
    }
    Ok(gates)
}

/// Returns the names of CRDs whose conversion is set to a webhook: `[diff.crd.NAME]` with `conversion = "webhook"`.
fn webhooks(mut keys: Keys<'_>) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    if let Some(mut crds) = keys.take_table("crd", "a table of CRDs")? {
        for (name, place) in crds.names() {
            let Some(mut crd) = crds.take_table(&name, "a table")? else { continue };
            match crd.take::<String>("conversion", "`conversion = \"webhook\"`")?.as_deref() {
                Some("webhook") => names.push(name),
                Some("none") | None => {}
                Some(_) => {
                    return Err(Fault::new("expected `conversion = \"webhook\"` or `\"none\"`").at(place));
                }
            }
            crd.expect_none(&["conversion"])?;
        }
    }
    if keys.names().iter().any(|(name, _)| name == "waive") {
        return Err(Fault::new("write each waiver as a table: `[[waive]]`"));
    }
    keys.expect_none(&["crd"])?;
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_book_is_read() {
        let page = include_str!("../../../book/src/configuration.md");
        let (_, rest) = page.split_once("```toml\n").expect("the page has an example");
        let (text, _) = rest.split_once("```").expect("the example ends");
        let read = Keys::parse(text).and_then(|keys| Configuration::from_keys(Path::new(FILE), keys));
        let configuration = read.map_err(|fault| fault.shown(Path::new(FILE), text)).expect("it is right");
        assert_eq!(configuration.waivers.len(), 1);
        assert_eq!(configuration.webhooks, ["shirts.stable.example.com"]);
        assert_eq!(configuration.jobs.len(), 1);
        for key in job::KEYS {
            assert!(page.contains(&format!("| `{key}` |")), "{key}");
        }
    }
}
