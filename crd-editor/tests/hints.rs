//! Hints of texts.

#[macro_use]
mod shirts;

use std::sync::Arc;

use crd_core::check::ServerOptions;
use crd_editor::{EditorDocument, EditorOptions, KnownKinds, Position, TextRange};

const CRD: &str = shirts!(
    "            properties:
              size: {type: integer, default: 5}
              parts:
                type: array
                maxItems: 10
                items:
                  type: object
                  properties: {name: {type: string, maxLength: 5}, color: {type: string, default: red}}
                  x-kubernetes-validations: # 😀
                  - {rule: \"self.name != ''\", messageExpression: \"'😀' + self.name\"}
            x-kubernetes-validations:
            - rule: >-
                self.size > 0
              message: small
"
);

fn everything() -> TextRange {
    TextRange { start: Position::default(), end: Position { line: 999, character: 0 } }
}

/// Returns each hint behind the rest of its line before it.
fn shown(document: &mut EditorDocument, range: TextRange) -> Vec<String> {
    let hints = document.hints(range);
    let text = document.text();
    let line = |at: Position| text.as_str()[text.line(at.line as usize).start..text.offset(at)].trim_start();
    hints.iter().map(|hint| format!("{} ¦ {}", line(hint.position), hint.label)).collect()
}

#[test]
fn rules_show_their_prices() {
    for text in [CRD.to_owned(), CRD.replace('\n', "\r\n"), format!("\u{feff}{CRD}")] {
        let mut document = EditorDocument::new(&text, EditorOptions::default());
        let mut all = shown(&mut document, everything());
        all.sort();
        let expected = [
            "- {rule: \"self.name != ''\" ¦ cost 20, less than 0.1 % of the budget",
            "- {rule: \"self.name != ''\", messageExpression: \"'😀' + self.name\" ¦ cost 50, less than 0.1 % of the budget",
            "self.size > 0 ¦ cost 3, less than 0.1 % of the budget",
        ];
        assert_eq!(all, expected);
        let first = TextRange { start: Position::default(), end: Position { line: 20, character: 0 } };
        assert_eq!(shown(&mut document, first), [""; 0]);
    }
}

#[test]
fn custom_resources_show_defaults() {
    let mut crd = EditorDocument::new(CRD, EditorOptions::default());
    let kinds = Arc::new(KnownKinds::new(crd.crds(), ServerOptions::default()));
    let text = "apiVersion: example.com/v1\nkind: Shirt\nspec: # 😀\n  parts:\n  - name: a\n    color: blue\n  - name: b\n  - {}\n";
    let mut document = EditorDocument::new(text, EditorOptions::default());
    document.set_kinds(kinds);
    let expected = ["spec: # 😀 ¦ size: 5", "- name: b ¦ color: \"red\"", "- {} ¦ color: \"red\""];
    assert_eq!(shown(&mut document, everything()), expected);
    document.set_text("kind: ConfigMap\ndata: {}\n");
    assert_eq!(shown(&mut document, everything()), [""; 0]);
}
