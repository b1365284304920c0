//! Items that cannot be a spec.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Copy)]
#[crd(group = "example.com", version = "v1", kind = "Union")]
union UnionSpec {
    a: i32,
    b: f32,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Borrowed")]
struct BorrowedSpec<'a> {
    a: &'a str,
}

fn main() {}
