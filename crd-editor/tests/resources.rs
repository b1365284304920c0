//! Objects of known kinds: findings, completions and explanations.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod shirts;

use std::sync::Arc;

use crd_core::check::ServerOptions;
use crd_editor::{EditorDocument, EditorOptions, KnownKinds, Position, TextRange};

const CRD: &str = shirts!(
    "            required: [size]
            properties:
              color: {type: string, enum: [red, 'on'], description: The color.}
              size: {type: integer, minimum: 1, maximum: 9}
              buttons: {type: integer, default: 4}
              pockets: {type: array, items: {type: object, properties: {zip: {type: boolean}}}}
            x-kubernetes-validations:
            - rule: self.buttons <= self.size * 2
              message: too many buttons
"
);

const HEAD: &str = "apiVersion: example.com/v1\nkind: Shirt\nmetadata: {name: a}\n";

fn document(text: &str) -> EditorDocument {
    document_with(text, EditorOptions::default())
}

fn document_with(text: &str, options: EditorOptions) -> EditorDocument {
    let mut crd = EditorDocument::new(CRD, EditorOptions::default());
    let kinds = Arc::new(KnownKinds::new(crd.crds(), ServerOptions::default()));
    assert_eq!(kinds.len(), 1);
    let mut document = EditorDocument::new(text, options);
    document.set_kinds(kinds);
    document
}

fn found(text: &str) -> Vec<String> {
    let mut document = document(text);
    let findings = document.findings().to_vec();
    let shown = |finding: &crd_editor::EditorFinding| {
        let marked = &text[document.text().bytes(finding.range)];
        format!("`{marked}` {}", finding.message)
    };
    findings.iter().map(shown).collect()
}

fn fixed(text: &str) -> String {
    let mut document = document(text);
    let range = document.findings()[0].range;
    let actions = document.actions(range);
    document.text().with(actions[0].edit.range, &actions[0].edit.new_text).as_str().to_owned()
}

fn at_mark(text: &str) -> (EditorDocument, Position) {
    let at = text.find('¦').unwrap();
    let document = document(&text.replacen('¦', "", 1));
    let position = document.text().position(at);
    (document, position)
}

fn labels(text: &str) -> Vec<String> {
    let (mut document, position) = at_mark(text);
    document.completions(position).into_iter().map(|completion| completion.label).collect()
}

#[test]
fn objects_are_answered_in_the_words_of_the_server() {
    let text = format!("{HEAD}spec:\n  size: 12\n  color: blue # 😀\n");
    // serde_json keeps the order of the schema's fields only with its feature `preserve_order`.
    let mut all = found(&text);
    all.sort();
    assert_eq!(
        all,
        [
            "`12` spec.size: Invalid value: 12: spec.size in body should be less than or equal to 9",
            "`blue` spec.color: Unsupported value: \"blue\": supported values: \"red\", \"on\"",
            "`kind: Shirt` <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
        ]
    );
    assert_eq!(
        found(&format!("{HEAD}spec: {{size: 1}}\n")),
        ["`{size: 1}` spec: Invalid value: too many buttons"]
    );
    assert_eq!(found(&format!("{HEAD}spec: {{size: 2}}\n")), [""; 0]);
    assert_eq!(found(&format!("{HEAD}spec: {{size: [}}\n")).len(), 1);
    assert_eq!(found("apiVersion: example.com/v1\nkind: Hat\nspec: {size: [}\n"), [""; 0]);
}

#[test]
fn remedies_rename_remove_and_add() {
    // The name that may be meant is there already.
    let twice = fixed(&format!("{HEAD}spec:\n  sizes: 2\n  size: 2\n"));
    assert_eq!(twice, format!("{HEAD}spec:\n  size: 2\n"));
    let renamed = fixed(&format!("{HEAD}spec:\n  colr: red # c\n  size: 2\n"));
    assert_eq!(renamed, format!("{HEAD}spec:\n  color: red # c\n  size: 2\n"));
    let removed = fixed(&format!("{HEAD}spec:\n  size: 2\n  weight: 1\n"));
    assert_eq!(removed, format!("{HEAD}spec:\n  size: 2\n"));
    let added = fixed(&format!("{HEAD}spec:\n  color: red\n"));
    assert_eq!(added, format!("{HEAD}spec:\n  color: red\n  size: 0\n"));
}

#[test]
fn fields_and_values_complete() {
    let mut all = labels(&format!("{HEAD}spec:\n  ¦"));
    assert_eq!(all[0], "size", "required fields come first");
    all.sort();
    assert_eq!(all, ["buttons", "color", "pockets", "size"]);
    let mut absent = labels(&format!("{HEAD}spec:\n  size: 1\n  co¦"));
    absent.sort();
    assert_eq!(absent, ["buttons", "color", "pockets"]);
    assert_eq!(labels(&format!("{HEAD}spec:\n  pockets:\n  - ¦")), ["zip"]);
    assert_eq!(labels(&format!("{HEAD}spec:\n  pockets: [{{zip: ¦")), ["true", "false"]);
    let (mut document, position) = at_mark(&format!("{HEAD}spec:\n  color: ¦"));
    let values: Vec<String> =
        document.completions(position).into_iter().map(|one| one.edit.new_text).collect();
    assert_eq!(values, ["red", "\"on\""]);
}

#[test]
fn fields_are_explained_and_objects_shown_as_stored() {
    let hover = |text: &str| {
        let (mut document, position) = at_mark(text);
        document.hover(position).map(|hover| hover.markdown).unwrap_or_default()
    };
    let size = hover(&format!("{HEAD}spec:\n  si¦ze: 2\n"));
    assert_eq!(size, "`.spec.size`: integer\n\nIt is required.\n\nminimum: 1; maximum: 9");
    assert!(hover(&format!("{HEAD}spec:\n  color: r¦ed\n")).contains("The color."));
    let stored = hover(&format!("{HEAD}spec: {{size: 2, x: 1}}\n").replace("kind: Sh", "kind: Sh¦"));
    assert!(stored.contains("buttons: 4") && !stored.contains("x: 1"), "{stored}");
    let all = TextRange::default();
    assert!(document("").actions(all).is_empty());
}

#[test]
fn the_rest_of_an_object_is_a_sample() {
    let sample = |text: &str| {
        let (mut document, position) = at_mark(text);
        let found = document.completions(position);
        let sample = found.into_iter().find(|completion| completion.label == "sample")?;
        Some(document.text().with(sample.edit.range, &sample.edit.new_text).as_str().to_owned())
    };
    // With the default of `buttons`, the smallest size is too small: the sample has both.
    for (text, start) in [
        (
            "apiVersion: example.com/v1\nkind: Shirt\n¦",
            "apiVersion: example.com/v1\nkind: Shirt\nmetadata:\n  name: example\nspec:\n",
        ),
        (&format!("{HEAD}sp¦"), &format!("{HEAD}spec:\n")),
    ] {
        let whole = sample(text).unwrap();
        assert!(whole.starts_with(start) && whole.contains("\n  size: "), "{whole}");
        assert_eq!(found(&whole), [""; 0], "{whole}");
    }
    assert_eq!(sample(&format!("{HEAD}spec: {{}}\n¦")), None);
    assert_eq!(sample(&format!("{HEAD}spec:\n  ¦")), None);
}

/// The findings that yaml-language-server has too are left to it: `tests/editor/beside` asks both servers.
#[test]
fn findings_of_yaml_language_server_are_left_out_beside_it() {
    let modeline = "# yaml-language-server: $schema=schemas/example.com/shirt_v1.json\n";
    let codes = |text: String, beside_yaml_language_server| {
        let options = EditorOptions { beside_yaml_language_server, ..EditorOptions::default() };
        let mut document = document_with(&text, options);
        document.findings().iter().map(|finding| finding.code.clone()).collect::<Vec<_>>()
    };
    let cases = [
        // The text, and the codes of the findings: alone, next to it, and beside it with a modeline.
        ("spec: {size: 12}", vec!["FieldValueInvalid"], vec!["FieldValueInvalid"], vec![]),
        ("spec: {size: 2, colour: red}", vec!["Warning"], vec!["Warning"], vec![]),
        ("spec: {size: 1, size: 2}", vec!["Warning"], vec![], vec![]),
        ("spec: {size: 1", vec!["Unreadable"], vec![], vec![]),
        (
            "spec: {size: 1, buttons: 3}",
            vec!["FieldValueInvalid"],
            vec!["FieldValueInvalid"],
            vec!["FieldValueInvalid"],
        ),
    ];
    for (spec, alone, beside, with_modeline) in cases {
        let text = || format!("{HEAD}{spec}\n");
        assert_eq!(codes(text(), false), alone, "{spec}");
        assert_eq!(codes(text(), true), beside, "{spec}");
        assert_eq!(codes(format!("{modeline}{}", text()), true), with_modeline, "{spec}");
        assert_eq!(codes(format!("{modeline}{}", text()), false), alone, "{spec}");
    }
}
