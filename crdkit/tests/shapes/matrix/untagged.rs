//! Enums that serde does not tag.

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Disjoint {
    A { a: String },
    B { b: String },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum SameField {
    /// One.
    One {
        /// As a text.
        value: String,
        a: bool,
    },
    Two {
        /// As a short text.
        #[schemars(length(max = 3))]
        value: String,
        b: bool,
    },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum TwoTypes {
    Number { value: i32 },
    Text { value: String },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum TwoKinds {
    Flag { value: bool },
    Text { value: String },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum IntegerOrText {
    Number(i32),
    Text(String),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Numbers {
    Whole(i64),
    Broken(f64),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Bounded {
    Small(#[schemars(range(max = 9))] u8),
    Port(#[schemars(range(min = 1024))] u16),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Unit {
    Always,
    Never,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum EnumOrFlag {
    Enum(Unit),
    Flag(bool),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum EnumOrText {
    Enum(Unit),
    Text(#[schemars(length(max = 3))] String),
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Inner {
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum TextOrStruct {
    Text(String),
    Struct(Inner),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Lists {
    Numbers(Vec<i32>),
    Texts(Vec<String>),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum StructOrAny {
    Struct(Inner),
    Any(Value),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum WithUnit {
    Nothing,
    Something { a: i32 },
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum PartlyUntagged {
    A {
        a: i32,
    },
    #[serde(untagged)]
    Other {
        b: i32,
    },
}

/// `integer | text`, as many operators have it, marked by hand.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Marked {
    #[crd(int_or_string)]
    port: IntegerOrText,
    #[crd(schemaless)]
    any: OneOrMany,
}

#[test]
fn untagged() {
    let text = || "a".to_owned();
    compare(
        "untagged",
        &[
            row("untagged, disjoint", [Disjoint::A { a: text() }, Disjoint::B { b: text() }]),
            row(
                "untagged, a field with two docs and bounds",
                [
                    SameField::One { value: "long".to_owned(), a: true },
                    SameField::Two { value: text(), b: true },
                ],
            ),
            row(
                "untagged, a field that is an integer or a text",
                [TwoTypes::Number { value: 1 }, TwoTypes::Text { value: text() }],
            ),
            row(
                "untagged, a field that is a truth value or a text",
                [TwoKinds::Flag { value: true }, TwoKinds::Text { value: text() }],
            ),
            row("untagged, integer or text", [IntegerOrText::Number(1), IntegerOrText::Text(text())]),
            row("untagged, integer or number", [Numbers::Whole(i64::MIN), Numbers::Broken(0.5)]),
            row("untagged, two ranges of integers", [Bounded::Small(9), Bounded::Port(1024)]),
            row("untagged, text or list", [OneOrMany::One(text()), OneOrMany::Many(vec![text()])]),
            row("untagged, enum or truth value", [EnumOrFlag::Enum(Unit::Always), EnumOrFlag::Flag(true)]),
            row(
                "untagged, enum or text",
                [EnumOrText::Enum(Unit::Always), EnumOrText::Enum(Unit::Never), EnumOrText::Text(text())],
            ),
            row(
                "untagged, text or struct",
                [TextOrStruct::Text(text()), TextOrStruct::Struct(Inner { a: 1 })],
            ),
            row("untagged, lists of two types", [Lists::Numbers(vec![1]), Lists::Texts(vec![text()])]),
            row(
                "untagged, struct or anything",
                [StructOrAny::Struct(Inner { a: 1 }), StructOrAny::Any(serde_json::json!(["a"]))],
            ),
            row("untagged, nothing or struct", [WithUnit::Nothing, WithUnit::Something { a: 1 }]),
            row("one untagged variant", [PartlyUntagged::A { a: 1 }, PartlyUntagged::Other { b: 1 }]),
            row(
                "untagged, marked",
                [
                    Marked { port: IntegerOrText::Number(1), any: OneOrMany::One(text()) },
                    Marked { port: IntegerOrText::Text(text()), any: OneOrMany::Many(vec![text()]) },
                ],
            ),
        ],
    );
}
