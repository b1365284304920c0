//! `crdkit validate`: reports how the API server would respond to the objects in the inputs.

mod lost;
mod stored;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use crd_core::admit::{
    Admission, FieldValidation, Rejection, StatusReason, StrictError, Submitted, Validator,
};
use crd_core::check::CrdAdvice;
use crd_core::{CauseReason, Diagnostic, FieldPath};
use crd_go::json::size;
use crd_input::{Document, Error, Limits, Object, Origin, Source, Turn, in_turn};
use crd_report::advice::Choices;
use crd_report::{
    Counted, DocumentVerdict, DocumentVerdicts, Format, LeftOut, Level, Message, MessageFormat, Messages,
    Paths, Report, Shown, Status, answer, ended, has_errors, json, shortened, some,
};
use serde_json::{Value, json};

use crate::configuration::Configuration;
use crate::definitions::Kinds;
use crate::server::{FeatureGates, Server};
use crate::warning;
use crate::work::SharedWork;
use stored::Stored;

/// Check objects as the API server does
///
/// Reports what kube-apiserver would return, word for word, if you created the objects in the inputs or, with --old, replaced stored
/// objects: warnings, and the reasons why it rejects objects. With --format json, also prints the objects as they would be stored.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Validate {
    #[command(flatten)]
    inputs: Paths,
    /// A file or directory with the CRDs; repeatable
    #[arg(long, required = true, value_name = "CRD")]
    crd: Vec<PathBuf>,
    /// The stored objects to replace: a directory with files of the same names as the inputs, or one file. An object without a stored
    /// object is created
    #[arg(long, value_name = "FILE|DIR")]
    old: Option<PathBuf>,
    /// Replace only this part of the stored objects
    #[arg(long, value_enum, requires = "old", value_name = "SUBRESOURCE")]
    subresource: Option<Subresource>,
    /// Handling of unknown and duplicate fields [default: warn; with --format json: ignore]
    #[arg(long, value_enum, ignore_case = true, value_name = "MODE")]
    field_validation: Option<FieldMode>,
    #[command(flatten)]
    server: Server,
    #[command(flatten)]
    gates: FeatureGates,
    /// Format of the results; `human` goes to standard error, all other formats go to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    advice: Choices,
}

const EXAMPLES: &str = "\
Examples:
  crdkit validate --crd crds/ objects/
  crdkit validate --crd crd.yaml --format json object.yaml | jq .object   # pruned and with defaults
  git worktree add ../base main && crdkit validate --crd crds/ --old ../base/objects objects/
  kubectl get crontabs -A -o yaml | crdkit validate --crd new-crd.yaml -";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subresource {
    Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FieldMode {
    /// Drop the fields silently
    Ignore,
    /// Drop the fields with a warning for each
    Warn,
    /// Reject the object
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

/// A validated document, which is kept until all previous documents are reported.
enum ValidatedDocument {
    Answer(Shown),
    /// An object whose kind no CRD defines. Contains the kind.
    Unknown(String),
}

/// The results so far.
struct ValidateRun {
    answers: DocumentVerdicts,
    /// The number of objects of each kind without a CRD.
    unknown: BTreeMap<String, usize>,
    /// The number of objects of further kinds, which are not listed.
    more_unknown: usize,
}

/// Maximum number of kinds without a CRD that are listed.
const MOST_KINDS: usize = 1_000;

impl Validate {
    pub(crate) fn run(self, configuration: &Configuration) -> Status {
        let limits = Limits { depth: MOST_DEPTH, ..Limits::default() };
        let report = Report::new(self.quiet);
        let server = self.server.configured(configuration);
        let options = match self.gates.options_for(server.kube_version(), configuration) {
            Ok(options) => options,
            Err(reason) => return ended(Err(reason), Status::Unreadable),
        };
        let crds = self.inputs.search().sources(&self.crd, &limits, report);
        let (kinds, failed, mut left_out) = Kinds::read(crds, self.field_validation(), options, &limits);
        report.show(&failed, MessageFormat::Human);
        if has_errors(&failed) {
            return left_out.end(report, Status::Unreadable);
        }
        let is_wanted = |line: &str| kinds.is_named_in(line);
        let (stored, mut errors) = self.stored(&mut left_out, (&limits, report), &is_wanted);
        let found = self.inputs.sources(&limits, report);
        left_out.add(found.left_out);
        errors.extend(found.errors);
        let sources = self.below(found.sources);
        let progress = report.progress("validating", sources.len());
        let mut outcome = ValidateRun::new(self.format, report);
        let failed = Mutex::new(Vec::new());
        let work = SharedWork::new();
        in_turn(
            &sources,
            |(source, below), turn| {
                let mut judge = |object: Object, count| {
                    let stored = |object: &Value| stored.as_ref()?.replaced_by(object, below, count);
                    let (part, weight) = self.judge(object, source, &kinds, (stored, &work, turn));
                    turn.give(part, weight);
                };
                // The only object of a file is matched otherwise than the first of several, so the first one waits.
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
                progress.step();
                failed.lock().unwrap_or_else(PoisonError::into_inner).extend(errors);
            },
            &mut |part| outcome.take(part),
        );
        progress.finish();
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<Source> = sources.iter().map(|(source, _)| source.clone()).collect();
        let failed = crd_input::in_order_of(&all, failed);
        errors.extend(left_out.sift_where(failed, &all, &limits, &is_wanted));
        ended_with(outcome, Messages::new(&all, &limits), &errors, (left_out, report))
    }

    fn field_validation(&self) -> FieldValidation {
        let is_json = self.format == Format::Json;
        let default = if is_json { FieldMode::Ignore } else { FieldMode::Warn };
        self.field_validation.unwrap_or(default).into()
    }

    /// Reads the stored objects in `--old`.
    fn stored(
        &self,
        left_out: &mut LeftOut,
        (limits, report): (&Limits, Report),
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> (Option<Stored>, Vec<Error>) {
        let Some(place) = &self.old else { return Default::default() };
        let mut found = self.inputs.search().sources(&[place], limits, report);
        left_out.add(found.left_out);
        let (stored, unread) = Stored::read(&found.sources, place, limits);
        found.errors.extend(left_out.sift_where(unread, &found.sources, limits, is_wanted));
        (Some(stored), found.errors)
    }

    /// Returns each input file with its path below the directory in the arguments, or with its file name.
    fn below(&self, sources: Vec<Source>) -> Vec<(Source, PathBuf)> {
        let named = self.inputs.named();
        let folders: Vec<&PathBuf> = named.iter().filter(|input| input.is_dir()).collect();
        let below = |source: &Source| {
            let Some(path) = source.path() else { return PathBuf::new() };
            if named.iter().any(|input| input == path) {
                return path.file_name().map(PathBuf::from).unwrap_or_default();
            }
            let below = folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
            below.map(Path::to_owned).unwrap_or_default()
        };
        let with_path = |source| {
            let below = below(&source);
            (source, below)
        };
        sources.into_iter().map(with_path).collect()
    }

    /// Computes the response for an object that is created or replaces a stored object.
    fn request(&self, validator: &Validator, (object, old): (Submitted, Option<Value>)) -> Admission {
        match (old, self.subresource) {
            (None, _) => validator.create(object),
            (Some(old), None) => validator.update(object, old),
            (Some(old), Some(Subresource::Status)) => validator.update_status(object, old),
        }
    }

    /// Validates a document. Also returns the number of bytes that the result takes in memory.
    fn judge(
        &self,
        object: Object,
        source: &Source,
        kinds: &Kinds,
        (stored, work, turn): (
            impl FnOnce(&Value) -> Option<Value>,
            &SharedWork,
            &Turn<'_, ValidatedDocument>,
        ),
    ) -> (ValidatedDocument, usize) {
        let Object { document: Document { value, origin }, duplicate_fields, surprises } = object;
        let kind = answer::kind(&value);
        let name = value["metadata"]["name"].as_str().unwrap_or("object without a name").to_owned();
        let sent = lost::sent(&value, kinds);
        let served = kinds.served_instead(&value).map(served_versions);
        let admission = kinds.validator(&value).and_then(|validator| {
            let old = stored(&value);
            let bytes = size(&value) + old.as_ref().map_or(0, size);
            let object = Submitted::from(value).with_duplicate_fields(duplicate_fields);
            // A large object is not copied for a first answer.
            let copy = SharedWork::has_first(bytes).then(|| (object.clone(), old.clone()));
            let first = |steps| copy.map(|copy| self.request(&validator.with_work(steps), copy));
            let again = |steps| Some(self.request(&validator.with_work(steps), (object, old)));
            work.answer(bytes, || turn.wait(), first, again)
        });
        let accepted = admission.as_ref().and_then(|admission| admission.result.as_ref().ok());
        let lost = sent.zip(accepted).map(|(sent, stored)| lost::when_stored(sent, stored, kinds));
        let advice: Vec<(Level, CrdAdvice)> = surprises
            .advice()
            .chain(lost.unwrap_or_default())
            .filter_map(|advice| Some((self.advice.level(advice.name)?, advice)))
            .collect();
        let passed = admission.as_ref().is_some_and(Admission::is_accepted)
            && advice.iter().all(|(level, _)| *level != Level::Error);
        let undecided = admission.as_ref().is_some_and(Admission::is_undecided);
        let (shown, weight) = match (self.format, admission) {
            // In JSON each document has a line of its own, even if its kind has no CRD.
            (Format::Json, admission) => {
                let line = json_line(source.name(), &origin, &kind, admission, &advice);
                Shown::line(&line, passed, undecided)
            }
            (_, None) => return (ValidatedDocument::Unknown(kind), 0),
            (_, Some(Admission { result, warnings, .. })) => {
                let warnings = warnings.iter().map(warning::diagnostic).collect();
                let errors = result.err().map(|refusal| causes(refusal, served)).unwrap_or_default();
                DocumentVerdict {
                    origin,
                    name: format!("{kind} {name}"),
                    accepted: passed,
                    undecided,
                    errors,
                    warnings,
                    advice,
                }
                .shown()
            }
        };
        (ValidatedDocument::Answer(shown), weight)
    }
}

/// Shows the results and the kinds without a CRD.
fn ended_with(
    outcome: ValidateRun,
    messages: Messages<'_>,
    errors: &[Error],
    (left_out, report): (LeftOut, Report),
) -> Status {
    let unknown = outcome.unknown_kinds();
    let answers = outcome.answers;
    let (judged, accepted) = (answers.answered(), answers.accepted());
    let undecided = answers.undecided();
    let status = if errors.is_empty() && judged > 0 { answers.status() } else { Status::Unreadable };
    let nothing = (judged == 0 && errors.is_empty()).then(|| {
        let kinds = if unknown.is_empty() { "no objects".to_owned() } else { unknown.join(", ") };
        Message::for_run(format!("no object has a kind that the CRDs define: {kinds}"))
    });
    let summary = |counted: &Counted<'_>| {
        Some(summary((judged, accepted, undecided), counted, &unknown) + &left_out.summary())
    };
    let shown = answers.show(messages, errors, nothing, summary);
    ended(shown, left_out.end(report, status))
}

impl ValidateRun {
    fn new(format: Format, report: Report) -> Self {
        Self { answers: DocumentVerdicts::new(format, report), unknown: BTreeMap::new(), more_unknown: 0 }
    }

    fn take(&mut self, part: ValidatedDocument) {
        match part {
            ValidatedDocument::Answer(shown) => self.answers.take(shown),
            ValidatedDocument::Unknown(kind)
                if self.unknown.len() < MOST_KINDS || self.unknown.contains_key(&kind) =>
            {
                *self.unknown.entry(kind).or_default() += 1;
            }
            ValidatedDocument::Unknown(_) => self.more_unknown += 1,
        }
    }

    /// Returns the number of objects of each kind without a CRD, as text.
    fn unknown_kinds(&self) -> Vec<String> {
        let name = |kind: &str| {
            if kind.is_empty() { "without a kind".to_owned() } else { shortened(kind).into_owned() }
        };
        let kinds = self.unknown.iter().map(|(kind, count)| format!("{count} {}", name(kind)));
        let more = (self.more_unknown > 0).then(|| format!("{} of other kinds", self.more_unknown));
        kinds.chain(more).collect()
    }
}

/// Maximum nesting depth of an object. Objects can be deeper than their schema if unknown fields are preserved.
pub(crate) const MOST_DEPTH: usize = 2_000;

fn json_line(
    file: &str,
    origin: &Origin,
    kind: &str,
    admission: Option<Admission>,
    advice: &[(Level, CrdAdvice)],
) -> Value {
    let mut line = json!({"file": file, "document": origin.document});
    match admission {
        Some(admission) => answer::add_to(&mut line, admission),
        None => answer::add_unknown(&mut line, kind),
    }
    if !advice.is_empty() {
        line["advice"] = advice.iter().map(|(_, advice)| json::advice(advice)).collect();
    }
    line
}

/// Returns a rejection's causes. For a rejection without causes, returns one cause at the first field that strict decoding rejects.
/// `served` is the advice for an object whose version is not served.
fn causes(refusal: Rejection, served: Option<String>) -> Vec<Diagnostic> {
    if refusal.causes.is_empty() {
        let strict = refusal.undecoded.iter().flat_map(|undecoded| &undecoded.strict_errors);
        let field = strict.filter_map(StrictError::field).next().unwrap_or_else(FieldPath::root);
        let cause = Diagnostic::new(field, CauseReason::Invalid, refusal.to_string());
        let is_of_version = refusal.reason == StatusReason::NotFound;
        return vec![match served.filter(|_| is_of_version) {
            Some(served) => cause.with_help(served),
            None => cause,
        }];
    }
    refusal.causes
}

/// Returns advice for an object whose version is not served.
fn served_versions(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => "serve a version of the CRD".to_owned(),
        names => format!("write the object in a version that the CRD serves: {}", names.join(", ")),
    }
}

fn summary(
    (judged, accepted, undecided): (usize, usize, usize),
    counted: &Counted<'_>,
    unknown: &[String],
) -> String {
    let count = some(judged, "object");
    let mut line =
        format!("validated {count}: {accepted} accepted, {} rejected", judged - accepted - undecided);
    if undecided > 0 {
        line += &format!(", {undecided} not decided");
    }
    let warnings = counted.messages.iter().filter(|message| message.level == Level::Warning).count();
    if warnings > 0 {
        line += &format!("; {}", some(warnings, "warning"));
    }
    if !unknown.is_empty() {
        line += &format!("; no CRD for {}", unknown.join(", "));
    }
    line
}
