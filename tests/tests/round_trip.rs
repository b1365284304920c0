//! A definition -> types in the form `derive` -> compiled -> `crd()`: the same definition, after normalisation
//! (`crd_tests::normalise` says what that evens out).
//!
//! The definitions of `round_trip/` run always: their types are `round_trip/generated.rs`, which `UPDATE_GOLDEN=1`
//! rewrites. Real ones belong to others and lie beside the workspace, and their types take minutes to compile:
//! `cargo test --release -p crd-tests --test round_trip -- --ignored`. `ROUND_TRIP=FILE,FILE` takes files of your own in
//! their place.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot go on fails")]

#[rustfmt::skip]
#[path = "round_trip/generated.rs"]
mod generated;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crd_codegen::input::{self, Limits};
use crd_codegen::{Config, Definition, Form, Generated, Layout, Severity, generate};
use crd_core::CustomResourceDefinition;
use crd_tests::normalise::{differences, normalised};
use crd_tests::project::Project;
use crd_tests::{shared, workspace};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Real definitions that do not come back, by name, each with the reason.
const DIFFERENT: &[(&str, &str)] = &[];

fn read(paths: &[PathBuf]) -> Vec<Definition> {
    let limits = Limits::default();
    let (sources, errors) = input::sources(paths, &limits);
    assert!(errors.is_empty(), "{}", errors[0]);
    let read = input::definitions(&sources, &limits, &|| ());
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    read.definitions
}

fn derived(definitions: &[Definition], layout: Layout) -> Generated {
    let mut config = Config::new();
    let generated = generate(definitions, config.form(Form::Derive).layout(layout), &|| ());
    let errors = generated.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<_> =
        errors.map(|finding| format!("{}: {}", finding.origin.file, finding.diagnostic)).collect();
    assert_eq!(errors, [""; 0]);
    generated
}

fn fixtures() -> Vec<Definition> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/round_trip");
    let mut definitions = read(&[folder]);
    for definition in &mut definitions {
        // The header names the file, wherever the workspace lies.
        let file = Path::new(&definition.origin.file).file_name().unwrap().to_string_lossy().into_owned();
        definition.origin.file = file;
    }
    definitions
}

#[test]
fn the_types_of_our_definitions_are_current() {
    let definitions = fixtures();
    for definition in &definitions {
        assert_eq!(crd_core::check(&definition.crd), [], "{}", definition.crd.metadata.name);
    }
    let generated = derived(&definitions, Layout::SingleFile);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/round_trip/generated.rs");
    let text = &generated.files[0].contents;
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    for (line, (is, should)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(is, should, "line {} of generated.rs; UPDATE_GOLDEN=1 rewrites it", line + 1);
    }
    assert_eq!(*text, expected, "UPDATE_GOLDEN=1 rewrites it");
}

#[test]
fn our_definitions_come_back() {
    let after: BTreeMap<String, CustomResourceDefinition> = generated::definitions::all()
        .unwrap()
        .into_iter()
        .map(|crd| (crd.metadata.name.clone(), crd))
        .collect();
    let definitions = fixtures();
    assert_eq!(definitions.len(), after.len());
    for Definition { crd, .. } in &definitions {
        let after = &after[&crd.metadata.name];
        let different = differences(&normalised(crd), &normalised(after));
        assert!(different.is_empty(), "{}:\n{}", crd.metadata.name, different.join("\n"));
    }
}

/// The types read and write objects as those of the other form do.
#[test]
fn objects_come_back() {
    use generated::shapes_example_com::v1::{Beside, Choice, Map, Note};

    fn check<T: Serialize + DeserializeOwned>(mut object: Value) {
        object["metadata"] = json!({"name": "a", "labels": {"b": "c"}, "uid": "1"});
        let read: T = serde_json::from_value(object.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), object);
    }
    let of = |kind: &str, rest: Value| {
        let mut object = json!({"apiVersion": "shapes.example.com/v1", "kind": kind});
        object.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        object
    };
    check::<Note>(of("Note", json!({"text": "t", "data": {"k": "dg=="}})));
    check::<Beside>(of("Beside", json!({"spec": {"a": "b"}, "operation": "Stop", "status": {"phase": "x"}})));
    check::<Beside>(of("Beside", json!({})));
    check::<Choice>(of("Choice", json!({})));
    check::<Choice>(of("Choice", json!({"spec": {"mode": "B"}})));
    check::<Map>(of("Map", json!({"spec": {"a": 1}, "status": {"any": [1, null]}})));
    let wrong = of("Map", json!({"metadata": {}, "spec": {"a": 1}}));
    assert!(serde_json::from_value::<Note>(wrong).is_err());
}

#[test]
#[ignore = "compiles the types of large definitions, which takes minutes"]
fn demanding_definitions_come_back() {
    let paths: Vec<PathBuf> = match std::env::var("ROUND_TRIP") {
        Ok(files) => files.split(',').map(PathBuf::from).collect(),
        Err(_) => {
            let Some(corpus) = shared("corpus") else { return };
            let list = fs::read_to_string(corpus.join("demanding.txt")).unwrap();
            list.lines().map(|line| corpus.join(line)).collect()
        }
    };
    let mut definitions = read(&paths);
    definitions.retain(|definition| crd_core::check(&definition.crd).is_empty());
    let mut different = Vec::new();
    // One package for each: all at once would take more memory than most machines have.
    for definition in &definitions {
        let name = &definition.crd.metadata.name;
        let after = again(definition);
        let found = match CustomResourceDefinition::from_value(after) {
            Ok(after) => differences(&normalised(&definition.crd), &normalised(&after)),
            Err(error) => vec![error.to_string()],
        };
        println!("{name}: {}", if found.is_empty() { "equal" } else { "different" });
        for line in found.iter().take(5) {
            println!("    {}", line.chars().take(300).collect::<String>());
        }
        if !found.is_empty() {
            different.push(name.as_str());
        }
    }
    println!("{} of {} equal", definitions.len() - different.len(), definitions.len());
    let known: Vec<&str> = DIFFERENT.iter().map(|(name, _)| *name).collect();
    different.retain(|name| !known.contains(name));
    assert_eq!(different, [""; 0]);
}

/// What `crd()` of the compiled types gives, or an object with its error.
fn again(definition: &Definition) -> Value {
    let generated = derived(std::slice::from_ref(definition), Layout::Tree);
    let crdkit = workspace().join("crdkit");
    let mut dependencies = format!("crdkit = {{ path = {crdkit:?} }}\n");
    dependencies += "schemars = { version = \"1\", default-features = false }\n";
    dependencies += "serde = { version = \"1\", features = [\"derive\"] }\n";
    dependencies += "serde_json = { version = \"1\", features = [\"preserve_order\"] }\n";
    let project = Project::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "round_trip", &dependencies);
    for file in &generated.files {
        project.write(&format!("src/generated/{}", file.path), &file.contents);
    }
    project.write("src/lib.rs", "#![deny(warnings)]\npub mod generated;\n");
    let mut main = String::from("fn main() {\n    match round_trip::generated::definitions::all() {\n");
    let _ =
        writeln!(main, "        Ok(crds) => crds.iter().for_each(|crd| println!(\"{{}}\", crd.to_value())),");
    let _ = writeln!(
        main,
        "        Err(error) => println!(\"{{}}\", serde_json::json!({{\"kind\": error.to_string()}})),"
    );
    main += "    }\n}\n";
    project.write("src/main.rs", &main);
    let text = project.cargo(&["run", "--quiet"]);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
