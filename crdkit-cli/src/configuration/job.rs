//! Reads the jobs of `crdkit run` from the tables `[job.name]`.

use std::path::{Path, PathBuf};

use crd_codegen::{Config, Package};
use crd_report::Inputs;
use serde::Deserialize;

use super::keys::{Fault, Keys};
use super::package::package;

/// A job.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) inputs: Inputs,
    pub(crate) out: PathBuf,
    /// The package to write. `None` if modules are written.
    pub(crate) package: Option<Package>,
    pub(crate) options: Config,
}

/// A job's keys besides options.
pub(super) const KEYS: [&str; 5] = ["inputs", "out", "package", "cluster", "cluster-select"];

/// Reads the jobs in a configuration. `folder` is the configuration's directory, and `common` contains the options for all jobs.
pub(super) fn jobs(mut keys: Keys<'_>, folder: &Path, common: &Config) -> Result<Vec<Job>, Fault> {
    let mut jobs = Vec::new();
    for (name, place) in keys.names() {
        let job = keys.take_table(&name, "a table").and_then(|job| {
            let job = job.ok_or_else(|| Fault::new("expected a table"))?;
            read(&name, job, folder, common)
        });
        jobs.push(job.map_err(|fault| fault.at(place).in_job(&name))?);
    }
    Ok(jobs)
}

fn read(name: &str, mut keys: Keys<'_>, folder: &Path, common: &Config) -> Result<Job, Fault> {
    let inputs = inputs(&mut keys, folder)?;
    let out: Option<String> = keys.take("out", "`out = \"...\"`")?;
    let out = out.filter(|out| !out.is_empty()).ok_or_else(|| Fault::new("expected `out = \"...\"`"))?;
    let package = package(&mut keys)?;
    let mut options = common.clone();
    options.overlay(keys.options(&KEYS)?);
    Ok(Job { name: name.to_owned(), inputs, out: folder.join(out), package, options })
}

/// The value of `cluster`.
#[derive(Deserialize)]
#[serde(untagged)]
enum ClusterKey {
    Chosen(bool),
    Context(String),
}

/// Reads where a job's CRDs come from: files, a cluster, or both.
fn inputs(keys: &mut Keys<'_>, folder: &Path) -> Result<Inputs, Fault> {
    let mut list = |key: &str| -> Result<Option<Vec<String>>, Fault> {
        let expected = format!("`{key} = [\"...\"]`");
        match keys.take::<Vec<String>>(key, &expected)? {
            Some(list) if list.is_empty() => Err(Fault::new(format!("expected {expected}"))),
            list => Ok(list),
        }
    };
    let (paths, cluster_select) = (list("inputs")?, list("cluster-select")?);
    let cluster = match keys.take("cluster", "`cluster = true` or `cluster = \"CONTEXT\"`")? {
        None | Some(ClusterKey::Chosen(false)) => None,
        Some(ClusterKey::Chosen(true)) => Some(String::new()),
        Some(ClusterKey::Context(context)) => Some(context),
    };
    match (&paths, &cluster, &cluster_select) {
        (None, None, _) => Err(Fault::new("expected `inputs = [\"...\"]` or `cluster = true`")),
        (_, None, Some(_)) => Err(Fault::new("`cluster-select` needs `cluster`")),
        _ => {
            let paths = paths.unwrap_or_default().into_iter().map(|input| folder.join(input)).collect();
            Ok(Inputs::for_job(paths, cluster, cluster_select.unwrap_or_default()))
        }
    }
}
