//! Two fields of an object, applied as JSON, because the types require the others.

// ANCHOR: apply
use kube::api::{Api, Patch, PatchParams};
use kube::{Client, Resource};
use serde_json::json;

use crate::prometheus_types::Prometheus;

/// The owner of the two fields.
const MANAGER: &str = "capacity-planner";

/// Sets how many servers there are and how long they keep samples.
pub async fn plan(client: Client, name: &str, replicas: i32, retention: &str) -> kube::Result<Prometheus> {
    let wanted = json!({
        "apiVersion": Prometheus::api_version(&()),
        "kind": Prometheus::kind(&()),
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "retention": retention},
    });
    let prometheuses: Api<Prometheus> = Api::namespaced(client, "monitoring");
    prometheuses.patch(name, &PatchParams::apply(MANAGER), &Patch::Apply(&wanted)).await
}
// ANCHOR_END: apply
