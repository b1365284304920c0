//! Collects the verdicts on all documents in order, and prints them in one format.

use std::collections::HashMap;

use crd_core::Diagnostic;
use crd_core::check::CrdAdvice;
use crd_input::{Error, Origin, Problem, ProblemSeverity};
use serde_json::Value;

use crate::junit::{self, Case, Failure};
use crate::kept::Kept;
use crate::{Format, Level, Message, MessageFormat, Messages, Printer, Report, Status, advice, json, print};

/// The verdict on a document.
pub struct DocumentVerdict {
    /// The document.
    pub origin: Origin,
    /// The object's name.
    pub name: String,
    /// `true` if the API server accepts the document.
    pub accepted: bool,
    /// `true` if there is no verdict, because it would need too much work.
    pub undecided: bool,
    /// The reasons why the API server rejects the document.
    pub errors: Vec<Diagnostic>,
    /// The API server's warnings.
    pub warnings: Vec<Diagnostic>,
    /// The advice that options do not hide, with its level.
    pub advice: Vec<(Level, CrdAdvice)>,
}

/// The part of a verdict that the report's format needs. It can be created on any thread.
pub struct Shown {
    part: Part,
    accepted: bool,
    passed: bool,
    undecided: bool,
}

enum Part {
    Line(String),
    Answer(Box<DocumentVerdict>),
}

impl DocumentVerdict {
    /// Returns `true` if the object is accepted and none of the advice counts as an error.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.accepted && self.advice.iter().all(|(level, _)| *level != Level::Error)
    }

    /// Returns the verdict for formats with messages, and the bytes of memory that it takes.
    #[must_use]
    pub fn shown(self) -> (Shown, usize) {
        let (accepted, passed) = (self.accepted, self.passed());
        let texts = self.errors.iter().chain(&self.warnings).map(|cause| 200 + cause.message.len());
        let weight = size_of::<Self>() + texts.sum::<usize>() + 300 * self.advice.len();
        let undecided = self.undecided;
        (Shown { part: Part::Answer(Box::new(self)), accepted, passed, undecided }, weight)
    }
}

impl Shown {
    /// Returns the verdict as a line of JSON, and the bytes of memory that it takes.
    #[must_use]
    pub fn line(line: &Value, passed: bool, undecided: bool) -> (Self, usize) {
        let line = json::line(line);
        let weight = line.len();
        (Self { part: Part::Line(line), accepted: passed, passed, undecided }, weight)
    }
}

/// The verdicts so far.
pub struct DocumentVerdicts {
    format: Format,
    report: Report,
    printer: Printer,
    kept: Kept,
    /// The documents for a JUnit report, each with its origin, its name, and `true` if it passed.
    cases: Vec<(Origin, String, bool)>,
    answered: usize,
    accepted: usize,
    undecided: usize,
    wrong: bool,
}

/// The messages that the summary counts.
pub struct Counted<'m> {
    /// Errors and warnings.
    pub messages: &'m [Message],
    /// Advice.
    pub advice: &'m [Message],
}

impl DocumentVerdicts {
    /// Creates an empty list of verdicts.
    #[must_use]
    pub fn new(format: Format, report: Report) -> Self {
        Self {
            format,
            report,
            printer: Printer::new(),
            kept: Kept::default(),
            cases: Vec::new(),
            answered: 0,
            accepted: 0,
            undecided: 0,
            wrong: false,
        }
    }

    /// Prints a document's line of JSON, without counting the document.
    pub fn print(&mut self, shown: Shown) {
        if let Part::Line(line) = shown.part {
            self.printer.print(&line);
        }
    }

    /// Adds the next verdict. If it is a line of JSON, it is printed at once.
    pub fn take(&mut self, shown: Shown) {
        self.answered += 1;
        self.accepted += usize::from(shown.accepted);
        self.undecided += usize::from(shown.undecided);
        self.wrong |= !shown.passed && !shown.undecided;
        let answer = match shown.part {
            Part::Line(line) => return self.printer.print(&line),
            Part::Answer(answer) => *answer,
        };
        let DocumentVerdict { origin, name, errors, warnings, advice, .. } = answer;
        if self.format == Format::Junit {
            self.cases.push((origin.clone(), name, shown.passed));
        }
        let finding = |diagnostic, severity| Problem { origin: origin.clone(), diagnostic, severity };
        self.kept.add_findings(errors.into_iter().map(|cause| finding(cause, ProblemSeverity::Error)));
        if !self.report.quiet {
            self.kept
                .add_findings(warnings.into_iter().map(|cause| finding(cause, ProblemSeverity::Warning)));
        }
        for (level, advice) in advice {
            self.kept.add_advice(level, &origin, advice);
        }
    }

    /// Returns the number of verdicts.
    #[must_use]
    pub fn answered(&self) -> usize {
        self.answered
    }

    /// Returns the number of objects that the API server accepts.
    #[must_use]
    pub fn accepted(&self) -> usize {
        self.accepted
    }

    /// Returns the number of objects without a verdict.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.undecided
    }

    /// Returns the exit status that follows from the verdicts.
    #[must_use]
    pub fn status(&self) -> Status {
        match (self.wrong, self.undecided) {
            (true, _) => Status::Wrong,
            (false, 0) => Status::Fine,
            (false, _) => Status::Undecided,
        }
    }

    /// Prints all verdicts. `errors` are the errors for inputs that cannot be read. `nothing` is the message if there
    /// is no verdict, and `summary` builds the last line of the text output.
    ///
    /// # Errors
    /// The reason why standard output cannot be written.
    pub fn show(
        self,
        mut messages: Messages<'_>,
        errors: &[Error],
        nothing: Option<Message>,
        summary: impl FnOnce(&Counted<'_>) -> Option<String>,
    ) -> Result<(), String> {
        let Self { format, report, printer, kept, cases, .. } = self;
        let format = match format {
            Format::Json => {
                printer.end()?;
                report.show(&messages.all(errors, &[]), MessageFormat::Human);
                return Ok(());
            }
            Format::Junit => {
                let unread: Vec<Message> =
                    messages.all(errors, &[]).into_iter().chain(nothing).chain(kept.more()).collect();
                let cases = junit_cases(&cases, &kept, &mut messages);
                return print(junit::report(&cases, &unread, "the file can be read"));
            }
            Format::Messages(format) => format,
        };
        let advice = kept.advice.iter().map(|(level, origin, advice)| (*level, origin, advice));
        let advice = messages.advice(advice.filter(|(level, ..)| *level == Level::Error || !report.quiet));
        let mut messages = messages.all(errors, &kept.findings);
        let summary = summary(&Counted { messages: &messages, advice: &advice });
        let is_human = format == MessageFormat::Human;
        if is_human {
            messages = advice::group_warnings(messages);
        }
        messages.extend(if is_human { advice::shorten(advice) } else { advice });
        messages.extend(kept.more());
        drop(kept);
        messages.extend(nothing);
        if is_human {
            report.show(&messages, format);
        } else {
            report.print(&messages, format)?;
        }
        if let Some(summary) = summary {
            report.line(&summary);
        }
        Ok(())
    }
}

/// Returns a test for every document. If the document has errors, the test fails with these errors.
fn junit_cases(cases: &[(Origin, String, bool)], kept: &Kept, messages: &mut Messages<'_>) -> Vec<Case> {
    let mut texts: HashMap<&Origin, Vec<String>> = HashMap::new();
    for finding in kept.findings.iter().filter(|finding| finding.severity == ProblemSeverity::Error) {
        texts.entry(&finding.origin).or_default().push(finding.diagnostic.to_string());
    }
    for (_, origin, advice) in kept.advice.iter().filter(|(level, ..)| *level == Level::Error) {
        texts.entry(origin).or_default().push(format!("{}: {}", advice.field, advice.message));
    }
    let case = |(origin, name, passed): &(Origin, String, bool)| {
        let lines = texts.get(origin).map_or(&[][..], Vec::as_slice);
        let (file, spot) = messages.place(origin, &crd_core::FieldPath::root());
        Case {
            file,
            name: name.clone(),
            line: spot.map(|spot| spot.line),
            failure: (!passed).then(|| Failure {
                kind: "Rejected",
                summary: lines.first().cloned().unwrap_or_else(|| "rejected".to_owned()),
                details: lines.join("\n"),
            }),
        }
    };
    cases.iter().map(case).collect()
}
