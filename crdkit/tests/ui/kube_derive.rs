//! Mistakes that kube-derive refuses, with its attributes.
use crdkit::{CrdSchema as KubeSchema, CustomResource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Derived", namespaced, attr = "derive(PartialEq)")]
struct DerivedSpec {}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Renamed", attr = r#"serde(rename_all = "kebab-case")"#)]
#[kube(attr = "schemars(rename_all = \"kebab-case\")")]
struct RenamedSpec {}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Ruled", cel, schema = "disabled")]
struct RuledSpec {}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Misspelt", shortnames = "ms", scael = "{}")]
struct MisspeltSpec {}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(namespaced)]
struct NamelessSpec {}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Enumerated", no_spec)]
enum EnumeratedSpec {
    A { a: i32 },
}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Reserved", no_spec)]
struct ReservedSpec {
    kind: String,
    status: String,
}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Tuple", no_spec)]
struct TupleSpec(String);

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Numbered", schema = 3)]
struct NumberedSpec {}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Moded", schema = "automatic")]
struct ModedSpec {}

#[derive(CustomResource)]
#[kube(group = "clux.dev", version = "v1", kind = "United")]
union UnitedSpec {
    a: i32,
}

// A letter alone is a kind: kube-derive's macro panics at it.
#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "clux.dev", version = "v1", kind = "Y", selectable = "spec.name")]
struct LetterSpec {
    name: String,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[x_kube(cell)]
struct Part {
    #[x_kube(merge_stategy = ListMerge::Set)]
    list: Vec<String>,
}

fn main() {}
