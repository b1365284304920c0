//! List types, map types and groups.
use std::collections::BTreeMap;

use crdkit::CrdSchema;
use serde::{Deserialize, Serialize};

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(exactly_one_of = ["a"], at_most_one_of = [], at_least_one_of = ["a", "bb"])]
struct Lists {
    #[crd(list_type = "map")]
    a: Vec<Item>,
    #[crd(list_type = "Set")]
    b: Vec<String>,
    #[crd(list_type = "set", list_map_keys = ["name"])]
    c: Vec<Item>,
    #[crd(list_type = "map", list_map_keys = ["name", "name"])]
    d: Vec<Item>,
    #[crd(map_type = "map")]
    e: Item,
    #[crd(merge_strategy = ListMerge::Set, list_type = "set")]
    f: Vec<String>,
    #[crd(int_or_string, schemaless)]
    g: String,
    #[crd(list_type = "atomic")]
    h: String,
    #[crd(map_type = "atomic")]
    i: Vec<String>,
    #[crd(list_type = "set")]
    j: Vec<BTreeMap<String, String>>,
    #[crd(list_type = "map", list_map_keys = ["name"])]
    k: Option<Vec<String>>,
    #[crd(list_type = "map", list_map_keys = [])]
    l: Vec<Item>,
    #[crd(list_type = "set")]
    m: BTreeMap<String, String>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Item {
    name: String,
}

fn main() {}
