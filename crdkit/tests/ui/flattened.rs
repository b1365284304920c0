//! Names that a flattened type or a tag brings into an object that has them already.

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

#[derive(CrdSchema, Serialize, Deserialize)]
struct Plain {
    a: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "a")]
enum Tagged {
    One { b: String },
    Two(Plain),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One,
    Two(String),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum External {
    HttpGet { port: u16 },
    Exec(String),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    On,
    Off,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    One { x: u8 },
    Two(Plain),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind")]
struct TaggedStruct {
    x: u8,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Nested {
    z: u8,
    #[serde(flatten)]
    tagged: Adjacent,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Tag {
    #[serde(flatten)]
    tagged: Tagged,
    a: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    #[serde(flatten)]
    adjacent: Option<Adjacent>,
    c: String,
    #[serde(flatten)]
    external: External,
    http_get: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Variants {
    #[serde(flatten)]
    unit: Unit,
    on: bool,
    #[serde(flatten)]
    untagged: Untagged,
    x: u8,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Deeper {
    #[serde(flatten)]
    nested: Nested,
    t: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Two {
    #[serde(flatten)]
    nested: Nested,
    #[serde(flatten)]
    adjacent: Adjacent,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind")]
struct Own {
    kind: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Variant {
    One {
        kin: u8,
        #[serde(flatten)]
        tagged: TaggedStruct,
    },
    Two(TaggedStruct),
}

/// No name stands twice.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Right {
    #[serde(flatten)]
    tagged: Tagged,
    #[serde(flatten)]
    external: External,
    #[serde(flatten)]
    unit: Unit,
    #[serde(flatten)]
    nested: Nested,
    y: u8,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct MapFirst {
    #[serde(flatten)]
    rest: Option<std::collections::BTreeMap<String, String>>,
    #[serde(flatten)]
    plain: Plain,
    #[serde(flatten)]
    more: std::collections::BTreeMap<String, String>,
}

fn main() {}
