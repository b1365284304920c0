//! Types that are written in a different form than they are read.

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
struct ReadOnly {
    a: i32,
    #[serde(skip_deserializing)]
    computed: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct WriteOnly {
    a: i32,
    #[serde(skip_serializing)]
    #[expect(dead_code, reason = "it is read only")]
    secret: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct WriteOnlyDefault {
    a: i32,
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "it is read only")]
    secret: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Renamed {
    #[serde(rename(serialize = "new", deserialize = "old"))]
    field: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Aliased {
    #[serde(alias = "old")]
    new: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone)]
#[serde(from = "String", into = "String")]
struct Converted {
    length: usize,
}

impl From<String> for Converted {
    fn from(text: String) -> Self {
        Self { length: text.len() }
    }
}

impl From<Converted> for String {
    fn from(converted: Converted) -> Self {
        "a".repeat(converted.length)
    }
}

#[derive(CrdSchema, Serialize, Deserialize, Clone)]
#[serde(into = "i64", try_from = "String")]
struct OtherType(i64);

impl TryFrom<String> for OtherType {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl From<OtherType> for i64 {
    fn from(other: OtherType) -> Self {
        other.0
    }
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(transparent)]
struct Transparent {
    inner: Vec<i32>,
}

mod as_text {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &i32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct With {
    #[serde(with = "as_text")]
    #[schemars(with = "String")]
    number: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StrictEmpty {}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Variants {
    A,
    #[serde(skip_deserializing)]
    #[expect(dead_code, reason = "only its schema is of use")]
    WrittenOnly,
    #[serde(skip_serializing)]
    ReadOnly,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum TaggedVariants {
    A {
        a: i32,
    },
    B {
        a: i32,
        #[serde(skip_deserializing)]
        written: bool,
    },
}

#[test]
fn contracts() {
    compare(
        "contracts",
        &[
            row("skip_deserializing", [ReadOnly { a: 1, computed: 0 }]),
            row("skip_serializing", [WriteOnly { a: 1, secret: "s".to_owned() }]),
            row("skip_serializing with a default", [WriteOnlyDefault { a: 1, secret: "s".to_owned() }]),
            row("rename that differs", [Renamed { field: 1 }]),
            row("alias", [Aliased { new: 1 }]),
            row("from and into", [Converted { length: 3 }]),
            row("from and into of two types", [OtherType(1)]),
            row("transparent", [Transparent { inner: vec![1] }]),
            row("with", [With { number: 1 }]),
            row("deny_unknown_fields", [Strict { a: 1 }]),
            row("deny_unknown_fields without fields", [StrictEmpty {}]),
            row("unit variants of one direction", [Variants::A]),
            row(
                "fields of variants of one direction",
                [TaggedVariants::A { a: 1 }, TaggedVariants::B { a: 1, written: false }],
            ),
        ],
    );
}
