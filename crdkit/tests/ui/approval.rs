//! A group of the Kubernetes project: a warning, which this crate makes an error.
#![deny(warnings)]
#![allow(dead_code)]

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "gadgets.k8s.io", version = "v1", kind = "Gadget")]
struct GadgetSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "gadgets.k8s.io", version = "v1", kind = "Approved")]
#[crd(annotation("api-approved.kubernetes.io", "unapproved, an experiment"))]
struct ApprovedSpec {}

fn main() {}
