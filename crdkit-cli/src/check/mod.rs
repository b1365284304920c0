//! `crdkit check`: reports how the API server would respond to the CRDs in the inputs.

mod broken;
mod matrix;
mod sizes;
mod summary;
mod update;

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{LazyLock, Mutex, PoisonError};

use clap::Args;
use crd_core::check::{
    CrdAdvice, ReleaseCompatibility, ServerOptions, Verdict, advice as found, advise, advise_update, update,
};
use crd_core::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath, KubeVersion};
use crd_go::json::size;
use crd_input::{Document, Limits, Object, Origin, Source, Surprises, Turn, in_turn};
use crd_report::advice::Choices;
use crd_report::{
    DocumentVerdict, DocumentVerdicts, Format, Found, Inputs, LeftOut, Level, Message, MessageFormat,
    Messages, Report, Shown, Status, ended, json, print_visible, some,
};
use serde_json::{Value, json};

use crate::configuration::Configuration;
use crate::server::{FeatureGates, Servers};
use crate::work::SharedWork;
use broken::Broken;
use matrix::Matrix;
use sizes::Measured;
use summary::summary;
use update::{Arrival, Kept, StoredByName, Update};

/// Check CRDs as the API server does
///
/// Reports what kube-apiserver would return, word for word, if you created the CRDs in the inputs: warnings, and the reasons why it rejects
/// CRDs. Adds advice about settings that kube-apiserver accepts but that cause problems later; each kind of advice has a name.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    server: Servers,
    #[command(flatten)]
    gates: FeatureGates,
    #[command(flatten)]
    update: Update,
    /// Format of the results; `human` goes to standard error, all other formats go to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
    /// Print the size of each CRD in bytes for `kubectl apply`, etcd and Helm, and the sizes of its schemas, the largest first
    #[arg(long)]
    sizes: bool,
    #[command(flatten)]
    advice: Choices,
}

const EXAMPLES: &str = "\
Examples:
  crdkit check crds/
  crdkit check . --exclude testdata   # a whole repository, except for files that git ignores
  crdkit check --kube-version 1.34 crds/   # with the verdicts of that release
  crdkit check --kube-version 1.30..1.34 crds/   # shows which of these releases accept the CRDs
  crdkit check --old stored.yaml crd.yaml   # as an update of the stored CRD
  crdkit check --old stored.yaml --as apply crd.yaml   # as `kubectl apply` would update it
  crdkit check --format github config/crd   # annotations in GitHub Actions
  crdkit check --sizes crds/   # the bytes of each CRD, by version and field
  crdkit check --allow list-without-type --deny column-without-field crds/
  crdkit check --cluster   # the CRDs in the cluster of the current context
  kubectl get crd -o yaml | crdkit check -";

/// A checked document, which is kept until all previous documents are reported.
enum CheckedDocument {
    /// A CRD. The string is a table for text output, if several versions were compared or the CRD was measured. The number counts problems
    /// from `crdkit lint` that are not shown.
    Definition(Shown, Option<Copied>, Option<String>, usize),
    /// An object of another kind, with the kind and a line of JSON.
    Other(String, Option<Shown>),
    /// A patch or test assertion, in the file with this name.
    Part(String),
}

/// A CRD's hash, which identifies copies of the same CRD in a directory. For example, a chart and a bundle often contain the same CRD.
type Copied = u64;

/// Creates hashers. The keys are random, so nobody can craft two CRDs with the same hash.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

const PATCH_HELP: &str =
    "this file has only a part of a CRD, as patches have: run `kustomize build DIRECTORY | crdkit check -`";

/// The results so far.
struct CheckRun {
    answers: DocumentVerdicts,
    others: usize,
    left_out: LeftOut,
    seen: HashSet<Copied>,
    copies: usize,
    /// The number of problems from `crdkit lint` that are not shown.
    more: usize,
    parts: Vec<String>,
    /// The reason why tables could not be printed.
    printed: Result<(), String>,
}

impl CheckRun {
    fn new(answers: DocumentVerdicts, left_out: LeftOut) -> Self {
        Self {
            answers,
            others: 0,
            left_out,
            seen: HashSet::new(),
            copies: 0,
            more: 0,
            parts: Vec::new(),
            printed: Ok(()),
        }
    }

    fn take(&mut self, part: CheckedDocument) {
        match part {
            CheckedDocument::Definition(_, Some(copied), ..) if !self.seen.insert(copied) => self.copies += 1,
            CheckedDocument::Definition(shown, _, table, more) => {
                self.more += more;
                self.answers.take(shown);
                if let Some(table) = table.filter(|_| self.printed.is_ok()) {
                    self.printed = print_visible(&table);
                }
            }
            CheckedDocument::Other(kind, line) => {
                self.others += 1;
                self.left_out.add_other(&kind);
                line.into_iter().for_each(|line| self.answers.print(line));
            }
            CheckedDocument::Part(name) => self.parts.push(name),
        }
    }
}

impl Check {
    pub(crate) fn run(self, configuration: &Configuration) -> Status {
        let limits = Limits::default();
        let report = Report::new(self.quiet);
        let server = match self.servers(configuration) {
            Ok(server) => server,
            Err(message) => {
                report.show(&[*message], MessageFormat::Human);
                return Status::Unreadable;
            }
        };
        let (stored, of_stored) = match self.update.stored(self.inputs.search(), &limits, report) {
            Ok(stored) => stored,
            Err(reason) => return ended(Err(reason), Status::Unreadable),
        };
        let Found { sources, mut errors, mut left_out, .. } = self.inputs.sources(&limits, report);
        left_out.add(of_stored);
        let progress = report.progress("checking", sources.len());
        let mut outcome = CheckRun::new(DocumentVerdicts::new(self.format, report), left_out);
        let failed = Mutex::new(Vec::new());
        let work = SharedWork::new();
        let broken = Broken::new(configuration, self.format).filter(|_| self.shows_broken());
        in_turn(
            &sources,
            |source, turn| {
                let mut places = Messages::new(std::slice::from_ref(source), &limits);
                let errors = crd_input::each_document(source, &limits, &mut |object| {
                    let servers = (&stored, &server);
                    let (part, weight) =
                        self.judge(object, source, &mut places, servers, (&work, turn), broken.as_ref());
                    turn.give(part, weight);
                });
                progress.step();
                failed.lock().unwrap_or_else(PoisonError::into_inner).extend(errors);
            },
            &mut |part| outcome.take(part),
        );
        progress.finish();
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let CheckRun { answers, others, mut left_out, copies, more, parts, printed, .. } = outcome;
        errors.extend(left_out.sift(crd_input::in_order_of(&sources, failed), &sources, &limits));
        left_out.add_parts(parts);
        let is_read = errors.is_empty() && answers.answered() > 0;
        let status = if is_read { answers.status() } else { Status::Unreadable };
        let counts = (answers.answered(), answers.accepted(), answers.undecided());
        let nothing = (counts.0 == 0 && errors.is_empty()).then(|| left_out.no_definition(others));
        let is_human = self.is_human();
        let messages = Messages::new(&sources, &limits);
        let shown = answers.show(messages, &errors, nothing, |counted| {
            is_human.then(|| summary(counts, (others, copies), counted) + &left_out.summary())
        });
        if is_human && more > 0 {
            report.line(&format!("`crdkit lint` shows {} for the same input", some(more, "more finding")));
        }
        ended(printed.and(shown), left_out.end(report, status))
    }

    /// Returns the versions to compare, and their feature gates.
    fn servers(
        &self,
        configuration: &Configuration,
    ) -> Result<(Vec<KubeVersion>, ServerOptions), Box<Message>> {
        let of_cluster = || {
            let failed = |error: crd_input::Error| {
                let help = error.help().map(str::to_owned);
                Box::new(Message { help, ..Message::for_run(error.to_string()) })
            };
            self.inputs.kube_version().map_err(failed)
        };
        let releases = self.server.releases(configuration, of_cluster)?;
        let newest = releases.last().copied().unwrap_or_default();
        let options = self
            .gates
            .set(ServerOptions::new(newest), &releases, configuration)
            .map_err(|error| Box::new(Message::for_run(error)))?;
        Ok((releases, options))
    }

    /// Checks a document. Also returns the number of bytes that the result takes in memory.
    fn judge(
        &self,
        Object { document, duplicate_fields, surprises }: Object,
        source: &Source,
        places: &mut Messages<'_>,
        (stored, &(ref releases, options)): (&StoredByName, &(Vec<KubeVersion>, ServerOptions)),
        (work, turn): (&SharedWork, &Turn<'_, CheckedDocument>),
        broken: Option<&Broken<'_>>,
    ) -> (CheckedDocument, usize) {
        let is_definition = is_asked_about(&document, source);
        if document.is_part_of_definition(source) {
            return (CheckedDocument::Part(source.name().to_owned()), 0);
        }
        // In JSON each document has a line of its own, CRDs and other objects alike.
        let named_kind = document.value["kind"].as_str().unwrap_or_default().to_owned();
        if !is_definition && self.format != Format::Json {
            return (CheckedDocument::Other(named_kind, None), 0);
        }
        let name = document.value["metadata"]["name"].as_str().unwrap_or("CRD without a name").to_owned();
        // kubectl sends no file without an `apiVersion`; a file that is named is a request, which the API server accepts.
        let is_unsent =
            source.is_found() && document.is_definition() && document.value["apiVersion"].is_null();
        let has_part_only = document.has_part_only();
        // Each document of a file in JSON has its line.
        let copied =
            (source.is_found() && self.format != Format::Json).then(|| HASHER.hash_one(&document.value));
        let old = stored.get(&name);
        let Arrival { value, verdict: known, kept } =
            self.update.arrival(document.value, (is_definition, is_unsent), old, options.kube_version);
        if releases.len() > 1 && known.is_none() {
            let compatibility = ReleaseCompatibility::for_value(value, old, options);
            let matrix = Matrix { releases, compatibility: &compatibility };
            return self.compare(&matrix, (document.origin, name), &surprises, (source, &kept), places);
        }
        let (mut verdict, definition) = match known {
            Some(verdict) => (verdict, None),
            None => verdict((value, old, options), work, || turn.wait()),
        };
        kept.explain(&mut verdict.errors);
        warn_of(duplicate_fields, has_part_only, &mut verdict);
        let mut advice = self.advice_on(definition.as_ref(), old, &surprises, options);
        let accepted = broken.zip(definition.as_ref().filter(|_| verdict.accepted));
        let found =
            accepted.map(|(broken, crd)| broken.find(crd, &document.origin, source)).unwrap_or_default();
        advice.extend(found.warnings);
        let (shown, weight, table) =
            self.shown((document.origin, name), source, (verdict, &kept), advice, definition, places);
        match is_definition {
            true => (CheckedDocument::Definition(shown, copied, table, found.more), weight),
            false => (CheckedDocument::Other(named_kind, Some(shown)), weight),
        }
    }

    /// Returns a verdict in the output format, its size in memory, and the table of sizes for text output.
    fn shown(
        &self,
        (origin, name): (Origin, String),
        source: &Source,
        (verdict, kept): (Verdict, &Kept),
        advice: Vec<(Level, CrdAdvice)>,
        definition: Option<CustomResourceDefinition>,
        places: &mut Messages<'_>,
    ) -> (Shown, usize, Option<String>) {
        let sizes = definition.as_ref().filter(|_| self.sizes).map(Measured::measure);
        let table = sizes.as_ref().filter(|_| self.is_human()).map(|sizes| sizes.table(&name));
        // Finding places reads the text again: with the CRD still in memory, a large one would be there twice.
        drop(definition);
        let (shown, weight) = match self.format {
            Format::Json => {
                let of = (source.name(), &origin);
                let line = json_line(of, (&verdict, kept), &advice, sizes.as_ref(), places);
                Shown::line(&line, passed(&verdict, &advice), verdict.is_undecided())
            }
            Format::Junit | Format::Messages(_) => answer(origin, name, verdict, advice).shown(),
        };
        (shown, weight, table)
    }

    /// Returns the responses of several versions to a CRD, and the memory that the result takes.
    fn compare(
        &self,
        matrix: &Matrix<'_>,
        (origin, name): (Origin, String),
        surprises: &Surprises,
        (source, kept): (&Source, &Kept),
        places: &mut Messages<'_>,
    ) -> (CheckedDocument, usize) {
        let advice = matrix.compatibility.definition.iter().flat_map(advise).chain(surprises.advice());
        let advice = self.wanted(advice.chain(matrix.advice()));
        let mut verdict = Verdict::from_causes(matrix.errors());
        kept.explain(&mut verdict.errors);
        let sizes = matrix.compatibility.definition.as_ref().filter(|_| self.sizes).map(Measured::measure);
        if self.format == Format::Json {
            let mut line =
                json_line((source.name(), &origin), (&verdict, kept), &advice, sizes.as_ref(), places);
            if let Some(line) = line.as_object_mut() {
                line.append(&mut matrix.json(&origin, places));
            }
            let (shown, weight) = Shown::line(&line, passed(&verdict, &advice), false);
            return (CheckedDocument::Definition(shown, None, None, 0), weight);
        }
        let measured = sizes.map(|sizes| sizes.table(&name)).unwrap_or_default();
        let table = self.is_human().then(|| matrix.text(&name, &origin, places) + &measured);
        let (shown, weight) = answer(origin, name, verdict, advice).shown();
        let weight = weight + table.as_ref().map_or(0, String::len);
        (CheckedDocument::Definition(shown, None, table, 0), weight)
    }

    /// Returns `true` if problems from the lint group `broken` are shown. They are hidden if all warnings or all advice is hidden.
    fn shows_broken(&self) -> bool {
        !self.quiet && self.advice.level("").is_some()
    }

    fn is_human(&self) -> bool {
        self.format == Format::Messages(MessageFormat::Human)
    }

    /// Returns the advice about a CRD that is created or replaces a stored CRD.
    fn advice_on(
        &self,
        new: Option<&CustomResourceDefinition>,
        old: Option<&CustomResourceDefinition>,
        surprises: &Surprises,
        options: ServerOptions,
    ) -> Vec<(Level, CrdAdvice)> {
        let advice = new.into_iter().flat_map(advise).chain(surprises.advice());
        let inert = new.into_iter().flat_map(|new| found::inert(new, options));
        let of_update = new.into_iter().zip(old).flat_map(|(new, old)| advise_update(old, new));
        self.wanted(advice.chain(inert).chain(of_update))
    }

    /// Returns the advice that is not hidden, each with its level.
    fn wanted(&self, advice: impl Iterator<Item = CrdAdvice>) -> Vec<(Level, CrdAdvice)> {
        let is_answered =
            |advice: &CrdAdvice| advice.name == found::TOO_LARGE_FOR_APPLY && self.update.is_merged();
        let advice = advice.filter(|advice| !is_answered(advice));
        advice.filter_map(|advice| Some((self.advice.level(advice.name)?, advice))).collect()
    }
}

/// Returns `true` for CRDs and for objects without a kind. In a request to create a CRD, the API server treats an object without
/// a kind as a CRD. In a directory, objects without a kind can be anything, so they do not count.
fn is_asked_about(document: &Document, source: &Source) -> bool {
    let value = &document.value;
    document.is_definition() || !source.is_found() && value["kind"].is_null() && value.get("spec").is_some()
}

/// Computes the API server's response to a CRD that is created or replaces a stored CRD. Also returns the CRD if it can be decoded.
fn verdict(
    (value, old, options): (Value, Option<&CustomResourceDefinition>, ServerOptions),
    work: &SharedWork,
    wait: impl FnOnce(),
) -> (Verdict, Option<CustomResourceDefinition>) {
    let (bytes, definition) = (size(&value), RefCell::new(None));
    let first = |steps| {
        let options = options.with_work(steps);
        let (verdict, read) = match old {
            Some(old) => update(old, value, options),
            None => Verdict::with_definition_at(value, options),
        };
        definition.replace(read);
        Some(verdict)
    };
    let again = |steps| {
        let definition = definition.borrow();
        Some(Verdict::for_request(definition.as_ref()?, old, options.with_work(steps)))
    };
    // There is always a first answer.
    let verdict = work.answer(bytes, wait, first, again).unwrap_or_default();
    (verdict, definition.into_inner())
}

/// Returns `true` if a CRD is accepted, and no advice counts as an error.
fn passed(verdict: &Verdict, advice: &[(Level, CrdAdvice)]) -> bool {
    verdict.accepted && advice.iter().all(|(level, _)| *level != Level::Error)
}

/// Adds warnings about duplicate keys. If the document is a patch, also adds a remedy.
fn warn_of(duplicate_fields: Vec<FieldPath>, has_part_only: bool, verdict: &mut Verdict) {
    if let Some(cause) = verdict.errors.first_mut().filter(|_| has_part_only) {
        cause.remedy = Some(PATCH_HELP.into());
    }
    duplicate_fields.into_iter().for_each(|field| verdict.warn(field, crd_input::DUPLICATE_FIELD));
}

fn answer(
    origin: Origin,
    name: String,
    verdict: Verdict,
    advice: Vec<(Level, CrdAdvice)>,
) -> DocumentVerdict {
    let undecided = verdict.is_undecided();
    let Verdict { accepted, errors, warnings, warned_fields, refusal, .. } = verdict;
    let warning = |(text, field): (&String, FieldPath)| Diagnostic::new(field, CauseReason::Invalid, text);
    DocumentVerdict {
        origin,
        name,
        accepted,
        undecided,
        // The message about conflicts of field managers names all of them, at the place of the first one.
        errors: refusal.iter().chain(errors.iter().skip(usize::from(refusal.is_some()))).cloned().collect(),
        warnings: warnings.iter().zip(warned_fields).map(warning).collect(),
        advice,
    }
}

fn json_line(
    (file, origin): (&str, &Origin),
    (verdict, kept): (&Verdict, &Kept),
    advice: &[(Level, CrdAdvice)],
    sizes: Option<&Measured>,
    places: &mut Messages<'_>,
) -> Value {
    let mut placed = |mut value: Value, field: &FieldPath| {
        if let (_, Some(spot)) = places.place(origin, field) {
            value["line"] = spot.line.into();
            value["column"] = spot.column.into();
        }
        value
    };
    let mut cause = |cause: &Diagnostic| {
        let mut value = json!({"field": cause.field.to_string(), "reason": cause.reason.as_str(), "message": cause.message});
        if kept.has(&cause.place) {
            value["keptFromStored"] = true.into();
        }
        placed(value, &cause.field)
    };
    let errors: Vec<Value> = verdict.errors.iter().map(&mut cause).collect();
    let (inert, advice): (Vec<_>, Vec<_>) =
        advice.iter().map(|(_, advice)| advice).partition(|advice| advice.name == found::INERT_FIELD);
    let mut list = |advice: Vec<&CrdAdvice>| -> Vec<Value> {
        advice.into_iter().map(|advice| placed(json::advice(advice), &advice.field)).collect()
    };
    let (inert, advice) = (list(inert), list(advice));
    let place = |field: &FieldPath| placed(json!({"field": field.to_string()}), field);
    let places: Vec<Value> = verdict.warned_fields.iter().map(place).collect();
    let mut line = json!({
        "file": file,
        "document": origin.document,
        "accepted": verdict.accepted,
        "errors": errors,
        "warnings": verdict.warnings,
        "object": null,
        "advice": advice,
    });
    if !places.is_empty() {
        line["warningPlaces"] = places.into();
    }
    if !inert.is_empty() {
        line["inert"] = inert.into();
    }
    if let Some(refusal) = &verdict.refusal {
        line["message"] = json!(refusal.message);
        line = placed(line, &refusal.field);
    }
    if let Some(sizes) = sizes {
        line["sizes"] = sizes.json();
    }
    line
}
