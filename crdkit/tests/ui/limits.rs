//! Bounds that do not fit their type or leave no value, names that are used twice, keys of maps that are not strings.
use std::collections::{BTreeMap, HashMap};

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CrdSchema, Serialize, Deserialize)]
struct Bounds {
    #[schemars(length(min = 1))]
    number: i32,
    #[schemars(range(min = 1))]
    text: Option<String>,
    #[schemars(regex(pattern = "^a"), email)]
    whole: u8,
    #[schemars(range(min = 1), inner(length(min = 1)))]
    list: Vec<i64>,
    #[schemars(pattern("^a"))]
    flag: bool,
    #[schemars(range(min = 5, max = 1))]
    range: i32,
    #[schemars(length(min = 5, max = 1), inner(length(min = 2, max = 1)))]
    length: Vec<String>,
    #[schemars(range(min = 300))]
    above: u8,
    #[schemars(range(max = -1))]
    below: u32,
    #[schemars(range(min = 1, max = 1), length(equal = 3))]
    misfit: f64,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Twice {
    first_name: String,
    #[serde(rename = "firstName")]
    other: String,
    #[serde(alias = "other")]
    third: String,
    // One is only read, and the other only written.
    #[serde(rename = "old", skip_serializing)]
    read: Option<String>,
    #[serde(rename = "old", skip_deserializing)]
    written: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Names {
    A,
    #[serde(rename = "A")]
    B,
    C {
        a: i32,
        #[serde(rename = "a")]
        b: i32,
    },
}

#[derive(CrdSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    a: i32,
    b: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    A,
    B,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Maps {
    tuple: BTreeMap<(i32, i32), String>,
    unit: HashMap<(), String>,
    list: Vec<BTreeMap<Vec<u8>, String>>,
    option: Option<BTreeMap<Option<String>, String>>,
    object: BTreeMap<Pair, String>,
    // Right.
    text: BTreeMap<String, BTreeMap<i32, BTreeMap<bool, BTreeMap<Key, String>>>>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Outer {
    a: String,
    #[serde(flatten)]
    pair: Option<Pair>,
    #[serde(flatten)]
    same: Same,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Same {
    b: i32,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt", status = "String")]
#[crd(printcolumn = r#"{"name": "A", "type": "integer", "jsonPath": ".spec.name"}"#)]
#[crd(printcolumn = r#"{"name": "A", "type": "string", "jsonPath": ".spec.nme"}"#)]
#[crd(printcolumn = r#"{"name": "B", "type": "string", "jsonPath": ".spec[a"}"#)]
#[crd(printcolumn(name = "C", type = "boolean", json_path = ".spec.count"))]
#[crd(printcolumn(name = "D", type = "number", json_path = ".spec.count"))]
#[crd(scale = r#"{"specReplicasPath": ".spec.cnt", "statusReplicasPath": ".status.count"}"#)]
struct ShirtSpec {
    name: String,
    count: Option<i32>,
    #[crd(printcolumn(type = "date"))]
    flag: bool,
    #[crd(validation = "self.return > 0 && self.namespace == 1 && self.nmspace == 2")]
    words: Words,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(validation = "self.return == self.__return__ && has(self.namespace) && self.namespac == 'a'")]
struct Words {
    r#return: String,
    namespace: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Buffered {
    Ports { ports: BTreeMap<u16, String> },
    Flags { flags: Option<BTreeMap<bool, String>> },
    Names { names: BTreeMap<String, String> },
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum AlwaysNull {
    On,
    Off,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[serde(untagged)]
enum NullForReaders {
    #[serde(skip)]
    Text(String),
    #[serde(skip_deserializing)]
    Number(u8),
    Nothing,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum NullByVariant {
    #[serde(untagged)]
    Nothing,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Deep {
    #[crd(recursion = 11)]
    deep: Vec<Deep>,
}

fn main() {}
