//! `crd-codegen check`: what the API server would say to the definitions in the inputs.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use crd_core::check::{Advice, Verdict, advise};
use crd_core::{Diagnostic, FieldPath, Reason};
use serde_json::{Value, json};

use super::advice::{self, Choices};
use super::exit::Status;
use super::inputs::Inputs;
use super::json;
use super::print_bytes;
use super::report::{self, Format, some};
use crate::input::{self, Document, Error, Limits, Source, in_parallel};
use crate::render::{Level, Message, Messages};
use crate::{Finding, Origin, Severity};

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
    /// Whether it says that it is a definition, or says nothing.
    is_definition: bool,
    verdict: Verdict,
    /// As far as it is not silenced.
    advice: Vec<(Level, Advice)>,
}

impl Check {
    pub(super) fn run(self) -> Status {
        let limits = Limits::default();
        let (sources, mut errors) = self.inputs.sources(&limits);
        let bar = report::progress("checking", sources.len(), self.quiet);
        let parts = in_parallel(&sources, |source| {
            let (documents, errors) = input::documents(source, &limits);
            let answers: Vec<Answer> = documents.into_iter().map(|document| self.judge(document)).collect();
            bar.inc(1);
            (answers, errors)
        });
        bar.finish_and_clear();
        let mut answers = Vec::new();
        for (found, failed) in parts {
            answers.extend(found);
            errors.extend(failed);
        }
        let status = self.status(&answers, &errors);
        report::ended(self.show(&sources, &answers, &errors, &limits), status)
    }

    fn judge(&self, document: Document) -> Answer {
        let kind = &document.value["kind"];
        // The API server takes what does not say its kind for what the address says.
        let is_definition =
            document.is_definition() || kind.is_null() && document.value.get("spec").is_some();
        let (verdict, definition) = Verdict::with_definition(document.value);
        let advice = definition.iter().flat_map(advise);
        let advice = advice.filter_map(|advice| Some((self.advice.level(advice.name)?, advice))).collect();
        Answer { origin: document.origin, is_definition, verdict, advice }
    }

    /// Where each document has a line of its own, each counts.
    fn counts(&self, answer: &Answer) -> bool {
        answer.is_definition || self.format == CheckFormat::Json
    }

    fn status(&self, answers: &[Answer], errors: &[Error]) -> Status {
        let mut judged = answers.iter().filter(|answer| self.counts(answer)).peekable();
        if !errors.is_empty() || judged.peek().is_none() {
            return Status::Unreadable;
        }
        let is_fine = |answer: &Answer| {
            answer.verdict.accepted && answer.advice.iter().all(|(level, _)| *level != Level::Error)
        };
        if judged.all(is_fine) { Status::Fine } else { Status::Wrong }
    }

    fn show(
        &self,
        sources: &[Source],
        answers: &[Answer],
        errors: &[Error],
        limits: &Limits,
    ) -> Result<(), String> {
        let mut messages = Messages::new(sources, limits);
        if self.format == CheckFormat::Json {
            let name = |origin: &Origin| messages.name(&origin.file).to_owned();
            let lines: String =
                answers.iter().map(|answer| json_line(&name(&answer.origin), answer)).collect();
            print_bytes(lines.as_bytes())?;
            report::show(&messages.all(errors, &[]), Format::Human);
            return Ok(());
        }
        let definitions: Vec<&Answer> = answers.iter().filter(|answer| answer.is_definition).collect();
        let findings: Vec<Finding> =
            definitions.iter().flat_map(|answer| findings(answer, self.quiet)).collect();
        let advice = definitions
            .iter()
            .flat_map(|answer| answer.advice.iter().map(|(level, advice)| (*level, &answer.origin, advice)));
        let advice = messages.advice(advice.filter(|(level, ..)| *level == Level::Error || !self.quiet));
        let mut messages = messages.all(errors, &findings);
        let mut summary = summary(&definitions, &messages, &advice);
        messages.extend(if self.format == CheckFormat::Human { advice::shorten(advice) } else { advice });
        let others = answers.len() - definitions.len();
        if definitions.is_empty() && errors.is_empty() {
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

fn json_line(file: &str, answer: &Answer) -> String {
    let verdict = &answer.verdict;
    let cause = |cause: &Diagnostic| json!({"field": cause.field.to_string(), "reason": cause.reason.as_str(), "message": cause.message});
    let advice = |(_, advice): &(Level, Advice)| {
        let Advice { name, field, message, help, .. } = advice;
        json!({"name": name, "field": field.to_string(), "message": message, "help": help})
    };
    let mut line = json!({
        "file": file,
        "document": answer.origin.document,
        "accepted": verdict.accepted,
        "errors": verdict.errors.iter().map(cause).collect::<Vec<Value>>(),
        "warnings": verdict.warnings,
        "object": null,
        "advice": answer.advice.iter().map(advice).collect::<Vec<Value>>(),
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

fn summary(definitions: &[&Answer], messages: &[Message], advice: &[Message]) -> String {
    let accepted = definitions.iter().filter(|answer| answer.verdict.accepted).count();
    let refused = definitions.len() - accepted;
    let count = some(definitions.len(), "definition");
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
