//! The command `run`: generates the outputs of all jobs of a configuration file, and a lock file of their inputs.

mod lock;
mod package;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;

use crd_codegen::{Config, Package};
use crd_input::{Error, Limits, Source};
use crd_report::{Inputs, Message, MessageFormat, Report, Status};

use crate::configuration::{self, ConfigFile, Fault, Keys};
use crate::generate::Generate;

/// Run the jobs of a configuration file
///
/// A job has a name, inputs (files, or a cluster), an output folder and options; options outside of jobs apply to all jobs.
/// With `package`, it writes a whole package with a manifest, a README and tests, otherwise modules.
/// Paths are relative to the folder of the file. The checksums of the inputs are written to a lock file beside it.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Run {
    /// The jobs to run [default: all]
    jobs: Vec<String>,
    /// The file with the jobs [default: crdkit.toml, or else crd-codegen.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write nothing: show how the outputs and the lock file would change, and exit with 1 if they would
    #[arg(long)]
    check: bool,
    /// Fail if the checksum of an input differs from the lock file
    #[arg(long)]
    locked: bool,
    /// Format of messages
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: MessageFormat,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
    /// Show every warning: otherwise, warnings that differ only in names are counted after the first three
    #[arg(long, conflicts_with = "quiet")]
    details: bool,
}

const EXAMPLE: &str = "\
Example of a crdkit.toml:
  docs = false

  [job.certificates]
  inputs = [\"crds/cert-manager\"]
  out = \"src/certificates\"
  client = true

  [job.routes]
  cluster = \"staging\"   # or true, for the current context
  cluster-select = [\"gateway.networking.k8s.io\"]
  out = \"src/routes\"

  [job.backups]
  inputs = [\"crds/velero.yaml\"]
  package = \"velero-types\"   # a whole package, or a table: { name = \"velero-types\", version = \"0.1.0\" }
  out = \"crates/velero-types\"";

/// A job, with its options laid over those of all jobs.
#[derive(Debug)]
struct Job {
    name: String,
    inputs: Inputs,
    out: PathBuf,
    /// The package that is written, in place of modules.
    package: Option<Package>,
    choices: Config,
}

impl Run {
    /// Runs the command.
    pub(crate) fn run(self) -> Status {
        let report = Report::new(self.quiet);
        self.all(report).unwrap_or_else(|reason| report.fail(reason, self.format))
    }

    fn all(&self, report: Report) -> Result<Status, String> {
        let path = self.config.clone().unwrap_or_else(configuration::default_path);
        let text = configuration::read(&path)?;
        let file = ConfigFile::parse(&path, &text)?;
        let jobs = jobs(&file)?;
        if let Some(unknown) = self.jobs.iter().find(|name| jobs.iter().all(|job| job.name != **name)) {
            return Err(file.error(&Fault::new(format!("there is no job `{unknown}`"))));
        }
        let chosen = jobs.iter().filter(|job| self.jobs.is_empty() || self.jobs.contains(&job.name));
        let chosen: Vec<&Job> = chosen.collect();
        let lock_file = file.lock_path();
        let mut lock = lock::Lock::read(&lock_file)?;
        let limits = Limits::default();
        let read: Vec<(&Job, Vec<Source>)> = chosen
            .into_iter()
            .map(|job| {
                let (sources, errors) = job.inputs.sources(&limits, report);
                errors.first().map_or(Ok((job, sources)), |error| Err(unread(job, error)))
            })
            .collect::<Result<_, _>>()?;
        let changed = lock.update(&read, &jobs, file.folder())?;
        if self.locked && !changed.is_empty() {
            return Err(format!("{}: not what it was: {}", lock_file.display(), changed.join(", ")));
        }
        let mut status = Status::Fine;
        for (job, sources) in read {
            status = status.max(self.generate(job).run_on(&sources, Vec::new(), &limits));
        }
        if self.check && !changed.is_empty() {
            let message = format!("{} out of date: {}", lock_file.display(), changed.join(", "));
            report.show(&[Message::for_run(message)], self.format);
            status = status.max(Status::Wrong);
        }
        // The inputs of a failed run were not used.
        if !self.check && status == Status::Fine {
            lock.write(&lock_file, &self.jobs, &jobs)?;
        }
        Ok(status)
    }

    fn generate(&self, job: &Job) -> Generate {
        let shown = (self.format, self.quiet, self.details);
        let package = job.package.clone();
        Generate::for_job(job.out.clone(), self.check, shown, job.choices.clone(), package)
    }
}

/// The keys of a job, beside choices.
const KEYS: [&str; 5] = ["inputs", "out", "package", "cluster", "cluster-select"];

/// The jobs of a configuration file.
fn jobs(file: &ConfigFile<'_>) -> Result<Vec<Job>, String> {
    let jobs = file.jobs()?;
    let common = file.choices()?;
    let jobs = jobs.iter().map(|(name, keys)| {
        job(name, keys.clone(), file.folder(), &common).map_err(|fault| file.error(&fault.in_job(name)))
    });
    jobs.collect()
}

fn job(name: &str, mut keys: Keys<'_>, folder: &Path, common: &Config) -> Result<Job, Fault> {
    let inputs = inputs(&mut keys, folder)?;
    let out: Option<String> = keys.take("out", "`out = \"...\"`")?;
    let out = out.ok_or_else(|| Fault::new("expected `out = \"...\"`"))?;
    let package = package::package(&mut keys)?;
    let mut choices = common.clone();
    choices.overlay(keys.choices(&KEYS)?);
    Ok(Job { name: name.to_owned(), inputs, out: folder.join(out), package, choices })
}

/// The value of `cluster`.
#[derive(Deserialize)]
#[serde(untagged)]
enum ClusterKey {
    Chosen(bool),
    Context(String),
}

/// Where the definitions of a job come from: files, a cluster, or both.
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

/// The message for inputs of a job that cannot be read.
fn unread(job: &Job, error: &Error) -> String {
    let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
    format!("job `{}`: {error}{help}", job.name)
}
