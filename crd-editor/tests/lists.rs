//! CRDs in lists, as `kubectl get -o yaml` prints them. The tests mark a cursor with `¦`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod shirts;

use crd_editor::{EditorDocument, EditorOptions, Position};

const CRD: &str = shirts!(
    "            required: [size]
            properties:
              size: {type: integer, default: 5}
            x-kubernetes-validations:
            - {rule: self.size > 0, message: small}
"
);

/// Returns a list before a document, and another list whose second and third items are CRDs.
fn lists() -> String {
    let item = |crd: &str| {
        crd.lines().map(|line| format!("  {line}\n")).collect::<String>().replacen("  a", "- a", 1)
    };
    let hat = CRD.replace("shirt", "hat").replace("Shirt", "Hat").replace("size", "girth");
    format!(
        "apiVersion: v1\nkind: List\nitems:\n- {{kind: A}}\n- {{kind: B}}\n---\n{CRD}---\napiVersion: v1\nkind: List\nitems:\n- kind: ConfigMap\n  data: {{a: b}}\n{}{}",
        item(CRD).replace("size", "width"),
        item(&hat)
    )
}

fn at(text: &str, part: &str) -> (EditorDocument, Position) {
    let at = part.find('¦').unwrap();
    let start = text.find(&part.replacen('¦', "", 1)).unwrap();
    let document = EditorDocument::new(text, EditorOptions::default());
    let position = document.text().position(start + at);
    (document, position)
}

#[test]
fn items_are_explained_completed_and_renamed() {
    let text = lists();
    for name in ["size", "width", "girth"] {
        let (mut document, position) = at(&text, &format!("self.{}¦{} >", &name[..2], &name[2..]));
        assert!(document.findings().iter().all(|finding| finding.code != "Unreadable"));
        assert!(
            document.hover(position).unwrap().markdown.starts_with(&format!("`{name}`: `int`")),
            "{name}"
        );
        let labels: Vec<_> = document.completions(position).into_iter().map(|one| one.label).collect();
        assert_eq!(labels, [name]);
        let target = document.definition(position).unwrap();
        let start = document.text().offset(document.target_range(&target).unwrap().start);
        assert!(text[start..].starts_with(&format!("{name}: {{type")), "{name}");
        let edits = document.rename(position, "depth").unwrap();
        assert_eq!(edits.len(), 3, "{edits:?}");
        let mut new = document.text().clone();
        edits.iter().rev().for_each(|edit| new = new.with(edit.range, &edit.new_text));
        assert_eq!(new.as_str(), text.replace(name, "depth"));
    }
    let (mut document, position) = at(&text, "  da¦ta: {a");
    assert_eq!(document.hover(position), None);
    assert!(document.completions(position).is_empty());
    let names: Vec<String> = document.outline().into_iter().map(|symbol| symbol.name).collect();
    assert_eq!(names, ["shirts.example.com", "shirts.example.com", "hats.example.com"]);
}

#[test]
fn items_complete_in_a_text_that_cannot_be_read() {
    let text = lists();
    let mut document = EditorDocument::new(&text, EditorOptions::default());
    document.findings();
    document.set_text(&format!("{text}      sub"));
    let end = document.text().position(document.text().as_str().len());
    let labels: Vec<_> = document.completions(end).into_iter().map(|one| one.label).collect();
    assert!(labels.contains(&"subresources".to_owned()), "{labels:?}");
}
