//! Rules that can be broken are broken: made definitions with small domains, compared with all of their objects.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod domain;
mod made;
mod places;

use std::collections::BTreeSet;

use crd_core::CustomResourceDefinition;
use crd_core::admit::Validator;
use crd_sample::{Broken, Fault, Sampler};
use serde_json::{Value, json};

/// The made definitions.
const DEFINITIONS: u64 = 150;
/// The objects of a definition that are made at most, to find one for each rule.
const MOST_BROKEN: usize = 400;

/// The rules of made definitions.
#[derive(Default)]
struct Compared {
    definitions: usize,
    /// The rules that some object breaks alone.
    rules: usize,
    /// The rules that the sampler did not break, and the definitions without a sample.
    missing: Vec<String>,
}

/// If an object exists that breaks a rule and nothing else, the sampler finds one; and so with accepted objects.
#[test]
fn rules_are_broken_wherever_an_object_exists_that_breaks_them() {
    let Compared { definitions, rules, missing } = compared(0..DEFINITIONS);
    assert!(definitions > 80 && rules > 150, "only {rules} rules of {definitions} definitions were compared");
    assert!(missing.is_empty(), "{} of {rules}: {missing:#?}", missing.len());
}

/// `SAMPLE_SEED` is the first seed, `SAMPLE_DEFINITIONS` the number of definitions.
#[test]
#[ignore = "minutes: other made definitions"]
fn rules_of_many_definitions() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (first, count) = (number("SAMPLE_SEED", 10_000), number("SAMPLE_DEFINITIONS", 2000));
    let Compared { definitions, rules, missing } = compared(first..first + count);
    println!("{rules} rules of {definitions} definitions, {} missing", missing.len());
    missing.iter().for_each(|text| println!("{text}"));
    // No search finds everything.
    assert!(missing.len() * 100 <= rules, "{} of {rules}", missing.len());
}

fn compared(seeds: std::ops::Range<u64>) -> Compared {
    let mut out = Compared::default();
    for seed in seeds {
        let schema = made::schema(seed);
        let Some(specs) = domain::values(&schema["properties"]["spec"]) else { continue };
        let crd = definition(&schema);
        let validator = Validator::new(&crd).unwrap();
        let (mut breakable, mut is_accepted) = (BTreeSet::new(), false);
        for spec in specs {
            match validator.create(object(&spec)).result {
                Ok(_) => is_accepted = true,
                Err(refusal) if refusal.causes.len() == 1 => {
                    breakable.extend(refusal.broken_rules().map(|broken| broken.rule.clone()));
                }
                Err(_) => {}
            }
        }
        if !is_accepted {
            continue;
        }
        let sampler = Sampler::for_stored(&crd).unwrap();
        if sampler.minimal().is_err() {
            out.missing.push(format!("{seed}: an accepted object of {schema}"));
            continue;
        }
        out.definitions += 1;
        out.rules += breakable.len();
        let mut left = breakable;
        for broken in sampler.broken().take(MOST_BROKEN) {
            assert_alone(&validator, &broken);
            if let Fault::Rule(rule) = broken.fault {
                left.remove(&rule);
            }
            if left.is_empty() {
                break;
            }
        }
        out.missing.extend(left.into_iter().map(|rule| format!("{seed}: {rule} of {schema}")));
    }
    out
}

/// Asserts that an object is refused for its fault, and for nothing else.
fn assert_alone(validator: &Validator, broken: &Broken) {
    let refusal = validator.create(&broken.object).result.unwrap_err();
    let count = refusal.faults().count();
    assert_eq!(count, 1, "{}: {refusal}", broken.fault);
    assert_eq!(refusal.causes[0].message, broken.message);
    if let Fault::Rule(rule) = &broken.fault {
        assert_eq!(refusal.failed_rules[0].rule.trim(), rule);
    }
}

fn object(spec: &Value) -> Value {
    json!({"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "example"}, "spec": spec})
}

fn definition(schema: &Value) -> CustomResourceDefinition {
    definition_of(&[("v1", schema)])
}

/// Returns a definition with these versions, of which the first one is stored.
fn definition_of(versions: &[(&str, &Value)]) -> CustomResourceDefinition {
    let versions: Vec<Value> = versions
        .iter()
        .enumerate()
        .map(|(index, (name, schema))| {
            json!({"name": name, "served": true, "storage": index == 0, "schema": {"openAPIV3Schema": schema}})
        })
        .collect();
    let spec = json!({
        "group": "example.org", "names": {"plural": "things", "kind": "Thing"}, "scope": "Cluster",
        "versions": versions,
    });
    CustomResourceDefinition::from_value(json!({"metadata": {"name": "things.example.org"}, "spec": spec}))
        .unwrap()
}
