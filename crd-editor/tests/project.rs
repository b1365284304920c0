//! Completions in suites and in configurations. The tests mark a cursor with `¦`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_editor::{EditorCompletion, EditorDocument, EditorOptions, Position};

fn marked(text: &str) -> (EditorDocument, Position) {
    let at = text.find('¦').unwrap();
    let document = EditorDocument::new(&text.replacen('¦', "", 1), EditorOptions::default());
    let position = document.text().position(at);
    (document, position)
}

fn labels(found: Vec<EditorCompletion>) -> Vec<String> {
    found.into_iter().map(|completion| completion.label).collect()
}

fn in_suite(text: &str) -> Vec<String> {
    let (document, position) = marked(text);
    labels(document.suite_completions(position))
}

fn in_configuration(text: &str) -> Vec<String> {
    let (document, position) = marked(text);
    let options = [("docs".to_owned(), "About it.".to_owned())];
    labels(document.configuration_completions(position, &options))
}

#[test]
fn suites_complete_by_place() {
    assert_eq!(in_suite("crd: a.yaml\n¦"), ["kubeVersion", "tests"]);
    assert_eq!(in_suite("tests:\n- name: a\n  ¦")[..2], ["object", "old"]);
    assert_eq!(in_suite("tests:\n- na¦: a\n  object: {}")[..2], ["name", "old"]);
    assert_eq!(in_suite("tests:\n- name: a\n  expect:\n    ¦")[..2], ["accepted", "object"]);
    assert_eq!(in_suite("tests:\n- expect:\n    errors:\n    - ¦"), ["field", "reason", "message"]);
    assert_eq!(in_suite("tests:\n- object:\n    ¦"), [""; 0]);
    assert_eq!(in_suite("crd: ¦"), [""; 0]);
    let (document, position) = marked("tests:\n- nam¦");
    let edit = &document.suite_completions(position)[0].edit;
    assert_eq!(document.text().with(edit.range, &edit.new_text).as_str(), "tests:\n- name: ");
}

#[test]
fn configurations_complete_by_table() {
    let root = in_configuration("¦\n[lint]\n");
    assert!(root.contains(&"kube-version".to_owned()) && root.contains(&"docs".to_owned()), "{root:?}");
    assert_eq!(in_configuration("[[waive]]\nid = \"x\"\nre¦")[..2], ["fingerprint", "id"]);
    assert_eq!(in_configuration("[lint] \n  ¦"), ["profile", "levels", "at", "baseline"]);
    assert_eq!(in_configuration("[[lint.at]]\n¦"), ["path", "crd", "levels"]);
    assert!(in_configuration("[lint . levels]\n¦").len() > 10);
    assert_eq!(in_configuration("[diff.crd.\"a.b.c\"]\n¦"), ["conversion"]);
    let job = in_configuration("[job.x]\n¦");
    assert!(job.contains(&"inputs".to_owned()) && job.contains(&"docs".to_owned()), "{job:?}");
    assert!(in_configuration("[feature-gates]\n¦").contains(&"CustomResourceFieldSelectors".to_owned()));
    assert_eq!(in_configuration("[job.x.package]\n¦")[..2], ["name", "version"]);
    assert_eq!(in_configuration("[job.x.package.dependencies]\n¦"), [""; 0]);
    assert_eq!(in_configuration("kube-version = ¦"), [""; 0]);
    let (document, position) = marked("[lint]\nbase¦ = 1");
    let edit = document.configuration_completions(position, &[]).pop().unwrap().edit;
    assert_eq!(document.text().with(edit.range, &edit.new_text).as_str(), "[lint]\nbaseline = 1");
}
