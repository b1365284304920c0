//! Hostile schemas, and objects that exploit them, are answered within the limits on time and memory that are promised for
//! their size.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

mod defaults;
mod definitions;
mod patterns;
mod products;
mod texts;
mod updates;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crd_tests::tool::{Bounds, Outcome, empty_directory, release_build};
use serde_json::{Map, Value, json};

/// Slightly less than the size of the largest request that the API server reads.
const REQUEST: usize = 3_000_000;

struct Bomb {
    name: &'static str,
    crd: Value,
    /// The object that is validated, and the one that it replaces. Without an object, the definition is checked.
    objects: Option<(Value, Option<Value>)>,
    expected: Outcome,
}

/// `HOSTILE=name` runs only the bomb with that name.
#[test]
#[ignore = "builds the tool in release"]
fn hostile_schemas() {
    let failures = each_bomb("hostile-schemas", |tool, folder, bomb| match run(tool, folder, bomb) {
        Ok(found) if found == bomb.expected => Ok(()),
        Ok(found) => Err(format!("{found:?}, not {:?}", bomb.expected)),
        Err(message) => Err(message),
    });
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// The commands that publish a definition have an answer, too, whatever it is.
#[test]
#[ignore = "builds the tool in release"]
fn hostile_schemas_are_published() {
    let failures = each_bomb("hostile-publications", |tool, folder, bomb| {
        let crd = folder.join(format!("{}.json", bomb.name));
        let text = bomb.crd.to_string();
        fs::write(&crd, &text).unwrap();
        let bounds = Bounds::promised(text.len() as u64);
        let schemas = folder.join("schemas");
        let pages = folder.join("pages");
        let commands: [&[&OsStr]; 10] = [
            &["explain".as_ref(), "things".as_ref(), "--recursive".as_ref(), "-f".as_ref(), crd.as_ref()],
            &["openapi".as_ref(), crd.as_ref()],
            &["schema".as_ref(), "--strict".as_ref(), "--out".as_ref(), schemas.as_ref(), crd.as_ref()],
            &["docs".as_ref(), "--out".as_ref(), pages.as_ref(), crd.as_ref()],
            &["sample".as_ref(), "--minimal".as_ref(), crd.as_ref()],
            &["sample".as_ref(), "--full".as_ref(), crd.as_ref()],
            &["sample".as_ref(), "--format".as_ref(), "rust".as_ref(), crd.as_ref()],
            &["sample".as_ref(), "--comments".as_ref(), crd.as_ref()],
            &["sample".as_ref(), "--alternatives".as_ref(), crd.as_ref()],
            &["lint".as_ref(), "--profile".as_ref(), "kubernetes".as_ref(), "-q".as_ref(), crd.as_ref()],
        ];
        for arguments in commands {
            let answer = bounds.run(tool, arguments);
            answer.map_err(|message| format!("{}: {message}", arguments[0].display()))?;
        }
        let _ = fs::remove_dir_all(schemas);
        let _ = fs::remove_dir_all(pages);
        Ok(())
    });
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Two definitions are compared, or found to be too large for it: a changed one with itself, and one with another.
#[test]
#[ignore = "builds the tool in release"]
fn hostile_schemas_are_compared() {
    let before: RefCell<Option<PathBuf>> = RefCell::default();
    let failures = each_bomb("hostile-comparisons", |tool, folder, bomb| {
        let write = |suffix: &str, crd: &Value| {
            let file = folder.join(format!("{}{suffix}.json", bomb.name));
            fs::write(&file, crd.to_string()).unwrap();
            file
        };
        let (crd, changed) = (write("", &bomb.crd), write("-changed", &changed(&bomb.crd)));
        let size = |file: &Path| fs::metadata(file).unwrap().len();
        let others = [Some(changed), before.replace(Some(crd.clone()))];
        for other in others.into_iter().flatten() {
            let bounds = Bounds::promised_for_both(size(&crd), size(&other));
            let answer = bounds.run(tool, &["diff".as_ref(), crd.as_ref(), other.as_ref()]);
            answer.map_err(|message| format!("diff with {}: {message}", other.display()))?;
        }
        Ok(())
    });
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Pairs whose changes once kept a deep path each, or searched without end.
#[test]
#[ignore = "builds the tool in release"]
fn changes_are_compared_within_limits() {
    let tool = release_build();
    let folder = empty_directory("hostile-changes");
    let write = |name: &str, value: &Value| fs::write(folder.join(name), value.to_string()).unwrap();
    let spec = |schema: Value| definition(schema, false);
    let fields = |type_: &str| {
        let fields: Map<String, Value> =
            (0..10_000).map(|i| (format!("p{i}"), json!({"type": type_}))).collect();
        (0..90).fold(
            json!({"type": "object", "properties": fields}),
            |below, _| json!({"type": "object", "properties": {"a": below}}),
        )
    };
    write("deep-old.json", &spec(fields("integer")));
    write("deep-new.json", &spec(fields("string")));
    write("long-old.json", &spec(json!({"type": "object", "properties": {"x": {"type": "string"}}})));
    let long = json!({"type": "string", "minLength": 1_000_000_000});
    write("long-new.json", &spec(json!({"type": "object", "properties": {"x": long}})));
    let path = |name: &str| folder.join(name).into_os_string();
    // Ten thousand changes have too few steps each. The first ones are decided by single values, the others are undecided.
    for (old, new, more, outcome) in [
        ("deep-old.json", "deep-new.json", vec![], Outcome::Wrong),
        ("long-old.json", "long-new.json", vec!["--budget".into(), "100000".into()], Outcome::Wrong),
    ] {
        let inputs = ["diff".into(), "-q".into(), path(old), path(new)];
        let arguments: Vec<OsString> = inputs.into_iter().chain(more).collect();
        let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
        let answer = Bounds::promised_for_both(0, 0).run(&tool, &arguments);
        assert_eq!(answer, Ok(outcome), "{arguments:?}");
    }
}

/// The searches for the samples of many definitions share their steps, however few each of them takes.
#[test]
#[ignore = "builds the tool in release"]
fn samples_of_many_definitions_share_their_steps() {
    let tool = release_build();
    let folder = empty_directory("hostile-samples");
    let (file, pages) = (folder.join("crds.json"), folder.join("pages"));
    // No string matches all of them.
    let pattern = |at: usize, letter: &str| json!({"pattern": format!("^(a|b)*{letter}(a|b){{{at}}}$")});
    let patterns: Vec<Value> = (0..20).flat_map(|at| ["a", "b"].map(|letter| pattern(at, letter))).collect();
    let text = json!({"type": "string", "allOf": patterns});
    let spec = json!({"type": "object", "required": ["x"], "properties": {"x": text}});
    for count in [100, 1000] {
        let definition = |number: usize| {
            let mut crd = definition(spec.clone(), false);
            crd["metadata"]["name"] = json!(format!("things{number}.hostile.example.org"));
            crd["spec"]["names"] = json!({
                "plural": format!("things{number}"), "singular": format!("thing{number}"),
                "kind": format!("Thing{number}"), "listKind": format!("Thing{number}List"),
            });
            crd
        };
        let definitions: Vec<Value> = (0..count).map(definition).collect();
        let text = json!({"apiVersion": "v1", "kind": "List", "items": definitions}).to_string();
        fs::write(&file, &text).unwrap();
        let commands: [&[&OsStr]; 3] = [
            &["sample".as_ref(), "-q".as_ref(), file.as_ref()],
            &["docs".as_ref(), "--out".as_ref(), pages.as_ref(), file.as_ref()],
            &[
                "generate".as_ref(),
                "-q".as_ref(),
                "--samples".as_ref(),
                file.as_ref(),
                "-o".as_ref(),
                "-".as_ref(),
            ],
        ];
        for arguments in commands {
            let answer = Bounds::promised(text.len() as u64).run(&tool, arguments);
            assert!(answer.is_ok(), "{count} {}: {answer:?}", arguments[0].display());
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// Real objects that a change makes invalid everywhere are tried within the limits: one whose answer is long, and many of them.
#[test]
#[ignore = "builds the tool in release"]
fn invalid_objects_are_tried_within_limits() {
    let tool = release_build();
    let folder = empty_directory("hostile-real-objects");
    let file = |name: &str, value: Value| {
        let file = folder.join(name);
        fs::write(&file, value.to_string()).unwrap();
        file
    };
    let lists = |type_: &str| {
        definition(json!({"type": "object", "properties": {"l": list(json!({"type": type_}))}}), false)
    };
    let (old, new) = (file("old.json", lists("integer")), file("new.json", lists("string")));
    for (count, items) in [(1, 700_000), (5_000, 100)] {
        let one = |number: usize| {
            let mut object = object(json!({"l": vec![1; items]}));
            object["metadata"]["name"] = json!(format!("a{number}"));
            object
        };
        let objects: Vec<Value> = (0..count).map(one).collect();
        let objects = file("objects.json", json!({"apiVersion": "v1", "kind": "List", "items": objects}));
        let arguments = [
            "diff".as_ref(),
            "-q".as_ref(),
            "--objects".as_ref(),
            objects.as_ref(),
            old.as_ref(),
            new.as_ref(),
        ];
        let answer = Bounds::promised_for_both(0, 0).run(&tool, &arguments);
        assert_eq!(answer, Ok(Outcome::Wrong), "{count} objects of {items} items");
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// Returns the definition with a new property, with other bounds for `spec`, and with `null` in the first fields of it.
fn changed(crd: &Value) -> Value {
    let mut crd = crd.clone();
    let Some(version) = crd["spec"]["versions"].get_mut(0) else { return crd };
    let Some(properties) = version.pointer_mut("/schema/openAPIV3Schema/properties") else { return crd };
    properties["added"] = json!({"type": "string"});
    if let Some(spec) = properties.get_mut("spec").filter(|spec| spec.is_object()) {
        spec["nullable"] = json!(true);
        match spec["type"].as_str() {
            Some("array") => spec["maxItems"] = json!(3),
            Some("string") => spec["maxLength"] = json!(3),
            _ => {}
        }
        if let Some((_, first)) =
            spec.get_mut("properties").and_then(|all| all.as_object_mut()?.iter_mut().next())
        {
            first["nullable"] = json!(true);
        }
        if let Some(items) = spec.get_mut("items").filter(|items| items.is_object()) {
            items["nullable"] = json!(true);
        }
    }
    crd
}

/// Runs all bombs, in a folder with that name, and returns what went wrong.
fn each_bomb(folder: &str, run: impl Fn(&Path, &Path, &Bomb) -> Result<(), String>) -> Vec<String> {
    let tool = release_build();
    let folder = empty_directory(folder);
    let wanted = std::env::var("HOSTILE").ok();
    let mut failures = Vec::new();
    let mut ran = 0;
    // Only one group is in memory at a time.
    let groups =
        [definitions::bombs, patterns::bombs, products::bombs, defaults::bombs, texts::bombs, updates::bombs];
    for bomb in groups.into_iter().flat_map(|bombs| bombs()) {
        if wanted.as_ref().is_some_and(|wanted| wanted != bomb.name) {
            continue;
        }
        ran += 1;
        failures.extend(run(&tool, &folder, &bomb).err().map(|message| format!("{}: {message}", bomb.name)));
    }
    assert!(wanted.is_some() || ran >= 90, "only {ran} bombs");
    failures
}

fn run(tool: &Path, folder: &Path, bomb: &Bomb) -> Result<Outcome, String> {
    let mut read = Vec::new();
    let mut file = |suffix: &str, value: &Value| {
        let file = folder.join(format!("{}{suffix}.json", bomb.name));
        let text = value.to_string();
        read.push(text.len() as u64);
        fs::write(&file, text).unwrap();
        file
    };
    let crd = file("-crd", &bomb.crd);
    let objects = bomb.objects.as_ref();
    let object = objects.map(|(object, _)| file("", object));
    let old = objects.and_then(|(_, old)| old.as_ref()).map(|old| file("-old", old));
    let mut arguments: Vec<&OsStr> = Vec::new();
    match &object {
        None => arguments.extend(["check".as_ref(), crd.as_os_str()]),
        Some(object) => {
            arguments.extend(["validate".as_ref(), "--crd".as_ref(), crd.as_os_str()]);
            if let Some(old) = &old {
                arguments.extend(["--old".as_ref(), old.as_os_str()]);
            }
            arguments.push(object.as_os_str());
        }
    }
    Bounds::promised_for(&read).run(tool, &arguments)
}

fn check(name: &'static str, spec: Value, expected: Outcome) -> Bomb {
    Bomb { name, crd: definition(spec, false), objects: None, expected }
}

fn validate(name: &'static str, spec: Value, object: Value, expected: Outcome) -> Bomb {
    Bomb { name, crd: definition(spec, false), objects: Some((self::object(object), None)), expected }
}

fn update(name: &'static str, spec: Value, object: Value, old: Value, expected: Outcome) -> Bomb {
    let objects = Some((self::object(object), Some(self::object(old))));
    Bomb { name, crd: definition(spec, false), objects, expected }
}

/// Returns a definition whose `spec` has this schema, and whose `status` has it as well if that is a subresource.
fn definition(spec: Value, has_status: bool) -> Value {
    let status = if has_status { spec.clone() } else { json!({"type": "object"}) };
    let subresources = if has_status { json!({"status": {}}) } else { json!({}) };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.hostile.example.org"},
        "spec": {
            "group": "hostile.example.org",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "scope": "Cluster",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": subresources,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
            }],
        },
    })
}

fn object(spec: Value) -> Value {
    json!({"apiVersion": "hostile.example.org/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn many(count: usize, item: impl Fn(usize) -> Value) -> Value {
    (0..count).map(item).collect()
}

fn fields(count: usize, value: impl Fn(usize) -> Value) -> Value {
    Value::Object((0..count).map(|i| (format!("f{i}"), value(i))).collect::<Map<_, _>>())
}

fn names(count: usize) -> Value {
    many(count, |i| json!(format!("f{i}")))
}

/// Returns a string of two letters in random order.
fn random_text(length: usize) -> String {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 'a' } else { 'b' }
    };
    (0..length).map(|_| next()).collect()
}
