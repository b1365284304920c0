//! The findings of texts, with their places.

#[macro_use]
mod shirts;

use crd_core::check::{ServerOptions, Verdict, advise};
use crd_editor::{Allowance, EditorDocument, EditorOptions, FoundBy, Position, TextRange};
use crd_input::{Limits, Source};

const HEAD: &str = shirts!("");

fn document(text: &str) -> EditorDocument {
    EditorDocument::new(text, EditorOptions::default())
}

/// Returns each finding as its position, the marked text, its code and the beginning of its message.
fn found(text: &str) -> Vec<String> {
    let mut document = document(text);
    // Without steps, the search runs only the rules of lint that need no objects.
    let searched = document.lint_search().run(&Allowance::new(0));
    assert!(document.take_searched(searched));
    let findings = document.findings().to_vec();
    let shown = |finding: &crd_editor::EditorFinding| {
        let TextRange { start, .. } = finding.range;
        let marked = &text[document.text().bytes(finding.range)];
        let message: String = finding.message.chars().take(48).collect();
        format!("{}:{} `{marked}` {}: {message}", start.line, start.character, finding.code)
    };
    findings.iter().map(shown).collect()
}

#[test]
fn places_are_exact_with_emoji_and_both_line_ends() {
    let text = HEAD
        .replace("scope: Namespaced", "scope: Namespace # 😀")
        .replace("{name: shirts", "{annotations: {😀: a}, name: shirt");
    let expected = [
        "2:39 `shirt.example.com` FieldValueInvalid: metadata.name: Invalid value: \"shirt.example.com",
        "5:9 `Namespace` FieldValueNotSupported: spec.scope: Unsupported value: \"Namespace\": supp",
        "2:24 `{😀: a}` FieldValueInvalid: metadata.annotations",
    ];
    for text in [text.clone(), text.replace('\n', "\r\n")] {
        let found = found(&text);
        for expected in &expected {
            assert!(found.iter().any(|found| found.starts_with(expected)), "{expected}: {found:#?}");
        }
    }
    let marked = format!("\u{feff}{text}");
    assert_eq!(found(&marked).len(), found(&text).len());
    assert!(found(&marked).contains(&found(&text)[1]), "{:?}", found(&marked));
}

#[test]
fn warnings_are_at_their_fields() {
    let text = HEAD.replace("scope: Namespaced", "scope: Cluster\n  scope: Namespaced");
    let found = found(&format!(
        "{text}            properties:\n              size: {{type: string, format: shade}}\n"
    ));
    for expected in [
        "6:2 `scope` Warning: duplicate field: the last value is used",
        "19:14 `size` Warning: unrecognized format \"shade\"",
    ] {
        assert!(found.iter().any(|found| found == expected), "{expected}: {found:#?}");
    }
}

#[test]
fn a_text_that_cannot_be_read_has_one_finding_at_its_place() {
    for (typed, expected) in [
        ("  versi", "17:2 `versi`"),
        ("            properties:\n              size: {type: integer, minimum: \"1}\n", "18:"),
        ("\t  x: 1\n", "17:"),
        ("            enum: [a, b\n", "17:"),
    ] {
        let found = found(&format!("{HEAD}{typed}"));
        assert_eq!(found.len(), 1, "{typed:?}: {found:#?}");
        assert!(found[0].starts_with(expected) && found[0].contains("Unreadable"), "{typed:?}: {found:#?}");
    }
    // An item that is not written yet is the empty string for the API server.
    let with_item = found(&format!("{HEAD}            required:\n            - \n"));
    assert!(
        with_item.iter().any(|found| found.starts_with("18:12 `-` required-field-is-dropped")),
        "{with_item:#?}"
    );
}

#[test]
fn other_documents_stay_silent() {
    let other = "kind: ConfigMap\ndata: [\n";
    let template = format!("{HEAD}            {{{{- toYaml .Values.x | nindent 12 }}}}\n");
    let part = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {conversion: {strategy: None}}\n";
    for silent in [other, &template, part, "", "a: b", "\t", "- - - ["] {
        assert_eq!(found(silent), [""; 0], "{silent}");
    }
}

#[test]
fn each_document_has_its_own_findings() {
    let wrong = HEAD.replace("scope: Namespaced", "scope: Local");
    let found = found(&format!("{HEAD}---\nkind: [\n---\n{wrong}---\n{HEAD}  versi\n"));
    let of_check = found.iter().filter(|found| !found.contains("object-keeps-nothing"));
    let starts: Vec<&str> = of_check.filter_map(|found| found.split(": ").next()).collect();
    assert_eq!(starts, ["25:9 `Local` FieldValueNotSupported", "55:2 `versi` Unreadable"], "{found:#?}");
}

#[test]
fn edits_lead_to_the_findings_of_the_whole_text() {
    let text = format!("{HEAD}            properties:\n              é: {{type: strin}} # 😀\n");
    let mut typed = document("");
    for character in text.chars() {
        let end = typed.text().position(typed.text().as_str().len());
        typed.change(TextRange { start: end, end }, &character.to_string());
        let findings = typed.findings().to_vec();
        for finding in findings {
            let bytes = typed.text().bytes(finding.range);
            assert_eq!(typed.text().range(bytes), finding.range);
        }
    }
    assert_eq!(typed.text().as_str(), text);
    assert_eq!(typed.findings(), document(&text).findings());
    let all = TextRange { start: Position::default(), end: Position { line: 99, character: 0 } };
    typed.change(all, "");
    assert!(typed.findings().is_empty());
}

#[test]
fn findings_of_whole_texts_are_those_of_check() {
    for text in [
        HEAD.to_owned(),
        HEAD.replace("example.com\n", "example.co\n"),
        HEAD.replace(
            "served: true",
            "served: true\n    deprecated: false\n    selectableFields: [{jsonPath: .spec.x}]",
        ),
        format!(
            "{HEAD}            x-kubernetes-validations: [{{rule: self.x > 0}}]\n            nullable: yes\n"
        ),
    ] {
        let found = document(&text).findings().to_vec();
        let (documents, _) =
            crd_input::documents(&Source::from_string("", text.as_str()), &Limits::default());
        let (verdict, crd) =
            Verdict::with_definition_at(documents[0].value.clone(), ServerOptions::default());
        let causes = verdict.errors.iter().map(ToString::to_string);
        let advice = crd.iter().flat_map(advise).map(|advice| advice.message);
        let expected: Vec<String> = causes.chain(verdict.warnings.clone()).chain(advice).collect();
        let of_check: Vec<String> = found
            .into_iter()
            .filter(|finding| finding.found_by == FoundBy::Check && finding.code != "yaml-1.1")
            .map(|finding| finding.message)
            .collect();
        assert_eq!(of_check, expected);
    }
}

#[test]
fn remedies_are_actions() {
    let text = HEAD
        .replace("    storage: true", "    deprecated: false # 😀\n    storage: true")
        .replace('\n', "\r\n");
    let mut document = document(&text);
    let line = |line| Position { line, character: 6 };
    let actions = document.actions(TextRange { start: line(10), end: line(10) });
    assert_eq!(actions.len(), 1, "{actions:#?}");
    let fixed = document.text().with(actions[0].edit.range, &actions[0].edit.new_text);
    assert_eq!(fixed.as_str(), HEAD.replace('\n', "\r\n"));
    assert!(document.actions(TextRange { start: line(1), end: line(1) }).is_empty());
}

#[test]
fn searches_count_only_for_their_text() {
    let text = format!(
        "{HEAD}            properties:\n              size: {{type: integer}}\n            x-kubernetes-validations:\n            - rule: self.size > 0\n              message: too small\n"
    );
    let mut document = document(&text);
    let codes = |document: &mut EditorDocument| {
        let lint = document.findings().iter().filter(|finding| finding.found_by == FoundBy::Lint);
        lint.map(|finding| finding.code.clone()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&mut document), [""; 0]);
    let search = document.lint_search();
    let searched = search.run(&Allowance::new(20_000_000));
    assert!(document.take_searched(searched.clone()));
    assert_eq!(codes(&mut document), ["rule-fails-without-field"]);
    let position = document.text().position(text.find("self.size > 0").unwrap());
    assert_eq!(document.findings().last().unwrap().range.start, position);
    document.change(TextRange::default(), "# c\n");
    assert!(!document.take_searched(searched));
    assert_eq!(codes(&mut document), [""; 0]);
}
