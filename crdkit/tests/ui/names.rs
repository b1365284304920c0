//! Names that the API server refuses.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "Example.com", version = "v1.0", kind = "Cron_Tab")]
struct CronTabSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example", version = "v1", kind = "Shirt", plural = "Shirts", singular = "-shirt")]
#[crd(shortname = "s_t", shortname = "sh", shortname = "sh", category = "All", list_kind = "Shirt")]
#[crd(label("a b", "c"), label("a", "-"), annotation("/x", "y"))]
#[crd(deprecated = "two\nlines")]
struct ShirtSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Settings")]
struct SettingsSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Job")]
struct Job {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "batch.k8s.io", version = "v1", kind = "Work")]
struct WorkSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Hook")]
#[crd(conversion(service(namespace = "A", name = "a"), url = "http://a", ca_bundle = "?"))]
struct HookSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Link")]
#[crd(conversion(url = "http://a", review_versions = ["V1", "v2"]))]
struct LinkSpec {}

fn main() {}
