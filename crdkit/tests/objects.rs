//! Objects made from schemas: the right ones are accepted and stay as they are, the wrong ones are refused where they are wrong.
#![cfg(feature = "proptest")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use crd_core::admit::{FieldValidation, Validator};
use crd_core::{CustomResourceDefinition, Diagnostic};
use crdkit::testing::{InvalidObject, invalid_objects_of, valid_objects, valid_objects_of};
use crdkit::{CrdSchema, CustomResource};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestError, TestRunner};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Bounds, lengths, patterns, formats, enums, optional fields and defaults.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Scalar", namespaced)]
#[serde(rename_all = "camelCase")]
struct ScalarSpec {
    #[schemars(range(min = 1, max = 60))]
    size: u8,
    signed: i32,
    long: Option<i64>,
    #[schemars(range(min = 0.25, max = 0.75))]
    share: f64,
    #[schemars(length(min = 2, max = 5))]
    short: String,
    #[schemars(regex(pattern = r"^[a-z]([-a-z0-9]*[a-z0-9])?\.v\d+$"), length(max = 20))]
    versioned: String,
    #[schemars(extend("format" = "date-time"))]
    at: Option<String>,
    #[schemars(extend("format" = "ipv4"))]
    address: Option<String>,
    #[serde(default = "three")]
    #[schemars(range(max = 9))]
    replicas: u32,
    color: Color,
    is_on: bool,
}

fn three() -> u32 {
    3
}

#[derive(
    schemars::JsonSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord,
)]
enum Color {
    Red,
    Green,
    Blue,
}

/// Lists and maps, the status as a subresource.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Nested", status = NestedStatus)]
struct NestedSpec {
    #[crd(list_type = "set")]
    #[schemars(length(min = 1, max = 4), inner(length(max = 8)))]
    tags: Vec<String>,
    colors: BTreeSet<Color>,
    #[crd(list_type = "map", list_map_keys("name"))]
    #[schemars(length(max = 3))]
    ports: Vec<Port>,
    #[schemars(length(max = 2))]
    plain: Vec<i32>,
    labels: BTreeMap<String, String>,
    inner: Option<Box<Port>>,
    anything: Option<Value>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Port {
    name: String,
    #[schemars(range(min = 1, max = 65535))]
    port: u16,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct NestedStatus {
    ready: bool,
}

/// Enums with data, in their three forms.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Choice")]
struct ChoiceSpec {
    source: Source,
    #[serde(flatten)]
    rollout: Rollout,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
enum Source {
    Git { url: String, depth: Option<u8> },
    Image(String),
    Bucket { name: String },
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(tag = "kind")]
enum Rollout {
    Recreate,
    Rolling { surge: u8 },
}

/// Rules, which filter what the schema alone allows.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Ruled")]
#[crd(spec_validation = ("self.min <= self.max", "min is above max"))]
#[crd(spec_validation = ("!has(self.name) || self.name.startsWith('a')", "names start with a"))]
struct RuledSpec {
    #[schemars(range(min = 0, max = 10))]
    min: i32,
    #[schemars(range(min = 0, max = 10))]
    max: i32,
    name: Option<String>,
}

/// What no object can be.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Impossible")]
#[crd(spec_validation = ("self.a < 0 && self.a > 0", "a is both"))]
struct ImpossibleSpec {
    a: i32,
}

fn check<R: CustomResource>() {
    check_crd(&R::crd().unwrap());
}

/// Sees to both kinds of objects of a definition, and that there are different ones.
fn check_crd(crd: &CustomResourceDefinition) {
    let validator = Validator::new(crd).unwrap();
    let strict = validator.with_field_validation(FieldValidation::Strict);
    let seen = std::cell::RefCell::new(BTreeSet::new());
    run(valid_objects_of(crd), |object| {
        seen.borrow_mut().insert(object.to_string());
        let stored = strict.create(object.clone()).result.map_err(|error| fail(&object, error))?;
        prop_assert!(holds(&stored, &object), "something is lost of {object}: {stored}");
        let again = strict.create(stored.clone()).result.map_err(|error| fail(&stored, error))?;
        prop_assert_eq!(&again, &stored);
        let updated = strict.update(stored.clone(), &stored).result.map_err(|error| fail(&stored, error))?;
        prop_assert_eq!(updated, stored);
        Ok(())
    });
    assert!(seen.borrow().len() > 50, "only {} different objects of 128", seen.borrow().len());
    let faults = std::cell::RefCell::new(BTreeSet::new());
    run(invalid_objects_of(crd), |InvalidObject { object, field, fault, .. }| {
        let causes = causes(&validator, &object);
        // An integer-or-string is told its type several times.
        let is_int_or_string = field.to_string() == "spec.ios" && fault.ends_with(": of another type");
        prop_assert!(causes.len() == 1 || is_int_or_string, "{fault} of {object}: {causes:?}");
        prop_assert!(causes.iter().any(|cause| cause.field == field), "{fault} of {object}: {causes:?}");
        faults.borrow_mut().insert(fault);
        Ok(())
    });
    assert!(faults.borrow().len() > 1, "{faults:?}");
}

/// For what an object is refused, without the cause that rules were not looked at.
fn causes(validator: &Validator, object: &Value) -> Vec<Diagnostic> {
    let Err(refusal) = validator.create(object).result else { return Vec::new() };
    let count = refusal.causes.len() - usize::from(refusal.has_unchecked_rules);
    refusal.causes[..count].to_vec()
}

/// The kinds of faults that are made of a definition, without their fields.
fn kinds_of_faults(crd: &CustomResourceDefinition) -> BTreeSet<String> {
    let words = std::cell::RefCell::new(BTreeSet::new());
    run(invalid_objects_of(crd), |invalid| {
        words.borrow_mut().insert(invalid.fault.split_once(": ").unwrap().1.to_owned());
        Ok(())
    });
    words.into_inner()
}

fn fail(object: &Value, error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(format!("{error}: {object}"))
}

fn run<S: Strategy>(strategy: S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    // The same objects in every run: who changes the strategies takes other seeds for a while.
    let rng_seed = RngSeed::Fixed(0x00c0_ffee);
    let config =
        ProptestConfig { cases: 128, failure_persistence: None, rng_seed, ..ProptestConfig::default() };
    if let Err(error) = TestRunner::new(config).run(&strategy, test) {
        panic!("{error}");
    }
}

/// Whether everything of `part` is in `whole`, where defaults may be besides.
fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| holds(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| holds(whole, part))
        }
        (Value::Number(whole), Value::Number(part)) => whole.as_f64() == part.as_f64(),
        (whole, part) => whole == part,
    }
}

#[test]
fn scalars() {
    check::<Scalar>();
}

#[test]
fn lists_and_maps() {
    check::<Nested>();
}

#[test]
fn enums_with_data() {
    check::<Choice>();
}

#[test]
fn rules() {
    check::<Ruled>();
}

/// Every valid object is one of the type.
#[test]
fn objects_are_read_by_the_type() {
    fn read<R: CustomResource + serde::de::DeserializeOwned>() {
        run(valid_objects::<R>(), |object| {
            serde_json::from_value::<R>(object.clone()).map_err(|error| fail(&object, error))?;
            Ok(())
        });
    }
    read::<Scalar>();
    read::<Nested>();
    read::<Choice>();
    read::<Ruled>();
}

/// A kind that never comes fails.
#[test]
fn all_kinds_of_faults_are_made() {
    let of_types: BTreeSet<String> =
        [Scalar::crd(), Nested::crd()].into_iter().flat_map(|crd| kinds_of_faults(&crd.unwrap())).collect();
    let expected = [
        "a list of too few",
        "a list of too many",
        "above the maximum",
        "below the minimum",
        "no match of the pattern",
        "none of the enum",
        "not of the format",
        "of another type",
        "required, and absent",
        "there twice",
        "too long",
        "too short",
    ];
    assert_eq!(Vec::from_iter(of_types), expected);
    let spec = json!({"type": "object", "required": ["map", "few", "multiple", "share"], "properties": {
        "map": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "integer"}},
        "few": {"type": "object", "maxProperties": 1, "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        "multiple": {"type": "integer", "multipleOf": 5, "minimum": 10, "maximum": 50},
        "share": {"type": "number", "multipleOf": 0.25, "minimum": 0, "maximum": 1},
    }});
    let expected = [
        "a map of too few",
        "a map of too many",
        "above the maximum",
        "below the minimum",
        "no multiple",
        "of another type",
        "required, and absent",
    ];
    assert_eq!(Vec::from_iter(kinds_of_faults(&definition(&spec))), expected);
}

/// Each text of a format that is wrong is wrong in nothing else.
#[test]
fn every_format_is_broken() {
    let formats = formats();
    for (name, format) in formats.as_object().unwrap() {
        let spec = json!({"type": "object", "required": ["text"], "properties": {"text": format}});
        let is_broken = kinds_of_faults(&definition(&spec)).contains("not of the format");
        // Any text is a password.
        assert_eq!(is_broken, name != "password", "{name}");
    }
}

#[test]
fn every_pattern_is_broken() {
    let patterns = [
        r"^[a-z]([-a-z0-9]*[a-z0-9])?$",
        r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$",
        r"^(https?)://[^\s/$.?#].[^\s]*$",
        r"^projects/[^/]+/topics/[^/]+$",
        "^.{1,3}$",
        "a",
        r"^\S+$",
    ];
    for pattern in patterns {
        let spec = json!({"type": "object", "required": ["text"], "properties": {
            "text": {"type": "string", "pattern": pattern, "minLength": 1, "maxLength": 64},
        }});
        assert!(kinds_of_faults(&definition(&spec)).contains("no match of the pattern"), "{pattern}");
    }
}

/// A rule is broken by what it reads: values, fields that are there, items, keys, sizes.
#[test]
fn every_rule_is_broken() {
    let rules = [
        "self.min <= self.max",
        "self.min != 3",
        "self.type == 'Recreate' ? !has(self.rolling) : true",
        "has(self.secret) != has(self.config)",
        "!has(self.name) || self.name.startsWith('app-')",
        "self.ports.all(p, p.port != 22)",
        "self.ports.filter(p, p.protocol == 'UDP').size() <= 1",
        "size(self.hosts) > 0",
        "self.hosts.exists(h, h.endsWith('.example.com'))",
        "self.labels.all(k, !k.startsWith('kubernetes.io/'))",
        "!('app' in self.labels)",
        "self.?tls.secret.orValue('x') != ''",
        "self.isOn || !has(self.timeout)",
        "!has(self.timeout) || duration(self.timeout) <= duration('1h')",
        "size(self.labels) < 3",
    ];
    let text = json!({"type": "string", "maxLength": 30});
    for rule in rules {
        let hosts = json!({"type": "string", "pattern": r"^[a-z]{1,5}\.example\.(com|org)$"});
        let spec = json!({
            "type": "object",
            "required": ["min", "max", "type", "ports", "hosts", "labels", "isOn"],
            "x-kubernetes-validations": [{"rule": rule}],
            "properties": {
                "min": {"type": "integer", "minimum": 0, "maximum": 10},
                "max": {"type": "integer", "minimum": 0, "maximum": 10},
                "type": {"type": "string", "enum": ["Recreate", "Rolling"]},
                "rolling": {"type": "object", "properties": {"surge": {"type": "integer"}}},
                "secret": text, "config": text, "name": text, "timeout": {"type": "string", "format": "duration"},
                "isOn": {"type": "boolean"},
                "tls": {"type": "object", "properties": {"secret": text}},
                "hosts": {"type": "array", "maxItems": 5, "items": hosts},
                "labels": {"type": "object", "maxProperties": 5, "additionalProperties": text},
                "ports": {"type": "array", "maxItems": 4, "items": {"type": "object", "required": ["port"], "properties": {
                    "port": {"type": "integer", "minimum": 1, "maximum": 65535},
                    "protocol": {"type": "string", "enum": ["TCP", "UDP"], "default": "TCP"},
                }}},
            },
        });
        let crd = definition(&spec);
        let validator = Validator::new(&crd).unwrap();
        let broken = std::cell::Cell::new(0);
        run(invalid_objects_of(&crd), |InvalidObject { object, fault, .. }| {
            if fault.contains("against the rule") {
                let refusal = validator.create(&object).result.unwrap_err();
                prop_assert_eq!(refusal.broken_rules.len(), 1);
                prop_assert_eq!(fault, format!("spec: against the rule `{rule}`"));
                broken.set(broken.get() + 1);
            }
            Ok(())
        });
        assert!(broken.get() > 0, "{rule}");
    }
}

/// Of several rules at several places each is broken alone, and the field is the one that the rule names.
#[test]
fn rules_at_every_place_are_broken() {
    let spec = json!({
        "type": "object", "required": ["least", "most", "items", "map"],
        "x-kubernetes-validations": [
            {"rule": "self.least <= self.most", "fieldPath": ".least", "reason": "FieldValueForbidden"},
            {"rule": "self.least + self.most != 7", "messageExpression": "'seven: ' + string(self.least)"},
            {"rule": "self.most >= oldSelf.most"},
            {"rule": "true"},
        ],
        "properties": {
            "least": {"type": "integer", "minimum": 0, "maximum": 9, "x-kubernetes-validations": [{"rule": "self != 4"}]},
            "most": {"type": "integer", "minimum": 0, "maximum": 9},
            "items": {"type": "array", "maxItems": 4, "items": {
                "type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "!self.endsWith('x')"}],
            }},
            "map": {"type": "object", "minProperties": 1, "maxProperties": 4, "additionalProperties": {
                "type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0", "message": "odd"}],
            }},
        },
    });
    let rules: Vec<String> = kinds_of_faults(&definition(&spec))
        .into_iter()
        .filter_map(|words| words.strip_prefix("against the rule ").map(str::to_owned))
        .collect();
    let expected = [
        "!self.endsWith('x')",
        "self != 4",
        "self % 2 == 0",
        "self.least + self.most != 7",
        "self.least <= self.most",
    ];
    assert_eq!(rules, expected.map(|rule| format!("`{rule}`")));
    check_crd(&definition(&spec));
}

/// What cannot be broken alone comes with what breaks beside it.
#[test]
fn what_is_said_twice_is_broken_twice() {
    let spec = json!({"type": "string", "enum": ["a"], "pattern": "^a$"});
    let crd = definition_of(&json!({"type": "object", "properties": {"spec": spec}}));
    let validator = Validator::new(&crd).unwrap();
    run(invalid_objects_of(&crd), |InvalidObject { object, fault, .. }| {
        prop_assert_eq!(fault, "spec: none of the enum");
        prop_assert_eq!(causes(&validator, &object).len(), 2);
        Ok(())
    });
}

/// What no type of Rust says.
#[test]
fn definitions() {
    let spec = json!({
        "type": "object",
        "required": ["undescribed", "ios"],
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": {
            "ios": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^[0-9]+%$"},
            "multiple": {"type": "integer", "minimum": 0, "exclusiveMinimum": true, "multipleOf": 5, "maximum": 50},
            "open": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1, "exclusiveMaximum": true},
            "nullable": {"type": "string", "nullable": true, "maxLength": 3},
            "resource": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
            "map": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "integer", "minimum": 3}},
            "word": {"type": "string", "pattern": r"^\w+\b$"},
            "keyed": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "protocol"], "minItems": 1,
                "items": {"type": "object", "required": ["k"], "properties": {
                    "k": {"type": "integer", "minimum": 1, "maximum": 3}, "protocol": {"type": "string", "default": "TCP"},
                }},
            },
            "any": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"minimum": 7}}}]},
            "all": {"type": "string", "allOf": [{"minLength": 3}, {"maxLength": 3}]},
            "formats": {"type": "object", "properties": formats()},
        },
    });
    check_crd(&definition(&spec));
}

/// Every format that the API server knows, each required.
#[test]
fn texts_of_formats() {
    let formats = formats();
    let names: Vec<&String> = formats.as_object().unwrap().keys().collect();
    check_crd(&definition(&json!({"type": "object", "required": names, "properties": formats})));
}

fn formats() -> Value {
    let names = [
        "bsonobjectid",
        "uri",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "cidr",
        "mac",
        "uuid",
        "uuid3",
        "uuid4",
        "uuid5",
        "isbn",
        "isbn10",
        "isbn13",
        "creditcard",
        "ssn",
        "hexcolor",
        "rgbcolor",
        "byte",
        "password",
        "date",
        "duration",
        "date-time",
        "k8s-short-name",
        "k8s-long-name",
    ];
    names
        .iter()
        .map(|name| (name.replace('-', ""), json!({"type": "string", "format": name})))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn definition(spec: &Value) -> CustomResourceDefinition {
    definition_of(&json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}}))
}

fn definition_of(schema: &Value) -> CustomResourceDefinition {
    CustomResourceDefinition::from_value(json!({
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    }))
    .unwrap()
}

#[test]
fn an_impossible_type_is_reported() {
    let result = TestRunner::deterministic().run(&valid_objects::<Impossible>(), |_| Ok(()));
    let Err(TestError::Abort(reason)) = result else { panic!("{result:?}") };
    let reason = reason.to_string();
    assert!(
        reason.starts_with("Impossible: no object made from the schema is accepted in 1000 tries"),
        "{reason}"
    );
    assert!(reason.contains("spec: Invalid value: a is both"), "{reason}");
}

/// The least object that fails is still a valid one.
#[test]
fn objects_shrink_to_valid_ones() {
    let result = TestRunner::deterministic().run(&valid_objects::<Ruled>(), |object| {
        prop_assert!(object["spec"]["max"].as_i64() < Some(5));
        Ok(())
    });
    let Err(TestError::Fail(_, least)) = result else { panic!("{result:?}") };
    assert_eq!(least["spec"], json!({"min": 0, "max": 5}));
}
