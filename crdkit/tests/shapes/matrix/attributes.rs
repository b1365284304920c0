//! Attributes of schemars, and those that a CRD has no form for.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

use super::{compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
struct Bounds {
    #[schemars(range(min = 1, max = 300))]
    small: u8,
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    ratio: f64,
    #[schemars(extend("exclusiveMinimum" = 0))]
    positive: i32,
    #[schemars(length(min = 1, max = 5), regex(pattern = "^[a-z]+$"))]
    text: String,
    #[schemars(length(max = 2), inner(length(max = 3)))]
    list: Vec<String>,
    #[schemars(length(equal = 1))]
    one: Vec<i32>,
    #[schemars(email)]
    email: String,
    #[schemars(url)]
    url: String,
    #[schemars(contains(pattern = "a.b"))]
    contains: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Port(#[schemars(range(min = 1024))] u16);

#[derive(CrdSchema, Serialize, Deserialize)]
struct Label(#[schemars(length(max = 5), regex(pattern = "^[a-z]"))] String);

/// Bounds that meet: of a type, and of a field of that type.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Met {
    #[schemars(range(min = 1))]
    wider: Port,
    #[schemars(range(min = 2000, max = 3000))]
    tighter: Port,
    #[schemars(length(max = 9))]
    longer: Label,
    #[schemars(length(min = 1, max = 3), regex(pattern = "z$"))]
    shorter: Label,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct AllOf {
    #[schemars(range(max = 9), extend("allOf" = [{"minimum": 1, "maximum": 20}, {"multipleOf": 2}]))]
    number: i32,
    #[schemars(extend("allOf" = [{"pattern": "^a"}, {"pattern": "z$", "maxLength": 3}, {"maxLength": 2}]))]
    text: String,
}

// A literal would be refused by the macro.
const NO_A: &str = "^(?!a)";

#[derive(CrdSchema, Serialize, Deserialize)]
struct LookAround {
    #[schemars(regex(pattern = NO_A))]
    text: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Annotated {
    /// About it.
    #[deprecated]
    #[serde(default)]
    old: bool,
    #[schemars(extend("readOnly" = true, "$comment" = "a"), title = "The title", example = 7)]
    number: i32,
    #[schemars(extend("propertyNames" = {"maxLength": 3}))]
    map: BTreeMap<String, i32>,
    #[schemars(skip)]
    #[serde(default, skip)]
    #[expect(dead_code, reason = "it is skipped")]
    skipped: bool,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct UnknownKeyword {
    #[schemars(extend("x-kubernetes-mine" = true))]
    number: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct OtherSchema {
    #[schemars(with = "Vec<String>")]
    #[serde(serialize_with = "as_list", deserialize_with = "from_list")]
    list: String,
    #[schemars(schema_with = "number")]
    number: i32,
}

fn as_list<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(text.split(','))
}

fn from_list<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Vec::<String>::deserialize(deserializer)?.join(","))
}

fn number(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "integer", "maximum": 255.0})
}

#[test]
fn attributes() {
    #[expect(deprecated, reason = "it is what is tried")]
    let annotated =
        Annotated { old: true, number: 1, map: BTreeMap::from([("a".to_owned(), 1)]), skipped: false };
    compare(
        "attributes",
        &[
            row(
                "bounds",
                [Bounds {
                    small: 255,
                    ratio: 0.5,
                    positive: 1,
                    text: "abcde".to_owned(),
                    list: vec!["abc".to_owned()],
                    one: vec![1],
                    email: "a@example.com".to_owned(),
                    url: "https://example.com".to_owned(),
                    contains: "-a.b-".to_owned(),
                }],
            ),
            row(
                "bounds that meet",
                [Met {
                    wider: Port(1024),
                    tighter: Port(3000),
                    longer: Label("abcde".to_owned()),
                    shorter: Label("abz".to_owned()),
                }],
            ),
            row("bounds in allOf", [AllOf { number: 8, text: "az".to_owned() }]),
            row("pattern with look-around", [LookAround { text: "b".to_owned() }]),
            row("annotations", [annotated]),
            row("unknown keyword", [UnknownKeyword { number: 1 }]),
            row("schema of another type", [OtherSchema { list: "a,b".to_owned(), number: 255 }]),
        ],
    );
}
