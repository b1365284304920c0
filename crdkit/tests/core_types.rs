//! CRDs with types of k8s-openapi: their size.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Worker", descriptions = "first_sentence")]
struct WorkerSpec {
    template: PodTemplateSpec,
}

/// The limit for all annotations of an object: `kubectl apply` stores the whole object in one.
#[test]
fn a_crd_with_a_pod_template_fits_in_the_annotation_of_apply() {
    let crd = serde_json::to_value(Worker::crd().unwrap()).unwrap();
    let text = serde_json::to_string(&crd).unwrap();
    let escaped: usize =
        text.chars().map(|c| if matches!(c, '<' | '>' | '&') { 6 } else { c.len_utf8() }).sum();
    assert!(escaped < 262_144, "{escaped}");
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Scalars")]
#[crd(plural = "scalars")]
struct ScalarsSpec {
    /// How much.
    limit: Quantity,
    quantity: Quantity,
    quantities: BTreeMap<String, Quantity>,
    port: Option<IntOrString>,
    ports: Vec<IntOrString>,
    time: Option<Time>,
    #[crd(schemaless)]
    other: Option<Value>,
    metadata: Option<ObjectMeta>,
}

#[test]
fn scalars_of_kubernetes_have_the_descriptions_of_their_fields_only() {
    let crd = serde_json::to_value(Scalars::crd().unwrap()).unwrap();
    let text = crd.to_string();
    for own in ["fixed-point", "int32 or a string", "time.Time", "persisted resources"] {
        assert!(!text.contains(own), "{own}");
    }
    let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    assert_eq!(spec["limit"]["description"], "How much.");
    assert!(spec["metadata"]["properties"]["labels"].get("description").is_none());
}
