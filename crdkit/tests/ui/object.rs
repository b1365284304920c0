//! The type of the object.

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt")]
#[crd(attr = "derive(PartialEq)", attr = "serde(default)")]
struct ShirtSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Sock", schema = "off", no_spec)]
enum SockSpec {
    A,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shoe", no_spec, spec_optional)]
#[serde(rename_all = "camelCase")]
struct ShoeSpec {
    api_version: String,
    #[serde(rename = "metadata")]
    other: String,
}

fn main() {}
