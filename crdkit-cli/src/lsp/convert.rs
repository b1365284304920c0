//! Values of the engine as those of the protocol.

use std::collections::HashMap;

use crd_editor::{EditorAction, EditorFinding, Severity};
use lsp_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range, TextEdit,
    Uri, WorkspaceEdit,
};

pub(super) fn range(range: crd_editor::TextRange) -> Range {
    let position = |at: crd_editor::Position| Position::new(at.line, at.character);
    Range::new(position(range.start), position(range.end))
}

pub(super) fn own_position(at: Position) -> crd_editor::Position {
    crd_editor::Position { line: at.line, character: at.character }
}

pub(super) fn own_range(range: Range) -> crd_editor::TextRange {
    crd_editor::TextRange { start: own_position(range.start), end: own_position(range.end) }
}

pub(super) fn edit(edit: crd_editor::TextEdit) -> TextEdit {
    TextEdit::new(range(edit.range), edit.new_text)
}

pub(super) fn diagnostic(finding: &EditorFinding) -> Diagnostic {
    let help = finding.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    Diagnostic {
        range: range(finding.range),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.clone())),
        source: Some(finding.found_by.as_str().to_owned()),
        message: format!("{}{help}", finding.message),
        ..Diagnostic::default()
    }
}

// The protocol has URIs as keys, and the cell inside of them is no part of their order.
#[allow(clippy::mutable_key_type, reason = "see above")]
pub(super) fn action(uri: &Uri, action: EditorAction) -> CodeAction {
    let diagnostics = action.finding.as_ref().map(|finding| vec![diagnostic(finding)]);
    let changes = HashMap::from([(uri.clone(), vec![edit(action.edit)])]);
    CodeAction {
        title: action.title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics,
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        ..CodeAction::default()
    }
}
