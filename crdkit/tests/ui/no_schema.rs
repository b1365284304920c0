//! Types of fields without a schema.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Outer")]
struct OuterSpec {
    inner: Inner,
}

#[derive(Serialize, Deserialize, Clone, Debug)]
struct Inner {
    x: i32,
}

fn main() {}
