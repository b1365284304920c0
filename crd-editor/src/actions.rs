//! Edits that fix findings in a text.

use crate::document::EditorDocument;
use crate::findings::EditorFinding;
use crate::text::{TextEdit, TextRange};

/// An edit that an editor offers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditorAction {
    /// The name of the change.
    pub title: String,
    /// The change.
    pub edit: TextEdit,
    /// The finding that the change fixes.
    pub finding: Option<EditorFinding>,
}

/// Maximum number of actions at one place. Each action parses the text twice.
const MOST: usize = 8;

impl EditorDocument {
    /// Returns the changes that fix findings in a part of the text. Everything outside a change is kept byte for byte.
    pub fn actions(&mut self, range: TextRange) -> Vec<EditorAction> {
        let is_here = |finding: &&EditorFinding| {
            !finding.edits.is_empty() && finding.range.start <= range.end && range.start <= finding.range.end
        };
        let here: Vec<EditorFinding> = self.findings().iter().filter(is_here).take(MOST).cloned().collect();
        here.into_iter().filter_map(|finding| self.action(finding)).collect()
    }

    fn action(&self, finding: EditorFinding) -> Option<EditorAction> {
        let new = crd_input::edited(self.text.body(), finding.number, &finding.edits).ok()?;
        let whole = format!("{}{new}", &self.text.as_str()[..self.text.mark()]);
        let edit = self.text.edit_to(&whole)?;
        let title = finding.help.clone().unwrap_or_else(|| "apply the fix".to_owned());
        Some(EditorAction { title, edit, finding: Some(finding) })
    }
}
