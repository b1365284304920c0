//! Mistakes whose errors name the remedy, without errors that follow from them.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Flag", namespaced = true, kube = false)]
struct FlagSpec {
    #[crd(immutable = true)]
    a: String,
    #[crd(selectable = ".spec.b", preserve_unknown_fields())]
    b: String,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example", version = "1.0", kind = "Named")]
struct NamedSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Same", status = "SameStatus")]
struct Same {
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct SameStatus {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Misspelt")]
struct MisspeltSpec {
    #[schemars(rang(min = 1))]
    a: u8,
    #[schemars(length(mx = 3))]
    b: String,
    #[schemars(patern = "a", inner(lenght(max = 1)))]
    c: Vec<String>,
    #[schemars(minium = 1)]
    d: u8,
    #[crd(minium = 1)]
    e: u8,
    #[schemars(range(least = 1))]
    f: u8,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Module")]
struct ModuleSpec {
    #[serde(with = "as_text")]
    a: u8,
    #[serde(with = "as_text")]
    #[schemars(with = "String")]
    said: u8,
    #[serde(with = "as_text")]
    #[crd(schema = r#"{"type": "string"}"#)]
    given: u8,
}

mod as_text {
    pub fn serialize<S: serde::Serializer>(a: &u8, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&a.to_string())
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(d: D) -> Result<u8, D::Error> {
        <u8 as serde::Deserialize>::deserialize(d)
    }
}

// The object is what `attr` meant to make of it.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "example.com", version = "v1", kind = "Derived", attr = "derive(PartialEq, Clone)")]
struct DerivedSpec {}

fn main() {
    let derived = Derived::new("a", DerivedSpec {});
    assert!(derived == derived.clone());
}
