//! `crd-codegen check`: what the API server would say to the definitions in the inputs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use crd_core::check::{Advice, Verdict, advise};
use crd_core::{Diagnostic, FieldPath, Reason};
use serde_json::{Value, json};

use super::advice::{self, Choices};
use super::exit::Status;
use super::inputs::Inputs;
use super::json;
use super::kept::Kept;
use super::report::{self, Format, some};
use super::{Lines, print_bytes};
use crate::render::{Level, Message, Messages};
use crate::{Finding, Origin, Severity};
use crd_input::{Error, Limits, Object, Source, in_turn};

/// Check definitions as the API server does
///
/// Says what kube-apiserver 1.36 would answer to one who creates the definitions in the inputs: the causes for which it
/// refuses them, in its words, and its warnings. Besides, what it takes and users regret: advice, which has names.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Check {
    #[command(flatten)]
    inputs: Inputs,
    /// How the answers are shown: for people on the standard error, otherwise on the standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: CheckFormat,
    /// Show errors only
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    advice: Choices,
}

const EXAMPLES: &str = "\
Examples:
  crd-codegen check crds/
  crd-codegen check --format github config/crd   # in GitHub Actions: annotations beside the lines
  crd-codegen check --allow list-without-type --deny column-without-field crds/
  crd-codegen check --cluster   # the definitions of the current context
  kubectl get crd -o yaml | crd-codegen check -";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
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

/// A document and the answer to it.
struct Answer {
    origin: Origin,
    verdict: Verdict,
    /// As far as it is not silenced.
    advice: Vec<(Level, Advice)>,
}

/// What is kept of a document until its turn comes.
enum Part {
    /// A line of JSON, and whether all is well.
    Line(String, bool),
    Definition(Box<Answer>),
    Other,
}

/// What became of the documents of a run.
struct Outcome {
    lines: Lines,
    kept: Kept,
    definitions: usize,
    accepted: usize,
    others: usize,
    /// Whether there is a document that counts.
    judged: bool,
    wrong: bool,
    quiet: bool,
}

impl Check {
    pub(super) fn run(self) -> Status {
        let limits = Limits::default();
        let (sources, mut errors) = self.inputs.sources(&limits);
        let bar = report::progress("checking", sources.len(), self.quiet);
        let mut outcome = Outcome::new(self.quiet);
        let failed = Mutex::new(Vec::new());
        in_turn(
            &sources,
            |source, turn| {
                let errors = crd_input::each_document(source, &limits, &mut |object| {
                    let (part, weight) = self.judge(object, source);
                    turn.give(part, weight);
                });
                bar.inc(1);
                failed.lock().unwrap_or_else(PoisonError::into_inner).extend(errors);
            },
            &mut |part| outcome.take(part),
        );
        bar.finish_and_clear();
        errors.extend(crd_input::in_order_of(
            &sources,
            failed.into_inner().unwrap_or_else(PoisonError::into_inner),
        ));
        let status = match (errors.is_empty() && outcome.judged, outcome.wrong) {
            (false, _) => Status::Unreadable,
            (true, true) => Status::Wrong,
            (true, false) => Status::Fine,
        };
        report::ended(self.show(outcome, Messages::new(&sources, &limits), &errors), status)
    }

    /// The answer to a document, with the memory that it takes.
    fn judge(&self, Object { document, surprises, .. }: Object, source: &Source) -> (Part, usize) {
        let kind = &document.value["kind"];
        // The API server takes what does not say its kind for what the address says.
        let is_definition =
            document.is_definition() || kind.is_null() && document.value.get("spec").is_some();
        // Where each document has a line of its own, each counts.
        let is_json = self.format == CheckFormat::Json;
        if !is_definition && !is_json {
            return (Part::Other, 0);
        }
        let (verdict, definition) = Verdict::with_definition(document.value);
        let advice = definition.iter().flat_map(advise).chain(advice::of_text(&surprises));
        let advice = advice.filter_map(|advice| Some((self.advice.level(advice.name)?, advice))).collect();
        let answer = Answer { origin: document.origin, verdict, advice };
        if is_json {
            let line = json_line(source.name(), &answer);
            let weight = line.len();
            return (Part::Line(line, answer.is_fine()), weight);
        }
        let weight = answer.weight();
        (Part::Definition(Box::new(answer)), weight)
    }

    fn show(&self, outcome: Outcome, mut messages: Messages<'_>, errors: &[Error]) -> Result<(), String> {
        let Outcome { lines, kept, definitions, accepted, others, .. } = outcome;
        if self.format == CheckFormat::Json {
            lines.end()?;
            report::show(&messages.all(errors, &[]), Format::Human);
            return Ok(());
        }
        let advice = kept.advice.iter().map(|(level, origin, advice)| (*level, origin, advice));
        let advice = messages.advice(advice.filter(|(level, ..)| *level == Level::Error || !self.quiet));
        let mut messages = messages.all(errors, &kept.findings);
        let mut summary = summary(definitions, accepted, &messages, &advice);
        messages.extend(if self.format == CheckFormat::Human { advice::shorten(advice) } else { advice });
        messages.extend(kept.more());
        drop(kept);
        if definitions == 0 && errors.is_empty() {
            messages.push(Message::no_definition(others));
        }
        match self.format {
            CheckFormat::Github => print_bytes(report::text(&messages, Format::Github).as_bytes())?,
            CheckFormat::Sarif => print_bytes(report::text(&messages, Format::Sarif).as_bytes())?,
            CheckFormat::Human | CheckFormat::Json => {
                report::show(&messages, Format::Human);
                if !self.quiet {
                    if others > 0 {
                        summary += &format!("; {} left out", some(others, "other object"));
                    }
                    report::line(&summary);
                }
            }
        }
        Ok(())
    }
}

impl Outcome {
    fn new(quiet: bool) -> Self {
        Self {
            lines: Lines::new(),
            kept: Kept::default(),
            definitions: 0,
            accepted: 0,
            others: 0,
            judged: false,
            wrong: false,
            quiet,
        }
    }

    fn take(&mut self, part: Part) {
        let answer = match part {
            Part::Other => {
                self.others += 1;
                return;
            }
            Part::Line(line, is_fine) => {
                self.judged = true;
                self.wrong |= !is_fine;
                return self.lines.print(&line);
            }
            Part::Definition(answer) => *answer,
        };
        self.judged = true;
        self.wrong |= !answer.is_fine();
        self.definitions += 1;
        self.accepted += usize::from(answer.verdict.accepted);
        self.kept.add_findings(findings(&answer, self.quiet));
        for (level, advice) in answer.advice {
            self.kept.add_advice(level, &answer.origin, advice);
        }
    }
}

impl Answer {
    fn is_fine(&self) -> bool {
        self.verdict.accepted && self.advice.iter().all(|(level, _)| *level != Level::Error)
    }

    /// The memory that it takes, roughly.
    fn weight(&self) -> usize {
        let causes = self.verdict.errors.iter().map(|cause| 200 + cause.message.len());
        size_of::<Self>() + causes.sum::<usize>() + 300 * self.advice.len()
    }
}

fn json_line(file: &str, answer: &Answer) -> String {
    let verdict = &answer.verdict;
    let cause = |cause: &Diagnostic| json!({"field": cause.field.to_string(), "reason": cause.reason.as_str(), "message": cause.message});
    let mut line = json!({
        "file": file,
        "document": answer.origin.document,
        "accepted": verdict.accepted,
        "errors": verdict.errors.iter().map(cause).collect::<Vec<Value>>(),
        "warnings": verdict.warnings,
        "object": null,
        "advice": answer.advice.iter().map(|(_, advice)| json::advice(advice)).collect::<Vec<Value>>(),
    });
    if let Some(refusal) = &verdict.refusal {
        line["message"] = json!(refusal.message);
    }
    json::line(&line)
}

fn findings(answer: &Answer, errors_only: bool) -> Vec<Finding> {
    let finding =
        |diagnostic: Diagnostic, severity| Finding { origin: answer.origin.clone(), diagnostic, severity };
    let Verdict { errors, warnings, refusal, .. } = &answer.verdict;
    let mut findings: Vec<Finding> =
        errors.iter().chain(refusal).map(|cause| finding(cause.clone(), Severity::Error)).collect();
    if !errors_only {
        let warning = |text: &String| Diagnostic::new(FieldPath::root(), Reason::Invalid, text);
        findings.extend(warnings.iter().map(|text| finding(warning(text), Severity::Warning)));
    }
    findings
}

fn summary(definitions: usize, accepted: usize, messages: &[Message], advice: &[Message]) -> String {
    let refused = definitions - accepted;
    let count = some(definitions, "definition");
    let mut line = format!("checked {count}: {accepted} accepted, {refused} refused");
    let warnings = messages.iter().filter(|message| message.level == Level::Warning).count();
    if warnings > 0 {
        line += &format!("; {}", some(warnings, "warning"));
    }
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for message in advice {
        *names.entry(message.reason).or_default() += 1;
    }
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|(name, count)| format!("{count} {name}")).collect();
        line += &format!("; advice: {}", names.join(", "));
    }
    line
}
