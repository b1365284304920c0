//! Hostile definitions: the generator writes Rust that compiles, or refuses them with a message, and `check` answers. Both keep the
//! limits on time and memory that are promised for the size of the definition.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crd_input::in_parallel;
use crd_tests::tool::Outcome::{self, Generated, Unreadable, Wrong};
use crd_tests::tool::{Bounds, empty_directory, release_build};
use crd_tests::workspace;
use serde_json::{Value, json};

/// Texts that would end a string, a comment, an attribute or a template, or that look like other texts.
const TEXTS: [&str; 16] = [
    "\"",
    "\\",
    "\"#\"##",
    "*/ }} fn main() {} /*",
    "\n}\npub fn injected() {}\n",
    "\r\n\t\u{0}\u{7f}",
    "\u{202e}\u{2066}txt.exe",
    "\u{feff}\u{200b}",
    "{{ .Values.x }}",
    "]] #![allow(warnings)] [[",
    "`[link]` <b> [0] [`a`]: https://example.org/?a=<b>",
    "```rust\nfn main() {}\n",
    "    indented\n        code",
    "# Heading\n* list\n  1. item\nlazy",
    "'static \u{2028} r#\"x\"#",
    "\u{0301}\u{1f980}é",
];

#[test]
#[ignore = "builds the tool in release and compiles what it writes"]
fn hostile_definitions() {
    let tool = release_build();
    let folder = empty_directory("hostile");
    fs::create_dir(folder.join("in")).unwrap();
    let mut modules = String::new();
    let mut failures = Vec::new();
    let cases: Vec<_> = cases().into_iter().enumerate().collect();
    let output = |number: usize| folder.join(format!("src/case{number}"));
    let runs = in_parallel(&cases, |(number, (name, text, _))| {
        let input = folder.join(format!("in/{name}.yaml"));
        let bounds = Bounds::promised(text.len() as u64);
        fs::write(&input, text).unwrap();
        let output = output(*number);
        let (read, written) = (input.as_os_str(), output.as_os_str());
        let checked = bounds.run(&tool, &["check".as_ref(), read]);
        (checked, bounds.run(&tool, &["generate".as_ref(), read, "--out".as_ref(), written]))
    });
    for ((number, (name, _, expected)), (checked, generated)) in cases.into_iter().zip(runs) {
        if let Err(message) = checked {
            failures.push(format!("{name}: check: {message}"));
        }
        match generated {
            Ok(found) if expected.contains(&found) => {
                if found == Generated {
                    writeln!(modules, "/// {name}\npub mod case{number};").unwrap();
                } else if output(number).exists() {
                    failures.push(format!("{name}: {found:?}, but something was written"));
                }
            }
            Ok(found) => failures.push(format!("{name}: {found:?}, not {expected:?}")),
            Err(message) => failures.push(format!("{name}: {message}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(escaped(&folder), Vec::<PathBuf>::new(), "files outside the output folder");
    compile(&folder, &modules);
}

fn cases() -> Vec<(String, String, &'static [Outcome])> {
    let mut cases: Vec<(String, String, &'static [Outcome])> = Vec::new();
    for (i, text) in TEXTS.into_iter().enumerate() {
        cases.push((format!("text-{i}-everywhere"), everywhere(text).to_string(), &[Generated]));
        cases.push((format!("text-{i}-as-property"), property(text).to_string(), &[Generated]));
        for (place, crd) in names(text) {
            cases.push((format!("text-{i}-as-{place}"), crd.to_string(), &[Wrong]));
        }
    }
    for (i, name) in ["..", "../../escaped", "/tmp/escaped", "a/b", "C:\\escaped", ""].into_iter().enumerate()
    {
        for (place, crd) in names(name) {
            cases.push((format!("path-{i}-as-{place}"), crd.to_string(), &[Wrong]));
        }
    }
    // Larger than a request, slightly smaller, and the greatest number of properties for which types are generated.
    for count in [100_000, 14_000, 1_000] {
        for (name, schemas) in many(count) {
            // A document of this density is only read if it is small enough to be stored.
            let expected: &[Outcome] =
                if count > 14_000 { &[Generated, Wrong, Unreadable] } else { &[Generated, Wrong] };
            cases.push((format!("{count}-{name}"), schemas.to_string(), expected));
        }
    }
    let long = "x".repeat(1 << 20);
    cases.push(("long-text-everywhere".into(), everywhere(&long).to_string(), &[Generated, Wrong]));
    cases.push(("long-property".into(), property(&long).to_string(), &[Generated, Wrong]));
    for (place, crd) in at_one_place(&long) {
        cases.push((format!("long-{place}"), crd.to_string(), &[Generated, Wrong]));
    }
    cases.push(("wide".into(), wide().to_string(), &[Generated, Wrong]));
    cases.push(("many-variants".into(), many_variants().to_string(), &[Generated, Wrong]));
    cases.push(("deep-flow".into(), deep_flow(10_000), &[Unreadable]));
    cases.push(("deep-block".into(), deep_block(2_000), &[Unreadable]));
    cases.push(("deep-lists".into(), format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), &[Unreadable]));
    cases.push(("alias-bomb".into(), alias_bomb(), &[Unreadable]));
    cases.push(("unclosed".into(), "a: [1, \"".into(), &[Unreadable]));
    cases.push(("duplicate-key".into(), "a: 1\na: 2\n".into(), &[Unreadable]));
    cases
}

fn crd(schema: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.hostile.example.org"},
        "spec": {
            "group": "hostile.example.org",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

/// Returns a definition with `text` in all places for free text.
fn everywhere(text: &str) -> Value {
    let mut crd = crd(&json!({
        "type": "object",
        "description": text,
        "properties": {
            "spec": {
                "type": "object",
                "description": text,
                "properties": {
                    "string": {"type": "string", "description": text, "title": text, "default": text, "pattern": text},
                    "enum": {"type": "string", "enum": [text, "other"], "default": text},
                    "list": {"type": "array", "items": {"type": "string", "enum": [text]}, "default": [text]},
                    "map": {"type": "object", "additionalProperties": {"type": "string"}, "default": {text: text}},
                    "rules": {
                        "type": "string", "format": text,
                        "x-kubernetes-validations": [{"rule": text, "message": text}],
                    },
                    "docs": {"type": "string", "externalDocs": {"url": text, "description": text}, "example": text},
                },
            },
        },
    }));
    crd["metadata"]["annotations"] = json!({text: text, "note": text});
    crd["metadata"]["labels"] = json!({"note": text});
    crd["spec"]["versions"][0]["additionalPrinterColumns"] =
        json!([{"name": text, "type": "string", "description": text, "jsonPath": text}]);
    crd["spec"]["versions"][0]["deprecated"] = json!(true);
    crd["spec"]["versions"][0]["deprecationWarning"] = json!(text);
    crd
}

/// Returns a definition with `text` as the name of properties: of an object, of a string, of a required field with a default.
fn property(text: &str) -> Value {
    crd(&json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": [text],
                "properties": {
                    text: {"type": "object", "properties": {text: {"type": "string", "enum": ["a", "b"]}}},
                    "other": {"type": "object", "default": {text: 1}, "properties": {text: {"type": "integer"}}},
                },
            },
        },
    }))
}

/// Returns a definition with `text` as each of the names from which file and module names are derived.
fn names(text: &str) -> [(&'static str, Value); 3] {
    let base = crd(&json!({"type": "object", "properties": {"spec": {"type": "object"}}}));
    let with = |pointer: &str| {
        let mut crd = base.clone();
        *crd.pointer_mut(pointer).expect("the base has it") = json!(text);
        crd
    };
    [
        ("group", with("/spec/group")),
        ("kind", with("/spec/names/kind")),
        ("version", with("/spec/versions/0/name")),
    ]
}

fn wide() -> Value {
    let properties: serde_json::Map<_, _> =
        (0..100_000).map(|i| (format!("field{i}"), json!({"type": "string"}))).collect();
    crd(&json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}))
}

/// Returns a definition with `text` in one of the places where texts are processed.
fn at_one_place(text: &str) -> Vec<(&'static str, Value)> {
    let rule = |rule: &str| json!({"type": "string", "x-kubernetes-validations": [{"rule": rule}]});
    [
        ("description", json!({"type": "string", "description": text})),
        ("enum", json!({"type": "string", "enum": [text]})),
        ("default", json!({"type": "string", "default": text})),
        (
            "default-with-pattern",
            json!({"type": "string", "default": text, "pattern": "^(?:[a-z]{1,500}|.*)$"}),
        ),
        ("pattern-and-default", json!({"type": "string", "default": text, "pattern": text})),
        (
            "stars-and-default",
            json!({"type": "string", "default": text, "pattern": "x*".repeat(text.len() / 2)}),
        ),
        ("rule", rule(text)),
        ("rule-of-parentheses", rule(&"(".repeat(text.len()))),
        ("rule-of-operators", rule(&format!("{}1", "1+".repeat(text.len() / 2)))),
        ("rule-of-text", rule(&format!("self == '{text}'"))),
    ]
    .map(|(name, schema)| {
        let spec = json!({"type": "object", "properties": {"a": schema}});
        (name, crd(&json!({"type": "object", "properties": {"spec": spec}})))
    })
    .into()
}

/// Returns a list with this many schemas of one kind.
fn many(count: usize) -> [(&'static str, Value); 8] {
    let named = |schema: Value| {
        let properties: serde_json::Map<_, _> =
            (0..count).map(|i| (format!("field{i}"), schema.clone())).collect();
        crd(&json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}))
    };
    let string = json!({"type": "string"});
    [
        ("many-objects", named(json!({"type": "object", "properties": {"a": string}}))),
        ("many-lists", named(json!({"type": "array", "items": string}))),
        ("many-enums", named(json!({"type": "string", "enum": ["a", "b"]}))),
        ("many-patterns", named(json!({"type": "string", "pattern": "^[a-z]{1,900}$"}))),
        ("many-defaults", named(json!({"type": "string", "default": "a", "format": "odd"}))),
        (
            "many-rules",
            named(json!({
                "type": "string", "maxLength": 5, "x-kubernetes-validations": [{"rule": "self.size() > 0"}],
            })),
        ),
        ("many-errors", named(json!({}))),
        ("many-branches", crd(&json!({"type": "object", "anyOf": vec![json!({}); 10 * count]}))),
    ]
}

fn many_variants() -> Value {
    let values: Vec<_> = (0..100_000).map(|i| format!("value-{i}")).collect();
    crd(&json!({"type": "object", "properties": {"spec": {"type": "string", "enum": values}}}))
}

fn deep_flow(depth: usize) -> String {
    let schema =
        format!("{}{{type: string}}{}", "{type: object, properties: {a: ".repeat(depth), "}}".repeat(depth));
    crd(&json!("SCHEMA")).to_string().replace("\"SCHEMA\"", &schema)
}

fn deep_block(depth: usize) -> String {
    let mut text = String::new();
    for level in 0..depth {
        writeln!(text, "{}a:", " ".repeat(level)).unwrap();
    }
    text
}

fn alias_bomb() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let last = format!("*a{}", level - 1);
        writeln!(text, "a{level}: &a{level} [{}]", [last.as_str(); 10].join(", ")).unwrap();
    }
    text
}

/// Files in the folder that should not exist.
fn escaped(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries.filter(|path| !path.ends_with("in") && !path.ends_with("src")).collect();
    found.extend(
        [workspace().join("target/escaped"), "/tmp/escaped".into()].into_iter().filter(|path| path.exists()),
    );
    found
}

/// Compiles all generated code as one crate, with warnings as errors.
fn compile(folder: &Path, modules: &str) {
    fs::write(
        folder.join("Cargo.toml"),
        "[workspace]\n\n[package]\nname = \"hostile\"\nedition = \"2024\"\n\n[dependencies]\n\
         serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\n",
    )
    .unwrap();
    fs::write(folder.join("src/lib.rs"), format!("//! Generated.\n#![deny(warnings)]\n\n{modules}")).unwrap();
    let output = Command::new(env!("CARGO")).arg("check").current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
