//! Findings and advice of a run, kept until they are shown: as many as anyone looks at, the rest only counted.

use crd_core::check::Advice;

use crd_input::{Finding, Origin, Severity};

use crate::{Level, Message};

/// More are not shown: code scanning reads no more results of a run.
const MOST: usize = 25_000;
/// The bytes of their texts.
const MOST_TEXT: usize = 16 << 20;

/// The findings and the advice of a run.
#[derive(Default)]
pub struct Kept {
    /// The findings that are shown.
    pub findings: Vec<Finding>,
    /// The advice that is shown, with its level and its input.
    pub advice: Vec<(Level, Origin, Advice)>,
    text: usize,
    /// How many are not kept, and the worst of them.
    more: Option<(usize, Level)>,
}

impl Kept {
    /// Adds findings, as long as there is room for them.
    pub fn add_findings(&mut self, findings: impl IntoIterator<Item = Finding>) {
        for finding in findings {
            let text = finding.diagnostic.message.len();
            match self.has_room(text) {
                true => self.findings.push(finding),
                false => self.leave_out(match finding.severity {
                    Severity::Error => Level::Error,
                    Severity::Warning => Level::Warning,
                }),
            }
        }
    }

    /// Adds advice, if there is room for it.
    pub fn add_advice(&mut self, level: Level, origin: &Origin, advice: Advice) {
        match self.has_room(advice.message.len()) {
            true => self.advice.push((level, origin.clone(), advice)),
            false => self.leave_out(level),
        }
    }

    /// A message that tells how many are not shown.
    pub fn more(&self) -> Option<Message> {
        let (count, level) = self.more?;
        Some(Message { level, ..Message::of_run(format!("{count} more are not shown, of the whole run")) })
    }

    fn has_room(&mut self, text: usize) -> bool {
        let fits = self.findings.len() + self.advice.len() < MOST && self.text + text <= MOST_TEXT;
        self.text += if fits { text } else { 0 };
        fits
    }

    fn leave_out(&mut self, level: Level) {
        let (count, worst) = self.more.unwrap_or((0, level));
        self.more = Some((count + 1, worst.min(level)));
    }
}
