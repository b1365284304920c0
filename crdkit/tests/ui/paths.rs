//! Paths that are not in the schema.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt")]
#[crd(printcolumn(name = "A", type = "string", json_path = ".spec.sleeve_length"))]
#[crd(printcolumn(name = "B", type = "string", json_path = "spec.color"))]
#[crd(printcolumn(name = "C", type = "string", json_path = ".status.phase"))]
#[crd(printcolumn(name = "D", type = "string", json_path = ".color"))]
#[crd(selectable = ".spec.colour", selectable = ".spec.color", selectable = ".spec.color")]
#[crd(selectable = ".metadata.name", selectable = ".spec.tags[0]")]
#[crd(scale(spec_replicas_path = ".status.replicas", status_replicas_path = ".spec.replicas"))]
#[serde(rename_all = "camelCase")]
struct ShirtSpec {
    color: String,
    sleeve_length: i32,
    tags: Vec<String>,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Sock", selectable = "spec.color")]
#[crd(printcolumn = r#"{"name": "A", "type": "text", "jsonPath": "{.spec.color}"}"#)]
#[crd(scale = r#"{"specReplicasPath": ".replicas", "statusReplicasPath": ".status.replicas"}"#)]
struct SockSpec {
    color: String,
}

fn main() {}
