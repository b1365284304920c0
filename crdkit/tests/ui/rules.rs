//! CEL rules.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt", validation = "", spec_validation = 3)]
struct ShirtSpec {
    #[crd(validation = "self > 0\n&& self < 3")]
    a: i32,
    #[crd(validation = ("self > 0", "two\nlines"))]
    b: i32,
    #[crd(validation(rule = "self > 0", message = " ", reason = "Invalid", field_path = "x"))]
    c: i32,
}

fn main() {}
