//! `#[serde(flatten)]` in its forms.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Row, compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
struct Of<T> {
    own: bool,
    #[serde(flatten)]
    flat: T,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct OfTwo<T, U> {
    own: bool,
    #[serde(flatten)]
    first: T,
    #[serde(flatten)]
    second: U,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Only<T> {
    #[serde(flatten)]
    flat: T,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(preserve_unknown_fields)]
struct Open {
    own: bool,
    #[serde(flatten)]
    rest: BTreeMap<String, String>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.z > 0")]
struct Inner {
    z: i32,
    a: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.d != 'x'")]
struct WithDefault {
    z: i32,
    #[serde(default)]
    d: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self.b > 0")]
struct WithRule {
    b: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Bounded {
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    other: Other,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Other {
    b: Option<String>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    z: i32,
}

/// Beside a field of the same name, which takes the value before this one sees it.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Again {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own: Option<bool>,
    c: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum External {
    Named(String),
    Sized { size: u8 },
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Target {
    Stdout,
    File { path: String },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    A { a: i32 },
    B { b: String },
}

fn wrap<T>(flat: T) -> Of<T> {
    Of { own: true, flat }
}

fn inner() -> Inner {
    Inner { z: 1, a: "a".to_owned() }
}

#[test]
fn flatten() {
    let values = || BTreeMap::from([("x".to_owned(), json!({"y": [null]}))]);
    let texts = || BTreeMap::from([("x".to_owned(), "y".to_owned())]);
    let structs_and_maps = vec![
        row("flatten struct", [wrap(inner())]),
        row("flatten Box<struct>", [wrap(Box::new(inner()))]),
        row("flatten Option<struct>", [wrap(Some(inner())), wrap(None)]),
        row(
            "flatten Option<struct> with a default",
            [wrap(Some(WithDefault { z: 1, d: "a".to_owned() })), wrap(None)],
        ),
        row(
            "flatten two structs with rules",
            [OfTwo { own: true, first: inner(), second: WithRule { b: 1 } }],
        ),
        row("flatten struct that denies unknown fields", [wrap(Strict { z: 1 })]),
        row("flatten struct with a field that is there already", [wrap(Again { own: None, c: 1 })]),
        row("flatten two structs", [Bounded { inner: inner(), other: Other { b: None } }]),
        row("flatten Map<String, Value>", [wrap(values()), wrap(BTreeMap::new())]),
        row("flatten Value", [wrap(json!({"x": {"y": 1}}))]),
        row("flatten Map<String, String> alone", [Only { flat: texts() }]),
        row("flatten Map<String, String> beside fields", [wrap(texts())]),
        row(
            "flatten Map<String, String> into what keeps unknown fields",
            [Open { own: true, rest: texts() }],
        ),
    ];
    let both = row(
        "flatten struct and Map<String, Value>",
        [OfTwo { own: true, first: inner(), second: BTreeMap::from([("x".to_owned(), Value::Null)]) }],
    );
    compare("flatten", &structs_and_maps.into_iter().chain(enums()).chain([both]).collect::<Vec<_>>());
}

fn enums() -> Vec<Row> {
    let named = || External::Named("a".to_owned());
    let sized = || External::Sized { size: 1 };
    let file = || Target::File { path: "a".to_owned() };
    vec![
        row("flatten external enum", [wrap(named()), wrap(sized())]),
        row("flatten Option<external enum>", [wrap(Some(named())), wrap(Some(sized())), wrap(None)]),
        row(
            "flatten two external enums",
            [
                OfTwo { own: true, first: named(), second: file() },
                OfTwo { own: true, first: sized(), second: Target::Stdout },
            ],
        ),
        row("flatten external enum with a unit variant", [wrap(Target::Stdout), wrap(file())]),
        row(
            "flatten Option<external enum with a unit variant>",
            [wrap(Some(Target::Stdout)), wrap(Some(file())), wrap(None)],
        ),
        row("flatten untagged enum", [wrap(Untagged::A { a: 1 }), wrap(Untagged::B { b: "a".to_owned() })]),
        row("flatten Option<untagged enum>", [wrap(Some(Untagged::A { a: 1 })), wrap(None)]),
        row(
            "flatten external and untagged enum",
            [
                OfTwo { own: true, first: named(), second: Untagged::A { a: 1 } },
                OfTwo { own: true, first: sized(), second: Untagged::B { b: "a".to_owned() } },
            ],
        ),
    ]
}
