//! Rules at every kind of place.

use std::collections::BTreeSet;

use crd_core::admit::Validator;
use crd_sample::{Fault, Sampler};
use serde_json::{Value, json};

use super::{assert_alone, definition_of};

/// The objects that are broken at most, to find one for each rule.
const MOST_BROKEN: usize = 300;

/// Asserts that of the rules of a version exactly these are broken.
#[track_caller]
fn check(sampler: &Sampler, expected: &[&str]) {
    let mut seen = BTreeSet::new();
    for broken in sampler.broken().take(MOST_BROKEN) {
        assert_alone(sampler.validator(), &broken);
        if let Fault::Rule(rule) = broken.fault {
            seen.insert(rule);
        }
    }
    assert_eq!(seen, expected.iter().map(|rule| (*rule).to_owned()).collect::<BTreeSet<_>>());
}

fn of_spec(spec: &Value) -> Value {
    json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}})
}

#[track_caller]
fn check_spec(spec: &Value, expected: &[&str]) {
    let crd = definition_of(&[("v1", &of_spec(spec))]);
    check(&Sampler::for_stored(&crd).unwrap(), expected);
}

#[test]
fn entries_of_maps_and_items_of_lists() {
    let number = json!({"type": "integer", "minimum": 0, "maximum": 1000});
    let with = |node: &Value, rule: &str| {
        let mut node = node.clone();
        node["x-kubernetes-validations"] = json!([{"rule": rule}]);
        node
    };
    let spec = json!({"type": "object", "properties": {
        "map": {"type": "object", "maxProperties": 3, "additionalProperties": with(&number, "self % 2 == 0")},
        "list": {"type": "array", "maxItems": 3, "items": with(&number, "self * 3 % 7 != 2")},
        "lists": {"type": "object", "maxProperties": 3, "additionalProperties": {
            "type": "array", "minItems": 2, "maxItems": 3, "items": with(&number, "self / 10 < 90"),
        }},
        "keyed": {
            "type": "array", "maxItems": 3, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
            "items": {"type": "object", "required": ["port"], "properties": {"port": with(&number, "self != 22")}},
        },
    }});
    check_spec(&spec, &["self % 2 == 0", "self * 3 % 7 != 2", "self / 10 < 90", "self != 22"]);
}

#[test]
fn values_that_can_be_null() {
    let spec = json!({"type": "object", "nullable": true, "required": ["size"], "properties": {
        "size": {
            "type": "integer", "minimum": 0, "maximum": 9, "nullable": true,
            "x-kubernetes-validations": [{"rule": "self < 5"}],
        },
        "inner": {"type": "object", "nullable": true, "properties": {"name": {
            "type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "self.startsWith('a')"}],
        }}},
    }});
    check_spec(&spec, &["self < 5", "self.startsWith('a')"]);
}

/// A rule that is given no old object runs; one that compares with it does not.
#[test]
fn rules_about_the_old_object() {
    let rules = json!([
        {"rule": "oldSelf.hasValue() || self.size < 3", "optionalOldSelf": true},
        {"rule": "self.size >= oldSelf.orValue(self).size", "optionalOldSelf": true},
        {"rule": "self.name == oldSelf.name"},
        {"rule": "!oldSelf.hasValue() || self.name == oldSelf.value().name", "optionalOldSelf": true},
    ]);
    let spec = json!({
        "type": "object", "required": ["size", "name"], "x-kubernetes-validations": rules,
        "properties": {"size": {"type": "integer", "minimum": 0, "maximum": 9}, "name": {"type": "string", "maxLength": 9}},
    });
    check_spec(&spec, &["oldSelf.hasValue() || self.size < 3"]);
}

/// An object that breaks one rule has to be mended until it keeps the other ones.
#[test]
fn rules_that_are_broken_together() {
    let spec = json!({
        "type": "object", "required": ["least", "most", "sum"],
        "properties": {"least": {"type": "integer"}, "most": {"type": "integer"}, "sum": {"type": "integer"}},
        "x-kubernetes-validations": [
            {"rule": "self.least < self.most"},
            {"rule": "self.least + self.most == self.sum"},
            {"rule": "self.sum % 2 == 1"},
        ],
    });
    check_spec(&spec, &["self.least < self.most", "self.least + self.most == self.sum", "self.sum % 2 == 1"]);
}

/// No object is accepted that has the place; still, one rule can be broken alone.
#[test]
fn rules_that_contradict_each_other() {
    let spec = json!({"type": "object", "properties": {"on": {
        "type": "boolean", "x-kubernetes-validations": [{"rule": "self"}, {"rule": "!self"}],
    }}});
    check_spec(&spec, &["!self", "self"]);
}

/// The object as a whole, and its metadata.
#[test]
fn the_root() {
    let mut schema = of_spec(&json!({"type": "object", "properties": {"size": {"type": "integer"}}}));
    schema["x-kubernetes-validations"] = json!([
        {"rule": "!self.metadata.name.startsWith('x')"},
        {"rule": "!has(self.spec.size) || self.spec.size != 7"},
    ]);
    let crd = definition_of(&[("v1", &schema)]);
    let expected = ["!self.metadata.name.startsWith('x')", "!has(self.spec.size) || self.spec.size != 7"];
    check(&Sampler::for_stored(&crd).unwrap(), &expected);
}

#[test]
fn every_version_has_its_own_rules() {
    let of_version = |rule: &str| {
        of_spec(&json!({
            "type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}},
            "x-kubernetes-validations": [{"rule": rule}],
        }))
    };
    let (v1, v2) = (of_version("self.size % 5 != 3"), of_version("self.size > -4"));
    let crd = definition_of(&[("v1", &v1), ("v2", &v2)]);
    let samplers = Sampler::for_served(&crd).unwrap();
    check(&samplers[0], &["self.size % 5 != 3"]);
    check(&samplers[1], &["self.size > -4"]);
}

/// Broken objects of seeds break one thing each, and every rule is among them.
#[test]
fn broken_objects_of_seeds() {
    let spec = json!({
        "type": "object", "required": ["a", "b"],
        "properties": {
            "a": {"type": "integer", "minimum": 0, "maximum": 9},
            "b": {"type": "integer", "minimum": 0, "maximum": 9},
            "map": {"type": "object", "maxProperties": 2, "additionalProperties": {
                "type": "integer", "x-kubernetes-validations": [{"rule": "self % 3 == 0"}],
            }},
        },
        "x-kubernetes-validations": [{"rule": "self.a + self.b != 8"}, {"rule": "self.a <= self.b"}, {"rule": "true"}],
    });
    let crd = definition_of(&[("v1", &of_spec(&spec))]);
    let sampler = Sampler::for_stored(&crd).unwrap();
    let (validator, mut objects) = (Validator::new(&crd).unwrap(), sampler.seeded());
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        assert!(validator.create(objects.accepted(seed).unwrap()).is_accepted());
        let broken = objects.broken(seed).unwrap().unwrap();
        assert_alone(&validator, &broken);
        seen.extend(matches!(broken.fault, Fault::Rule(_)).then(|| broken.fault.to_string()));
    }
    let rules = ["self % 3 == 0", "self.a + self.b != 8", "self.a <= self.b"];
    assert_eq!(Vec::from_iter(seen), rules.map(|rule| format!("violates the rule `{rule}`")));
}
