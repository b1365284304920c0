//! `crdkit test`: runs test suites, which consist of objects and the API server's expected responses.

mod difference;
mod expectation;
mod object;
mod outcome;
mod place;
mod suite;

use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;

use clap::Args;
use crd_core::KubeVersion;
use crd_core::admit::{Admission, FieldValidation};
use crd_core::check::{CrdAdvice, ServerOptions};
use crd_input::{Limits, Source, in_parallel};
use crd_report::{
    Format, Found, Level, Message, MessageFormat, Messages, Paths, Printer, Report, Status, advice, answer,
    ended, junit, print, some, styled,
};
use serde_json::json;

use crate::configuration::Configuration;
use crate::server::{FeatureGates, Server};
use crate::validate::MOST_DEPTH;
use difference::{Difference, Line};
use object::SuiteObject;
use outcome::Outcome;
use place::MOST_FINDINGS;
use suite::{Suite, TestCase, Unreadable};

/// Run test suites for CRDs
///
/// A suite names a CRD, and lists objects with the results that you expect from kube-apiserver: the object as it is stored, or the reasons
/// for a rejection. In directories, the command reads *.test.yaml and *.test.yml. The book explains all keys of a suite.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    // In directories, only the files `*.test.yaml` and `*.test.yml` are used.
    #[command(flatten)]
    inputs: Paths,
    /// Run only the tests whose names contain this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    #[command(flatten)]
    server: Server,
    #[command(flatten)]
    gates: FeatureGates,
    /// Format of the results; `human` goes to standard error, all other formats go to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Show failing tests and errors only
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Example of a suite:
  crd: ../crds/crontabs.yaml
  tests:
  - name: a cron tab has one replica by default
    object: {apiVersion: stable.example.com/v1, kind: CronTab, metadata: {name: a}, spec: {}}
    expect:
      accepted: true
      object: {apiVersion: stable.example.com/v1, kind: CronTab, metadata: {name: a}, spec: {replicas: 1}}
  - name: no more than ten replicas
    object: too-many.yaml
    expect:
      errors:
      - field: spec.replicas

Examples:
  crdkit test tests/
  crdkit test --filter replicas --format github tests/
  crdkit test --format junit tests/ > report.xml";

/// The results of all suites, or of the suites in one file.
#[derive(Default)]
struct TestRun {
    suites: usize,
    outcomes: Vec<Outcome>,
    /// The number of tests that the filter excluded.
    left_out: usize,
    unreadable: Unreadable,
    /// Advice about the text of suites, which does not change the exit status.
    advice: Vec<Message>,
}

impl Test {
    pub(crate) fn run(mut self, configuration: &Configuration) -> Status {
        self.server = self.server.configured(configuration);
        // Suites choose releases of their own, and the oldest lets its users set all gates.
        let options = match self.gates.options_for(KubeVersion::OLDEST, configuration) {
            Ok(options) => options,
            Err(reason) => return ended(Err(reason), Status::Unreadable),
        };
        let limits = Limits { depth: MOST_DEPTH, ..Limits::default() };
        let report = Report::new(self.quiet);
        let Found { sources, errors, left_out, .. } = self.sources(&limits, report);
        let progress = report.progress("testing", sources.len());
        let runner = Runner {
            server: self.server,
            options,
            limits: &limits,
            filter: self.filter.as_deref(),
            keeps_lines: self.format == Format::Json,
        };
        let parts = in_parallel(&sources, |source| {
            let run = runner.run_file(source, source.path().and_then(Path::parent));
            progress.step();
            run
        });
        progress.finish();
        let mut run = TestRun::default();
        run.unreadable.errors = errors;
        parts.into_iter().for_each(|part| run.add(part));
        let mut messages =
            Messages::new(&sources, &limits).all(&run.unreadable.errors, &run.unreadable.findings);
        messages.append(&mut run.unreadable.messages);
        if run.unreadable.more > 0 {
            let text = format!("{} more messages of this run are not shown", run.unreadable.more);
            messages.push(Message::for_run(text));
        }
        if run.outcomes.is_empty() && messages.is_empty() {
            messages.push(self.no_test(&run));
        }
        let status = match messages.is_empty() {
            false => Status::Unreadable,
            true if run.outcomes.iter().all(Outcome::passed) => Status::Fine,
            true => Status::Wrong,
        };
        ended(self.show(report, &run, &messages), left_out.end(report, status))
    }

    /// Returns the files in the arguments, and the suites in directories.
    fn sources(&self, limits: &Limits, report: Report) -> Found {
        let mut found = self.inputs.sources(limits, report);
        let named = self.inputs.named();
        found.sources.retain(|source| {
            let Some(path) = source.path() else { return true };
            is_suite(path) || named.iter().any(|input| input == path)
        });
        found
    }

    /// Returns the error if there are no tests and no other errors.
    fn no_test(&self, run: &TestRun) -> Message {
        Message::for_run(match &self.filter {
            Some(filter) if run.left_out > 0 => {
                format!(
                    "no test was run: of {}, none contains `{filter}` in its name",
                    some(run.left_out, "test")
                )
            }
            _ => "no test was run: there is no suite (`*.test.yaml`) in the input".to_owned(),
        })
    }

    fn show(&self, report: Report, run: &TestRun, messages: &[Message]) -> Result<(), String> {
        let advice = if self.quiet { Vec::new() } else { advice::shorten(run.advice.clone()) };
        let failed = run.outcomes.iter().filter(|outcome| !outcome.passed());
        let mut on_stderr = [messages, &advice];
        match self.format {
            Format::Messages(MessageFormat::Human) => failed.for_each(|outcome| styled(&outcome.human())),
            Format::Messages(format) => {
                let failed = failed.map(Outcome::message);
                let shown: Vec<Message> =
                    failed.chain(messages.iter().cloned()).chain(advice.iter().cloned()).collect();
                report.print(&shown, format)?;
                on_stderr = [&[], &[]];
            }
            Format::Json => {
                let mut lines = Printer::new();
                run.outcomes.iter().for_each(|outcome| lines.print(&outcome.line_of_json));
                lines.end()?;
            }
            Format::Junit => {
                let cases: Vec<junit::Case> = run.outcomes.iter().map(Outcome::case).collect();
                print(junit::report(&cases, messages, "the suite can be read"))?;
            }
        }
        on_stderr.iter().for_each(|messages| report.show(messages, MessageFormat::Human));
        if !run.outcomes.is_empty() {
            report.line(&run.summary());
        }
        Ok(())
    }
}

/// The options for running suites.
#[derive(Clone, Copy)]
struct Runner<'a> {
    server: Server,
    options: ServerOptions,
    limits: &'a Limits,
    /// If set, only tests whose names contain this text are run.
    filter: Option<&'a str>,
    /// `true` if each outcome is kept as a line of JSON.
    keeps_lines: bool,
}

impl Runner<'_> {
    /// Runs the suites in a file. Paths in suites are relative to `folder`.
    fn run_file(&self, source: &Source, folder: Option<&Path>) -> TestRun {
        let Self { server, options, limits, .. } = *self;
        let (objects, errors) = crd_input::objects(source, limits);
        let folder = folder.unwrap_or(Path::new(""));
        let mut run = TestRun::default();
        run.unreadable.errors = errors;
        let sources = std::slice::from_ref(source);
        let mut messages = Messages::new(sources, limits);
        for object in objects {
            let advice: Vec<CrdAdvice> = object.surprises.advice().collect();
            let origin = &object.document.origin;
            run.advice.extend(messages.advice(advice.iter().map(|advice| (Level::Note, origin, advice))));
            match Suite::read(&object, folder, (server, options), limits) {
                Ok(suite) => {
                    run.suites += 1;
                    run.advice.extend(suite.advice.iter().cloned());
                    let mut answers = RecentAnswers::default();
                    for case in &suite.tests {
                        if self.filter.is_some_and(|filter| !case.name.contains(filter)) {
                            run.left_out += 1;
                        } else {
                            let admission = answers.admission(&suite, case);
                            let mut outcome = outcome(&suite, case, admission.as_deref(), &mut messages);
                            if self.keeps_lines {
                                let mut answer = json!({});
                                match admission {
                                    Some(admission) => answer::add_to(&mut answer, (*admission).clone()),
                                    None => {
                                        answer::add_unknown(&mut answer, &answer::kind(&case.object.value));
                                    }
                                }
                                outcome.keep_line(answer);
                            }
                            run.outcomes.push(outcome);
                        }
                    }
                }
                Err(unreadable) => run.unreadable.add(unreadable),
            }
        }
        run
    }
}

/// Returns the messages that `crdkit test` would print for a suite. `text` may not be saved yet; `path` is the suite's file.
pub(crate) fn report(path: &Path, text: &str, server: Server, options: ServerOptions) -> Vec<Message> {
    let limits = Limits { depth: MOST_DEPTH, ..Limits::default() };
    let source = Source::from_string(path.to_string_lossy(), text);
    let runner = Runner { server, options, limits: &limits, filter: None, keeps_lines: false };
    let run = runner.run_file(&source, path.parent());
    let mut messages = Messages::new(std::slice::from_ref(&source), &limits)
        .all(&run.unreadable.errors, &run.unreadable.findings);
    messages.extend(run.unreadable.messages);
    messages.extend(run.outcomes.iter().filter(|outcome| !outcome.passed()).map(Outcome::message));
    messages.extend(run.advice);
    messages
}

impl TestRun {
    fn add(&mut self, part: Self) {
        self.suites += part.suites;
        self.outcomes.extend(part.outcomes);
        self.left_out += part.left_out;
        self.advice.extend(part.advice);
        self.unreadable.add(part.unreadable);
    }

    fn summary(&self) -> String {
        let passed = self.outcomes.iter().filter(|outcome| outcome.passed()).count();
        let (tests, suites) = (some(self.outcomes.len(), "test"), some(self.suites, "suite"));
        let mut line =
            format!("ran {tests} of {suites}: {passed} passed, {} failed", self.outcomes.len() - passed);
        if self.left_out > 0 {
            line += &format!("; {} left out", self.left_out);
        }
        line
    }
}

impl Unreadable {
    fn add(&mut self, mut other: Self) {
        let room = MOST_FINDINGS.saturating_sub(self.findings.len());
        self.more += other.more + other.findings.len().saturating_sub(room);
        other.findings.truncate(room);
        self.findings.append(&mut other.findings);
        self.errors.extend(other.errors);
        self.messages.extend(other.messages);
    }
}

/// Compares a result with a test's expectation. `admission` is `None` if there is no CRD for the object.
fn outcome(
    suite: &Suite,
    case: &TestCase,
    admission: Option<&Admission>,
    messages: &mut Messages<'_>,
) -> Outcome {
    let (file, spot) = messages.place(&suite.origin, &case.place);
    let differences = match admission {
        Some(admission) => {
            case.expectation.differences(admission, suite.kinds.columns_of(&case.object.value))
        }
        None => {
            let kind = answer::kind(&case.object.value);
            vec![Difference::new("no CRD", vec![Line::actual(answer::unknown(&kind))])]
        }
    };
    let document = suite.origin.document;
    Outcome::new(file, document, case.name.clone(), spot, differences)
}

/// The latest results in a suite. Tests that send the same object from the same file share a result.
#[derive(Default)]
struct RecentAnswers(VecDeque<(Request, Option<Rc<Admission>>)>);

/// Maximum number of cached results.
const MOST_ANSWERS: usize = 4;

/// The data in a test that determine the result.
struct Request {
    object: Rc<SuiteObject>,
    old: Option<Rc<SuiteObject>>,
    replaces_status: bool,
    field_validation: FieldValidation,
}

impl Request {
    fn is_of(&self, case: &TestCase) -> bool {
        let is_same_old = match (&self.old, &case.old) {
            (Some(old), Some(other)) => Rc::ptr_eq(old, other),
            (None, None) => true,
            _ => false,
        };
        Rc::ptr_eq(&self.object, &case.object)
            && is_same_old
            && (self.replaces_status, self.field_validation) == (case.replaces_status, case.field_validation)
    }
}

impl RecentAnswers {
    /// Returns a test's result, or `None` if there is no CRD for the object.
    fn admission(&mut self, suite: &Suite, case: &TestCase) -> Option<Rc<Admission>> {
        if let Some((_, known)) = self.0.iter().find(|(request, _)| request.is_of(case)) {
            return known.clone();
        }
        let admission = admission(suite, case).map(Rc::new);
        let request = Request {
            object: Rc::clone(&case.object),
            old: case.old.clone(),
            replaces_status: case.replaces_status,
            field_validation: case.field_validation,
        };
        self.0.truncate(MOST_ANSWERS - 1);
        self.0.push_front((request, admission.clone()));
        admission
    }
}

/// Returns the response to a test's request, or `None` if there is no CRD for the object.
fn admission(suite: &Suite, case: &TestCase) -> Option<Admission> {
    let validator = suite.kinds.validator(&case.object.value)?.with_field_validation(case.field_validation);
    let object = case.submitted();
    Some(match &case.old {
        None => validator.create(object),
        Some(old) if case.replaces_status => validator.update_status(object, &old.value),
        Some(old) => validator.update(object, &old.value),
    })
}

/// Returns `true` if a file in a directory is a suite according to its name.
pub(crate) fn is_suite(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.ends_with(".test.yaml") || name.ends_with(".test.yml")
}
