//! CRDs with types of k8s-openapi: their size.

use std::collections::BTreeMap;

use crdkit::{CrdSchema, CustomResource};
use k8s_openapi::api::core::v1::{PodTemplateSpec, ServiceSpec};
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

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Agent", description_depth = 2)]
struct AgentSpec {
    /// The Pods.
    #[crd(kubernetes_enums)]
    template: PodTemplateSpec,
    #[crd(description_depth = 0)]
    #[serde(default)]
    others: Vec<PodTemplateSpec>,
    network: Network,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(kubernetes_enums, description_depth = 0)]
struct Network {
    /// How the service is reached.
    service: Option<ServiceSpec>,
}

#[test]
fn fields_of_kubernetes_have_their_values_where_it_is_wanted() {
    let crd = serde_json::to_value(Agent::crd().unwrap()).unwrap();
    let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    let pod = &spec["template"]["properties"]["spec"]["properties"];
    let container = &pod["containers"]["items"]["properties"];
    assert_eq!(container["imagePullPolicy"]["enum"], serde_json::json!(["Always", "IfNotPresent", "Never"]));
    assert_eq!(pod["restartPolicy"]["enum"], serde_json::json!(["Always", "Never", "OnFailure"]));
    let modes = &pod["volumes"]["items"]["properties"]["ephemeral"]["properties"]["volumeClaimTemplate"]["properties"]
        ["spec"];
    let modes = &modes["properties"]["accessModes"]["items"]["enum"];
    assert_eq!(modes[0], "ReadOnlyMany");
    let others = &spec["others"]["items"]["properties"]["spec"]["properties"];
    assert!(others["restartPolicy"].get("enum").is_none());
    let service = &spec["network"]["properties"]["service"];
    assert_eq!(
        service["properties"]["internalTrafficPolicy"]["enum"],
        serde_json::json!(["Cluster", "Local"])
    );
}

#[test]
fn fields_below_the_depth_have_no_descriptions() {
    let crd = serde_json::to_value(Agent::crd().unwrap()).unwrap();
    let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    assert_eq!(spec["template"]["description"], "The Pods.");
    assert!(spec["template"]["properties"]["spec"].get("description").is_none());
    assert!(spec["others"]["items"].get("description").is_some());
    assert!(spec["network"]["properties"]["service"].get("description").is_none());
    assert!(spec["others"]["items"]["properties"]["spec"].get("description").is_none());
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Plain", unchecked, no_test)]
struct PlainSpec {
    #[crd(kubernetes_enums)]
    time: Option<Time>,
}

#[test]
fn kubernetes_enums_without_such_a_field_are_an_error() {
    let error = Plain::crd().unwrap_err().to_string();
    assert!(error.contains("no field whose type of k8s-openapi has a fixed set of values"), "{error}");
}
