//! Patches, schemas and defaults that are not JSON objects; a conversion that is not valid.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt")]
#[crd(patch = "[]", version_patch = r#"{"storage": treu}"#, schema_patch = "{}")]
#[crd(schema_at("a", r#"{"type": "string"}"#))]
#[crd(spec_default = "1", status_default = r#"{"a": 1}"#)]
struct ShirtSpec {
    #[crd(schema_patch = r#"{"maxLength": 3"#, schema_at(".b", "[]"))]
    a: String,
    #[crd(schema = r#""string""#)]
    b: String,
    #[crd(schema = r#"{"type": "string"}"#, schemaless)]
    c: String,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Sock", conversion = "Webhook")]
struct SockSpec {}

fn main() {}
