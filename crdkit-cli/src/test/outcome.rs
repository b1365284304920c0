//! Formats the outcome of a test for output.

use clap::builder::styling::{AnsiColor, Style};
use crd_report::junit::{Case, Failure};
use crd_report::{Message, Spot, json, shortened, visible};
use serde_json::{Value, json};
use similar::ChangeTag;

use super::difference::{Difference, Line};

/// A test's outcome.
pub(super) struct Outcome {
    /// The suite's file name as given by the user.
    pub(super) file: String,
    pub(super) document: usize,
    pub(super) name: String,
    /// The position of the test's name.
    pub(super) spot: Option<Spot>,
    /// The differences from the expected response; empty if the test passes.
    pub(super) differences: Vec<Difference>,
    /// The whole outcome as a line of JSON, if the output format is JSON.
    pub(super) line_of_json: String,
}

/// Maximum number of lines for a test in text output.
const MOST_LINES: usize = 100;

impl Outcome {
    pub(super) fn passed(&self) -> bool {
        self.differences.is_empty()
    }

    pub(super) fn new(
        file: String,
        document: usize,
        name: String,
        mut spot: Option<Spot>,
        differences: Vec<Difference>,
    ) -> Self {
        spot.iter_mut().filter(|_| differences.is_empty()).for_each(Spot::forget_line);
        Self { file, document, name, spot, differences, line_of_json: String::new() }
    }

    /// Keeps the outcome only as a line of JSON, which includes the result's fields. The differing lines are dropped.
    pub(super) fn keep_line(&mut self, answer: Value) {
        self.line_of_json = self.json(answer);
        self.differences.iter_mut().for_each(|difference| difference.lines = Vec::new());
    }

    /// Returns the outcome as text: a line for the test, and the differing lines.
    pub(super) fn human(&self) -> String {
        let (bold, red) = (Style::new().bold(), AnsiColor::Red.on_default().bold());
        let line = self.line().map(|line| format!(":{line}")).unwrap_or_default();
        let (file, text) = (visible(&self.file), self.text());
        let mut out =
            format!("{red}FAILED{red:#} {file}{line}: {bold}{}{bold:#}\n", visible(&shortened(&text)));
        for line in self.lines().take(MOST_LINES) {
            let style = match line.side {
                ChangeTag::Delete => AnsiColor::Red.on_default(),
                ChangeTag::Insert => AnsiColor::Green.on_default(),
                ChangeTag::Equal => Style::new(),
            };
            out += &format!("    {style}{}{style:#}\n", line.shown());
        }
        out + &self.rest().map(|rest| format!("    {rest}\n")).unwrap_or_default()
    }

    /// Returns the outcome as a message.
    pub(super) fn message(&self) -> Message {
        let lines = self.lines().take(MOST_LINES).map(Line::shown).chain(self.rest());
        let text: Vec<String> = std::iter::once(self.text()).chain(lines).collect();
        Message {
            file: self.file.clone(),
            reason: "TestFailed",
            spot: self.spot.clone(),
            ..Message::for_run(text.join("\n"))
        }
    }

    /// Returns the outcome as a test case in a JUnit report.
    pub(super) fn case(&self) -> Case {
        let failure = || {
            let text = self.message().text;
            let (summary, details) = text.split_once('\n').unwrap_or((&text, ""));
            Failure { kind: "TestFailed", summary: summary.to_owned(), details: details.to_owned() }
        };
        Case {
            file: self.file.clone(),
            name: self.name.clone(),
            line: self.line(),
            failure: (!self.passed()).then(failure),
        }
    }

    /// Returns the outcome as a line of JSON.
    fn json(&self, answer: Value) -> String {
        let difference = |difference: &Difference| {
            let lines: Vec<String> = difference.lines.iter().map(Line::shown).collect();
            json!({"text": difference.text, "lines": lines})
        };
        json::line(&json!({
            "file": self.file,
            "document": self.document,
            "line": self.line(),
            "name": self.name,
            "passed": self.passed(),
            "differences": self.differences.iter().map(difference).collect::<Vec<Value>>(),
            "answer": answer,
        }))
    }

    /// Returns the line number of the test's name.
    pub(super) fn line(&self) -> Option<usize> {
        self.spot.as_ref().map(|spot| spot.line)
    }

    fn text(&self) -> String {
        let texts: Vec<&str> = self.differences.iter().map(|difference| difference.text).collect();
        format!("{}: {}", self.name, texts.join(", "))
    }

    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.differences.iter().flat_map(|difference| &difference.lines)
    }

    fn rest(&self) -> Option<String> {
        let rest = self.lines().count().saturating_sub(MOST_LINES);
        (rest > 0).then(|| format!("{rest} more lines are not shown"))
    }
}
