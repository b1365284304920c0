//! kube-derive's own tests for this derive, with the imports changed. Where the answer differs on purpose, the test shows how;
//! the book's page "Coming from kube-derive" gives the reason.

mod definitions;
mod fields;
mod specs;

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use crdkit::{CrdSchema as KubeSchema, CustomResource};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::core::object::{HasSpec, HasStatus};
use kube::core::{CustomResourceExt, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Returns the schema that an API server would get, from k8s-openapi's type.
fn schema<R: CustomResourceExt>() -> Value {
    let crd = serde_json::to_value(R::crd()).expect("it is data");
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

/// Returns the schema of the field `field` of the spec.
fn field<R: CustomResourceExt>(field: &str) -> Value {
    schema::<R>()["properties"]["spec"]["properties"][field].clone()
}
