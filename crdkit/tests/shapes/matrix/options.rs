//! `Option`: absent, null and there.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
struct Of<T> {
    /// About the field.
    field: Option<T>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Skipped<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<T>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Plain {
    A,
    B,
}

/// About the enum.
#[derive(CrdSchema, Serialize, Deserialize)]
enum Documented {
    /// About A.
    A,
    /// About B.
    B,
}

/// About the struct.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Struct {
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum External {
    A(i32),
    B { x: bool },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Internal {
    A { a: i32 },
    B,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    A { a: i32 },
    B { b: bool },
}

/// A newtype.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Newtype(#[schemars(range(min = 1, max = 9))] u8);

#[derive(schemars::JsonSchema, Serialize, Deserialize)]
enum Foreign {
    A,
    /// About B.
    B,
}

fn wrap<T>(value: T) -> [Of<T>; 2] {
    [Of { field: Some(value) }, Of { field: None }]
}

fn skipped<T>(value: T) -> [Skipped<T>; 2] {
    [Skipped { field: Some(value) }, Skipped { field: None }]
}

#[test]
fn options() {
    compare(
        "options",
        &[
            row("Option<String>", wrap("a".to_owned())),
            row("skipped Option<String>", skipped("a".to_owned())),
            row("Option<Option<i32>>", wrap(Some(1))),
            row("Option<struct>", wrap(Struct { a: 1 })),
            row("Option<newtype>", wrap(Newtype(1))),
            row("Option<Vec<i32>>", wrap(vec![1])),
            row("Option<Map<String, i32>>", wrap(BTreeMap::from([("a".to_owned(), 1)]))),
            row("Option<unit enum>", wrap(Plain::A)),
            row("skipped Option<unit enum>", skipped(Plain::B)),
            row("Option<documented unit enum>", wrap(Documented::B)),
            row("Option<unit enum of another crate>", wrap(Foreign::A)),
            row("Option<external enum>", wrap(External::A(1))),
            row("Option<internal enum>", wrap(Internal::B)),
            row("Option<untagged enum>", wrap(Untagged::A { a: 1 })),
            row("skipped Option<external enum>", skipped(External::B { x: true })),
            row("Vec<Option<unit enum>>", [vec![None, Some(Plain::A), Some(Plain::B)]]),
            row(
                "Map<String, Option<unit enum>>",
                [BTreeMap::from([("a".to_owned(), None), ("b".to_owned(), Some(Plain::B))])],
            ),
            row("Vec<Option<external enum>>", [vec![None, Some(External::A(1))]]),
            row("Option<unit enum> itself", [None, Some(Plain::A)]),
        ],
    );
}
