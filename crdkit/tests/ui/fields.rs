//! Attributes of fields and variants about the definition.
use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(descriptions = "short")]
struct Words {
    #[crd(printcolum, selectable = ".spec.e")]
    a: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Fields {
    #[crd(printcolumn(type = "Integer"))]
    a: i32,
    #[crd(printcolumn(name = "", format = "ip"))]
    b: String,
    #[crd(item_validation = "self >", value_validation = ("", "empty"))]
    c: Vec<i32>,
    #[crd(item_validation = "self.x > 0")]
    d: Vec<i32>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Unknown {
    #[crd(schemaless)]
    Other(i32),
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Variants {
    #[crd(validation = "self > 0")]
    Unit,
    #[crd(validation = "self >")]
    Newtype(i32),
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    #[crd(validation = "self > 0")]
    A { a: i32 },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    #[crd(validation = "self > 0")]
    A { a: i32 },
}

fn main() {}
