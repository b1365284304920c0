//! Keeps findings and advice until they are shown. Beyond a limit, they are only counted.

use crd_core::check::CrdAdvice;
use crd_input::{Origin, Problem};

use crate::{Level, Message};

/// Maximum number of findings and pieces of advice. GitHub's code scanning reads no more results.
const MOST: usize = 25_000;
/// Maximum size in bytes of all texts in findings and advice.
const MOST_TEXT: usize = 16 << 20;

/// The findings and the advice that a run has kept.
#[derive(Default)]
pub struct Kept {
    /// The findings that are shown.
    pub findings: Vec<Problem>,
    /// The shown advice, with its level and its input.
    pub advice: Vec<(Level, Origin, CrdAdvice)>,
    text: usize,
    /// The number of findings that were not kept, and their most severe level.
    more: Option<(usize, Level)>,
}

impl Kept {
    /// Adds findings. Findings beyond the limits are only counted.
    pub fn add_findings(&mut self, findings: impl IntoIterator<Item = Problem>) {
        for finding in findings {
            let text = finding.diagnostic.message.len();
            match self.has_room(text) {
                true => self.findings.push(finding),
                false => self.leave_out(finding.severity.into()),
            }
        }
    }

    /// Adds advice. Advice beyond the limits is only counted.
    pub fn add_advice(&mut self, level: Level, origin: &Origin, advice: CrdAdvice) {
        match self.has_room(advice.message.len()) {
            true => self.advice.push((level, origin.clone(), advice)),
            false => self.leave_out(level),
        }
    }

    /// Returns a message with the number of findings that were not kept.
    pub fn more(&self) -> Option<Message> {
        let (count, level) = self.more?;
        Some(Message {
            level,
            ..Message::for_run(format!("{count} more messages of this run are not shown"))
        })
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
