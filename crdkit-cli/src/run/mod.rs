//! The command `run`. It generates the outputs of all jobs in a configuration file, and a lock file with the checksums of all inputs.

mod lock;

use std::path::{Path, PathBuf};

use clap::Args;

use crd_input::{Error, Limits};
use crd_report::{Found, Message, MessageFormat, Report, Status};

use crate::configuration::{Configuration, Job};
use crate::generate::Generate;

/// Run the jobs of a configuration file
///
/// A job has a name, inputs (files, or a cluster), an output directory and options. Options outside jobs apply to all jobs. A job with
/// `package` writes a whole package with a manifest, a README and tests; other jobs write modules. Paths are relative to the directory of
/// the configuration file. The command writes the checksums of the inputs into a lock file in the same directory.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Run {
    /// The jobs to run [default: all]
    jobs: Vec<String>,
    /// The file with the jobs [default: crdkit.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write nothing: show how the outputs and the lock file would change, and exit with 1 if one of them would change
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
    /// Show every warning; by default, only the first three of several warnings that differ only in names are shown
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

impl Run {
    /// Returns the configuration's path, and the format for errors in the configuration.
    pub(crate) fn configuration(&self) -> (Option<&Path>, MessageFormat) {
        (self.config.as_deref(), self.format)
    }

    /// Runs the command.
    pub(crate) fn run(self, configuration: &Configuration) -> Status {
        let report = Report::new(self.quiet);
        self.all(report, configuration).unwrap_or_else(|reason| report.fail(reason, self.format))
    }

    fn all(&self, report: Report, file: &Configuration) -> Result<Status, String> {
        let jobs = file.jobs.as_slice();
        if jobs.is_empty() {
            const HELP: &str = "define a job in a table `[job.NAME]`";
            return Err(match file.exists() {
                true => file.error(&format!("there is no job; {HELP}")),
                false => format!("there is no file `crdkit.toml` in this directory; create it, and {HELP}"),
            });
        }
        if let Some(unknown) = self.jobs.iter().find(|name| jobs.iter().all(|job| job.name != **name)) {
            return Err(file.error(&format!("there is no job `{unknown}`")));
        }
        let chosen = jobs.iter().filter(|job| self.jobs.is_empty() || self.jobs.contains(&job.name));
        let chosen: Vec<&Job> = chosen.collect();
        let lock_file = file.lock_path();
        let mut lock = lock::Lock::read(&lock_file)?;
        let limits = Limits::default();
        let (mut read, mut left_out) = (Vec::new(), Vec::new());
        for job in chosen {
            let found = job.inputs.sources(&limits, report);
            if let Some(error) = found.errors.first() {
                return Err(unread(job, error));
            }
            read.push((job, found.sources));
            left_out.push(found.left_out);
        }
        let changed = lock.update(&read, jobs, file.folder())?;
        if self.locked && !changed.is_empty() {
            return Err(format!("{}: the checksum differs for {}", lock_file.display(), changed.join(", ")));
        }
        let mut status = Status::Fine;
        for ((job, sources), left_out) in read.into_iter().zip(left_out) {
            let found = Found { sources, left_out, ..Found::default() };
            status = status.max(self.generate(job).run_on(found, &limits));
        }
        if self.check && !changed.is_empty() {
            let message = format!("{} out of date: {}", lock_file.display(), changed.join(", "));
            report.show(&[Message::for_run(message)], self.format);
            status = status.max(Status::Wrong);
        }
        // The inputs of a failed run were not used.
        if !self.check && status == Status::Fine {
            lock.write(&lock_file, &self.jobs, jobs)?;
        }
        Ok(status)
    }

    fn generate(&self, job: &Job) -> Generate {
        Generate::for_job(job, self.check, (self.format, self.quiet, self.details))
    }
}

/// Returns the message about a job's unreadable input.
fn unread(job: &Job, error: &Error) -> String {
    let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
    format!("job `{}`: {error}{help}", job.name)
}
