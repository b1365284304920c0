//! Maps, by the type of their keys.

use std::collections::{BTreeMap, HashMap};

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Name(#[schemars(length(max = 3))] String);

#[derive(CrdSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Lower(#[schemars(regex(pattern = "^[a-z]+$"))] String);

#[derive(CrdSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    B,
    A,
}

#[derive(CrdSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
enum Documented {
    /// The second letter.
    B,
    /// The first letter.
    A,
}

/// Of a crate that knows nothing of us.
#[derive(schemars::JsonSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
enum Foreign {
    B,
    /// The first letter.
    A,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Item {
    a: i32,
}

#[test]
fn maps() {
    let text = || "a".to_owned();
    compare(
        "maps",
        &[
            row("Map<String, String>", [BTreeMap::new(), BTreeMap::from([(text(), text())])]),
            row("HashMap<String, i32>", [HashMap::from([(String::new(), 1)])]),
            row("Map<String, struct>", [BTreeMap::from([(text(), Item { a: 1 })])]),
            row("Map<String, Option<i32>>", [BTreeMap::from([(text(), None), (String::new(), Some(1))])]),
            row(
                "Map<String, Map<String, bool>>",
                [BTreeMap::from([(text(), BTreeMap::from([(text(), true)]))])],
            ),
            row("Map<char, String>", [BTreeMap::from([('a', text())])]),
            row("Map<bool, String>", [BTreeMap::from([(true, text())])]),
            row("Map<Uuid, String>", [BTreeMap::from([(Uuid::nil(), text())])]),
            row("Map<newtype, String>", [BTreeMap::from([(Name(text()), text())])]),
            row("Map<newtype with a pattern, String>", [BTreeMap::from([(Lower(text()), text())])]),
            row("Map<u32, String>", [BTreeMap::from([(0_u32, text()), (u32::MAX, text())])]),
            row("Map<i64, String>", [BTreeMap::from([(i64::MIN, text()), (1, text())])]),
            row("Map<unit enum, i32>", [BTreeMap::new(), BTreeMap::from([(Plain::A, 1), (Plain::B, 2)])]),
            row(
                "Map<documented unit enum, i32>",
                [BTreeMap::new(), BTreeMap::from([(Documented::A, 1), (Documented::B, 2)])],
            ),
            row("Map<unit enum of another crate, i32>", [BTreeMap::from([(Foreign::A, 1), (Foreign::B, 2)])]),
            row("Map<unit enum, Value>", [BTreeMap::from([(Plain::A, serde_json::json!({"x": 1}))])]),
            row(
                "Map<documented unit enum, Value>",
                [BTreeMap::from([(Documented::A, serde_json::json!({"x": 1}))])],
            ),
        ],
    );
}
