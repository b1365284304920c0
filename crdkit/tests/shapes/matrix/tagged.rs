//! Enums that serde tags inside or next to their content.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Row, compare, row};

/// How to probe.
#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Internal {
    /// Not at all.
    Nothing,
    /// By HTTP.
    Http {
        url: String,
        retries: u8,
    },
    Exec {
        command: Vec<String>,
        retries: u16,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<String>,
    },
    Struct(Inner),
    Map(BTreeMap<String, String>),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Fields {
    Nothing,
    Http { url: String, retries: u8 },
    Exec { command: Vec<String>, retries: u16 },
    Struct(Inner),
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Inner {
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum OneVariant {
    Only { a: bool },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum AllUnit {
    A,
    B,
}

#[derive(schemars::JsonSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Foreign {
    /// About A.
    A {
        a: i32,
    },
    B {
        b: String,
    },
    C,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Clash {
    A { value: String },
    B { value: Vec<String> },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value")]
enum Adjacent {
    /// A number.
    Number(i32),
    Text(String),
    Nothing,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value")]
enum Contents {
    A { x: i32 },
    B { y: String },
    C(Inner),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value")]
enum AdjacentUnit {
    A,
    B,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value")]
enum AdjacentClash {
    A(i32),
    B(Inner),
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Flattened {
    name: String,
    #[serde(flatten)]
    probe: Fields,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct FlattenedAdjacent {
    name: String,
    #[serde(flatten)]
    contents: Contents,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct FlattenedOption {
    name: String,
    #[serde(flatten)]
    probe: Option<Fields>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct WithDefault {
    #[serde(default = "nothing")]
    probe: Fields,
}

fn nothing() -> Fields {
    Fields::Nothing
}

/// The value of one type under two rules.
#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Ruled {
    Small(Small),
    Large(Large),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.size < 10")]
struct Small {
    size: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.size >= 10 && !self.thin")]
struct Large {
    size: i32,
    #[serde(default)]
    thin: bool,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Enums {
    A { level: Low },
    B { level: High },
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Low {
    Zero,
    One,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum High {
    One,
    Ten,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum WithValue {
    A { value: Value },
    B { value: String },
}

/// A field with a default that one variant has alone, and one that two have.
#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Defaults {
    A {
        a: i32,
    },
    B {
        #[serde(default)]
        alone: bool,
        #[serde(default)]
        both: bool,
    },
    C {
        #[serde(default)]
        both: bool,
    },
}

#[test]
fn tagged() {
    let name = || "n".to_owned();
    let flattened = fields().map(|probe| FlattenedOption { name: name(), probe: Some(probe) });
    let flattened = flattened.into_iter().chain([FlattenedOption { name: name(), probe: None }]);
    let others = vec![
        row("adjacent enum", [Adjacent::Number(1), Adjacent::Text("a".to_owned()), Adjacent::Nothing]),
        row("adjacent enum of structs", contents()),
        row("adjacent enum of unit variants", [AdjacentUnit::A, AdjacentUnit::B]),
        row(
            "adjacent enum with contents of two types",
            [AdjacentClash::A(1), AdjacentClash::B(Inner { a: 1 })],
        ),
        row("flattened internal enum", fields().map(|probe| Flattened { name: name(), probe })),
        row("flattened Option<internal enum>", flattened),
        row(
            "flattened adjacent enum",
            contents().map(|contents| FlattenedAdjacent { name: name(), contents }),
        ),
        row("internal enum with a default", fields().map(|probe| WithDefault { probe })),
        row("Option<internal enum>", fields().map(Some).into_iter().chain([None])),
        row("Vec<adjacent enum>", [contents().into_iter().collect::<Vec<_>>()]),
    ];
    compare("tagged", &internal().into_iter().chain(others).collect::<Vec<_>>());
}

fn internal() -> Vec<Row> {
    vec![
        row("internal enum", fields()),
        row(
            "internal enum with a map",
            [
                Internal::Nothing,
                Internal::Http { url: "a".to_owned(), retries: 1 },
                Internal::Exec { command: vec![], retries: 1, user: Some("a".to_owned()) },
                Internal::Struct(Inner { a: 1 }),
                Internal::Map(BTreeMap::from([("a".to_owned(), "b".to_owned())])),
            ],
        ),
        row("internal enum of one variant", [OneVariant::Only { a: true }]),
        row("internal enum of unit variants", [AllUnit::A, AllUnit::B]),
        row(
            "internal enum of another crate",
            [Foreign::A { a: 1 }, Foreign::B { b: "a".to_owned() }, Foreign::C],
        ),
        row(
            "internal enum with a field of two types",
            [Clash::A { value: String::new() }, Clash::B { value: vec![] }],
        ),
        row(
            "internal enum with rules of variants",
            [Ruled::Small(Small { size: 1 }), Ruled::Large(Large { size: 11, thin: false })],
        ),
        row(
            "internal enum with a field of two enums",
            [
                Enums::A { level: Low::Zero },
                Enums::A { level: Low::One },
                Enums::B { level: High::One },
                Enums::B { level: High::Ten },
            ],
        ),
        row(
            "internal enum with a field of any type",
            [WithValue::A { value: serde_json::json!({"x": [1]}) }, WithValue::B { value: "a".to_owned() }],
        ),
        row(
            "internal enum with defaults",
            [Defaults::A { a: 1 }, Defaults::B { alone: true, both: false }, Defaults::C { both: true }],
        ),
    ]
}

fn fields() -> [Fields; 4] {
    [
        Fields::Nothing,
        Fields::Http { url: "a".to_owned(), retries: 255 },
        Fields::Exec { command: vec!["a".to_owned()], retries: u16::MAX },
        Fields::Struct(Inner { a: -1 }),
    ]
}

fn contents() -> [Contents; 3] {
    [Contents::A { x: 1 }, Contents::B { y: String::new() }, Contents::C(Inner { a: 1 })]
}
