//! `crd-codegen validate`: what the API server would do with the objects in the inputs.

mod stored;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use crd_core::admit::{Admission, FieldValidation, Submitted};
use crd_core::check::Advice;
use crd_core::{Diagnostic, FieldPath, Reason};
use serde_json::{Value, json};

use super::advice::{self, Choices};
use super::answer;
use super::definitions::Kinds;
use super::exit::Status;
use super::json;
use super::kept::Kept;
use super::report::{self, Format, some};
use super::{Lines, print_bytes};
use crate::render::{Level, Message, Messages, shortened};
use crate::{Finding, Origin, Severity};
use crd_input::{Document, Error, Limits, Object, Source, in_turn};
use stored::Stored;

/// Check objects as the API server does
///
/// Says what kube-apiserver 1.36 would answer to one who creates the objects in the inputs, or with --old to one who
/// replaces others by them: the causes for which it refuses them, in its words, and its warnings. With --format json, it
/// prints the objects as they would be stored, too.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Validate {
    /// Files and folders with objects (searched for .yaml, .yml and .json), or `-` for the standard input
    #[arg(required = true, value_name = "OBJECT")]
    inputs: Vec<PathBuf>,
    /// A file or folder with the definitions; may be given more than once
    #[arg(long, required = true, value_name = "CRD")]
    crd: Vec<PathBuf>,
    /// The stored objects that are replaced: a folder with files of the same names, or one file. What is not in it is created
    #[arg(long, value_name = "FILE|DIR")]
    old: Option<PathBuf>,
    /// Replace only this part of the stored objects
    #[arg(long, value_enum, requires = "old", value_name = "SUBRESOURCE")]
    subresource: Option<Subresource>,
    /// What becomes of fields that the schema does not know, or that are there twice [default: warn; with --format json:
    /// ignore]
    #[arg(long, value_enum, ignore_case = true, value_name = "MODE")]
    field_validation: Option<FieldMode>,
    /// How the answers are shown: for people on the standard error, otherwise on the standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: ValidateFormat,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    advice: Choices,
}

const EXAMPLES: &str = "\
Examples:
  crd-codegen validate --crd crds/ objects/
  crd-codegen validate --crd crd.yaml --format json object.yaml | jq .object   # with defaults, and pruned
  git worktree add ../base main && crd-codegen validate --crd crds/ --old ../base/objects objects/
  kubectl get crontabs -A -o yaml | crd-codegen validate --crd new-crd.yaml -";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ValidateFormat {
    /// With the lines they point to
    #[default]
    Human,
    /// A JSON object in a line for every document, of whatever kind
    Json,
    /// As annotations of GitHub Actions
    Github,
    /// As a SARIF 2.1.0 document
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subresource {
    Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FieldMode {
    /// They go without a word
    Ignore,
    /// Each gives a warning
    Warn,
    /// The object is refused
    Strict,
}

impl From<FieldMode> for FieldValidation {
    fn from(mode: FieldMode) -> Self {
        match mode {
            FieldMode::Ignore => Self::Ignore,
            FieldMode::Warn => Self::Warn,
            FieldMode::Strict => Self::Strict,
        }
    }
}

/// A document and the answer to it.
struct Answer {
    origin: Origin,
    /// `None` where no definition is for its kind.
    admission: Option<Admission>,
    /// `apps/v1 Deployment`
    kind: String,
    /// On the text, as far as it is not silenced.
    advice: Vec<(Level, Advice)>,
}

/// What is kept of a document until its turn comes.
enum Part {
    /// A line of JSON, and whether the object is accepted.
    Line(String, bool),
    /// Whether it is accepted, and what is to be said.
    Judged(bool, Vec<Finding>, Box<(Origin, Vec<(Level, Advice)>)>),
    /// Of a kind that no definition is for.
    Unknown(String),
}

/// What became of the documents of a run.
struct Outcome {
    lines: Lines,
    kept: Kept,
    judged: usize,
    accepted: usize,
    /// Kinds that no definition is for, with how many objects there are of each.
    unknown: BTreeMap<String, usize>,
    /// The objects of such kinds beyond those that are named.
    more_unknown: usize,
    /// Documents of whatever kind.
    documents: usize,
    wrong: bool,
}

/// More kinds that no definition is for are not named.
const MOST_KINDS: usize = 1_000;

impl Validate {
    pub(super) fn run(self) -> Status {
        let limits = Limits { depth: MOST_DEPTH, ..Limits::default() };
        let (kinds, failed) = Kinds::read(&self.crd, self.field_validation(), &limits);
        if !failed.is_empty() {
            report::show(&failed, Format::Human);
            return Status::Unreadable;
        }
        let (stored, mut errors) = match &self.old {
            Some(place) => {
                let (stored, errors) = Stored::read(place, &limits);
                (Some(stored), errors)
            }
            None => (None, Vec::new()),
        };
        let (sources, unread) = self.sources(&limits);
        errors.extend(unread);
        let bar = report::progress("validating", sources.len(), self.quiet);
        let mut outcome = Outcome::new();
        let failed = Mutex::new(Vec::new());
        in_turn(
            &sources,
            |(source, below), turn| {
                let mut judge = |object: Object, count| {
                    let stored = |object: &Value| stored.as_ref()?.of(object, below, count);
                    let (part, weight) = self.part(self.judge(object, &kinds, stored), source);
                    turn.give(part, weight);
                };
                // It matters for the first object whether it is the only one.
                let (mut first, mut count) = (None, 0);
                let errors = crd_input::each_submitted(source, &limits, &mut |object| {
                    count += 1;
                    if count == 1 {
                        first = Some(object);
                        return;
                    }
                    if let Some(first) = first.take() {
                        judge(first, count);
                    }
                    judge(object, count);
                });
                if let Some(first) = first {
                    judge(first, count);
                }
                bar.inc(1);
                failed.lock().unwrap_or_else(PoisonError::into_inner).extend(errors);
            },
            &mut |part| outcome.take(part),
        );
        bar.finish_and_clear();
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<Source> = sources.iter().map(|(source, _)| source.clone()).collect();
        errors.extend(crd_input::in_order_of(&all, failed));
        let status = self.status(&outcome, &errors);
        report::ended(self.show(outcome, Messages::new(&all, &limits), &errors), status)
    }

    fn field_validation(&self) -> FieldValidation {
        let is_json = self.format == ValidateFormat::Json;
        let default = if is_json { FieldMode::Ignore } else { FieldMode::Warn };
        self.field_validation.unwrap_or(default).into()
    }

    /// The sources, each with its path below the folder that was named, or its file name.
    fn sources(&self, limits: &Limits) -> (Vec<(Source, PathBuf)>, Vec<Error>) {
        let (sources, errors) = crd_input::sources(&self.inputs, limits);
        let folders: Vec<&PathBuf> = self.inputs.iter().filter(|input| input.is_dir()).collect();
        let below = |source: &Source| {
            let Some(path) = source.path() else { return PathBuf::new() };
            if self.inputs.iter().any(|input| input == path) {
                return path.file_name().map(PathBuf::from).unwrap_or_default();
            }
            let below = folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
            below.map(Path::to_owned).unwrap_or_default()
        };
        (
            sources
                .into_iter()
                .map(|source| {
                    let below = below(&source);
                    (source, below)
                })
                .collect(),
            errors,
        )
    }

    fn judge(&self, object: Object, kinds: &Kinds, stored: impl FnOnce(&Value) -> Option<Value>) -> Answer {
        let Object { document: Document { value, origin }, duplicate_fields, surprises } = object;
        let kind = answer::kind(&value);
        let admission = kinds.of(&value).map(|validator| {
            let old = stored(&value);
            let object = Submitted::from(value).with_duplicate_fields(duplicate_fields);
            match (old, self.subresource) {
                (None, _) => validator.create(object),
                (Some(old), None) => validator.update(object, &old),
                (Some(old), Some(Subresource::Status)) => validator.update_status(object, &old),
            }
        });
        let advice = advice::of_text(&surprises)
            .filter_map(|advice| Some((self.advice.level(advice.name)?, advice)))
            .collect();
        Answer { origin, admission, kind, advice }
    }

    /// What is kept of an answer, with the memory that it takes.
    fn part(&self, answer: Answer, source: &Source) -> (Part, usize) {
        let accepted = answer.admission.as_ref().is_some_and(Admission::is_accepted)
            && answer.advice.iter().all(|(level, _)| *level != Level::Error);
        if self.format == ValidateFormat::Json {
            let line = json_line(source.name(), &answer);
            let weight = line.len();
            return (Part::Line(line, accepted), weight);
        }
        if answer.admission.is_none() {
            return (Part::Unknown(answer.kind), 0);
        }
        let findings = findings(&answer, self.quiet);
        let weight = findings.iter().map(|finding| 300 + finding.diagnostic.message.len()).sum::<usize>();
        let weight = weight + 300 * answer.advice.len();
        (Part::Judged(accepted, findings, Box::new((answer.origin, answer.advice))), weight)
    }

    fn status(&self, outcome: &Outcome, errors: &[Error]) -> Status {
        let is_json = self.format == ValidateFormat::Json;
        if !errors.is_empty() || outcome.documents == 0 || outcome.judged == 0 && !is_json {
            return Status::Unreadable;
        }
        if outcome.wrong { Status::Wrong } else { Status::Fine }
    }

    fn show(&self, outcome: Outcome, mut messages: Messages<'_>, errors: &[Error]) -> Result<(), String> {
        let unknown = outcome.unknown_kinds();
        let Outcome { lines, kept, judged, accepted, .. } = outcome;
        if self.format == ValidateFormat::Json {
            lines.end()?;
            report::show(&messages.all(errors, &[]), Format::Human);
            return Ok(());
        }
        let advice = kept.advice.iter().map(|(level, origin, advice)| (*level, origin, advice));
        let advice = messages.advice(advice.filter(|(level, ..)| *level == Level::Error || !self.quiet));
        let mut messages = messages.all(errors, &kept.findings);
        messages.extend(if self.format == ValidateFormat::Human { advice::shorten(advice) } else { advice });
        messages.extend(kept.more());
        drop(kept);
        if judged == 0 && errors.is_empty() {
            let kinds = if unknown.is_empty() { "no objects".to_owned() } else { unknown.join(", ") };
            messages.push(Message::of_run(format!("no object of a kind that a definition is for: {kinds}")));
        }
        match self.format {
            ValidateFormat::Github => print_bytes(report::text(&messages, Format::Github).as_bytes())?,
            ValidateFormat::Sarif => print_bytes(report::text(&messages, Format::Sarif).as_bytes())?,
            ValidateFormat::Human | ValidateFormat::Json => {
                report::show(&messages, Format::Human);
            }
        }
        if !self.quiet {
            report::line(&summary(judged, accepted, &messages, &unknown));
        }
        Ok(())
    }
}

impl Outcome {
    fn new() -> Self {
        Self {
            lines: Lines::new(),
            kept: Kept::default(),
            judged: 0,
            accepted: 0,
            unknown: BTreeMap::new(),
            more_unknown: 0,
            documents: 0,
            wrong: false,
        }
    }

    fn take(&mut self, part: Part) {
        self.documents += 1;
        match part {
            // Where each document has a line of its own, each counts.
            Part::Line(line, accepted) => {
                self.wrong |= !accepted;
                self.lines.print(&line);
            }
            Part::Judged(accepted, findings, advice) => {
                self.judged += 1;
                self.accepted += usize::from(accepted);
                self.wrong |= !accepted;
                self.kept.add_findings(findings);
                let (origin, advice) = *advice;
                advice.into_iter().for_each(|(level, advice)| self.kept.add_advice(level, &origin, advice));
            }
            Part::Unknown(kind) if self.unknown.len() < MOST_KINDS || self.unknown.contains_key(&kind) => {
                *self.unknown.entry(kind).or_default() += 1;
            }
            Part::Unknown(_) => self.more_unknown += 1,
        }
    }

    /// The kinds that no definition is for, with how many objects there are of each.
    fn unknown_kinds(&self) -> Vec<String> {
        let name = |kind: &str| {
            if kind.is_empty() { "without a kind".to_owned() } else { shortened(kind).into_owned() }
        };
        let kinds = self.unknown.iter().map(|(kind, count)| format!("{count} {}", name(kind)));
        let more = (self.more_unknown > 0).then(|| format!("{} of other kinds", self.more_unknown));
        kinds.chain(more).collect()
    }
}

/// Where unknown fields are preserved, objects may be deeper than any schema.
pub(super) const MOST_DEPTH: usize = 2_000;

fn json_line(file: &str, answer: &Answer) -> String {
    let mut line = json!({"file": file, "document": answer.origin.document});
    match &answer.admission {
        Some(admission) => answer::add_to(&mut line, admission),
        None => answer::add_unknown(&mut line, &answer.kind),
    }
    if !answer.advice.is_empty() {
        line["advice"] = answer.advice.iter().map(|(_, advice)| json::advice(advice)).collect();
    }
    json::line(&line)
}

fn findings(answer: &Answer, errors_only: bool) -> Vec<Finding> {
    let finding =
        |diagnostic: Diagnostic, severity| Finding { origin: answer.origin.clone(), diagnostic, severity };
    let Some(Admission { result, warnings, .. }) = &answer.admission else { return Vec::new() };
    let mut findings = Vec::new();
    if let Err(refusal) = result {
        findings.extend(refusal.causes.iter().map(|cause| finding(cause.clone(), Severity::Error)));
        if refusal.causes.is_empty() {
            let whole = Diagnostic::new(FieldPath::root(), Reason::Invalid, refusal.to_string());
            findings.push(finding(whole, Severity::Error));
        }
    }
    if !errors_only {
        findings.extend(warnings.iter().map(|text| finding(warning(text), Severity::Warning)));
    }
    findings
}

/// A warning, with its place where the text is that of a field that is not known or there twice.
fn warning(text: &str) -> Diagnostic {
    let of_field =
        |what: &str| text.strip_prefix(what)?.strip_prefix(" \"")?.strip_suffix('"').map(field_path);
    let found =
        ["unknown field", "duplicate field"].into_iter().find_map(|what| Some((what, of_field(what)?)));
    match found {
        Some((what, field)) => Diagnostic::new(field, Reason::Invalid, what),
        None => Diagnostic::new(FieldPath::root(), Reason::Invalid, text),
    }
}

/// Reads `spec.items[1].name`. Keys that have dots or brackets themselves cannot be told from steps.
pub(super) fn field_path(text: &str) -> FieldPath {
    text.split('.').fold(FieldPath::root(), |path, step| {
        let (name, indexes) = step.split_once('[').unwrap_or((step, ""));
        let indexes = indexes.split('[').filter_map(|index| index.strip_suffix(']')?.parse().ok());
        indexes.fold(path.child(name), |path, index| path.index(index))
    })
}

fn summary(judged: usize, accepted: usize, messages: &[Message], unknown: &[String]) -> String {
    let count = some(judged, "object");
    let mut line = format!("validated {count}: {accepted} accepted, {} refused", judged - accepted);
    let warnings = messages.iter().filter(|message| message.level == Level::Warning).count();
    if warnings > 0 {
        line += &format!("; {}", some(warnings, "warning"));
    }
    if !unknown.is_empty() {
        line += &format!("; no definition for {}", unknown.join(", "));
    }
    line
}
