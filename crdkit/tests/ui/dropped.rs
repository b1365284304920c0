//! Attributes that nothing would read: each is an error where it stands.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

// What a type says needs `CrdSchema`, as what its fields say.
#[derive(CustomResource, schemars::JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shoe", spec_validation = "self.a != self.b")]
#[crd(exactly_one_of = ["a", "b"], preserve_unknown_fields)]
struct ShoeSpec {
    a: Option<i32>,
    b: Option<i32>,
}

#[derive(CustomResource, schemars::JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Generic")]
struct GenericSpec<T> {
    #[crd(schema_patch = r#"{"minimum": 1}"#)]
    a: T,
}

#[derive(CustomResource, schemars::JsonSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Choice")]
#[serde(tag = "type")]
enum ChoiceSpec {
    #[crd(validation = "self.a > 0")]
    A { a: i32 },
}

// What is said of a resource needs `CustomResource`.
#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(group = "example.com", version = "v1", kind = "Alone", validation = "self.a > 0")]
struct AloneSpec {
    a: i32,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Open", schema = "disabled", status = "String")]
#[crd(validation = "self.spec.a > 0", spec_validation = "self.a > 0", status_default = r#"{"a": 1}"#)]
struct OpenSpec {
    #[crd(printcolumn)]
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
struct Fields<T> {
    #[serde(skip)]
    #[crd(validation = "self > 0")]
    skipped: i32,
    #[serde(flatten)]
    #[crd(validation = "self.a > 0", descriptions = "none")]
    flat: T,
    #[crd(schemaless, validation = "self > 0", list_type = "set")]
    #[schemars(range(min = 1))]
    open: i32,
    #[crd(schema = r#"{"type": "string"}"#)]
    #[schemars(length(min = 1))]
    given: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone)]
#[serde(from = "String", into = "String")]
struct Foreign {
    #[crd(validation = "self > 0")]
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Variants {
    #[serde(skip)]
    #[crd(validation = "self > 0")]
    A(i32),
    B(#[serde(skip)] #[crd(format = "email")] String),
}

impl From<String> for Foreign {
    fn from(_: String) -> Self {
        Self { a: 1 }
    }
}

impl From<Foreign> for String {
    fn from(_: Foreign) -> Self {
        Self::new()
    }
}

fn main() {}
