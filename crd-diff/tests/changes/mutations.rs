//! Random changes of definitions: every witness is an answer of admission, and no object shows a class that is not named.
use crd_core::CustomResourceDefinition;
use crd_core::admit::Validator;
use crd_diff::{Class, Finding, Options, Witness, diff};
use crd_sample::Sampler;
use serde_json::{Value, json};

use super::cases::cases;

/// A generator of random numbers, the same in every run: `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % count.max(1) as u64) as usize
    }
}

/// The paths of all schemas below the spec.
fn schemas(schema: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        schemas(property, &format!("{at}/properties/{}", name.replace('/', "~1")), out);
    }
    for below in ["items", "additionalProperties"] {
        if schema[below].is_object() {
            schemas(&schema[below], &format!("{at}/{below}"), out);
        }
    }
}

/// The definition after one random change of a schema.
fn mutated(crd: &CustomResourceDefinition, random: &mut Random) -> CustomResourceDefinition {
    let mut value = crd.to_value();
    let root = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    let mut all = Vec::new();
    schemas(value.pointer(root).unwrap(), root, &mut all);
    let schema = value.pointer_mut(&all[random.below(all.len())]).unwrap();
    let keywords: Vec<String> =
        schema.as_object().unwrap().keys().filter(|name| *name != "type").cloned().collect();
    match random.below(3) {
        0 if !keywords.is_empty() => {
            schema.as_object_mut().unwrap().remove(&keywords[random.below(keywords.len())]);
        }
        _ => {
            let (name, new) = match schema["type"].as_str() {
                Some("string") => [
                    ("maxLength", json!(random.below(6))),
                    ("minLength", json!(random.below(4))),
                    ("enum", json!(["a", "b"])),
                    ("pattern", json!("^[a-c]*$")),
                    ("default", json!("a")),
                    ("format", json!("date")),
                    ("nullable", json!(true)),
                ][random.below(7)]
                .clone(),
                Some("integer" | "number") => [
                    ("maximum", json!(random.below(20))),
                    ("minimum", json!(random.below(9))),
                    ("multipleOf", json!(1 + random.below(4))),
                    ("default", json!(1)),
                    ("x-kubernetes-validations", json!([{"rule": "self > 3"}])),
                ][random.below(5)]
                .clone(),
                Some("array") => [("maxItems", json!(random.below(4))), ("minItems", json!(random.below(3)))]
                    [random.below(2)]
                .clone(),
                Some("object") => [
                    (
                        "required",
                        json!(
                            schema["properties"]
                                .as_object()
                                .and_then(|all| all.keys().next())
                                .into_iter()
                                .collect::<Vec<_>>()
                        ),
                    ),
                    ("x-kubernetes-preserve-unknown-fields", json!(true)),
                    ("maxProperties", json!(random.below(3))),
                    ("minProperties", json!(random.below(3))),
                ][random.below(4)]
                .clone(),
                _ => ("nullable", json!(true)),
            };
            schema[name] = new;
        }
    }
    CustomResourceDefinition::from_value(value).unwrap()
}

/// Asks admission again about a witness that has a refusal.
fn confirm(old: &Validator, new: &Validator, witness: &Witness) {
    let (first, second) = match witness.class {
        Class::Write | Class::Edit | Class::Stuck => (old, new),
        Class::Read | Class::Rollback => (new, old),
        _ => return,
    };
    let Some(object) = &witness.new else { panic!("{witness:?}") };
    if !witness.answer.contains("invalid") {
        return;
    }
    match &witness.old {
        None => {
            assert!(first.create(object).is_accepted(), "{witness:?}");
            assert_eq!(second.create(object).result.unwrap_err().to_string(), witness.answer);
        }
        Some(stored) => {
            assert_eq!(second.update(object, stored).result.unwrap_err().to_string(), witness.answer);
        }
    }
}

/// The classes that an object shows by create alone.
fn shown(old: &Validator, new: &Validator, object: &Value) -> Vec<Class> {
    match (old.create(object).is_accepted(), new.create(object).is_accepted()) {
        (true, false) => vec![Class::Write],
        (false, true) => vec![Class::Read, Class::Rollback],
        _ => Vec::new(),
    }
}

fn play(rounds: usize, samples: usize) {
    let all = cases("schemas");
    let mut random = Random(7);
    let mut findings_of_all = 0;
    for round in 0..rounds {
        let case = &all[random.below(all.len())];
        let old = &case.old;
        let mut new = mutated(old, &mut random);
        if random.below(3) == 0 {
            new = mutated(&new, &mut random);
        }
        let (Ok(old_validator), Ok(new_validator)) = (Validator::new(old), Validator::new(&new)) else {
            continue;
        };
        let findings: Vec<Finding> = diff(old, &new, &Options::default());
        findings_of_all += findings.len();
        for finding in &findings {
            for witness in &finding.witnesses {
                assert!(finding.has(witness.class) && !finding.undecided.contains(&witness.class));
                confirm(&old_validator, &new_validator, witness);
            }
        }
        for crd in [old, &new] {
            let sampler = Sampler::new(crd, "v1").unwrap().with_seed(round as u64 + 1);
            for object in sampler.accepted().take(samples) {
                for class in shown(&old_validator, &new_validator, &object) {
                    let is_named = findings.iter().any(|finding| finding.has(class));
                    assert!(is_named, "{}: {class} of {object}: {findings:#?}", case.name);
                }
            }
        }
    }
    assert!(findings_of_all > rounds / 2, "{findings_of_all}");
}

#[test]
fn objects_show_nothing_that_findings_leave_out() {
    play(40, 20);
}

#[test]
#[ignore = "minutes"]
fn many_objects_show_nothing_that_findings_leave_out() {
    play(3000, 200);
}
