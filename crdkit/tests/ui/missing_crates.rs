//! Crates that `#[crd(kube)]` needs and `Cargo.toml` lacks, and a status that does not exist: one error each.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

// One crate of both is missing.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Remote", kube, crates(kube = "kube_client"))]
struct RemoteSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Foreign", kube, crates(k8s_openapi = "::openapi"))]
struct ForeignSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Absent", status = "AbsentStatus")]
struct AbsentSpec {}

fn main() {
    let remote = Remote::new("a", RemoteSpec {});
    println!("{:?} {}", remote.metadata, <Remote as CustomResource>::KIND);
    let foreign = Foreign::new("a", ForeignSpec {});
    println!("{:?} {}", foreign.metadata, <Foreign as CustomResource>::KIND);
    let absent = Absent::new("a", AbsentSpec {});
    println!("{:?} {}", absent.status, Absent::crd().is_ok());
}
