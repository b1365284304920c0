//! Completions and hovers at a cursor, which the tests mark with `¦`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod shirts;

use crd_editor::{EditorDocument, EditorOptions, Position};

const HEAD: &str = shirts!(
    "            required: [size]
            properties:
              size: {type: integer, default: 5, description: The size.}
              sizes: {type: array, maxItems: 10, items: {type: object, properties: {name: {type: string, maxLength: 20}, 'a-b': {type: boolean}}}}
              labels: {type: object, additionalProperties: {type: string}}
"
);

/// Returns a document and the position of the mark in it.
fn marked(text: &str) -> (EditorDocument, Position) {
    let at = text.find('¦').unwrap();
    let document = EditorDocument::new(&text.replacen('¦', "", 1), EditorOptions::default());
    let position = document.text().position(at);
    (document, position)
}

/// Returns the labels in alphabetical order: `serde_json` keeps that of the schema only with its feature `preserve_order`.
fn sorted(text: &str) -> Vec<String> {
    let mut labels = labels(text);
    labels.sort();
    labels
}

/// Returns the labels of the completions at the mark.
fn labels(text: &str) -> Vec<String> {
    let (mut document, position) = marked(text);
    document.completions(position).into_iter().map(|completion| completion.label).collect()
}

/// Returns the line at the mark after a completion is accepted.
fn accepted(text: &str, label: &str) -> String {
    let (mut document, position) = marked(text);
    let all = document.completions(position);
    let completion = all.iter().find(|completion| completion.label == label).unwrap();
    let new = document.text().with(completion.edit.range, &completion.edit.new_text);
    new.as_str()[new.line(position.line as usize)].to_owned()
}

fn hover(text: &str) -> String {
    let (mut document, position) = marked(text);
    document.hover(position).map(|hover| hover.markdown).unwrap_or_default()
}

fn with_rule(rule: &str) -> String {
    format!(
        "{HEAD}            x-kubernetes-validations:\n            - message: wrong\n              rule: {rule}\n"
    )
}

#[test]
fn keywords_fit_their_place() {
    assert_eq!(
        labels(&HEAD.replace("  scope: Namespaced\n", "  ¦\n")),
        ["scope", "conversion", "preserveUnknownFields"]
    );
    assert!(labels(&HEAD.replace("type: integer,", "type: integer, ¦")).contains(&"minimum".to_owned()));
    let in_schema =
        labels(&HEAD.replace("        type: object\n        properties", "        ¦\n        properties"));
    assert!(in_schema.contains(&"type".to_owned()) && !in_schema.contains(&"properties".to_owned()));
    assert!(!in_schema.contains(&"$ref".to_owned()));
    assert_eq!(labels(&HEAD.replace("scope: Namespaced", "scope: ¦")), ["Namespaced", "Cluster"]);
    assert_eq!(labels(&HEAD.replace("served: true", "served: t¦")), ["true", "false"]);
    assert_eq!(labels("kind: ConfigMap\n¦"), [""; 0]);
}

#[test]
fn keywords_come_in_a_text_that_cannot_be_read() {
    let text = format!("{HEAD}    subres¦");
    assert!(labels(&text).contains(&"subresources".to_owned()));
    assert_eq!(accepted(&text, "subresources"), "    subresources:");
    assert_eq!(accepted(&HEAD.replace("scope: Namespaced", "sc¦"), "scope"), "  scope: ");
    assert_eq!(accepted(&HEAD.replace("scope: Namespaced", "sc¦: Cluster"), "scope"), "  scope: Cluster");
}

#[test]
fn paths_and_names_come_from_the_schema() {
    let columns = format!(
        "{HEAD}    additionalPrinterColumns:\n    - name: Size\n      type: integer\n      jsonPath: .spec.s¦\n"
    );
    assert_eq!(sorted(&columns), [".spec.labels", ".spec.size", ".spec.sizes"]);
    assert_eq!(accepted(&columns, ".spec.sizes"), "      jsonPath: .spec.sizes");
    assert_eq!(sorted(&HEAD.replace("[size]", "[size, ¦]")), ["labels", "size", "sizes"]);
}

#[test]
fn names_in_expressions_in_every_form() {
    for (rule, line) in [
        ("self.si¦", "              rule: self.size"),
        ("\"self.si¦ > 0\"", "              rule: \"self.size > 0\""),
        ("self.labels.x == '😀' || self.si¦", "              rule: self.labels.x == '😀' || self.size"),
        (
            "'self.labels.x == ''😀'' || self.si¦'",
            "              rule: 'self.labels.x == ''😀'' || self.size'",
        ),
        (
            "|\n                self.labels.x == \"y\" &&\n                self.si¦",
            "                self.size",
        ),
        (">-\n                true\n                && self.si¦ > 0", "                && self.size > 0"),
    ] {
        let text = with_rule(rule);
        assert_eq!(labels(&text)[..3], ["labels", "size", "sizes"].map(str::to_owned), "{rule}");
        assert_eq!(accepted(&text, "size"), line, "{rule}");
        let text = text.replace('\n', "\r\n");
        assert_eq!(accepted(&text, "size"), line, "{rule}");
    }
}

#[test]
fn types_lead_through_macros_and_methods() {
    assert_eq!(labels(&with_rule("self.sizes.all(s, s.¦"))[..2], ["a__dash__b", "name"].map(str::to_owned));
    let strings = labels(&with_rule("self.sizes.all(s, s.name.¦"));
    assert!(
        strings.contains(&"startsWith".to_owned()) && !strings.contains(&"all".to_owned()),
        "{strings:?}"
    );
    assert!(labels(&with_rule("self.labels.all(k, k.¦")).contains(&"startsWith".to_owned()));
    let globals = labels(&with_rule("self.sizes.all(s, ¦"));
    assert_eq!(globals[..3], ["s", "self", "oldSelf"].map(str::to_owned));
    assert!(globals.contains(&"size".to_owned()) && globals.contains(&"quantity".to_owned()));
    assert!(labels(&with_rule("sets.¦")).contains(&"contains".to_owned()));
    assert_eq!(labels(&with_rule("self.size == 'x¦'")), [""; 0]);
    assert!(labels(&with_rule("¦")).contains(&"self".to_owned()));
}

#[test]
fn hovers_explain() {
    assert!(hover(&HEAD.replace("scope: Namespaced", "sco¦pe: Namespaced")).contains("it cannot be changed"));
    let field = hover(&HEAD.replace("size: {type", "si¦ze: {type"));
    assert_eq!(field, "`.spec.size`: integer\n\nThe size.\n\nIf it is absent, the API server fills in `5`.");
    assert!(hover(&HEAD.replace("sizes: {", "si¦zes: {")).contains("replaces it as a whole"));
    let rule = hover(&with_rule("self.si¦zes.all(s, s.name != '')"));
    assert!(rule.starts_with("`sizes`: `list("), "{rule}");
    assert!(rule.contains("of the limit of a rule"), "{rule}");
    let function = hover(&with_rule("self.sizes.all(s, s.name.starts¦With('a'))"));
    assert!(function.contains("startsWith: string.(string) -> bool"), "{function}");
    assert_eq!(hover("kind: ConfigMap\nda¦ta: 1\n"), "");
}
