//! Types of fields and of a status without a schema: one error each.
use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Outer")]
struct OuterSpec {
    #[crd(validation = "has(self.x)")]
    inner: Inner,
}

#[derive(Serialize, Deserialize, Clone, Debug, Default)]
struct Inner {
    x: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Within {
    #[serde(default)]
    list: Vec<Inner>,
    map: BTreeMap<String, Option<Inner>>,
    right: Vec<String>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct Newtype(Inner);

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
enum Variants {
    Named { inner: Inner },
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Watched", status = "WatchedStatus")]
struct WatchedSpec {}

#[derive(Serialize, Deserialize, Clone, Debug)]
struct WatchedStatus {}

fn main() {
    let _ = (Outer::crd(), Watched::crd());
}
