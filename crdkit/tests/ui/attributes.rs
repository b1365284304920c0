//! Attributes that do not exist, are missing, twice or not where they belong.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt", shortnames = "st", namespace)]
struct ShirtSpec {
    #[crd(list_typ = "set", nullable = "yes")]
    a: Vec<String>,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", kind = "Sock", kind = "Sock")]
struct SockSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Bare {}

// What fields say needs `CrdSchema`.
#[derive(CustomResource, schemars::JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shoe")]
struct ShoeSpec {
    #[crd(validation = "self > 30")]
    size: i32,
}

// Accepted findings need a rule, and a reason in one line.
#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(allow(phase))]
struct Lace {
    #[crd(allow(list-without-type, reason = " "))]
    colors: Vec<String>,
    #[crd(allow("List", reason = "it is"), allow = "phase")]
    phase: String,
}

fn main() {}
