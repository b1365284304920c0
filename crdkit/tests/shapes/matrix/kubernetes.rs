//! Types of k8s-openapi.

use std::collections::BTreeMap;

use crdkit::CrdSchema;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{
    Affinity, ConfigMapKeySelector, Container, ContainerPort, EnvVar, LocalObjectReference, ObjectReference,
    PodSpec, PodTemplateSpec, ResourceRequirements, SecretKeySelector, ServicePort, Toleration,
    TopologySpreadConstraint, Volume,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, LabelSelector, LabelSelectorRequirement, ObjectMeta, OwnerReference, Time,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use k8s_openapi::jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Outcome, compare, row};

#[derive(CrdSchema, Serialize, Deserialize)]
struct Of<T> {
    field: T,
    maybe: Option<T>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<T>,
}

// ANCHOR: quantity
#[derive(schemars::JsonSchema, Serialize, Deserialize)]
struct Foreign {
    port: IntOrString,
    maybe: Option<IntOrString>,
    quantity: Option<Quantity>,
}
// ANCHOR_END: quantity

/// It has no schema of its own.
#[derive(CrdSchema, Serialize, Deserialize)]
struct Bytes {
    #[crd(schema = r#"{"type": "string", "format": "byte"}"#)]
    secret: ByteString,
}

fn wrap_all<T: Clone>(values: impl IntoIterator<Item = T>) -> Vec<Of<T>> {
    let each = values.into_iter().map(|value| Of {
        field: value.clone(),
        maybe: Some(value.clone()),
        list: vec![value],
    });
    each.collect()
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn metadata() -> ObjectMeta {
    ObjectMeta {
        name: Some(text("a")),
        labels: Some(BTreeMap::from([(text("a"), text("b"))])),
        annotations: Some(BTreeMap::from([(text("a"), text("b"))])),
        finalizers: Some(vec![text("example.com/a")]),
        owner_references: Some(vec![OwnerReference {
            api_version: text("v1"),
            kind: text("Pod"),
            name: text("a"),
            uid: text("u"),
            ..OwnerReference::default()
        }]),
        ..ObjectMeta::default()
    }
}

fn pod() -> PodSpec {
    let ports = vec![ContainerPort {
        container_port: 80,
        name: Some(text("http")),
        protocol: Some(text("TCP")),
        ..ContainerPort::default()
    }];
    let limits =
        BTreeMap::from([(text("cpu"), Quantity(text("500m"))), (text("memory"), Quantity(text("1Gi")))]);
    let container = Container {
        name: text("main"),
        image: Some(text("a:1")),
        args: Some(vec![text("-v"), text("-v")]),
        env: Some(vec![EnvVar { name: text("A"), value: Some(text("b")), value_from: None }]),
        ports: Some(ports),
        resources: Some(ResourceRequirements { limits: Some(limits), ..ResourceRequirements::default() }),
        ..Container::default()
    };
    PodSpec {
        containers: vec![container],
        affinity: Some(Affinity::default()),
        image_pull_secrets: Some(vec![LocalObjectReference { name: text("pull") }]),
        tolerations: Some(vec![Toleration { key: Some(text("a")), ..Toleration::default() }]),
        volumes: Some(vec![Volume { name: text("v"), ..Volume::default() }]),
        topology_spread_constraints: Some(vec![TopologySpreadConstraint {
            max_skew: 1,
            topology_key: text("zone"),
            when_unsatisfiable: text("DoNotSchedule"),
            ..TopologySpreadConstraint::default()
        }]),
        ..PodSpec::default()
    }
}

fn selector() -> LabelSelector {
    LabelSelector {
        match_labels: Some(BTreeMap::from([(text("a"), text("b"))])),
        match_expressions: Some(vec![LabelSelectorRequirement {
            key: text("a"),
            operator: text("In"),
            values: Some(vec![text("b")]),
        }]),
    }
}

fn condition() -> Condition {
    Condition {
        last_transition_time: Time(Timestamp::UNIX_EPOCH),
        message: String::new(),
        observed_generation: Some(1),
        reason: text("Done"),
        status: text("True"),
        type_: text("Ready"),
    }
}

/// Descriptions are five sixths of its schema, and not ours.
fn undescribed(schema: &mut Value) {
    match schema {
        Value::Object(node) => {
            node.retain(|keyword, value| keyword != "description" || !value.is_string());
            node.values_mut().for_each(undescribed);
        }
        Value::Array(items) => items.iter_mut().for_each(undescribed),
        _ => {}
    }
}

#[test]
fn kubernetes() {
    let quantities = ["1", "500m", "1.5Gi", "-0.5", "1e3", "+12E-3", ".5", "5.", "0", "3k", "10u"];
    let template = PodTemplateSpec { metadata: Some(metadata()), spec: Some(pod()) };
    compare(
        "kubernetes",
        &[
            row("IntOrString", wrap_all([IntOrString::Int(1), IntOrString::String(text("50%"))])),
            row("Quantity", wrap_all(quantities.map(|quantity| Quantity(text(quantity))))),
            row(
                "IntOrString and Quantity in another crate",
                [Foreign { port: IntOrString::Int(1), maybe: None, quantity: None }],
            ),
            row("Condition", [vec![condition()]]),
            row("LabelSelector", wrap_all([selector(), LabelSelector::default()])),
            row(
                "SecretKeySelector",
                wrap_all([SecretKeySelector { key: text("k"), name: text("n"), optional: None }]),
            ),
            row(
                "ConfigMapKeySelector",
                wrap_all([ConfigMapKeySelector { key: text("k"), ..Default::default() }]),
            ),
            row("ObjectReference", [ObjectReference { name: Some(text("a")), ..ObjectReference::default() }]),
            row("LocalObjectReference", [LocalObjectReference { name: text("a") }]),
            row(
                "ServicePort",
                [vec![ServicePort { port: 80, protocol: Some(text("TCP")), ..ServicePort::default() }]],
            ),
            row("ObjectMeta", [metadata(), ObjectMeta::default()]),
            row("ByteString", [Bytes { secret: ByteString(b"a\xff".to_vec()) }]),
            row("JSONSchemaProps", [JSONSchemaProps::default()]),
        ],
    );
    let mut template = row("PodTemplateSpec", [template]);
    if let Outcome::Taken { schema, .. } = &mut template.outcome {
        undescribed(schema);
    }
    compare("pods", &[template]);
}
