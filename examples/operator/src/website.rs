//! The custom resource `Website`.

// ANCHOR: website
use crdkit::{CrdSchema, CustomResource};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::{Deserialize, Serialize};

/// A website served by identical replicas of a web server.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "example.com", version = "v1", kind = "Website", namespaced, kube)]
#[crd(status = "WebsiteStatus", derive = "PartialEq")]
#[crd(printcolumn(name = "Host", type = "string", json_path = ".spec.host"))]
#[crd(printcolumn(name = "Ready", type = "integer", json_path = ".status.readyReplicas"))]
#[serde(rename_all = "camelCase")]
pub struct WebsiteSpec {
    /// Host name of the website.
    #[crd(immutable)]
    #[schemars(length(min = 1, max = 253))]
    pub host: String,
    /// Container image with the web server and the website's files.
    #[schemars(length(min = 1, max = 1024))]
    pub image: String,
    /// Number of web servers.
    #[schemars(range(min = 0, max = 20))]
    #[serde(default = "one")]
    pub replicas: i32,
}

fn one() -> i32 {
    1
}

/// Observed state of a website.
#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub struct WebsiteStatus {
    /// Generation of the spec that this status describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Number of ready web servers.
    pub ready_replicas: i32,
    /// The condition `Ready` is true if all web servers answer requests.
    #[crd(list_type = "map", list_map_keys = ["type"])]
    pub conditions: Vec<Condition>,
}
// ANCHOR_END: website
