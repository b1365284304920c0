//! Options of the generator together: the demanding definitions of the corpus compile without a warning of rustc, clippy and rustdoc,
//! and real objects survive a round trip.
//!
//! `combinations/options.jsonl` has combinations of options in which every pair of values occurs. In CI, every definition is checked
//! with one of them, and objects go through the types of two. The test that takes every definition with each combination takes long;
//! it reads the numbers of combinations (the lines of the file, from 1) from `COMBINATIONS` and fragments of the definitions' paths from
//! `DEFINITIONS`, if they are set:
//! `COMBINATIONS=3,12 DEFINITIONS=istio,kafkas cargo test -p crd-tests --test combinations -- --ignored with_every_combination --nocapture`.
//!
//! The corpus is not part of the project. If it is not next to the project, these tests print a line and pass.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use crd_codegen::{Config, Definition, GeneratedFile, Layout, Versions};
use crd_tests::demanding::{accepted_objects, definitions_in, demanding, generated};
use crd_tests::project::Workspace;
use crd_tests::workspace;
use serde_json::{Value, json};

const COMBINATIONS: &str = include_str!("combinations/options.jsonl");

/// Returns the options with the values that are combined, the default first.
fn options() -> Vec<(&'static str, Vec<Value>)> {
    let switch = [
        "samples",
        "constructors",
        "setters",
        "open-enums",
        "unions",
        "explicit-null",
        "kube",
        "apply",
        "client",
        "validate",
    ];
    let mut options: Vec<(&str, Vec<Value>)> =
        switch.into_iter().map(|option| (option, vec![json!(false), json!(true)])).collect();
    options.extend(["docs", "enum-methods"].map(|option| (option, vec![json!(true), json!(false)])));
    for (option, values) in [
        ("form", &["types", "derive", "kube"][..]),
        // Served versions in the forms `types` and `kube`, and all of them in the form `derive`.
        ("versions", &["default", "storage"]),
        ("layout", &["tree", "single-file"]),
        ("map-type", &["btree", "hash"]),
        ("date-time", &["string", "chrono", "jiff"]),
        ("bytes", &["string", "bytes"]),
        ("numbers", &["f64", "exact"]),
        ("defaults", &["absent", "schema", "none"]),
        ("builders", &["none", "typed-builder", "bon"]),
        ("k8s-openapi", &["none", "exact", "equivalent"]),
    ] {
        options.push((option, values.iter().map(|value| json!(value)).collect()));
    }
    options
}

/// Options that are rules for single types and places, or do not change what is generated.
const NOT_COMBINED: [&str; 7] =
    ["rejected", "derive", "no-derive", "attribute", "type-override", "name-override", "elide"];

/// Returns `true` if the values of two options can be chosen together.
fn is_possible(a: (&str, &Value), b: (&str, &Value)) -> bool {
    let value = |option: &str| [a, b].into_iter().find(|(name, _)| *name == option).map(|(_, value)| value);
    let is_on = |option: &str| value(option) == Some(&json!(true));
    let is = |option: &str, text: &str| value(option) == Some(&json!(text));
    let only_for_types = ["samples", "apply", "client", "validate"].into_iter().any(is_on)
        || value("k8s-openapi").is_some_and(|value| value != "none");
    let without_kube = value("kube") == Some(&json!(false));
    !(value("form").is_some_and(|form| form != "types") && only_for_types
        || without_kube && (is("form", "kube") || is_on("client"))
        // A definition consists of all its versions.
        || is("form", "derive") && is("versions", "storage"))
}

#[test]
fn every_pair_of_values_is_in_a_combination() {
    let options = options();
    let unknown = serde_json::from_value::<Config>(json!({"no option": true})).unwrap_err().to_string();
    for option in unknown.split('`').skip(3).step_by(2) {
        let is_combined = options.iter().any(|(name, _)| *name == option);
        assert!(is_combined != NOT_COMBINED.contains(&option), "{option}");
    }
    let rows: Vec<Value> = COMBINATIONS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let has = |row: &Value, (option, values): &(&str, Vec<Value>), value: &Value| {
        row.get(*option).unwrap_or(&values[0]) == value
    };
    let mut missing = Vec::new();
    for (number, a) in options.iter().enumerate() {
        for b in &options[number + 1..] {
            for (x, y) in a.1.iter().flat_map(|x| b.1.iter().map(move |y| (x, y))) {
                let is_there = rows.iter().any(|row| has(row, a, x) && has(row, b, y));
                if is_possible((a.0, x), (b.0, y)) && !is_there {
                    missing.push(format!("{} = {x}, {} = {y}", a.0, b.0));
                }
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
#[ignore = "compiles 80,000 lines and kube, which takes minutes"]
fn each_definition_has_no_lints_with_one_combination() {
    let Some(demanding) = demanding() else { return };
    let rows = configurations();
    let mut workspace = Combined::new("combinations");
    for (number, config) in &rows {
        let files = demanding.iter().skip(number - 1).step_by(rows.len()).cloned().collect();
        workspace.add(&format!("combination-{number}"), config, &files);
    }
    workspace.lint();
}

#[test]
#[ignore = "compiles 230,000 lines and kube, which takes minutes"]
fn every_definition_keeps_real_objects() {
    let Some(demanding) = demanding() else { return };
    let mut workspace = Combined::new("kept");
    workspace.add("defaults", &Config::new(), &demanding);
    workspace.add("clients", Config::new().client(true).apply(true), &demanding);
    workspace.keep();
}

#[test]
#[ignore = "compiles more than 2,600,000 lines, which takes hours"]
fn every_definition_has_no_lints_and_keeps_real_objects_with_every_combination() {
    let Some(demanding) = demanding() else { return };
    let (numbers, fragments) = (listed("COMBINATIONS"), listed("DEFINITIONS"));
    let is_chosen = |file: &String| fragments.is_empty() || fragments.iter().any(|part| file.contains(part));
    let demanding: BTreeSet<String> = demanding.into_iter().filter(is_chosen).collect();
    for (number, config) in configurations() {
        if numbers.is_empty() || numbers.contains(&number.to_string()) {
            let mut workspace = Combined::new("combination");
            for (part, (config, files)) in parts(&demanding, &config).iter().enumerate() {
                workspace.add(&format!("combination-{number}-part-{}", part + 1), config, files);
            }
            workspace.lint_and_keep();
            println!("combination {number} of {} definitions is done", demanding.len());
        }
    }
}

/// Returns the items of a list in a variable, which is empty if the variable is not set.
fn listed(variable: &str) -> Vec<String> {
    let items = std::env::var(variable).unwrap_or_default();
    items.split(',').filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Returns the definitions in parts, each of which rustc, clippy and rustdoc read with a few gigabytes of memory.
///
/// rustdoc needs the most of it, for the types of builders: 10 GB for 38,000 lines with `bon`. A definition that is too large for it
/// is one part for each of its versions, whose types have nothing in common, unless its form requires all versions.
/// Code that no object uses is not linked, so definitions that come before the first one with objects are a part of their own.
fn parts(files: &BTreeSet<String>, config: &Config) -> Vec<(Config, BTreeSet<String>)> {
    let options = json!(config);
    let has_builders = ["typed-builder", "bon"].iter().any(|builder| options["builders"] == *builder);
    let most: usize = if has_builders { 12_000 } else { 40_000 };
    let can_split = has_builders && options["form"] != "derive" && options["versions"].is_null();
    let mut parts: Vec<(Config, BTreeSet<String>)> = Vec::new();
    let (mut room, mut has_objects) = (0, false);
    for file in files {
        let one = BTreeSet::from([file.clone()]);
        let definitions = definitions_in(&one);
        let modules = generated(&definitions, config).files;
        let lines: usize = modules.iter().map(|module| module.contents.lines().count()).sum();
        if can_split && lines > most {
            let versions = definitions.iter().flat_map(|definition| &definition.crd.spec.versions);
            for version in versions.filter(|version| version.served) {
                let mut config = config.clone();
                config.versions(Versions::Named(vec![version.name.clone()]));
                parts.push((config, one.clone()));
            }
            room = 0;
            continue;
        }
        let has_own = !accepted_objects(&one).is_empty();
        match parts.last_mut() {
            Some((_, part)) if lines <= room && (has_objects || !has_own) => drop(part.insert(file.clone())),
            _ => {
                room = most;
                has_objects = has_own;
                parts.push((config.clone(), one));
            }
        }
        room = room.saturating_sub(lines);
    }
    parts
}

/// Returns the combinations with their numbers.
fn configurations() -> Vec<(usize, Config)> {
    let config = |line: &str| serde_json::from_str(line).unwrap();
    COMBINATIONS.lines().map(config).enumerate().map(|(at, config)| (at + 1, config)).collect()
}

/// A workspace with packages of types, each of which has one combination.
struct Combined {
    workspace: Workspace,
    /// The packages that have a test, because there are objects of their types.
    tested: Vec<String>,
    /// The other packages.
    untested: Vec<String>,
}

impl Combined {
    fn new(name: &str) -> Self {
        let crdkit = workspace().join("crdkit");
        let dependencies = format!(
            "{DEPENDENCIES}crdkit = {{ path = {:?}, features = [\"validate\"] }}\n",
            crdkit.canonicalize().unwrap()
        );
        let workspace = Workspace::new(Path::new(env!("CARGO_TARGET_TMPDIR")), name, &dependencies);
        // With a package that depends on all of them, every run selects the same features, and nothing is built twice.
        let all: Vec<&str> =
            dependencies.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        workspace.add(ALL_DEPENDENCIES, &all);
        workspace.write(ALL_DEPENDENCIES, "src/lib.rs", "");
        Self { workspace, tested: Vec::new(), untested: vec![ALL_DEPENDENCIES.to_owned()] }
    }

    /// Adds a package with the types of definitions, and a test that reads and writes their objects, if there are any.
    fn add(&mut self, name: &str, config: &Config, files: &BTreeSet<String>) {
        let definitions = definitions_in(files);
        let modules = generated(&definitions, config).files;
        let root = modules.iter().find(|file| file.path == "mod.rs").unwrap();
        let needed = root.contents.lines().filter_map(|line| line.strip_prefix("// ")?.split_once(" = "));
        let needed: Vec<&str> = needed.map(|(name, _)| name).collect();
        self.workspace.add(name, &needed);
        for file in &modules {
            self.workspace.write(name, &format!("src/generated/{}", file.path), &file.contents);
        }
        // The documentation of deep types needs the limit that the files of such kinds name.
        let root = "#![deny(warnings)]\n#![recursion_limit = \"256\"]\npub mod generated;\n";
        self.workspace.write(name, "src/lib.rs", root);
        // Programs have the types in private modules, where clippy also reports what would change the interface of a library.
        self.workspace.write(name, "clippy.toml", "avoid-breaking-exported-api = false\n");
        let objects = accepted_objects(files);
        let arms = arms(name, config, &root_types(&definitions, config), &objects);
        if arms.is_empty() {
            self.untested.push(name.to_owned());
        } else {
            let lines: Vec<String> = objects.iter().map(Value::to_string).collect();
            self.workspace.write(name, "objects.jsonl", &lines.join("\n"));
            self.workspace.write(name, "tests/objects.rs", &round_trip(config, &arms));
            self.tested.push(name.to_owned());
        }
        let lines: usize = modules.iter().map(|module| module.contents.lines().count()).sum();
        println!("{name}: {lines} lines, {} objects, {}: {files:?}", objects.len(), json!(config));
    }

    /// Runs clippy and rustdoc, whose warnings are errors.
    fn lint(&self) {
        self.run(&["clippy", "--quiet", "--workspace", "--keep-going"]);
        self.doc();
    }

    /// Runs the tests that read and write objects.
    fn keep(&self) {
        self.run(&["test", "--quiet", "--workspace", "--no-fail-fast"]);
    }

    /// Does the same as `lint` and `keep`, but compiles no package twice: packages with a test are compiled by clippy.
    fn lint_and_keep(&self) {
        let mut clippy = vec!["clippy", "--quiet", "--keep-going"];
        clippy.extend(self.untested.iter().flat_map(|package| ["--package", package]));
        self.run(&clippy);
        self.doc();
        let mut test = vec!["test", "--quiet", "--no-fail-fast", "--package", ALL_DEPENDENCIES];
        test.extend(self.tested.iter().flat_map(|package| ["--package", package]));
        let started = Instant::now();
        let _ = self.workspace.cargo_with_clippy(&test);
        println!("clippy and test: {:?}", started.elapsed());
    }

    fn doc(&self) {
        self.run(&["doc", "--quiet", "--workspace", "--no-deps", "--keep-going"]);
    }

    fn run(&self, arguments: &[&str]) {
        let started = Instant::now();
        let _ = self.workspace.cargo(arguments);
        println!("{}: {:?}", arguments[0], started.elapsed());
    }
}

/// The package that depends on all crates that generated code uses.
const ALL_DEPENDENCIES: &str = "dependencies";

/// The crates that generated code uses, with the features that any combination needs.
const DEPENDENCIES: &str = r#"
bon = "3"
chrono = { version = "0.4", features = ["serde"] }
futures = "0.3"
jiff = { version = "0.2", features = ["serde"] }
k8s-openapi = { version = "0.29", features = ["latest", "schemars"] }
kube = { version = "5", default-features = false, features = ["client", "derive"] }
schemars = { version = "1", features = ["chrono04", "jiff02"] }
serde = { version = "1", features = ["derive"] }
serde_json = { version = "1", features = ["float_roundtrip"] }
tokio = { version = "1", features = ["time"] }
typed-builder = "0.23"
"#;

/// Returns the types of whole objects by `apiVersion` and `kind`: their paths below the generated module.
fn root_types(definitions: &[Definition], config: &Config) -> BTreeMap<(String, String), String> {
    // The modules are the same in both layouts.
    let files = generated(definitions, config.clone().layout(Layout::Tree)).files;
    let exports = |group: &str, version: &str| -> Option<(String, &GeneratedFile)> {
        let folder = format!("{}/{}", group.replace(['.', '-'], "_"), version);
        Some((folder.replace('/', "::"), files.iter().find(|file| file.path == format!("{folder}/mod.rs"))?))
    };
    let mut types = BTreeMap::new();
    for spec in definitions.iter().map(|definition| &definition.crd.spec) {
        for version in &spec.versions {
            let Some((module, file)) = exports(&spec.group, &version.name) else { continue };
            let mut names =
                file.contents.lines().filter_map(|line| line.rsplit("::").next()?.strip_suffix(';'));
            let Some(name) = names.find(|name| name.eq_ignore_ascii_case(&spec.names.kind)) else {
                continue;
            };
            let key = (format!("{}/{}", spec.group, version.name), spec.names.kind.clone());
            types.insert(key, format!("{module}::{name}"));
        }
    }
    types
}

/// Returns the arms of a test's `match` by the types of objects.
fn arms(
    name: &str,
    config: &Config,
    types: &BTreeMap<(String, String), String>,
    objects: &[Value],
) -> String {
    let text = |object: &Value, key: &str| object[key].as_str().unwrap().to_owned();
    let wanted: BTreeSet<(String, String)> =
        objects.iter().map(|object| (text(object, "apiVersion"), text(object, "kind"))).collect();
    let mut arms = String::new();
    for key in wanted {
        let Some(type_) = types.get(&key) else {
            // If only some versions have types, the objects of other versions cannot be read.
            let (chosen, (_, version)) = (&json!(config)["versions"], key.0.rsplit_once('/').unwrap());
            assert!(chosen.is_string() && *chosen != version, "no type for {key:?}");
            continue;
        };
        let (api_version, kind) = key;
        let krate = name.replace('-', "_");
        let _ = writeln!(
            arms,
            "            ({api_version:?}, {kind:?}) => again::<{krate}::generated::{type_}>(text),"
        );
    }
    arms
}

/// Returns a test that reads each object as its type, writes it again and compares.
fn round_trip(config: &Config, arms: &str) -> String {
    // k8s-openapi writes quantities as strings.
    let are_equivalent = json!(config)["k8s-openapi"] == "equivalent";
    include_str!("combinations/round_trip.rs")
        .replace("            // arms\n", arms)
        .replace("ARE_EQUIVALENT: bool = false", &format!("ARE_EQUIVALENT: bool = {are_equivalent}"))
}
