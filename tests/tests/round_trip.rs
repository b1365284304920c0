//! Round trips of definitions through types in the form `derive`: `crd()` of the compiled types returns the same definition in
//! normal form (`crd_tests::normalise`).
//!
//! The definitions of `round_trip/` run always: their types are `round_trip/generated.rs`, which `UPDATE_GOLDEN=1`
//! rewrites. Real ones belong to others and lie next to the workspace, and their types take minutes to compile:
//! `cargo test --release -p crd-tests --test round_trip -- --ignored`. `ROUND_TRIP=FILE,FILE` takes files of your own in
//! their place.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test that cannot go on fails")]

#[rustfmt::skip]
#[path = "round_trip/generated.rs"]
mod generated;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crd_codegen::{
    BytesType, Config, DateTimeType, Definition, Form, Generated, Layout, MapType, ProblemSeverity, generate,
};
use crd_core::CustomResourceDefinition;
use crd_input::Limits;
use crd_tests::normalise::{differences, normalised};
use crd_tests::project::Project;
use crd_tests::raw::raw;
use crd_tests::{shared, workspace};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Public definitions that differ after the round trip, by name, each with the reason.
const DIFFERENT: &[(&str, &str)] = &[];

fn read(paths: &[PathBuf]) -> Vec<Definition> {
    let limits = Limits::default();
    let (sources, errors) = crd_input::sources(paths, &limits);
    assert!(errors.is_empty(), "{}", errors[0]);
    let read = crd_input::definitions(&sources, &limits, &|| ());
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    read.definitions
}

fn derived(definitions: &[Definition], config: &Config) -> Generated {
    let generated = generate(definitions, config.clone().form(Form::Derive));
    let errors = generated.findings.iter().filter(|finding| finding.severity == ProblemSeverity::Error);
    let errors: Vec<_> =
        errors.map(|finding| format!("{}: {}", finding.origin.file, finding.diagnostic)).collect();
    assert_eq!(errors, [""; 0]);
    generated
}

fn fixtures() -> Vec<Definition> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/round_trip");
    let mut definitions = read(&[folder]);
    for definition in &mut definitions {
        // The header names the file independently of the place of the workspace.
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
    // Unions as enums need more attributes than unions as structs.
    let generated = derived(&definitions, Config::new().layout(Layout::SingleFile).unions(true));
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
fn objects_with_discriminators_come_back() {
    use generated::discriminators_example_com::v1::route::{Route, RouteFilter, RouteKind};

    let of = |spec: Value, status: Value| {
        let mut object = json!({
            "apiVersion": "discriminators.example.com/v1", "kind": "Route", "metadata": {"name": "r"}, "spec": spec,
        });
        if !status.is_null() {
            object["status"] = status;
        }
        object
    };
    let filters = json!([
        {"type": "RequestRedirect", "requestRedirect": {"hostname": "h", "statusCode": 301}},
        {"type": "URLRewrite", "urlRewrite": {}},
        {"type": "CORS"},
        {"type": "CORS", "cors": ["a"]},
        {"type": "Mirror", "mirror": 0.5},
    ]);
    for object in [
        of(
            json!({"kind": "Exact", "exact": "e", "host": "h", "filters": filters}),
            json!({"phase": "Failed"}),
        ),
        of(
            json!({"kind": "Prefix", "prefix": "/", "host": "h", "source": {"name": "n", "from": "None"}}),
            json!({"phase": "Failed", "failure": {"reason": "A"}}),
        ),
        of(
            json!({
                "kind": "Prefix", "prefix": "/", "host": "h",
                "source": {"name": "n", "from": "ConfigMap", "reference": {"key": "k"}, "optional": true},
                "byName": {"a": {"type": "Random"}, "b": {"type": "Random", "random": 4}},
                "balancer": {"type": "Hash", "hash": "x"}, "described": {"type": "Hash", "hash": "y"},
            }),
            json!({"phase": "Ready", "wire": {"a": "b"}}),
        ),
    ] {
        let read: Route = serde_json::from_value(object.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), object);
    }

    let read = |spec: Value| serde_json::from_value::<Route>(of(spec, Value::Null));
    let route =
        read(json!({"kind": "Exact", "exact": "e", "host": "h", "filters": [{"type": "CORS"}]})).unwrap();
    assert_eq!(route.spec.kind, RouteKind::Exact("e".to_owned()));
    assert_eq!(route.spec.filters, Some(vec![RouteFilter::Cors(None)]));
    let refused = |spec: Value| read(spec).unwrap_err().to_string();
    let message = refused(json!({"kind": "Exact", "prefix": "/", "host": "h"}));
    assert_eq!(message, "where `kind` is `Exact`, `exact` must be set, and none of `prefix`");
    let filter = json!({"type": "Mirror", "cors": []});
    let message = refused(json!({"kind": "Exact", "exact": "e", "host": "h", "filters": [filter]}));
    assert!(message.starts_with("where `type` is `Mirror`, `mirror` must be set"), "{message}");
}

#[test]
fn objects_without_a_spec_get_none() {
    use generated::kept_example_com::v1::Bin;

    let object = json!({"apiVersion": "kept.example.com/v1", "kind": "Bin", "metadata": {"name": "b"}});
    let read: Bin = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), object);
}

#[test]
fn fields_that_the_api_server_keeps_come_back() {
    use generated::kept_example_com::v1::Shelf;

    let spec = json!({
        "open": [{"known": "k", "more": {"a": [1, null]}}, {}],
        "closed": [{"known": "k"}],
        "objects": [{"more": null}, {}],
        "matrix": [[{"known": 1, "more": "m"}], []],
        "byName": {"n": [{"more": true}, null]},
        "resources": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "b"}, "more": 1}],
        "choices": [{"a": "a", "more": [1]}, {"b": "b"}],
        "anything": [1, {"known": 2}],
        "port": -1,
        "bounded": 65535,
        "target": "80%",
        "targets": [1, "2", null],
    });
    let object = json!({
        "apiVersion": "kept.example.com/v1", "kind": "Shelf", "metadata": {"name": "s"}, "spec": spec, "status": 6,
    });
    // The API server stores the value unchanged.
    let definition =
        fixtures().into_iter().find(|definition| definition.crd.spec.names.kind == "Shelf").unwrap();
    let stored =
        crd_core::admit::Validator::new(&definition.crd).unwrap().create(object.clone()).result.unwrap();
    let mut sent = object.clone();
    sent["metadata"] = stored["metadata"].clone();
    assert_eq!(stored, sent);
    let read: Shelf = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), stored);
}

#[test]
#[ignore = "compiles a hundred thousand lines, which takes minutes"]
fn demanding_definitions_come_back() {
    let Some(definitions) = demanding() else { return };
    let mut different = different("round_trip", &definitions, &Config::new());
    println!("{} of {} equal", definitions.len() - different.len(), definitions.len());
    different.retain(|name| DIFFERENT.iter().all(|(known, _)| name != known));
    assert_eq!(different, [""; 0]);
}

/// The other types for dates, bytes and maps give the same definition, and so do enums for unions, and types with kube's
/// traits.
#[test]
#[ignore = "compiles kube, which takes minutes"]
fn definitions_come_back_with_other_choices() {
    let Some(mut definitions) = demanding() else { return };
    definitions.retain(|definition| lines(definition) < 1_000);
    let (mut chrono, mut jiff) = (Config::new(), Config::new());
    chrono.kube(true).date_time(DateTimeType::Chrono).open_enums(true);
    jiff.kube(true)
        .date_time(DateTimeType::Jiff)
        .bytes(BytesType::Bytes)
        .map_type(MapType::Hash)
        .unions(true);
    for config in [chrono, jiff] {
        assert_eq!(different("round_trip_choices", &definitions, &config), [""; 0]);
    }
}

/// A discriminator is an enum, with a struct as which it is read and written.
#[test]
#[ignore = "compiles thirty thousand lines, which takes minutes"]
fn definitions_with_discriminators_come_back() {
    let Some(corpus) = shared("corpus") else { return };
    let mut definitions = chosen().map_or_else(|| read(&[corpus.join("crds")]), |files| read(&files));
    let config = Config::new().unions(true).open_enums(true).clone();
    definitions.retain(|definition| {
        let text = definition.crd.to_value().to_string();
        // Without rules there is nothing that a discriminator could be found by.
        (text.contains("x-kubernetes-validations") || text.contains("oneOf"))
            && crd_core::check(&definition.crd).is_empty()
            && has_discriminator(definition, &config)
            && lines(definition) < 2_000
    });
    let different = different("round_trip_discriminators", &definitions, &config);
    println!("{} of {} equal", definitions.len() - different.len(), definitions.len());
    assert_eq!(different, [""; 0]);
}

fn has_discriminator(definition: &Definition, config: &Config) -> bool {
    let generated = derived(std::slice::from_ref(definition), config);
    generated.files.iter().any(|file| file.contents.contains("try_from = "))
}

/// Returns the files of `ROUND_TRIP`, if it is set.
fn chosen() -> Option<Vec<PathBuf>> {
    let files = std::env::var("ROUND_TRIP").ok()?;
    Some(files.split(',').map(PathBuf::from).collect())
}

/// Returns the definitions of `demanding.txt` that the API server accepts, or those of `ROUND_TRIP`.
fn demanding() -> Option<Vec<Definition>> {
    let paths: Vec<PathBuf> = match chosen() {
        Some(files) => files,
        None => {
            let corpus = shared("corpus")?;
            let list = fs::read_to_string(corpus.join("demanding.txt")).unwrap();
            list.lines().map(|line| corpus.join(line)).collect()
        }
    };
    let mut definitions = read(&paths);
    definitions.retain(|definition| crd_core::check(&definition.crd).is_empty());
    Some(definitions)
}

fn lines(definition: &Definition) -> usize {
    let generated = derived(std::slice::from_ref(definition), &Config::new());
    generated.files.iter().map(|file| file.contents.lines().count()).sum()
}

/// Returns the names of the definitions that differ after the round trip.
fn different(package: &str, definitions: &[Definition], config: &Config) -> Vec<String> {
    let after = again(package, definitions, config);
    let (mut different, mut raw_equal, mut nearly_equal) = (Vec::new(), 0, 0);
    for Definition { crd, .. } in definitions {
        let name = &crd.metadata.name;
        let found = match after.get(name).map(|after| CustomResourceDefinition::from_value(after.clone())) {
            Some(Ok(after)) => differences(&normalised(crd), &normalised(&after)),
            Some(Err(error)) => vec![error.to_string()],
            None => vec!["there is none".to_owned()],
        };
        println!("{name}: {}", if found.is_empty() { "equal" } else { "different" });
        if let Some(after) = after.get(name) {
            let mut raw = differences(&raw(&crd.to_value()), &raw(after));
            raw_equal += usize::from(raw.is_empty());
            // The API server publishes texts of its own for them.
            let of_types =
                ["apiVersion", "kind", "metadata"].map(|name| format!("openAPIV3Schema.properties.{name}: "));
            raw.retain(|line| !of_types.iter().any(|place| line.contains(place)));
            nearly_equal += usize::from(raw.is_empty());
            for line in raw.iter().take(8) {
                println!("    raw: {}", line.chars().take(160).collect::<String>());
            }
        }
        for line in found.iter().take(5) {
            println!("    {}", line.chars().take(300).collect::<String>());
        }
        if !found.is_empty() {
            different.push(name.clone());
        }
    }
    println!(
        "as raw JSON, {raw_equal} of {} are equal, and {nearly_equal} but for the schemas of apiVersion, kind and metadata",
        definitions.len()
    );
    different
}

/// Returns the definitions that `crd()` of the compiled types returns, by name.
fn again(package: &str, definitions: &[Definition], config: &Config) -> BTreeMap<String, Value> {
    let parcels = parcels(definitions);
    let generated: Vec<Generated> = parcels.iter().map(|parcel| derived(parcel, config)).collect();
    let project = Project::new(Path::new(env!("CARGO_TARGET_TMPDIR")), package, &dependencies(&generated));
    for (at, generated) in generated.iter().enumerate() {
        for file in &generated.files {
            project.write(&format!("src/bin/parcel{at}/generated/{}", file.path), &file.contents);
        }
        project.write(&format!("src/bin/parcel{at}/main.rs"), MAIN);
    }
    // All definitions together, on all cores.
    let _ = project.cargo(&["build", "--quiet", "--bins"]);
    let mut found = BTreeMap::new();
    for at in 0..generated.len() {
        let stdout = project.cargo(&["run", "--quiet", "--bin", &format!("parcel{at}")]);
        for line in stdout.lines() {
            let crd: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            found.insert(crd["metadata"]["name"].as_str().unwrap_or_default().to_owned(), crd);
        }
    }
    found
}

const MAIN: &str = r#"#![deny(warnings)]

mod generated;

fn main() {
    match generated::definitions::all() {
        Ok(crds) => crds.iter().for_each(|crd| println!("{}", crd.to_value())),
        Err(error) => println!("{}", serde_json::json!({"kind": error.to_string()})),
    }
}
"#;

/// Returns the definitions in batches, each of which rustc compiles with a few gigabytes of memory. One batch would need more memory than
/// most machines have, and single definitions would need more time.
fn parcels(definitions: &[Definition]) -> Vec<Vec<Definition>> {
    const LINES: usize = 8_000;
    let mut parcels: Vec<Vec<Definition>> = Vec::new();
    let mut room = 0;
    for definition in definitions {
        let lines = lines(definition);
        match parcels.last_mut() {
            Some(parcel) if lines <= room => parcel.push(definition.clone()),
            _ => {
                room = LINES;
                parcels.push(vec![definition.clone()]);
            }
        }
        room = room.saturating_sub(lines);
    }
    parcels
}

/// Returns the dependencies that the generated code names, with this crdkit and with the parts of kube that are used.
fn dependencies(generated: &[Generated]) -> String {
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    let roots = generated.iter().flat_map(|generated| &generated.files).filter(|file| file.path == "mod.rs");
    for root in roots {
        let lines = root.contents.lines().skip_while(|line| *line != "// [dependencies]").skip(1);
        for line in lines.map_while(|line| line.strip_prefix("// ")) {
            let name = line.split(' ').next().unwrap_or_default();
            let line = match name {
                "crdkit" => {
                    format!("crdkit = {{ path = {:?}, features = [\"check\"] }}", workspace().join("crdkit"))
                }
                "kube" => {
                    "kube = { version = \"5\", default-features = false, features = [\"client\"] }".to_owned()
                }
                _ => line.to_owned(),
            };
            let wanted = found.entry(name).or_default();
            // The line has features if a dependency needs some.
            if wanted.len() < line.len() {
                *wanted = line;
            }
        }
    }
    found.into_values().map(|line| line + "\n").collect()
}
