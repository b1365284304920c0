//! Keeps the dependency rules of ARCHITECTURE.md ("Invariants", 1 to 4) true.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crd_tests::{rust_files, workspace};
use serde_json::Value;

/// Which crates of the workspace a crate may depend on.
const EDGES: [(&str, &[&str]); 15] = [
    ("crd-go", &[]),
    ("crd-cel", &["crd-go"]),
    ("crd-core", &["crd-cel", "crd-go"]),
    // Rules are solved on their trees, and strings of patterns come from automata.
    ("crd-sample", &["crd-core", "crd-cel", "crd-go"]),
    // Rules are compared as trees, and patterns as sets of strings.
    ("crd-diff", &["crd-core", "crd-sample", "crd-cel", "crd-go"]),
    // Objects prove findings.
    ("crd-lint", &["crd-core", "crd-sample", "crd-go"]),
    ("crd-docs", &["crd-core", "crd-go"]),
    // Texts, what is wrong in them, and changes of them.
    ("crd-editor", &["crd-core", "crd-cel", "crd-docs", "crd-go", "crd-input", "crd-lint", "crd-sample"]),
    // Bodies of requests are YAML, too.
    ("crd-server", &["crd-core", "crd-docs", "crd-go", "crd-input"]),
    ("crd-input", &["crd-core", "crd-go"]),
    ("crd-report", &["crd-core", "crd-go", "crd-input"]),
    ("crd-derive", &["crd-cel", "crd-go"]),
    (
        "crdkit",
        &[
            "crd-core",
            "crd-derive",
            "crd-diff",
            "crd-docs",
            "crd-go",
            "crd-input",
            "crd-sample",
            "crd-server",
        ],
    ),
    ("crd-codegen", &["crd-core", "crd-go", "crd-input", "crd-sample"]),
    (
        "crdkit-cli",
        &[
            "crd-core",
            "crd-go",
            "crd-input",
            "crd-report",
            "crd-codegen",
            "crd-sample",
            "crd-diff",
            "crd-lint",
            "crd-docs",
            "crd-editor",
            "crd-server",
        ],
    ),
];

/// The crates without input and output.
const PURE: [&str; 8] =
    ["crd-go", "crd-cel", "crd-core", "crd-sample", "crd-diff", "crd-lint", "crd-docs", "crd-editor"];

/// The feature of the generator's options as arguments, which build scripts do not use.
const ARGUMENTS: (&str, &str) = ("crd-codegen", "clap");

/// Dependencies of the tools, which the library of the generator does not need.
const OF_TOOLS: [&str; 6] = ["clap", "clap_complete", "annotate-snippets", "anstream", "indicatif", "toml"];

/// Packages on which the pure crates do not depend, directly or indirectly.
const IMPURE: [&str; 14] = [
    "proc-macro2",
    "syn",
    "quote",
    "schemars",
    "serde_yaml",
    "serde_yaml_ng",
    "saphyr",
    "saphyr-parser",
    "serde-saphyr",
    "clap",
    "kube",
    "k8s-openapi",
    "tokio",
    "chrono",
];

/// Packages on which no library depends: interoperation is generated text, so that one release serves several major versions.
const INTEROP: [&str; 5] = ["kube", "kube-core", "kube-client", "k8s-openapi", "tokio"];

/// The feature of the tools that reads definitions from clusters.
const CLUSTER: (&str, &str) = ("crd-input", "cluster");

/// The feature of the API server for tests that answers on a TCP port.
const LISTEN: (&str, &str) = ("crd-server", "listen");
/// TLS for that server, which is of no use without it.
const TLS: (&str, &str) = ("crd-server", "tls");

#[test]
fn crates_depend_on_each_other_only_as_designed() {
    let graph = Graph::read();
    for (name, allowed) in EDGES {
        let direct = graph.direct(name);
        let found: Vec<_> =
            EDGES.iter().map(|(other, _)| *other).filter(|other| direct.contains(*other)).collect();
        let wrong: Vec<_> = found.iter().filter(|other| !allowed.contains(other)).collect();
        assert!(wrong.is_empty(), "`{name}` must not depend on {wrong:?}");
    }
}

#[test]
fn the_generator_is_a_library_without_a_tool() {
    let mut graph = Graph::read();
    assert_eq!(graph.features["crd-codegen"]["default"], serde_json::json!([]));
    graph.leave_out(ARGUMENTS);
    graph.leave_out(CLUSTER);
    assert_reaches_none(&graph, "crd-codegen", &OF_TOOLS);
}

#[test]
fn pure_crates_reach_nothing_impure() {
    let mut graph = Graph::read();
    graph.leave_out(CLUSTER);
    for name in PURE {
        // The derive of serde runs at build time and has a syn of its own; only code that runs later matters.
        assert_reaches_none(&graph, name, &IMPURE);
    }
}

#[test]
fn libraries_reach_no_client() {
    let mut graph = Graph::read();
    graph.leave_out(CLUSTER);
    graph.leave_out(TLS);
    graph.leave_out(LISTEN);
    for (name, _) in EDGES {
        // `crdkit serve` waits for connections and signals.
        let forbidden = INTEROP.into_iter().filter(|other| (name, *other) != ("crdkit-cli", "tokio"));
        assert_reaches_none(&graph, name, &forbidden.collect::<Vec<_>>());
    }
}

#[test]
fn pure_crates_touch_no_file_environment_or_clock() {
    let forbidden = [
        "std::fs",
        "std::env",
        // The crates can parse addresses, but they open no sockets.
        "TcpStream",
        "UdpSocket",
        "std::process",
        "std::io",
        "SystemTime",
        "Instant::now",
        "println!",
    ];
    for name in PURE {
        assert_sources_lack(&workspace().join(name).join("src"), &forbidden, &[]);
    }
}

#[test]
fn codegen_keeps_schema_types_and_tokens_apart() {
    let source = workspace().join("crd-codegen/src");
    assert_sources_lack(&source.join("ir"), &["syn::", "quote::", "quote!", "proc_macro2"], &[]);
    assert_sources_lack(&source.join("ir"), &["Structural", "JsonSchemaProps"], &["lower"]);
    assert_sources_lack(&source.join("emit"), &["Structural", "JsonSchemaProps"], &[]);
}

#[test]
fn codegen_does_input_and_output_in_few_places() {
    let source = workspace().join("crd-codegen/src");
    let places = ["build_script.rs", "write"];
    assert_sources_lack(&source, &["std::fs", "std::env", "std::net", "println!"], &places);
}

#[test]
fn only_reports_are_printed() {
    let words = ["println!", "eprint!", "print!", "io::stdout", "io::stderr"];
    for folder in ["crd-input/src", "crdkit-cli/src"] {
        assert_sources_lack(&workspace().join(folder), &words, &[]);
    }
}

fn assert_reaches_none(graph: &Graph, name: &str, forbidden: &[&str]) {
    let reached = graph.reached(name);
    let wrong: Vec<_> = forbidden.iter().filter(|other| reached.contains(**other)).collect();
    assert!(wrong.is_empty(), "`{name}` must not reach {wrong:?}");
}

/// Fails if code below `folder` contains one of `words`. Comments and code below `#[cfg(test)]` do not count, nor do the files
/// and folders that `except` names.
fn assert_sources_lack(folder: &Path, words: &[&str], except: &[&str]) {
    let mut wrong = Vec::new();
    for file in rust_files(folder) {
        let relative = file.strip_prefix(folder).expect("sources come from below the folder");
        if relative.components().any(|part| except.iter().any(|name| part.as_os_str() == *name)) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]") {
            if line.trim_start().starts_with("//") {
                continue;
            }
            let found = words.iter().filter(|word| line.contains(**word));
            wrong.extend(found.map(|word| format!("{}:{}: `{word}`", file.display(), number + 1)));
        }
    }
    assert!(wrong.is_empty(), "these places are in the wrong layer:\n{}", wrong.join("\n"));
}

/// The normal dependencies of every package by name, without those for tests and build scripts, and the features of the
/// packages.
struct Graph {
    dependencies: BTreeMap<String, BTreeSet<String>>,
    features: BTreeMap<String, Value>,
}

impl Graph {
    fn read() -> Self {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version=1", "--all-features"])
            .current_dir(workspace())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let packages = metadata["packages"].as_array().unwrap().iter();
        let mut macros = BTreeSet::new();
        let (mut names, mut features) = (BTreeMap::new(), BTreeMap::new());
        for package in packages {
            features.insert(text(&package["name"]), package["features"].clone());
            names.insert(text(&package["id"]), text(&package["name"]));
            let targets = package["targets"].as_array().unwrap();
            if targets.iter().any(|target| target["kind"][0] == "proc-macro") {
                macros.insert(text(&package["name"]));
            }
        }
        let nodes = metadata["resolve"]["nodes"].as_array().unwrap().iter();
        let normal = |node: &Value| {
            let deps = node["deps"].as_array().unwrap().iter();
            let normal = deps
                .filter(|dep| dep["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null()));
            normal.map(|dep| names[dep["pkg"].as_str().unwrap()].clone()).collect::<BTreeSet<_>>()
        };
        let mut dependencies: BTreeMap<_, _> =
            nodes.map(|node| (names[node["id"].as_str().unwrap()].clone(), normal(node))).collect();
        // Dependencies of macros of other projects run in the compiler, not in the program.
        for (name, dependencies) in &mut dependencies {
            if macros.contains(name) && !EDGES.iter().any(|(own, _)| own == name) {
                dependencies.clear();
            }
        }
        Self { dependencies, features }
    }

    /// Removes a feature with the dependencies that it adds. No other feature that is left may turn it on.
    fn leave_out(&mut self, (package, feature): (&str, &str)) {
        let features = self.features[package].as_object().unwrap();
        let brings =
            |name: &str| features[name].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
        for other in features.keys().filter(|other| *other != feature) {
            assert!(!brings(other).any(|brought| brought == feature), "`{other}` turns on `{feature}`");
        }
        let brought: BTreeSet<&str> = brings(feature).filter_map(|text| text.strip_prefix("dep:")).collect();
        let dependencies = self.dependencies.get_mut(package).unwrap();
        dependencies.retain(|name| !brought.contains(name.as_str()));
        let features = self.features.get_mut(package).and_then(Value::as_object_mut).unwrap();
        features.remove(feature);
    }

    fn direct(&self, name: &str) -> &BTreeSet<String> {
        &self.dependencies[name]
    }

    fn reached(&self, name: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut open = vec![name];
        while let Some(name) = open.pop() {
            for dependency in &self.dependencies[name] {
                if reached.insert(dependency.as_str()) {
                    open.push(dependency);
                }
            }
        }
        reached
    }
}
