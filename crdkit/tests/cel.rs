//! `cel`: what the API server says to objects and to parts of them, as methods of the types, as kube-derive has it.
#![cfg(feature = "testing")]

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "example.com", version = "v1", kind = "Pool", namespaced, cel)]
#[kube(validation = Rule::new("self.metadata.name == 'one'").message("there is one pool"))]
#[x_kube(cel, validation = ("self.min <= self.max", "min is above max"))]
struct PoolSpec {
    min: i32,
    #[x_kube(validation = Rule::new("self >= oldSelf").message("pools do not shrink"))]
    max: i32,
    #[schemars(length(max = 3))]
    name: String,
}

fn pool(object: &str, min: i32, max: i32) -> Pool {
    Pool::new(object, PoolSpec { min, max, name: "a".to_owned() })
}

/// Returns the places and messages of what was found.
fn causes(answer: Result<(), crdkit::testing::Rejection>) -> Vec<(String, String)> {
    let causes = answer.map_or_else(|refusal| refusal.causes, |()| Vec::new());
    causes.into_iter().map(|cause| (cause.field.to_string(), cause.message)).collect()
}

#[test]
fn rules_of_the_object_and_of_its_parts_run() {
    assert_eq!(causes(pool("one", 1, 2).validate_cel()), []);
    let found = causes(pool("two", 2, 1).validate_cel());
    let texts: Vec<_> = found.iter().map(|(_, message)| message.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("there is one pool")), "{found:?}");
    assert!(texts.iter().any(|text| text.contains("min is above max")), "{found:?}");
    // The answer is the whole one: kube-derive runs rules alone.
    let long = Pool::new("one", PoolSpec { min: 1, max: 2, name: "abcd".to_owned() });
    assert_eq!(causes(long.validate_cel())[0].0, "spec.name");
}

#[test]
fn rules_of_the_old_object_run_on_updates() {
    let old = pool("one", 1, 3);
    assert_eq!(causes(pool("one", 1, 4).validate_cel_update(&old)), []);
    let found = causes(pool("one", 1, 2).validate_cel_update(&old));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "spec.max");
    assert!(found[0].1.contains("pools do not shrink"), "{found:?}");
}

#[test]
fn a_part_is_judged_by_itself() {
    let value = |min: i32, max: i32| json!({"min": min, "max": max, "name": "a"});
    assert_eq!(causes(PoolSpec::validate_cel(&value(1, 2), None)), []);
    let found = causes(PoolSpec::validate_cel(&value(3, 2), None));
    // The value itself, as Go prints a path without steps.
    assert_eq!(found[0].0, "<nil>");
    assert!(found[0].1.contains("min is above max"), "{found:?}");
    let refusal = PoolSpec::validate_cel(&value(3, 2), None).expect_err("min is above max");
    assert!(refusal.failed_rules[0].at.is_root(), "{:?}", refusal.failed_rules);
    let found = causes(PoolSpec::validate_cel(&value(1, 2), Some(&value(1, 3))));
    assert_eq!(found[0].0, "max");
    let found = causes(PoolSpec::validate_cel(&json!({"min": 1, "max": "2"}), None));
    assert!(found.iter().any(|(field, _)| field == "max") && found.iter().any(|(field, _)| field == "name"));
}

/// A part with a parameter, and an enum.
#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(cel)]
enum Either<T> {
    Left(T),
    #[crd(validation = "self.depth < 3")]
    Right {
        depth: i32,
    },
}

#[test]
fn parts_have_parameters() {
    assert_eq!(causes(Either::<String>::validate_cel(&json!({"Left": "a"}), None)), []);
    assert!(!causes(Either::<bool>::validate_cel(&json!({"Left": "a"}), None)).is_empty());
    assert!(!causes(Either::<bool>::validate_cel(&json!({"Right": {"depth": 3}}), None)).is_empty());
}

/// A part whose rule has the name of the old value in a string.
#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.a != 'oldSelf'")]
struct Named {
    a: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(cel)]
struct PerhapsNamed {
    #[serde(flatten)]
    named: Option<Named>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(cel)]
#[serde(tag = "type")]
enum OneNamed {
    A(Named),
    B,
}

#[test]
fn a_string_is_not_the_old_value() {
    assert_eq!(causes(PerhapsNamed::validate_cel(&json!({"a": "b"}), None)), []);
    assert_eq!(causes(PerhapsNamed::validate_cel(&json!({"a": "oldSelf"}), None)).len(), 1);
    assert_eq!(causes(OneNamed::validate_cel(&json!({"type": "A", "a": "b"}), None)), []);
    assert_eq!(causes(OneNamed::validate_cel(&json!({"type": "A", "a": "oldSelf"}), None)).len(), 1);
}
