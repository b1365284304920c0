//! Enums of unit variants, and those that serde tags from outside.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Unit {
    FirstOne,
    #[serde(rename = "2nd")]
    Second,
    #[serde(skip)]
    #[expect(dead_code, reason = "it is skipped")]
    Skipped,
    #[serde(alias = "other")]
    Third = 7,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Single {
    Only,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum WithOther {
    A,
    #[serde(other)]
    Else,
}

/// Letters.
#[derive(CrdSchema, Serialize, Deserialize)]
enum PartlyDocumented {
    C,
    /// The first.
    A,
    D,
    /// The second,
    /// on two lines.
    B,
}

/// Letters of another crate.
#[derive(schemars::JsonSchema, Serialize, Deserialize)]
enum Foreign {
    C,
    /// The first.
    A,
    D,
}

// YAML 1.1 takes some of these for truth values.
#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Switch {
    On,
    Off,
    Yes,
    No,
    Null,
}

/// The action.
#[derive(CrdSchema, Serialize, Deserialize)]
enum External {
    /// A text.
    Text(String),
    /// A shape.
    Shape {
        /// How wide.
        width: u8,
        height: Option<u16>,
    },
    Struct(Inner),
    List(Vec<Unit>),
    Map(BTreeMap<String, i32>),
    Nested(Box<Inside>),
    Empty {},
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Inner {
    #[crd(validation = "self > 0")]
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Inside {
    One(i32),
    Two(String),
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum OneVariant {
    Only { a: bool },
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum UnitAndData {
    Nothing,
    Something { a: String },
}

#[derive(schemars::JsonSchema, Serialize, Deserialize)]
enum ForeignUnitAndData {
    Nothing,
    Something(String),
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct HoldsForeign {
    list: Vec<ForeignUnitAndData>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum UnitPayload {
    A(()),
    B(i32),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "has(self.A) ? self.A > 0 : true")]
enum WithRule {
    A(i32),
    B(i32),
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Never {}

#[test]
fn enums() {
    let inner = || Inner { a: 1 };
    compare(
        "enums",
        &[
            row("unit enum", [Unit::FirstOne, Unit::Second, Unit::Third]),
            row("unit enum of one variant", [Single::Only]),
            row("unit enum with `other`", [WithOther::A, WithOther::Else]),
            row(
                "partly documented unit enum",
                [PartlyDocumented::A, PartlyDocumented::B, PartlyDocumented::C, PartlyDocumented::D],
            ),
            row("partly documented unit enum of another crate", [Foreign::A, Foreign::C, Foreign::D]),
            row(
                "unit enum of words that YAML 1.1 reads otherwise",
                [Switch::On, Switch::Off, Switch::Yes, Switch::No, Switch::Null],
            ),
            row(
                "external enum",
                [
                    External::Text(String::new()),
                    External::Shape { width: 255, height: None },
                    External::Struct(inner()),
                    External::List(vec![Unit::Second]),
                    External::Map(BTreeMap::from([("a".to_owned(), 1)])),
                    External::Nested(Box::new(Inside::One(1))),
                    External::Nested(Box::new(Inside::Two("a".to_owned()))),
                    External::Empty {},
                ],
            ),
            row("external enum of one variant", [OneVariant::Only { a: true }]),
            row("external enum with a rule", [WithRule::A(1), WithRule::B(-1)]),
            row(
                "enum of unit and other variants",
                [UnitAndData::Nothing, UnitAndData::Something { a: "a".to_owned() }],
            ),
            row(
                "field of an enum of unit and other variants of another crate",
                [HoldsForeign {
                    list: vec![ForeignUnitAndData::Nothing, ForeignUnitAndData::Something(String::new())],
                }],
            ),
            row("external enum with `()`", [UnitPayload::A(()), UnitPayload::B(1)]),
            row("enum without variants", [] as [Never; 0]),
        ],
    );
}
