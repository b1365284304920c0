//! Names of types depend neither on other definitions nor on added properties.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;
#[path = "common/made.rs"]
mod made;
#[path = "common/objects.rs"]
mod objects;

use std::collections::BTreeSet;

use common::fixture;
use crd_codegen::{Config, Definition, Generated, KeptNames, Rejected, generate};
use crd_core::CustomResourceDefinition;
use objects::objects;

#[test]
fn a_new_field_renames_no_type() {
    let mut definitions = fixture("family");
    let before = generate(&definitions, &Config::new());
    // A type that would be first from now on, and one that would take another's name.
    let mut value = definitions[2].crd.to_value();
    let properties = &mut value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    let selector = properties["spec"]["properties"]["keystore"]["properties"]["password"].clone();
    properties["access"] = selector;
    let other = serde_json::json!({"type": "object", "properties": {"x": {"type": "string"}}});
    properties["keystore"] = serde_json::json!({"type": "object", "properties": {"password": other}});
    definitions[2].crd = CustomResourceDefinition::from_value(value).unwrap();
    let after = generate(&definitions, Config::new().kept_names(before.names.clone()));
    let (old, new) = (type_names(&before), type_names(&after));
    assert_eq!(old.difference(&new).collect::<Vec<_>>(), Vec::<&String>::new());
    // Two types; the shared one at the root has its name already.
    assert_eq!(new.len(), old.len() + 2);

    // The output of the last run is the memory.
    let lock = before.files.iter().find(|file| file.path == "names.lock").unwrap();
    assert_eq!(KeptNames::parse(&lock.contents).as_ref(), Ok(&before.names));
    // No other kind has an influence: only a shallower place in the kind itself moves a name, without the lock.
    let without = generate(&definitions, &Config::new());
    assert_eq!(old.difference(&type_names(&without)).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// Wherever a property is added, first or last, of a shape that is new or that is known from elsewhere: what the lock file
/// has is called as before.
#[test]
fn no_added_property_renames_a_type() {
    const SCHEMA: &str = "/spec/versions/0/schema/openAPIV3Schema";
    for name in ["family", "shared", "unions"] {
        let definitions = fixture(name);
        let mut config = Config::new();
        config.docs(false).unions(true).rejected(Rejected::Ignore);
        let before = generate(&definitions, &config);
        assert_ne!(before.names, KeptNames::default());
        config.kept_names(before.names.clone());
        for (at, definition) in definitions.iter().enumerate() {
            let whole = definition.crd.to_value();
            let Some(schema) = whole.pointer(SCHEMA) else { continue };
            let mut places = Vec::new();
            objects(schema, "", &mut places);
            let known = places.last().and_then(|place| schema.pointer(place)).cloned().unwrap();
            let shapes =
                [serde_json::json!({"type": "object", "properties": {"added": {"type": "string"}}}), known];
            for (place, shape) in
                places.iter().flat_map(|place| shapes.iter().map(move |shape| (place, shape)))
            {
                let mut changed = whole.clone();
                let object = changed.pointer_mut(&format!("{SCHEMA}{place}")).unwrap();
                let old = object["properties"].as_object().unwrap().clone();
                let added = ("added".to_owned(), shape.clone());
                object["properties"] = std::iter::once(added).chain(old).collect();
                let mut definitions = definitions.clone();
                definitions[at].crd = CustomResourceDefinition::from_value(changed).unwrap();
                let after = generate(&definitions, &config);
                let lock = |generated: &Generated| {
                    let file = generated.files.iter().find(|file| file.path == "names.lock").unwrap();
                    file.contents.lines().map(str::to_owned).collect::<BTreeSet<_>>()
                };
                let (old, new) = (lock(&before), lock(&after));
                let lost: Vec<_> = old.difference(&new).collect();
                assert_eq!(lost, [""; 0], "{name}: `added` in {place}");
            }
        }
    }
}

/// A type of the user's, or a type that is left out, takes the place that a name comes from: the type keeps its name at other places.
#[test]
fn no_type_of_the_user_renames_a_type() {
    let definitions = [definition(serde_json::json!({
        "spec": object(serde_json::json!({
            "first": object(serde_json::json!({"port": port()})),
            "second": object(serde_json::json!({"inner": object(serde_json::json!({"port": port()}))})),
            "third": object(serde_json::json!({"inner": object(serde_json::json!({"port": port(), "size": {"type": "integer"}}))})),
            "list": {"type": "array", "items": object(serde_json::json!({"port": port(), "name": {"type": "string"}}))},
        })),
        "status": object(serde_json::json!({
            "list": {"type": "array", "items": object(serde_json::json!({"port": port(), "name": {"type": "string"}}))},
        })),
    }))];
    let before = generate(&definitions, &Config::new());
    let old = type_names(&before);
    for (option, gone) in [
        ("type:K.spec.first.port.protocol=crate::P", vec![]),
        ("type:K.spec.first.port=crate::P", vec![]),
        ("type:K.spec.first=crate::P", vec![]),
        ("type:K.spec.list[]=crate::P", vec![]),
        ("type:*.spec=crate::P", vec!["KSpec", "KFirst", "KSecond", "KThird", "KThirdInner"]),
        ("elide:KFirst", vec!["KFirst"]),
        ("elide:KSpec", vec!["KSpec", "KFirst", "KSecond", "KThird", "KThirdInner"]),
    ] {
        let mut config = Config::new();
        match option.split_once(':').unwrap() {
            ("type", rule) => config.type_override(rule.parse().unwrap()),
            (_, rule) => config.elide(rule.parse().unwrap()),
        };
        let after = generate(&definitions, config.kept_names(before.names.clone()));
        let new = type_names(&after);
        let expected: BTreeSet<String> =
            gone.iter().map(|name| format!("example_com/v1/k.rs {name}")).collect();
        let lost: BTreeSet<String> = old.difference(&new).cloned().collect();
        if option.starts_with("type:K.spec.first.port.") {
            // The type with the user's type within is another one: the name stays with the one that is as before.
            let lock = after.files.iter().find(|file| file.path == "names.lock").unwrap();
            assert!(
                lock.contents.contains("example.com/v1 KFirstPort K.spec.list[].port\n"),
                "{}",
                lock.contents
            );
        }
        assert_eq!(lost, expected, "{option}");
        // And they stay when the user's type goes away again, or when the run is repeated.
        let again = generate(&definitions, config.kept_names(after.names.clone()));
        assert_eq!(type_names(&again), new, "{option}");
        let back = type_names(&generate(&definitions, Config::new().kept_names(after.names)));
        let kept: BTreeSet<_> = new.intersection(&old).cloned().collect();
        assert!(kept.is_subset(&back), "{option}");
    }
}

fn object(properties: serde_json::Value) -> serde_json::Value {
    serde_json::json!({"type": "object", "properties": properties})
}

fn port() -> serde_json::Value {
    object(serde_json::json!({"protocol": {"type": "string", "enum": ["TCP", "UDP"]}}))
}

fn definition(properties: serde_json::Value) -> Definition {
    let version = serde_json::json!({
        "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": object(properties)},
    });
    made::definition(version)
}

/// Any selection of the definitions, in any order: what is there is called as in a separate run.
#[test]
fn no_other_definition_renames_a_type() {
    for name in ["family", "clients", "kubernetes", "names", "roots", "shared", "unions"] {
        let definitions = fixture(name);
        let mut config = Config::new();
        config.unions(true).apply(true).rejected(Rejected::Ignore);
        let alone: Vec<BTreeSet<String>> =
            definitions.iter().map(|one| type_names(&generate(std::slice::from_ref(one), &config))).collect();
        let count = definitions.len().min(4);
        for chosen in 1_u32..1 << count {
            let mut some: Vec<usize> = (0..count).filter(|at| chosen & (1 << at) != 0).collect();
            if chosen % 2 == 0 {
                some.reverse();
            }
            let together: Vec<Definition> = some.iter().map(|at| definitions[*at].clone()).collect();
            let expected: BTreeSet<String> = some.iter().flat_map(|at| alone[*at].clone()).collect();
            let names = type_names(&generate(&together, &config));
            let wrong: Vec<_> = names.symmetric_difference(&expected).collect();
            assert_eq!(wrong, [""; 0], "{name}: {some:?}");
        }
    }
}

/// Without the choice they are structs, and no type below them has another name for it.
#[test]
fn unions_rename_no_type() {
    let names = |config: &mut Config| {
        let generated = generate(&fixture("unions"), config);
        type_names(&generated)
    };
    let (with, without) = (names(Config::new().unions(true)), names(&mut Config::new()));
    assert_eq!(without.difference(&with).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// Returns the names of all types of kinds, with their modules.
fn type_names(generated: &Generated) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in generated.files.iter().filter(|file| !file.path.ends_with("/shared.rs")) {
        for line in file.contents.lines() {
            let words: Vec<&str> = line.split([' ', '<', ';']).collect();
            if let ["pub", "struct" | "enum" | "type", name, ..] = *words {
                names.insert(format!("{} {name}", file.path));
            }
        }
        let exports = file.contents.split("pub use super::shared::").nth(1).unwrap_or_default();
        let (exports, _) = exports.split_once(';').unwrap_or_default();
        for export in exports.trim_matches(['{', '}', '\n', ' ']).split(',').map(str::trim) {
            let name = export.rsplit(' ').next().unwrap_or_default();
            names.extend((!name.is_empty()).then(|| format!("{} {name}", file.path)));
        }
    }
    names
}
