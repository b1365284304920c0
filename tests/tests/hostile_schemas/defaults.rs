//! Defaults that are large, many or wrong.

use crd_tests::tool::Outcome::{Generated, Undecided, Wrong};
use serde_json::{Value, json};

use super::{Bomb, check, definition, fields, list, many, names, object, update, validate};

/// Returns all of them.
pub(crate) fn bombs() -> Vec<Bomb> {
    [in_objects(), multiplied(), of_other_objects(), checked()].into_iter().flatten().collect()
}

/// Returns the schema of a string with a default.
fn default(value: Value) -> Value {
    json!({"type": "string", "default": value})
}

/// Returns the schema of an object with many long defaults.
fn wide() -> Value {
    let text = "x".repeat(2_000);
    json!({"type": "object", "properties": fields(300, |_| default(json!(text)))})
}

/// Defaults of many values in an object.
fn in_objects() -> Vec<Bomb> {
    let text = "x".repeat(2_000);
    let wide = wide();
    let deep = json!({"type": "object", "properties": fields(20_000, |_| {
        json!({"type": "object", "properties": {"a": {"type": "string", "default": "x"}}})
    })});
    let resource = json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {
        "spec": {"type": "object", "default": {"a": text}, "properties": {"a": {"type": "string"}}},
    }});
    vec![
        validate("defaults-in-items", list(wide.clone()), many(20_000, |_| json!({})), Wrong),
        validate(
            "defaults-in-values",
            json!({"type": "object", "additionalProperties": wide.clone()}),
            fields(20_000, |_| json!({})),
            Wrong,
        ),
        validate(
            "defaults-in-place-of-nulls",
            list(default(json!(text))),
            many(400_000, |_| json!(null)),
            Wrong,
        ),
        validate("defaults-deep-in-many", list(deep), many(500_000, |_| json!({})), Generated),
        validate(
            "defaults-in-resources",
            list(resource),
            many(30_000, |_| json!({"apiVersion": "v1", "kind": "K"})),
            Wrong,
        ),
    ]
}

/// Defaults with defaults in them.
fn multiplied() -> Vec<Bomb> {
    let multiplied = (0..6).fold(default(json!("x")), |schema, _| {
        json!({"type": "object", "default": {}, "properties": {"l": {
            "type": "array", "default": [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}],
            "items": {"type": "object", "properties": {"a": schema}},
        }}})
    });
    vec![
        validate(
            "defaults-that-multiply",
            json!({"type": "object", "properties": {"a": multiplied.clone()}}),
            json!({}),
            Wrong,
        ),
        check(
            "defaults-that-would-multiply",
            json!({"type": "object", "properties": {"a": multiplied}}),
            Generated,
        ),
    ]
}

/// Defaults of the status, of the stored version and of the replaced object.
fn of_other_objects() -> Vec<Bomb> {
    let wide = wide();
    let of_status = |status| {
        let mut object = object(json!([]));
        object["status"] = status;
        Bomb {
            name: "defaults-of-a-status-that-is-not-stored",
            crd: definition(list(wide.clone()), true),
            objects: Some((object, None)),
            expected: Generated,
        }
    };
    let mut two_versions = definition(list(wide.clone()), false);
    let mut other = two_versions["spec"]["versions"][0].clone();
    (other["name"], other["storage"]) = (json!("v2"), json!(false));
    other["schema"]["openAPIV3Schema"]["properties"]["spec"] = list(json!({"type": "object"}));
    two_versions["spec"]["versions"].as_array_mut().unwrap().push(other);
    let mut converted = object(many(20_000, |_| json!({})));
    converted["apiVersion"] = json!("hostile.example.org/v2");
    vec![
        of_status(many(20_000, |_| json!({}))),
        Bomb {
            name: "defaults-of-the-stored-version",
            crd: two_versions,
            objects: Some((converted, None)),
            expected: Undecided,
        },
        update(
            "defaults-of-the-old-object",
            list(wide.clone()),
            json!([]),
            many(20_000, |_| json!({})),
            Undecided,
        ),
    ]
}

/// Defaults that are wrong.
fn checked() -> Vec<Bomb> {
    vec![
        check(
            "default-with-many-causes",
            json!({"type": "array", "items": {"type": "string"}, "default": many(500_000, |_| json!(1))}),
            Wrong,
        ),
        check(
            "default-with-unknown-fields",
            json!({"type": "object", "default": fields(200_000, |_| json!(1))}),
            Wrong,
        ),
        check(
            "defaults-that-are-not-in-an-enum",
            json!({"type": "object", "properties": fields(20, |_| {
                json!({"type": "string", "default": "x", "enum": names(10_000)})
            })}),
            Wrong,
        ),
        check(
            "default-of-many-required",
            json!({"type": "array", "default": many(300_000, |_| json!({})), "items": {
                "type": "object", "required": names(30_000),
            }}),
            Wrong,
        ),
        check(
            "defaults-of-metadata",
            json!({"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true, "properties": {"metadata": {"type": "object", "default":
            {"labels": fields(100_000, |_| json!("-"))}}}}),
            Wrong,
        ),
    ]
}
