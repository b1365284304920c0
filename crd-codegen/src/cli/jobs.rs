//! The command `run`: from the jobs of a configuration file to folders of Rust, and to a lock file of their inputs.

mod lock;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use toml::{Table, Value};

use crd_input::{Error, Limits, Source};
use crd_report::{Message, MessageFormat, Program, Report, Status};

use super::generate::{Generate, LARGEST_CONFIG};
use super::inputs::Inputs;
use super::show_failure;
use crate::Config;

/// Do the jobs of a configuration file
///
/// A job has a name, inputs (files, or a cluster), an output folder and choices; choices outside of jobs are those of all.
/// Paths begin at the folder of the file. The sums of the inputs are written to a lock file beside it.
#[derive(Args)]
pub struct Run {
    /// The jobs to do; all where none is named
    jobs: Vec<String>,
    /// The file with the jobs [default: crdkit.toml, or else crd-codegen.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write nothing: show how the outputs and the lock file differ, and exit with 1 if they do
    #[arg(long)]
    check: bool,
    /// Fail if an input is not what the lock file says
    #[arg(long)]
    locked: bool,
    /// How messages are shown on the standard error
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: MessageFormat,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
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
  out = \"src/routes\"";

/// A job, with its choices laid over those of all jobs.
#[derive(Debug)]
struct Job {
    name: String,
    inputs: Inputs,
    out: PathBuf,
    choices: Config,
}

impl Run {
    /// The end of the help.
    #[must_use]
    pub fn example() -> &'static str {
        EXAMPLE
    }

    /// Runs the command.
    #[must_use]
    pub fn run(self, program: Program) -> Status {
        let report = Report::new(program, self.quiet);
        self.all(report).unwrap_or_else(|reason| show_failure(report, self.format, reason))
    }

    fn all(&self, report: Report) -> Result<Status, String> {
        let config = self.config.clone().unwrap_or_else(default_config);
        let shown = config.display();
        let text =
            crd_input::read_text(&config, LARGEST_CONFIG).map_err(|error| format!("{shown}: {error}"))?;
        let folder = config.parent().unwrap_or(Path::new(""));
        let jobs = jobs(&text, folder).map_err(|reason| format!("{shown}: {reason}"))?;
        if let Some(unknown) = self.jobs.iter().find(|name| jobs.iter().all(|job| job.name != **name)) {
            return Err(format!("{shown}: there is no job `{unknown}`"));
        }
        let chosen = jobs.iter().filter(|job| self.jobs.is_empty() || self.jobs.contains(&job.name));
        let chosen: Vec<&Job> = chosen.collect();
        let lock_file = config.with_extension("lock");
        let mut lock = lock::Lock::read(&lock_file)?;
        let limits = Limits::default();
        let read: Vec<(&Job, Vec<Source>)> = chosen
            .into_iter()
            .map(|job| {
                let (sources, errors) = job.inputs.sources(&limits, report.program);
                errors.first().map_or(Ok((job, sources)), |error| Err(unread(job, error)))
            })
            .collect::<Result<_, _>>()?;
        let changed = lock.update(&read, &jobs, folder)?;
        if self.locked && !changed.is_empty() {
            return Err(format!("{}: not what it was: {}", lock_file.display(), changed.join(", ")));
        }
        let mut status = Status::Fine;
        for (job, sources) in read {
            status = status.max(self.generate(job).run_on(&sources, Vec::new(), &limits, report.program));
        }
        if self.check && !changed.is_empty() {
            let message = format!("{} out of date: {}", lock_file.display(), changed.join(", "));
            report.show(&[Message::of_run(message)], self.format);
            status = status.max(Status::Wrong);
        }
        // The inputs of a failed run were not used.
        if !self.check && status == Status::Fine {
            lock.write(&lock_file, &self.jobs, &jobs)?;
        }
        Ok(status)
    }

    fn generate(&self, job: &Job) -> Generate {
        Generate::of_job(job.out.clone(), self.check, self.format, self.quiet, job.choices.clone())
    }
}

/// The file of the current folder; the older name counts where only it is there.
fn default_config() -> PathBuf {
    let [current, older] = ["crdkit.toml", "crd-codegen.toml"].map(PathBuf::from);
    if older.exists() && !current.exists() { older } else { current }
}

/// The jobs of a configuration file.
fn jobs(text: &str, folder: &Path) -> Result<Vec<Job>, String> {
    let mut table: Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let Some(Value::Table(jobs)) = table.remove("job") else {
        return Err("there is no job, as in `[job.name]`".to_owned());
    };
    let common = choices(table)?;
    let jobs = jobs.into_iter().map(|(name, job)| {
        let within = |reason: String| format!("job `{name}`: {reason}");
        let Value::Table(mut job) = job else { return Err(within("expected a table".to_owned())) };
        let inputs = inputs(&mut job, folder).map_err(within)?;
        let out = match job.remove("out") {
            Some(Value::String(out)) => folder.join(out),
            _ => return Err(within("expected `out = \"...\"`".to_owned())),
        };
        let mut choices_of_all = common.clone();
        choices_of_all.overlay(choices(job).map_err(within)?);
        Ok(Job { name: name.clone(), inputs, out, choices: choices_of_all })
    });
    jobs.collect()
}

fn choices(table: Table) -> Result<Config, String> {
    Config::deserialize(Value::Table(table)).map_err(|error| error.message().to_owned())
}

/// Where the definitions of a job come from: files, a cluster, or both.
fn inputs(job: &mut Table, folder: &Path) -> Result<Inputs, String> {
    let mut list = |key: &str| match job.remove(key) {
        None => Ok(None),
        value => texts(value).map(Some).ok_or_else(|| format!("expected `{key} = [\"...\"]`")),
    };
    let (paths, cluster_select) = (list("inputs")?, list("cluster-select")?);
    let cluster = match job.remove("cluster") {
        None | Some(Value::Boolean(false)) => None,
        Some(Value::Boolean(true)) => Some(String::new()),
        Some(Value::String(context)) => Some(context),
        Some(_) => return Err("expected `cluster = true` or `cluster = \"CONTEXT\"`".to_owned()),
    };
    match (&paths, &cluster, &cluster_select) {
        (None, None, _) => Err("expected `inputs = [\"...\"]` or `cluster = true`".to_owned()),
        (_, None, Some(_)) => Err("`cluster-select` needs `cluster`".to_owned()),
        _ => Ok(Inputs {
            paths: paths.unwrap_or_default().into_iter().map(|input| folder.join(input)).collect(),
            cluster,
            cluster_select: cluster_select.unwrap_or_default(),
        }),
    }
}

/// Why the inputs of a job cannot be read.
fn unread(job: &Job, error: &Error) -> String {
    let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
    format!("job `{}`: {error}{help}", job.name)
}

/// Texts in a list, at least one.
fn texts(value: Option<Value>) -> Option<Vec<String>> {
    let texts: Option<Vec<String>> =
        value?.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect();
    texts.filter(|texts| !texts.is_empty())
}
