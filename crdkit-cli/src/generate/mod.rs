//! The command `generate`: generates a directory of Rust code from CRDs.

mod alike;
mod manifest;

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use similar::TextDiff;

use crd_codegen::{
    Changes, Config, Definition, Generated, KeptNames, Layout, Package, WriteError, generate_with_progress,
};
use crd_input::output::read_written;
use crd_input::{Error, Limits, Problem, ProblemSeverity, Source};
use crd_report::{Found, Inputs, Kept, LeftOut, Message, MessageFormat, Messages, Report, Status, some};

use crate::configuration::{Configuration, Job};

/// Generate Rust from CRDs
///
/// Reads CRDs as kubectl does, and writes Rust types for them. Removes files of an earlier run that are no longer generated, and changes no
/// other files.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Generate {
    #[command(flatten)]
    inputs: Inputs,
    /// The directory to write to, or `-` to print one file to standard output
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Write nothing: show how the files would change, and exit with 1 if a file would change
    #[arg(long)]
    check: bool,
    /// A file with options, such as `kube = true`; flags take precedence, and jobs in the file are ignored
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Format of messages
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: MessageFormat,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
    /// Show every warning; by default, only the first three of several warnings that differ only in names are shown
    #[arg(long, conflicts_with = "quiet")]
    details: bool,
    #[command(flatten)]
    choices: Config,
    /// The package of a job, which replaces modules.
    #[arg(skip)]
    package: Option<Package>,
}

const EXAMPLES: &str = "\
Examples:
  crdkit generate crds/ --out src/generated
  kubectl get crd shirts.stable.example.com -o yaml | crdkit generate - --out -
  crdkit generate --cluster certificates.cert-manager.io --out src/generated
  crdkit generate --cluster=staging --cluster-select cert-manager.io --out src/generated
  crdkit generate crds/ --out src/generated --check   # in CI: is the output up to date?";

impl Generate {
    /// Returns the arguments for a job in a configuration file.
    pub(crate) fn for_job(
        job: &Job,
        check: bool,
        (format, quiet, details): (MessageFormat, bool, bool),
    ) -> Self {
        let Job { out, package, options, .. } = job.clone();
        let inputs = Inputs::default();
        Self { inputs, out, check, config: None, format, quiet, details, choices: options, package }
    }

    /// Returns the configuration's path, and the format for errors in the configuration.
    pub(crate) fn configuration(&self) -> (Option<&Path>, MessageFormat) {
        (self.config.as_deref(), self.format)
    }

    /// Runs the command.
    pub(crate) fn run(mut self, configuration: &Configuration) -> Status {
        if self.config.is_some() {
            let mut options = configuration.options.clone();
            options.overlay(self.choices);
            self.choices = options;
        }
        let limits = Limits::default();
        let report = Report::new(self.quiet);
        let found = self.inputs.sources(&limits, report);
        crd_input::on_large_stack(|| self.run_on(found, &limits))
    }

    /// Generates code from the given sources.
    pub(crate) fn run_on(self, found: Found, limits: &Limits) -> Status {
        let Found { sources, mut errors, mut left_out, .. } = found;
        let report = Report::new(self.quiet);
        let config = match self.config() {
            Ok(config) => config,
            Err(reason) => return report.fail(reason, self.format),
        };
        let progress = report.progress("reading", sources.len());
        let mut read = crd_input::definitions(&sources, limits, &|| progress.step());
        progress.finish();
        left_out.keep_first(&mut read.definitions, &sources);
        left_out.add_parts(std::mem::take(&mut read.parts));
        read.others.iter().for_each(|other| left_out.add_other(other.kind.as_deref().unwrap_or_default()));
        errors.extend(left_out.sift(std::mem::take(&mut read.errors), &sources, limits));

        let progress = report.progress("generating", read.definitions.len());
        let mut generated = generate_with_progress(&read.definitions, &config, &|| progress.step());
        progress.finish();
        let mut findings = read.findings;
        findings.append(&mut generated.findings);
        findings.extend(self.package_around(&mut generated, &read.definitions, &config));
        let definitions = read.definitions.len();
        // Messages need the texts once more: a large CRD would be in memory twice.
        drop(std::mem::take(&mut read.definitions));

        let has_errors = findings.iter().any(|finding| finding.severity == ProblemSeverity::Error);
        let folded = self.fold(&mut findings);
        let mut messages = self.messages(findings, &errors, &sources, limits);
        let counts = Counts {
            definitions,
            others: read.others.len() + read.more_others,
            messages: crd_report::count(&messages),
            folded,
            left_out: &left_out,
        };
        let mut status = if has_errors { Status::Wrong } else { Status::Fine };
        if !errors.is_empty() {
            status = Status::Unreadable;
        }
        let put = if generated.files.is_empty() {
            Err(counts.nothing(status))
        } else {
            self.put(&generated, &counts, status == Status::Fine)
        };
        let summary = match put {
            Ok(summary) => summary,
            Err((failed, message)) => {
                status = status.max(failed);
                messages.push(*message);
                None
            }
        };
        report.show(&messages, self.format);
        if let Some(summary) = summary.filter(|_| self.format == MessageFormat::Human) {
            report.line(&(summary + &left_out.summary()));
        }
        left_out.end(report, status)
    }

    /// Replaces the modules with the package's files, if the job writes a package. Returns warnings.
    fn package_around(
        &self,
        generated: &mut Generated,
        definitions: &[Definition],
        config: &Config,
    ) -> Vec<Problem> {
        let Some(package) = self.package.as_ref().filter(|_| !generated.files.is_empty()) else {
            return Vec::new();
        };
        let (files, warnings) = package.files(generated, definitions, config);
        generated.files = files;
        warnings
    }

    /// Removes similar warnings from text output. Returns their number.
    fn fold(&self, findings: &mut Vec<Problem>) -> usize {
        match self.format {
            MessageFormat::Human if !self.details && !self.quiet => alike::fold(findings),
            _ => 0,
        }
    }

    /// Returns the messages for errors and findings.
    fn messages(
        &self,
        mut findings: Vec<Problem>,
        errors: &[Error],
        sources: &[Source],
        limits: &Limits,
    ) -> Vec<Message> {
        if self.quiet {
            findings.retain(|finding| finding.severity == ProblemSeverity::Error);
        }
        let mut kept = Kept::default();
        kept.add_findings(findings);
        let mut messages = Messages::new(sources, limits).all(errors, &kept.findings);
        messages.extend(kept.more());
        messages
    }

    fn config(&self) -> Result<Config, String> {
        if self.out.extension().is_some_and(|extension| extension == "rs") && !self.out.is_dir() {
            let out = self.out.display();
            return Err(format!(
                "{out}: the output is a directory of modules, but this is the name of a file; name a directory, or print one file with `--out - > {out}`"
            ));
        }
        let mut config = self.choices.clone();
        if self.package.is_some() {
            // Modules of versions are features of the package.
            config.layout(Layout::Tree);
        }
        if self.out == Path::new("-") {
            config.layout(Layout::SingleFile);
        } else {
            let path = self.out.join(KeptNames::FILE);
            match read_written(&path, LARGEST_NAMES) {
                Ok(Some(names)) => {
                    let names = KeptNames::parse(&names);
                    config.kept_names(names.map_err(|error| format!("{}: {error}", path.display()))?);
                }
                Ok(None) => {}
                // The output directory may be missing parts, or be no directory: writing to it tells.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
                Err(error) => return Err(format!("{}: {error}", path.display())),
            }
        }
        Ok(config)
    }

    /// Writes the files, or shows how they differ. Returns the summary.
    fn put(
        &self,
        generated: &Generated,
        counts: &Counts<'_>,
        complete: bool,
    ) -> Result<Option<String>, EndedRun> {
        if self.out == Path::new("-") {
            let text: String = generated.files.iter().map(|file| file.contents.as_str()).collect();
            print(&text)?;
            return Ok(None);
        }
        let missing = self.missing_in_manifest(generated)?;
        let plan = match self.check {
            true => Changes::plan(&self.out, &generated.files),
            false => Changes::plan_locked(&self.out, &generated.files, &crd_report::waiting(&self.out)),
        };
        let mut changes = plan.map_err(|error| unwritten(&error))?;
        if !complete {
            // What is missing may be what could not be generated: the old file stays.
            changes = changes.without_removals();
        }
        if self.check {
            self.diff(&changes)?;
        } else {
            changes.apply().map_err(|error| unwritten(&error))?;
        }
        if let Some(message) = missing {
            return Err((Status::Wrong, message));
        }
        Ok((!self.check).then(|| counts.summary(generated, &changes, &self.out)))
    }

    /// Returns a message if the user's own manifest lacks something that the generated code needs.
    fn missing_in_manifest(&self, generated: &Generated) -> Result<Option<Box<Message>>, EndedRun> {
        let Some(manifest) = generated.files.iter().find(|file| file.path == Package::MANIFEST) else {
            return Ok(None);
        };
        let path = self.out.join(Package::MANIFEST);
        let failed = |reason: String| {
            let message = Message::for_run(format!("{}: {reason}", path.display()));
            (Status::Unreadable, Box::new(message))
        };
        let own = read_written(&path, LARGEST_MANIFEST).map_err(|error| failed(error.to_string()))?;
        let Some(own) = own.filter(|own| !Changes::is_marked(&path, own)) else { return Ok(None) };
        let missing = manifest::check(&own, &manifest.contents).map_err(failed)?;
        Ok((!missing.is_empty()).then(|| {
            let text = format!("{}: the generated code needs {}", path.display(), missing.join(", "));
            let mut message = Message::for_run(text);
            message.help = Some("add this, or remove the file so that it is generated again".to_owned());
            Box::new(message)
        }))
    }

    fn diff(&self, changes: &Changes) -> Result<(), EndedRun> {
        if changes.files().is_empty() {
            return Ok(());
        }
        let mut out = String::new();
        for change in changes.files() {
            let path = self.out.join(&change.path).to_string_lossy().replace('\\', "/");
            let name = |text: &Option<String>, side| match text {
                Some(_) => format!("{side}/{path}"),
                None => "/dev/null".to_owned(),
            };
            let [before, after] = [&change.before, &change.after].map(|text| text.as_deref().unwrap_or(""));
            let diff = TextDiff::from_lines(before, after);
            let (old, new) = (name(&change.before, "a"), name(&change.after, "b"));
            out += &diff.unified_diff().header(&old, &new).to_string();
        }
        print(&out)?;
        let mut message = Message::for_run(format!("{} out of date", some(changes.files().len(), "file")));
        message.help = Some("run the same command without `--check`".to_owned());
        Err((Status::Wrong, Box::new(message)))
    }
}

/// Maximum size of the file with the table of type names, in bytes. A larger file would contain more types than can be generated.
const LARGEST_NAMES: u64 = 16 << 20;
/// Maximum size of a package's manifest in bytes.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// The exit status and the message if the whole command failed.
type EndedRun = (Status, Box<Message>);

fn print(text: &str) -> Result<(), EndedRun> {
    crd_report::print(text).map_err(|reason| (Status::Unreadable, Box::new(Message::for_run(reason))))
}

fn unwritten(error: &WriteError) -> EndedRun {
    (Status::Unreadable, Box::new(Message::for_run(error.to_string())))
}

struct Counts<'l> {
    definitions: usize,
    others: usize,
    /// The number of errors and warnings.
    messages: Option<String>,
    /// The number of warnings that are not shown.
    folded: usize,
    left_out: &'l LeftOut,
}

impl Counts<'_> {
    fn nothing(&self, status: Status) -> EndedRun {
        if self.definitions > 0 || status != Status::Fine {
            return (Status::Wrong, Box::new(Message::for_run("nothing was generated".to_owned())));
        }
        (Status::Unreadable, Box::new(self.left_out.no_definition(self.others)))
    }

    fn summary(&self, generated: &Generated, changes: &Changes, out: &Path) -> String {
        let removed = changes.files().iter().filter(|change| change.after.is_none()).count();
        let mut line = format!(
            "generated {} from {} in {}: {} written",
            some(generated.files.len(), "file"),
            some(self.definitions, "CRD"),
            out.display(),
            changes.files().len() - removed,
        );
        if removed > 0 {
            line += &format!(", {removed} removed");
        }
        if self.others > 0 {
            line += &format!("; {} left out", some(self.others, "other object"));
        }
        if let Some(messages) = &self.messages {
            line += &format!("; {messages}");
        }
        if self.folded > 0 {
            line += &format!(" and {} more like them", self.folded);
        }
        line
    }
}
