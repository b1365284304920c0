//! Patterns that Go does not read, and defaults outside their bounds.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt", object_name(pattern = "^(?!kube-)"))]
#[crd(spec_default = r#"{"size": 61, "colr": "red", "tags": ["ab"], "count": "many"}"#)]
struct ShirtSpec {
    #[schemars(range(min = 1, max = 60))]
    size: u8,
    color: String,
    #[schemars(length(max = 3), inner(length(min = 1, max = 1)))]
    tags: Vec<String>,
    count: Option<i32>,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Patterns {
    #[schemars(regex(pattern = r"^(?=a)"))]
    ahead: String,
    #[schemars(pattern("(?<!a)b"))]
    behind: String,
    #[schemars(inner(regex(pattern = concat!("[", "z-a]"))))]
    inner: Vec<String>,
    #[garde(pattern("a++"))]
    possessive: String,
    #[schemars(extend("pattern" = r"(a)\1"))]
    extended: String,
    #[crd(schema = r#"{"type": "object", "properties": {"pattern": {"type": "string", "pattern": "a{1001}"}}}"#)]
    replaced: String,
    #[crd(schema_patch = r#"{"pattern": "("}"#)]
    patched: String,
    #[crd(validation = "self.matches('a(?=b)')")]
    ruled: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Defaults {
    #[serde(default)]
    #[schemars(range(min = 1))]
    zero: u32,
    #[serde(default)]
    #[schemars(length(min = 1))]
    empty: String,
    #[schemars(length(min = 2))]
    #[serde(default)]
    none: Vec<String>,
    #[schemars(extend("default" = 300))]
    too_large: u8,
    #[schemars(range(max = 1.5), extend("default" = 2.5))]
    fraction: f64,
    #[schemars(length(equal = 3), extend("default" = "four"))]
    too_long: Option<String>,
    #[schemars(extend("default" = "yes"))]
    flag: bool,
}

// schemars writes no default that serde would not write; `Default` of these is within their bounds or not known.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Right {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(min = 1))]
    skipped: String,
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    given: u32,
    #[serde(default)]
    #[schemars(range(min = -1, max = 0))]
    within: i32,
    #[serde(default)]
    #[schemars(length(min = 1))]
    optional: Option<String>,
    #[schemars(extend("default" = 1.0), range(max = 1))]
    whole: i32,
    #[crd(nullable = true)]
    #[schemars(extend("default" = null))]
    null: String,
}

fn one() -> u32 {
    1
}

fn main() {}
