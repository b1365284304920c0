//! Words, forms and operators of other derives, libraries and languages.

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foo", scope = "Namespaced")]
struct FooSpec {
    #[crd(validation("self > 1", "must be above 1"))]
    a: i32,
    #[crd(validation = "self > 1", message = "must be above 1")]
    b: i32,
    #[crd(min = 1)]
    c: i32,
    #[crd(item_validation("self > 1"))]
    d: Vec<i32>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Operators {
    #[crd(validation = "self.size() > 0 and self != 'x'")]
    a: String,
    #[crd(validation = "self = 'x'")]
    b: String,
    #[crd(validation = "self == 'x' OR self == 'y'")]
    c: String,
    #[crd(validation = "self == 'x' | self == 'y'")]
    d: String,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Bar")]
#[crd(printcolumn = r#"{"name": "A", "type": "integer", "jsonPath": ".spec.a", "minimum": "0"}"#)]
struct BarSpec {
    a: i32,
}

fn main() {}
