use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Shirt", kube_version = "1.29")]
struct ShirtSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Firmware", kube_version = "1.33")]
struct FirmwareSpec {
    #[crd(validation = "isSemver(self)")]
    version: String,
}

fn main() {}
