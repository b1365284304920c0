//! Changes of small schemas, with the classes that they have.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_core::CustomResourceDefinition;
use crd_diff::{Finding, Options, diff};
use serde_json::{Value, json};

fn crd(spec: &Value) -> CustomResourceDefinition {
    CustomResourceDefinition::from_value(json!({
        "metadata": {"name": "shirts.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "shirts", "kind": "Shirt"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": spec},
            }}}],
        },
    }))
    .unwrap()
}

fn lines(findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let class = |class: &crd_diff::Class| {
            let mark = if finding.undecided.contains(class) { "?" } else { "" };
            format!("{class}{mark}")
        };
        let classes: Vec<String> = finding.classes.iter().map(class).collect();
        format!("{} {} [{}] {}\n", finding.path, finding.id, classes.join(" "), finding.severity)
    };
    findings.iter().map(line).collect()
}

#[test]
fn print() {
    let o = |p: Value| json!({"type": "object", "properties": p});
    let cases = [
        (o(json!({"a": {"type": "integer"}})), o(json!({"a": {"type": "integer", "maximum": 5}}))),
        (o(json!({"a": {"type": "integer"}})), o(json!({}))),
        (o(json!({})), o(json!({"a": {"type": "integer"}}))),
        (o(json!({})), o(json!({"a": {"type": "integer", "default": 1}}))),
        (
            o(json!({"a": {"type": "string"}, "b": {"type": "string"}})),
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
        ),
        (o(json!({"a": {"type": "string"}})), o(json!({"a": {"type": "integer"}}))),
        (
            o(json!({"a": {"type": "string", "enum": ["x", "y"]}})),
            o(json!({"a": {"type": "string", "enum": ["x", "z"]}})),
        ),
        (o(json!({"a": {"type": "string", "nullable": true}})), o(json!({"a": {"type": "string"}}))),
        (o(json!({"a": {"type": "string"}})), o(json!({"a": {"type": "string", "nullable": true}}))),
        (
            o(json!({"a": {"type": "string", "pattern": "^a+$"}})),
            o(json!({"a": {"type": "string", "pattern": "^a{2,}$"}})),
        ),
        (
            o(json!({"a": {"type": "string"}, "b": {"type": "integer"}})),
            json!({"type": "object", "x-kubernetes-validations": [{"rule": "!has(self.b) || self.b < 3"}], "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}),
        ),
        (
            o(json!({"a": {"type": "string"}})),
            o(json!({"a": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}})),
        ),
        (json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), json!({"type": "object"})),
        (
            o(json!({"a": {"type": "array", "items": {"type": "string"}}})),
            o(json!({"a": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}})),
        ),
        (
            o(json!({"a": {"type": "array", "items": {"type": "string"}}})),
            o(json!({"a": {"type": "array", "items": {"type": "string", "maxLength": 3}}})),
        ),
        (
            o(json!({"a": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}})),
            o(
                json!({"a": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true}}),
            ),
        ),
        (
            o(json!({"a": {"type": "string", "default": "x"}})),
            o(json!({"a": {"type": "string", "default": "y"}})),
        ),
        (o(json!({"a": {"type": "string", "default": "x"}})), o(json!({"a": {"type": "string"}}))),
    ];
    for (i, (old, new)) in cases.iter().enumerate() {
        let start = std::time::Instant::now();
        let findings = diff(&crd(old), &crd(new), &Options::default());
        println!("{i} {:?}\n{}", start.elapsed(), lines(&findings));
        for finding in &findings {
            for witness in &finding.witnesses {
                println!(
                    "   {}: {} | {} | {}",
                    witness.class,
                    witness.old.as_ref().map(|o| o["spec"].to_string()).unwrap_or_default(),
                    witness.new.as_ref().map(|o| o["spec"].to_string()).unwrap_or_default(),
                    witness.answer
                );
            }
        }
    }
}
