//! The outline of texts.

#[macro_use]
mod shirts;

use std::sync::Arc;

use crd_core::check::ServerOptions;
use crd_editor::{EditorDocument, EditorOptions, EditorSymbol, KnownKinds};

const CRD: &str = shirts!(
    "            properties:
              b: {type: array, items: {type: object, properties: {inner: {type: string}}}}
              a: {type: object, additionalProperties: {type: object, properties: {é: {type: boolean}}}}
"
);

/// Returns the names and details with their depths, and checks that parts lie in the parts around them.
fn shown(document: &mut EditorDocument) -> Vec<String> {
    fn add(symbols: &[EditorSymbol], depth: usize, out: &mut Vec<String>) {
        for symbol in symbols {
            out.push(format!("{}{} ({})", "  ".repeat(depth), symbol.name, symbol.detail));
            assert!(
                symbol.range.start <= symbol.name_range.start && symbol.name_range.end <= symbol.range.end
            );
            for child in &symbol.children {
                assert!(symbol.range.start <= child.range.start && child.range.end <= symbol.range.end);
            }
            add(&symbol.children, depth + 1, out);
        }
    }
    let mut out = Vec::new();
    add(&document.outline(), 0, &mut out);
    out
}

#[test]
fn crds_show_their_versions_and_fields() {
    for text in [CRD.to_owned(), CRD.replace('\n', "\r\n"), format!("\u{feff}# c\n{CRD}\n")] {
        let mut document = EditorDocument::new(&text, EditorOptions::default());
        let expected = [
            "shirts.example.com (CustomResourceDefinition)",
            "  v1 (served, storage)",
            "    spec (object)",
            "      b (array)",
            "        inner (string)",
            "      a (object)",
            "        é (boolean)",
        ];
        assert_eq!(shown(&mut document), expected);
        document.set_text(&format!("{text}  versi"));
        assert!(shown(&mut document).is_empty());
        document.set_text("kind: ConfigMap\ndata: {a: b}\n");
        assert!(shown(&mut document).is_empty());
    }
}

#[test]
fn custom_resources_show_their_fields() {
    let mut crd = EditorDocument::new(CRD, EditorOptions::default());
    let kinds = Arc::new(KnownKinds::new(crd.crds(), ServerOptions::default()));
    let text = "x: 1\n---\napiVersion: example.com/v1\nkind: Shirt\nmetadata: &m {name: a}\nspec:\n  b:\n  - inner: x\n  a: *m\n";
    let mut document = EditorDocument::new(text, EditorOptions::default());
    document.set_kinds(kinds);
    let expected = [
        "a (Shirt)",
        "  apiVersion (example.com/v1)",
        "  kind (Shirt)",
        "  metadata ()",
        "    name (a)",
        "  spec ()",
        "    b ()",
        "      [0] ()",
        "        inner (x)",
        // What an alias stands for is elsewhere.
        "    a ()",
    ];
    assert_eq!(shown(&mut document), expected);
}
