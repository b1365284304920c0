//! Objects and the API server's answer to them.
#![cfg(feature = "testing")]

// ANCHOR: immutable
use crdkit::{CrdSchema, CustomResource, assert_accepted, assert_refused, assert_update_refused};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt", storage = false)]
#[crd(spec_validation = ("self.min <= self.max", "min is above max"))]
struct ShirtSpec {
    min: i32,
    max: i32,
    #[crd(immutable)]
    color: String,
}

fn shirt(min: i32, max: i32, color: &str) -> Shirt {
    Shirt::new("a", ShirtSpec { min, max, color: color.into() })
}

#[test]
fn objects_are_accepted_or_refused() {
    let stored = assert_accepted!(shirt(1, 2, "red"));
    assert_eq!(stored["spec"], json!({"min": 1, "max": 2, "color": "red"}));
    assert_refused!(shirt(2, 1, "red"), "spec: Invalid value: min is above max");
    assert_update_refused!(shirt(1, 2, "red") => shirt(1, 2, "blue"), "spec.color: Invalid value: \"blue\": is immutable");
    let spec = json!({"min": 1, "max": "2", "color": "red"});
    assert_refused!(
        Shirt,
        json!({"metadata": {"name": "a"}, "spec": spec}),
        "spec.max: Invalid value: \"string\""
    );
}
// ANCHOR_END: immutable

#[test]
#[should_panic(
    expected = "the API server would refuse it: Shirt.example.com \"a\" is invalid: spec: Invalid value: min is"
)]
fn a_refusal_is_shown() {
    assert_accepted!(shirt(2, 1, "red"));
}

#[test]
#[should_panic(expected = "the API server would accept it")]
fn an_acceptance_is_shown() {
    assert_refused!(shirt(1, 2, "red"), "");
}

#[test]
#[should_panic(expected = "for other causes:\nspec: Invalid value: min is above max\nnot: something else")]
fn other_causes_are_shown() {
    assert_refused!(shirt(2, 1, "red"), "something else");
}
