//! Functions and types of rules, as far as the fields show them.
use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt")]
#[crd(validation = "self.metadata.name > 1", spec_validation = "self.size == 'large'")]
struct ShirtSpec {
    #[crd(validation = "self.startWith('a')")]
    color: String,
    #[crd(validation = "self > 0 && quantty('1') == quantity('2')")]
    size: u8,
    #[crd(validation = "self.all(tag, tag.size() > 'a')", item_validation = "self + 1 == 2")]
    tags: Vec<String>,
    #[crd(validation = "self.all(key, self[key] == 'a')", value_validation = "self.size() > 0")]
    counts: BTreeMap<String, i32>,
    #[crd(validation = "self.size()")]
    text: String,
    #[crd(validation(rule = "self != ''", message_expression = "self == ''"))]
    message: Option<String>,
    #[crd(validation(rule = "oldSelf.size() == 1", optional_old_self = true))]
    old: String,
    #[crd(validation = "string(self).matches(1)")]
    ready: bool,
    #[crd(validation = "self == 1")]
    weight: f64,
}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation = "self == 'a'")]
struct Port(u16);

fn main() {}
