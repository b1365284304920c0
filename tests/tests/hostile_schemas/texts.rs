//! Long texts that answers quote, and long places.

use crd_tests::tool::Outcome::{Generated, Wrong};
use serde_json::{Map, Value, json};

use super::{Bomb, REQUEST, check, definition, fields, list, many, object, validate};

/// Returns all of them.
pub(crate) fn bombs() -> Vec<Bomb> {
    [long(), formats(), below_long_key(), metadata(), descriptions()].into_iter().flatten().collect()
}

/// Returns the schema of a resource within a resource.
fn resource() -> Value {
    json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true})
}

/// Long texts that answers quote.
fn long() -> Vec<Bomb> {
    let long = "x".repeat(REQUEST);
    let text = |keyword: &str, value: Value| json!({"type": "object", "properties": {"a": {"type": "string", keyword: value}}});
    vec![
        validate("long-text-against-max-length", text("maxLength", json!(1)), json!({"a": long}), Wrong),
        validate("long-text-against-pattern", text("pattern", json!("^a$")), json!({"a": long}), Wrong),
        validate("long-text-against-enum", text("enum", json!(["a"])), json!({"a": long}), Wrong),
    ]
}

/// Descriptions in which pages look for examples and addresses.
fn descriptions() -> Vec<Bomb> {
    let described = |text: &dyn Fn(usize) -> String| {
        let field = |i| json!({"type": "string", "description": text(i)});
        json!({"type": "object", "properties": fields(40, field)})
    };
    let example = |i| {
        format!(
            "```\napiVersion: hostile.example.org/v1\nkind: Thing\nmetadata: {{name: a}}\nspec: {{a: {i}}}\n```\n"
        )
    };
    let examples = |at| (0..600).map(|i| example(at * 600 + i)).collect();
    vec![
        check("examples-in-descriptions", described(&examples), Generated),
        check("addresses-in-descriptions", described(&|_| "http://a.b/(".repeat(5_000)), Generated),
        check("starts-of-addresses", described(&|_| "http,http:".repeat(6_000)), Generated),
        check("ends-of-addresses", described(&|_| format!("http://a{}", ").".repeat(30_000))), Generated),
    ]
}

/// Long texts in all formats.
fn formats() -> Vec<Bomb> {
    let formats = [
        "date-time",
        "email",
        "ipv6",
        "cidr",
        "uri",
        "hostname",
        "uuid",
        "duration",
        "byte",
        "mac",
        "isbn",
        "rgbcolor",
    ];
    let formatted = json!({"type": "object", "properties": Map::from_iter(formats.map(|format| {
        (format.to_owned(), json!({"type": "string", "format": format}))
    }))});
    let of_formats =
        |value: &str| Value::Object(Map::from_iter(formats.map(|format| (format.to_owned(), json!(value)))));
    vec![
        validate("long-texts-against-formats", formatted.clone(), of_formats(&"1".repeat(200_000)), Wrong),
        validate("colons-against-formats", formatted.clone(), of_formats(&"1:".repeat(100_000)), Wrong),
        validate("dots-against-formats", formatted, of_formats(&"a.".repeat(100_000)), Wrong),
    ]
}

/// Causes at places with a long path.
fn below_long_key() -> Vec<Bomb> {
    let key = "k".repeat(1_000_000);
    let below_long_key = |value: Value| Value::Object(Map::from_iter([(key.clone(), value)]));
    let map = |values: Value| json!({"type": "object", "additionalProperties": values});
    vec![
        validate(
            "causes-below-a-long-key",
            map(list(json!({"type": "string"}))),
            below_long_key(many(900_000, |_| json!(1))),
            Wrong,
        ),
        validate(
            "unknown-fields-below-a-long-key",
            map(json!({"type": "object"})),
            below_long_key(fields(150_000, |_| json!(1))),
            Generated,
        ),
        validate(
            "resources-below-a-long-key",
            map(list(resource())),
            below_long_key(many(100_000, |_| json!({"kind": 1}))),
            Wrong,
        ),
        validate(
            "repeated-items-below-a-long-key",
            map(json!({"type": "array", "x-kubernetes-list-type": "set",
            "items": {"type": "integer"}})),
            below_long_key(many(300_000, |i| json!(i / 2))),
            Wrong,
        ),
    ]
}

/// Wrong metadata, and values that are deep or in many lists.
fn metadata() -> Vec<Bomb> {
    let mut labels = object(json!({}));
    labels["metadata"]["labels"] = fields(150_000, |_| json!("-"));
    let deep = (0..400).fold(json!(1), |value, _| json!({"a": [value]}));
    vec![
        validate(
            "resources-with-wrong-labels",
            list(resource()),
            many(300, |_| {
                json!({
            "apiVersion": "v1", "kind": "K", "metadata": {"labels": fields(500, |_| json!("-"))}})
            }),
            Wrong,
        ),
        validate(
            "resources-with-unknown-metadata",
            list(resource()),
            many(30_000, |_| {
                json!({
            "apiVersion": "v1", "kind": "K", "metadata": {"x": 1, "y": 2, "z": 3}})
            }),
            Generated,
        ),
        validate(
            "deep-values-of-a-wrong-type",
            list(json!({"type": "string"})),
            many(300, |_| deep.clone()),
            Wrong,
        ),
        validate(
            "lists-of-lists",
            list(list(json!({"type": "string"}))),
            many(900_000, |_| json!([])),
            Generated,
        ),
        Bomb {
            name: "labels-of-an-object",
            crd: definition(json!({"type": "object"}), false),
            objects: Some((labels, None)),
            expected: Wrong,
        },
    ]
}
