//! Findings in all formats.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use crd_core::yaml::to_yaml;
use crd_diff::{Finding, Severity, Witness};
use crd_input::Origin;
use crd_report::junit::{Case, Failure};
use crd_report::{Format, Level, Message, MessageFormat, Messages, visible};
use serde_json::{Value, json};

/// The format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiffFormat {
    /// A format of all commands.
    Report(Format),
    /// A table for people, with the objects folded.
    Markdown,
}

impl Default for DiffFormat {
    fn default() -> Self {
        Self::Report(Format::default())
    }
}

impl ValueEnum for DiffFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Report(Format::Messages(MessageFormat::Human)),
            Self::Report(Format::Json),
            Self::Report(Format::Messages(MessageFormat::Github)),
            Self::Report(Format::Messages(MessageFormat::Sarif)),
            Self::Report(Format::Junit),
            Self::Markdown,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Report(Format::Json) => {
                Some(PossibleValue::new("json").help("A line with a JSON object for each finding"))
            }
            Self::Report(format) => format.to_possible_value(),
            Self::Markdown => Some(
                PossibleValue::new("markdown")
                    .help("A table with folded objects, for pull requests and summaries"),
            ),
        }
    }
}

/// A finding with the documents that were compared.
pub(super) struct Placed {
    pub(super) finding: Finding,
    pub(super) old: Option<Origin>,
    pub(super) new: Option<Origin>,
    /// `true` if the profile does not allow it.
    pub(super) fails: bool,
}

impl Placed {
    /// The name of the field with its definition and version.
    fn subject(&self) -> String {
        let Finding { crd, version, path, .. } = &self.finding;
        let parts = [crd.as_str(), version.as_deref().unwrap_or_default(), path.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    fn classes(&self) -> String {
        let name = |class: &crd_diff::Class| {
            let mark = if self.finding.undecided.contains(class) { "?" } else { "" };
            format!("{class}{mark}")
        };
        self.finding.classes.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The finding as a message at its place: in the new definition, or in the old one for what is gone.
    pub(super) fn message(&self, messages: &mut Messages<'_>) -> Message {
        let finding = &self.finding;
        let mut places = [(&self.new, &finding.new_field), (&self.old, &finding.old_field)];
        if finding.new.is_null() {
            places.reverse();
        }
        let mut found = None;
        for (origin, field) in places {
            let Some(origin) = origin else { continue };
            let (file, spot) = messages.place(origin, field);
            let is_placed = spot.is_some();
            if found.is_none() || is_placed {
                found = Some((file, spot));
            }
            if is_placed {
                break;
            }
        }
        let (file, spot) = found.unwrap_or_default();
        let mut text = format!("{}: {}", self.subject(), finding.message);
        if !finding.classes.is_empty() {
            text += &format!(" ({})", self.classes());
        }
        Message {
            level: level(finding.severity),
            file,
            reason: finding.id,
            is_advice: true,
            help: Some(self.explanation()),
            spot,
            ..Message::for_run(text)
        }
    }

    /// The reason, the object that shows it, and the remedy.
    fn explanation(&self) -> String {
        let mut text = format!("{}\n{}", self.finding.why, self.finding.mend);
        if let Some(reason) = self.finding.possible() {
            text += &format!("\n{reason}");
        }
        if let Some(witness) = self.finding.witness() {
            text += &format!("\n{}", described(witness));
        }
        text + &format!("\nfingerprint {}", self.finding.fingerprint)
    }

    /// The finding for people: a message with the remedy, and the object below it.
    pub(super) fn human(&self, messages: &mut Messages<'_>) -> (Message, String) {
        let finding = &self.finding;
        let mut message = self.message(messages);
        message.text += &format!(": {}", finding.why);
        message.help = Some(format!("{}; fingerprint {}", finding.mend, finding.fingerprint));
        let mut details: Vec<String> = finding.possible().into_iter().collect();
        details.extend(finding.witness().map(described));
        (message, details.join("\n"))
    }

    /// The finding as a line of JSON.
    pub(super) fn json(&self) -> Value {
        let finding = &self.finding;
        let classes: Vec<&str> = finding.classes.iter().map(|class| class.as_str()).collect();
        let (old, new, answer) = match finding.witness() {
            Some(witness) => (witness.old.clone(), witness.new.clone(), witness.answer.clone()),
            None => (None, None, finding.possible().unwrap_or_default()),
        };
        json!({
            "id": finding.id,
            "crd": finding.crd,
            "version": finding.version,
            "path": finding.path,
            "classes": classes,
            "severity": finding.severity.as_str(),
            "message": finding.message,
            "old": finding.old,
            "new": finding.new,
            "witness": {"old": old, "new": new, "answer": answer},
            "fingerprint": finding.fingerprint,
        })
    }

    /// The finding as a test, which fails if the profile does not allow it.
    pub(super) fn case(&self, messages: &mut Messages<'_>) -> Case {
        let message = self.message(messages);
        Case {
            file: message.file,
            name: format!("{} {}", self.finding.id, self.subject()),
            line: message.spot.map(|spot| spot.line),
            failure: self.fails.then(|| Failure {
                kind: self.finding.id,
                summary: message.text,
                details: self.explanation(),
            }),
        }
    }
}

/// A witness in a few lines.
fn described(witness: &Witness) -> String {
    let mut text = String::new();
    for (title, object) in [("stored object", &witness.old), ("object", &witness.new)] {
        if let Some(object) = object {
            text += &format!("{title}:\n{}", to_yaml(object));
        }
    }
    text + &format!("answer ({}): {}", witness.class, witness.answer)
}

/// The findings as a table, with the objects folded below it.
pub(super) fn markdown(findings: &[Placed]) -> String {
    if findings.is_empty() {
        return "No changes.\n".to_owned();
    }
    let mut table = String::from("| severity | field | change | classes |\n| --- | --- | --- | --- |\n");
    let mut objects = String::new();
    for placed in findings {
        let finding = &placed.finding;
        let cells = [
            finding.severity.as_str().to_owned(),
            placed.subject(),
            format!("{}: {}", finding.id, finding.message),
            placed.classes(),
        ];
        table += &format!("| {} |\n", cells.map(|cell| escaped(&cell)).join(" | "));
        objects += &format!(
            "\n<details><summary>{}</summary>\n\n{}\n\n</details>\n",
            escaped(&format!("{} {}", finding.id, placed.subject())),
            code(&placed.explanation())
        );
    }
    table + &objects
}

/// Text that Markdown and HTML show as it is, in one line.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in visible(text).chars() {
        match char {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' | '@' => {
                out.push('\\');
                out.push(char);
            }
            char => out.push(char),
        }
    }
    out
}

/// A block of code that no text in it can end.
fn code(text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: Vec<String> = text.lines().map(|line| visible(line).into_owned()).collect();
    format!("{fence}text\n{}\n{fence}", lines.join("\n"))
}

fn level(severity: Severity) -> Level {
    match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Note => Level::Note,
    }
}
