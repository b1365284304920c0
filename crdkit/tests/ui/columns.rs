//! Printer columns.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt")]
#[crd(printcolumn(name = "A", type = "int", json_path = ".spec.size"))]
#[crd(printcolumn(name = "A", type = "text", json_path = ".spec.size"))]
#[crd(printcolumn(name = "", type = "string", format = "ip", json_path = ".spec.size"))]
struct ShirtSpec {
    size: i32,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Sock")]
#[crd(printcolumn(name = "A", json_path = ".spec.size"))]
struct SockSpec {
    size: i32,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shoe", status = "ShoeStatus")]
#[crd(printcolumn = r#"{"name": "A", "type": "integer", "jsonPath": ".spec.size", "priority": "1"}"#)]
#[crd(printcolumn = r#"{"name": "B", "type": "integer", "jsonpath": ".spec.size"}"#)]
#[crd(printcolumn = r#"{"name": "C", "type": "integer"}"#)]
#[crd(printcolumn = r#"{"name": "D", "type": "int", "jsonPath": ".spec.size"}"#)]
#[crd(scale = r#"{"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"#)]
struct ShoeSpec {
    size: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct ShoeStatus {
    size: i32,
}

fn main() {}
