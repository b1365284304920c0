//! CEL rules.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt", validation = "", spec_validation = 3)]
#[crd(validation = "self.metadata.labels.size() > 0 && self.spec.a > 0")]
#[crd(validation = Rule::new("self.spec.aa > 0").message("must be positive"))]
#[crd(spec_validation = "self.maxSze > 0", spec_validation = ("maxSize > 0", "no self"))]
#[crd(spec_validation = "self.a.b > 0")]
#[serde(rename_all = "camelCase")]
struct ShirtSpec {
    #[crd(validation = "self > 0\n&& self < 3")]
    a: i32,
    #[crd(validation = ("self > 0", "two\nlines"))]
    b: i32,
    #[crd(validation(rule = "self > 0", message = " ", reason = "Invalid", field_path = "x"))]
    c: i32,
    #[crd(validation = "self > 0 &&", validation = concat!("self >", " > 0"))]
    d: i32,
    #[crd(validation = "self > 0", validation = ("self > 0", "twice"))]
    e: i32,
    #[crd(validation(rule = "self > 0", message_expression = "'got ' + string(self"))]
    max_size: i32,
    #[crd(validation = "self.size > 0")]
    name: Option<String>,
}

fn main() {}
