//! The configuration `crdkit.toml`: the API server that answers, waivers, options of generated code, and jobs.

mod job;
mod keys;
mod package;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crd_codegen::Config;
use crd_core::check::FeatureGate;

use crate::release::{Releases, gate_named, releases};
pub(crate) use job::Job;
use keys::{Fault, Keys};

/// A configuration is a file that a person writes.
const LARGEST: u64 = 1 << 20;

/// The file of the current directory.
const FILE: &str = "crdkit.toml";

/// A configuration. An absent file is an empty one.
#[derive(Default)]
pub(crate) struct Configuration {
    path: PathBuf,
    /// The releases of the API server that answer.
    pub(crate) releases: Option<Releases>,
    /// The feature gates of the API server.
    pub(crate) gates: Vec<(FeatureGate, bool)>,
    /// The reasons of waivers of `crdkit diff`, by fingerprint.
    pub(crate) waivers: BTreeMap<String, String>,
    /// The options of generated code outside of jobs.
    pub(crate) options: Config,
    /// The jobs of `crdkit run`, each with its options laid over those of all jobs.
    pub(crate) jobs: Vec<Job>,
}

impl Configuration {
    /// Reads a file, or `crdkit.toml` of the current directory if there is one.
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
        let waivers = keys.take_table("diff", "a table, as in `[[diff.waive]]`")?;
        let jobs = keys.take_table("job", "a table of jobs, as in `[job.name]`")?;
        let options = keys.options(&["kube-version", "feature-gates", "diff", "job"])?;
        let jobs = jobs.map_or(Ok(Vec::new()), |jobs| job::jobs(jobs, folder, &options))?;
        Ok(Self {
            path: path.to_owned(),
            releases,
            gates: gates.map_or(Ok(Vec::new()), feature_gates)?,
            waivers: waivers.map_or(Ok(BTreeMap::new()), self::waivers)?,
            options,
            jobs,
        })
    }

    /// Returns an error of this file.
    pub(crate) fn error(&self, reason: &str) -> String {
        format!("{}: {reason}", self.path.display())
    }

    /// Returns the directory at which the paths in the file begin.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Returns the file in which the sums of inputs are kept.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.path.with_extension("lock")
    }
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

fn waivers(mut keys: Keys<'_>) -> Result<BTreeMap<String, String>, Fault> {
    let mut reasons = BTreeMap::new();
    for (mut waiver, place) in keys.take_tables("waive", "tables, as in `[[diff.waive]]`")? {
        let fingerprint: Option<String> = waiver.take("fingerprint", "`fingerprint = \"...\"`")?;
        let reason: Option<String> = waiver.take("reason", "`reason = \"...\"`")?;
        waiver.expect_none(&["fingerprint", "reason"])?;
        let Some(fingerprint) = fingerprint else {
            return Err(Fault::new("expected `fingerprint = \"...\"` in the waiver").at(place));
        };
        let Some(reason) = reason.filter(|reason| !reason.trim().is_empty()) else {
            return Err(Fault::new(format!("the waiver of `{fingerprint}` has no reason")).at(place));
        };
        if reasons.insert(fingerprint.clone(), reason).is_some() {
            return Err(Fault::new(format!("`{fingerprint}` is waived twice")).at(place));
        }
    }
    keys.expect_none(&["waive"])?;
    Ok(reasons)
}
