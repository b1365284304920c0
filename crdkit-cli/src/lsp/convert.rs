//! Converts values from `crd-editor` to protocol types.

use std::collections::HashMap;

use crd_editor::{
    CompletionKind, EditorAction, EditorCompletion, EditorFinding, EditorHint, EditorHover, EditorSymbol,
    Severity, SymbolKind,
};
use lsp_types::{
    CodeAction, CodeActionKind, CompletionItem, CompletionItemKind, CompletionTextEdit, Diagnostic,
    DiagnosticSeverity, DocumentSymbol, Documentation, Hover, HoverContents, InlayHint, InlayHintLabel,
    MarkupContent, MarkupKind, NumberOrString, Position, Range, TextEdit, Uri, WorkspaceEdit,
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

/// Converts the changes to a document.
// The protocol has URIs as keys, and the cell inside them is not part of their order.
#[allow(clippy::mutable_key_type, reason = "see above")]
pub(super) fn changes(uri: &Uri, edits: Vec<crd_editor::TextEdit>) -> WorkspaceEdit {
    let edits = edits.into_iter().map(edit).collect();
    WorkspaceEdit { changes: Some(HashMap::from([(uri.clone(), edits)])), ..WorkspaceEdit::default() }
}

pub(super) fn action(uri: &Uri, action: EditorAction) -> CodeAction {
    let diagnostics = action.finding.as_ref().map(|finding| vec![diagnostic(finding)]);
    CodeAction {
        title: action.title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics,
        edit: Some(changes(uri, vec![action.edit])),
        ..CodeAction::default()
    }
}

/// Converts a completion. Sets `sortText` so that editors keep the order of the completions.
pub(super) fn completion(number: usize, completion: EditorCompletion) -> CompletionItem {
    let EditorCompletion { label, kind, detail, documentation, edit: change, .. } = completion;
    CompletionItem {
        label,
        kind: Some(match kind {
            CompletionKind::Keyword => CompletionItemKind::PROPERTY,
            CompletionKind::Value => CompletionItemKind::VALUE,
            CompletionKind::Sample => CompletionItemKind::SNIPPET,
            CompletionKind::Variable => CompletionItemKind::VARIABLE,
            CompletionKind::Function => CompletionItemKind::FUNCTION,
            _ => CompletionItemKind::FIELD,
        }),
        detail: (!detail.is_empty()).then_some(detail),
        documentation: documentation.map(|text| Documentation::MarkupContent(markdown(text))),
        sort_text: Some(format!("{number:05}")),
        text_edit: Some(CompletionTextEdit::Edit(edit(change))),
        ..CompletionItem::default()
    }
}

pub(super) fn hover(hover: EditorHover) -> Hover {
    Hover { contents: HoverContents::Markup(markdown(hover.markdown)), range: Some(range(hover.range)) }
}

pub(super) fn symbol(symbol: EditorSymbol) -> DocumentSymbol {
    let EditorSymbol { name, detail, kind, range: whole, name_range, children, .. } = symbol;
    let children: Vec<DocumentSymbol> = children.into_iter().map(self::symbol).collect();
    #[expect(deprecated, reason = "the type has the field, although tags took its place")]
    DocumentSymbol {
        name,
        detail: (!detail.is_empty()).then_some(detail),
        kind: match kind {
            SymbolKind::Object => lsp_types::SymbolKind::CLASS,
            SymbolKind::Version => lsp_types::SymbolKind::NAMESPACE,
            SymbolKind::Item => lsp_types::SymbolKind::ARRAY,
            _ => lsp_types::SymbolKind::FIELD,
        },
        tags: None,
        deprecated: None,
        range: range(whole),
        selection_range: range(name_range),
        children: (!children.is_empty()).then_some(children),
    }
}

pub(super) fn hint(hint: EditorHint) -> InlayHint {
    let at = Position::new(hint.position.line, hint.position.character);
    InlayHint {
        position: at,
        label: InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}
