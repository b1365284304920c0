//! Definitions that are wrong in many places, or large in one.

use crd_tests::tool::Outcome::{self, Generated, Wrong};
use serde_json::{Map, Value, json};

use super::{Bomb, check, definition, fields, many, names};

/// Returns all of them.
pub(crate) fn bombs() -> Vec<Bomb> {
    [large(), keywords(), versions(), metadata()].into_iter().flatten().collect()
}

/// Gives the definition a served version and the storage version, whose `spec` has these schemas.
fn two_versions(crd: &mut Value, served: &Value, stored: &Value) {
    let version = |name: &str, spec: &Value| {
        json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": spec}}}})
    };
    crd["spec"]["versions"] = json!([version("v1beta1", served), version("v1", stored)]);
}

/// Returns an object with so many required fields, which it does not declare.
fn required(count: usize) -> Value {
    json!({"type": "object", "required": names(count)})
}

/// Returns a definition that is changed outside its schemas.
fn in_definition(name: &'static str, change: &dyn Fn(&mut Value), expected: Outcome) -> Bomb {
    let mut crd = definition(json!({"type": "object"}), false);
    change(&mut crd);
    Bomb { name, crd, objects: None, expected }
}

/// Schemas with many parts.
fn large() -> Vec<Bomb> {
    let string = || json!({"type": "string"});
    let long = "x".repeat(1_000_000);
    let mut wide_inside = Map::new();
    wide_inside.insert(long, json!({"type": "object", "properties": fields(100_000, |_| json!({}))}));
    vec![
        check(
            "properties-without-types",
            json!({"type": "object", "properties": fields(200_000, |_| json!({}))}),
            Wrong,
        ),
        check("properties", json!({"type": "object", "properties": fields(90_000, |_| string())}), Generated),
        // More schemas than are read.
        check("empty-junctors", json!({"type": "object", "allOf": many(400_000, |_| json!({}))}), Wrong),
        check(
            "any-of-many",
            json!({"type": "object", "anyOf": many(200_000, |_| json!({"not": {}}))}),
            Wrong,
        ),
        check("causes-in-a-long-path", json!({"type": "object", "properties": wide_inside}), Wrong),
        check(
            "unknown-types",
            json!({"type": "object", "properties": fields(95_000, |_| json!({"type": "t"}))}),
            Wrong,
        ),
        check(
            "unknown-formats",
            json!({"type": "object", "properties": fields(50_000, |i| {
                json!({"type": "string", "format": format!("format-{i}")})
            })}),
            Generated,
        ),
    ]
}

/// Keywords with many values.
fn keywords() -> Vec<Bomb> {
    vec![
        check(
            "unknown-map-keys",
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": names(200_000),
                "items": {"type": "object"},
            }),
            Wrong,
        ),
        check(
            "equal-map-keys",
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": many(300_000, |_| json!("k")),
                "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
            }),
            Wrong,
        ),
        check(
            "unsupported-keywords",
            json!({"type": "object", "properties": fields(60_000, |_| {
                json!({"$ref": "x", "id": "x"})
            })}),
            Wrong,
        ),
        check(
            "definitions-and-dependencies",
            json!({
                "type": "object", "definitions": fields(60_000, |_| json!({})), "dependencies": fields(60_000, |_| json!([])),
            }),
            Wrong,
        ),
        check(
            "long-rule-texts",
            json!({"type": "object", "x-kubernetes-validations": many(20_000, |_| {
                json!({"rule": "", "message": "\n", "fieldPath": "x"})
            })}),
            Wrong,
        ),
    ]
}

/// Definitions with many versions, columns and names.
fn versions() -> Vec<Bomb> {
    vec![
        in_definition(
            "versions",
            &|crd| {
                crd["spec"]["versions"] =
                    many(60_000, |i| json!({"name": format!("v{i}"), "served": true, "storage": false}));
            },
            Wrong,
        ),
        in_definition(
            "versions-of-one-name",
            &|crd| {
                let version = crd["spec"]["versions"][0].clone();
                crd["spec"]["versions"] = many(10_000, |_| version.clone());
            },
            Wrong,
        ),
        in_definition(
            "short-names",
            &|crd| crd["spec"]["names"]["shortNames"] = many(300_000, |_| json!("A")),
            Wrong,
        ),
        in_definition(
            "columns",
            &|crd| {
                crd["spec"]["versions"][0]["additionalPrinterColumns"] =
                    many(60_000, |_| json!({"name": "", "type": "x"}));
            },
            Wrong,
        ),
        in_definition(
            "selectable-fields",
            &|crd| {
                crd["spec"]["versions"][0]["selectableFields"] =
                    many(60_000, |i| json!({"jsonPath": format!(".spec.f{i}")}));
            },
            Wrong,
        ),
    ]
}

/// Definitions with much metadata, and with many versions of conversion reviews.
fn metadata() -> Vec<Bomb> {
    vec![
        in_definition(
            "labels",
            &|crd| {
                crd["metadata"]["labels"] = fields(150_000, |_| json!("-"));
                crd["metadata"]["annotations"] = json!({"-": "x"});
            },
            Wrong,
        ),
        in_definition(
            "owners",
            &|crd| {
                crd["metadata"]["ownerReferences"] = many(
                    30_000,
                    |_| json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true}),
                );
            },
            Wrong,
        ),
        in_definition(
            "versions-and-required",
            &|crd| two_versions(crd, &required(60_000), &required(60_000)),
            Generated,
        ),
        in_definition(
            "long-names-in-versions",
            &|crd| {
                let long = |last: &str| {
                    json!({"type": "object", "properties": {"x".repeat(700_000): {
                    "type": "object", "properties": {"a": {"type": last}, "b": {"type": "object", "properties": fields(10_000, |_| json!({"type": "string"}))}}}}})
                };
                two_versions(crd, &long("string"), &long("integer"));
            },
            Generated,
        ),
        in_definition(
            "properties-for-a-map-of-required",
            &|crd| {
                let objects = fields(20_000, |_| json!({"type": "object"}));
                let map = json!({"type": "object", "additionalProperties": required(20_000)});
                two_versions(crd, &json!({"type": "object", "properties": objects}), &map);
            },
            Generated,
        ),
        in_definition(
            "review-versions",
            &|crd| {
                crd["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {
                "clientConfig": {"url": "https://example.org"}, "conversionReviewVersions": many(300_000, |_| json!("-"))}});
            },
            Wrong,
        ),
    ]
}
