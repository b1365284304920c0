//! Quick fixes for problems in a text.

use crate::document::EditorDocument;
use crate::findings::EditorFinding;
use crate::text::{TextEdit, TextRange};

/// A quick fix that an editor offers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditorAction {
    /// A title for the menu.
    pub title: String,
    /// The edit.
    pub edit: TextEdit,
    /// The problem that the edit fixes.
    pub finding: Option<EditorFinding>,
}

/// Maximum number of actions per request. Each action parses the text twice.
const MOST: usize = 8;

impl EditorDocument {
    /// Returns edits that fix problems in a part of the text. Everything outside an edit is kept byte for byte.
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
