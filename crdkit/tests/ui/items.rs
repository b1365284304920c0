//! Lists whose items do not meet the requirements of the list type, which another type declares.
use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
struct Port {
    port_name: String,
    protocol: Option<String>,
    #[serde(default)]
    number: u16,
    labels: BTreeMap<String, String>,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
enum Color {
    Red,
    Blue,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "example.com", version = "v1", kind = "Shirt")]
struct ShirtSpec {
    #[crd(list_type = "map", list_map_keys = ["port_name", "number"])]
    unknown: Vec<Port>,
    #[crd(list_type = "map", list_map_keys = ["portName", "protocol"])]
    optional: Vec<Port>,
    #[crd(list_type = "map", list_map_keys = ["labels"])]
    composite: Option<Vec<Port>>,
    #[crd(list_type = "map", list_map_keys = ["name"])]
    scalars: Vec<Color>,
    #[crd(list_type = "set")]
    objects: Vec<Port>,
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    strategy: Vec<Port>,
    #[x_kube(merge_strategy = ListMerge::Set)]
    set: Vec<Port>,
    #[crd(list_type = "set")]
    right: Vec<Color>,
    #[crd(list_type = "map", list_map_keys = ["portName", "number"])]
    also_right: Vec<Port>,
}

fn main() {}
