//! Cron tabs, with validation, defaults, a status and a scale subresource.

// ANCHOR: spec
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "stable.example.com", version = "v1", kind = "CronTab", namespaced)]
// `kubectl get ct`, and `kubectl get all`
#[crd(shortname = "ct", category = "all")]
#[crd(status = "CronTabStatus")]
// `kubectl scale crontab/mine --replicas 5`
#[crd(scale(
    spec_replicas_path = ".spec.replicas",
    status_replicas_path = ".status.replicas",
    label_selector_path = ".status.labelSelector"
))]
#[crd(printcolumn(
    name = "Spec",
    type = "string",
    description = "The cron spec defining the interval a CronJob is run",
    json_path = ".spec.cronSpec"
))]
#[crd(printcolumn(
    name = "Replicas",
    type = "integer",
    description = "The number of jobs launched by the CronJob",
    json_path = ".spec.replicas"
))]
#[crd(printcolumn(name = "Age", type = "date", json_path = ".metadata.creationTimestamp"))]
#[crd(spec_optional)]
#[serde(rename_all = "camelCase", default)]
pub struct CronTabSpec {
    // The attributes of serde and schemars apply: names, defaults, patterns, ranges.
    #[schemars(regex(pattern = r"^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$"))]
    pub cron_spec: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[schemars(range(min = 1, max = 10))]
    // An `i32` has the format `int32`. The CRD of the Kubernetes documentation has no format.
    #[crd(format = "")]
    pub replicas: i32,
}

// `#[serde(default)]` on the struct puts these values into the schema. The API server fills in absent fields.
impl Default for CronTabSpec {
    fn default() -> Self {
        Self { cron_spec: "5 0 * * *".into(), image: None, replicas: 1 }
    }
}
// ANCHOR_END: spec

// ANCHOR: status
#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct CronTabStatus {
    #[crd(format = "")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<String>,
}
// ANCHOR_END: status
