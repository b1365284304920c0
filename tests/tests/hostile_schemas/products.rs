//! Keywords with many values, times lists of many items.

use crd_tests::tool::Outcome::{Generated, Wrong};
use serde_json::{Value, json};

use super::{Bomb, fields, list, many, names, validate};

/// The number of items in most lists.
const ITEMS: usize = 500_000;

/// Returns all of them.
pub(crate) fn bombs() -> Vec<Bomb> {
    [enums(), keywords(), junctors(), properties()].into_iter().flatten().collect()
}

/// Returns a list whose items have a type and a keyword.
fn keyword(keyword: &str, value: Value, type_: &str) -> Value {
    list(json!({"type": type_, keyword: value}))
}

/// Returns a list of objects with these properties.
fn objects(properties: Value) -> Value {
    list(json!({"type": "object", "properties": properties}))
}

/// Enumerations of many values.
fn enums() -> Vec<Bomb> {
    vec![
        validate(
            "enum-of-texts",
            keyword("enum", names(50_000), "string"),
            many(ITEMS, |_| json!("x")),
            Wrong,
        ),
        validate(
            "enum-of-texts-that-match",
            keyword("enum", names(50_000), "string"),
            many(300_000, |i| json!(format!("f{}", i % 50_000))),
            Generated,
        ),
        validate(
            "enum-of-numbers",
            keyword("enum", many(50_000, |i| json!(i)), "integer"),
            many(ITEMS, |_| json!(-1)),
            Wrong,
        ),
        validate(
            "enum-of-floats",
            keyword("enum", many(50_000, |i| json!(i as f64 + 0.5)), "number"),
            many(ITEMS, |_| json!(0.1)),
            Wrong,
        ),
        validate(
            "enum-of-objects",
            keyword("enum", many(20_000, |i| json!({"k": i})), "object"),
            many(100_000, |_| json!({})),
            Wrong,
        ),
    ]
}

/// Other keywords, which refuse every item.
fn keywords() -> Vec<Bomb> {
    vec![
        validate(
            "required-of-many",
            keyword("required", names(50_000), "object"),
            many(ITEMS, |_| json!({})),
            Wrong,
        ),
        validate(
            "maximum-of-many",
            keyword("maximum", json!(0), "integer"),
            many(600_000, |_| json!(1)),
            Wrong,
        ),
        validate(
            "multiple-of-many",
            keyword("multipleOf", json!(0.1), "number"),
            many(590_000, |_| json!(0.15)),
            Wrong,
        ),
        validate("type-of-many", list(json!({"type": "string"})), many(600_000, |_| json!(1)), Wrong),
        validate("null-items", list(json!({"type": "string"})), many(500_000, |_| json!(null)), Wrong),
        validate(
            "min-items-of-many",
            list(json!({"type": "array", "minItems": 1, "items": {"type": "string"}})),
            many(900_000, |_| json!([])),
            Wrong,
        ),
        validate(
            "int-or-string-of-many",
            list(json!({"x-kubernetes-int-or-string": true})),
            many(500_000, |_| json!(true)),
            Wrong,
        ),
        validate(
            "set-of-equal-lists",
            json!({
            "type": "array", "x-kubernetes-list-type": "set", "items": {"type": "array", "x-kubernetes-list-type": "atomic",
            "items": {"type": "integer"}}}),
            many(200_000, |i| json!([i / 2])),
            Wrong,
        ),
    ]
}

/// Branches, many or nested.
fn junctors() -> Vec<Bomb> {
    let nested = (0..12).fold(
        json!({"minimum": 5}),
        |schema, i| json!({ (if i % 2 == 0 { "oneOf" } else { "anyOf" }): [schema.clone(), schema] }),
    );
    let mut nested = nested;
    nested["type"] = json!("integer");
    let nots = (0..90).fold(json!({"minimum": 5}), |schema, _| json!({"not": schema}));
    let mut nots = nots;
    nots["type"] = json!("integer");
    let branches = |count: usize| {
        many(count, |i| json!({"properties": {"k": {"enum": [format!("v{i}")]}}, "required": ["k"]}))
    };
    let mut any_of = objects(json!({"k": {"type": "string"}}));
    any_of["items"]["anyOf"] = branches(5_000);
    let mut one_of = objects(json!({"k": {"type": "string"}}));
    one_of["items"]["oneOf"] = branches(5_000);
    vec![
        validate("any-of-many-branches", any_of, many(20_000, |_| json!({"k": "x"})), Wrong),
        validate("one-of-many-branches", one_of, many(20_000, |_| json!({"k": "x"})), Wrong),
        validate("nested-branches", list(nested), many(10_000, |_| json!(1)), Wrong),
        validate("nested-nots", list(nots), many(300_000, |_| json!(1)), Wrong),
    ]
}

/// Properties and fields, many or unknown.
fn properties() -> Vec<Bomb> {
    vec![
        validate(
            "properties-of-many",
            objects(fields(50_000, |_| json!({"type": "string", "maxLength": 1}))),
            many(ITEMS, |_| json!({})),
            Generated,
        ),
        validate(
            "map-keys-of-many",
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": names(10_000),
                "items": {"type": "object", "required": names(10_000), "properties": fields(10_000, |_| json!({"type": "string"}))},
            }),
            many(ITEMS, |_| json!({})),
            Wrong,
        ),
        validate("unknown-fields", objects(json!({})), many(130_000, |_| json!({"x": 1})), Generated),
        validate("wide-unknown-fields", json!({"type": "object"}), fields(250_000, |_| json!(1)), Generated),
        validate(
            "preserved",
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            json!({"a": many(900_000, |_| json!([]))}),
            Generated,
        ),
    ]
}
