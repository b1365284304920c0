//! Random changes of definitions rename no type: a property or a definition is removed, and every name of the smaller run stands for
//! the type of the same place in the larger one, without a `names.lock`.
//!
//! The own definitions are tried in each run. `cargo test --release -p crd-codegen --test random_changes -- --ignored --nocapture` tries
//! the public ones, which lie next to the project; without optimization, it uses a tenth of them.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on fails")]

#[path = "../common/mod.rs"]
mod common;
mod declared;
#[path = "../common/objects.rs"]
mod objects;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::fixture;
use crd_codegen::{Config, Definition, Layout, Rejected, generate};
use crd_core::CustomResourceDefinition;
use crd_input::{Limits, in_parallel};
use declared::Declared;
use objects::objects;
use serde_json::Value;

/// Not `names`, where places give the same name on purpose.
const FIXTURES: &[&str] =
    &["clients", "discriminators", "enums", "family", "kubernetes", "roots", "shared", "unions"];

#[test]
fn no_property_of_our_definitions_renames_a_type_when_it_is_added() {
    let definitions: Vec<Definition> = FIXTURES.iter().flat_map(|name| fixture(name)).collect();
    let outcome = added_properties(&definitions, 20);
    println!("{outcome:?}");
    assert!(outcome.changes > 250 && outcome.names > 1000, "{outcome:?}");
    assert_eq!(outcome.renamed, [""; 0]);
}

#[test]
fn no_definition_of_ours_renames_a_type_when_it_is_added() {
    for name in FIXTURES {
        assert_eq!(added_definitions(&fixture(name), 7).renamed, [""; 0], "{name}");
    }
}

#[test]
#[ignore = "generates the corpus several times"]
fn hardly_a_property_of_public_definitions_renames_a_type_when_it_is_added() {
    let Some(definitions) = corpus() else { return };
    let outcome = added_properties(&definitions, 4);
    for renamed in &outcome.renamed {
        println!("{renamed}");
    }
    println!("{} changes, {} names, {} renamed", outcome.changes, outcome.names, outcome.renamed.len());
    // Names that are too long for their whole place, and that an earlier place has too now.
    assert!(outcome.renamed.len() * 10_000 <= outcome.names);
}

#[test]
#[ignore = "generates the corpus several times"]
fn no_public_definition_renames_a_type_when_it_is_added() {
    let Some(definitions) = corpus() else { return };
    let outcome = added_definitions(&definitions, 2);
    println!("{} changes, {} names", outcome.changes, outcome.names);
    assert_eq!(outcome.renamed, [""; 0]);
}

/// Returns the public definitions, each kind once: the module of a second one has a number that depends on the order.
fn corpus() -> Option<Vec<Definition>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/crds");
    if !folder.exists() {
        println!("skipped: the corpus is not beside the project");
        return None;
    }
    let limits = Limits::default();
    let (sources, _) = crd_input::sources(&[folder], &limits);
    let mut definitions = crd_input::definitions(&sources, &limits, &|| ()).definitions;
    let mut seen = BTreeSet::new();
    definitions.retain(|Definition { crd, .. }| {
        seen.insert((crd.spec.group.clone(), crd.spec.names.kind.to_lowercase()))
    });
    Some(match cfg!(debug_assertions) {
        true => definitions.into_iter().step_by(10).collect(),
        false => definitions,
    })
}

/// The result of some changes.
#[derive(Debug, Default)]
struct Outcome {
    changes: usize,
    /// The names of the smaller runs.
    names: usize,
    /// Those of them that are missing in the larger run, or stand for another type there.
    renamed: Vec<String>,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.changes += other.changes;
        self.names += other.names;
        self.renamed.extend(other.renamed);
    }

    /// Compares the names of the smaller run with those of the larger one.
    fn compare(&mut self, smaller: &Declared, larger: &Declared, change: &str) {
        self.changes += 1;
        for (module, name, place) in smaller.names() {
            self.names += 1;
            let there = larger.identity_at(module, &place);
            if there.is_none() || larger.resolve(module, name) != there {
                let found = larger.resolve(module, name);
                self.renamed.push(format!(
                    "{change}: {module} {name} of {} is {found:?}, not {there:?}",
                    place.join(".")
                ));
            }
        }
    }
}

/// Returns the generated types without `names.lock`, as a build script has them.
fn declared(definitions: &[Definition]) -> Declared {
    let mut config = Config::new();
    config.layout(Layout::SingleFile).docs(false).rejected(Rejected::Ignore);
    let generated = generate(definitions, &config);
    generated.files.first().map(|file| Declared::read(&file.contents)).unwrap_or_default()
}

/// Removes random properties of each definition, once at one place, once at all places of equal schemas.
fn added_properties(definitions: &[Definition], changes: usize) -> Outcome {
    let numbered: Vec<(usize, &Definition)> = definitions.iter().enumerate().collect();
    let outcomes = in_parallel(&numbered, |(seed, definition)| {
        let mut random = Random::new(*seed);
        let mut outcome = Outcome::default();
        let larger = declared(std::slice::from_ref(*definition));
        for change in 0..changes {
            if let Some((smaller, what)) = without_a_property(definition, change % 2 == 0, &mut random) {
                let what = format!("{}: {what}", definition.origin.file);
                outcome.compare(&declared(&[smaller]), &larger, &what);
            }
        }
        outcome
    });
    let mut all = Outcome::default();
    outcomes.into_iter().for_each(|outcome| all.add(outcome));
    all
}

/// Removes one definition of each group, and puts the others into another order.
fn added_definitions(definitions: &[Definition], changes: usize) -> Outcome {
    let mut groups: BTreeMap<&str, Vec<Definition>> = BTreeMap::new();
    for definition in definitions {
        groups.entry(&definition.crd.spec.group).or_default().push(definition.clone());
    }
    let groups: Vec<Vec<Definition>> = groups.into_values().filter(|group| group.len() > 1).collect();
    let outcomes = in_parallel(&groups, |group| {
        let mut random = Random::new(group.len());
        let mut outcome = Outcome::default();
        let larger = declared(group);
        for _ in 0..changes.min(group.len()) {
            let mut smaller = group.clone();
            let removed = smaller.remove(random.below(group.len()));
            let middle = random.below(smaller.len());
            smaller.rotate_left(middle);
            outcome.compare(&declared(&smaller), &larger, &removed.crd.spec.names.kind);
        }
        outcome
    });
    let mut all = Outcome::default();
    outcomes.into_iter().for_each(|outcome| all.add(outcome));
    all
}

/// Returns the definition before a random property was added, and the place of the property. With `everywhere`, the property is also added to all
/// objects with the same schema, descriptions aside, as a field of a Go type is.
fn without_a_property(
    definition: &Definition,
    everywhere: bool,
    random: &mut Random,
) -> Option<(Definition, String)> {
    let mut value = definition.crd.to_value();
    let versions = value["spec"]["versions"].as_array()?.len();
    let schema = &mut value["spec"]["versions"][random.below(versions)]["schema"]["openAPIV3Schema"];
    let mut places = Vec::new();
    objects(schema, "", &mut places);
    let has_properties = |place: &str| {
        let properties = schema.pointer(place).and_then(|object| object["properties"].as_object());
        properties.is_some_and(|properties| !properties.is_empty())
    };
    places.retain(|place| !place.is_empty() && has_properties(place));
    if places.is_empty() {
        return None;
    }
    let place = places[random.below(places.len())].clone();
    let object = schema.pointer(&place)?;
    let properties: Vec<&String> = object["properties"].as_object()?.keys().collect();
    let property = properties.get(random.below(properties.len()))?.to_string();
    let shape = shape(object);
    // From the inside out: an object may hold an equal one.
    for other in places.iter().rev().filter(|other| **other == place || everywhere) {
        let object = schema.pointer_mut(other)?;
        if *other == place || self::shape(object) == shape {
            remove(object, &property);
        }
    }
    let crd = CustomResourceDefinition::from_value(value).ok()?;
    Some((Definition { crd, origin: definition.origin.clone() }, format!("{place}/{property}")))
}

fn remove(object: &mut Value, property: &str) {
    if let Some(properties) = object["properties"].as_object_mut() {
        properties.remove(property);
    }
    if let Some(required) = object.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name != property);
    }
}

/// Returns the schema without descriptions.
fn shape(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let is_description =
                |(key, value): &(&String, &Value)| *key == "description" && value.is_string();
            let kept = keywords.iter().filter(|entry| !is_description(entry));
            kept.map(|(key, value)| (key.clone(), shape(value))).collect()
        }
        Value::Array(values) => values.iter().map(shape).collect(),
        other => other.clone(),
    }
}

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn new(seed: usize) -> Self {
        Self(0x9e37_79b9_7f4a_7c15 ^ u64::try_from(seed).unwrap())
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}
