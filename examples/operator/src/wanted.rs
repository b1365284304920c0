//! The objects and the status that a website should have. Nothing here talks to the API server.

// ANCHOR: children
use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector, ObjectMeta, Time};
use kube::{Resource, ResourceExt};

use crate::{Website, WebsiteStatus};

/// The field manager of everything that this operator applies, and a label of the objects.
pub const MANAGER: &str = "website-operator";

/// Returns the Deployment that serves a website. The API server deletes it with the website, which owns it.
pub fn deployment(website: &Website) -> Deployment {
    let pods = BTreeMap::from([("example.com/website".to_owned(), website.name_any())]);
    let container =
        Container { name: "web".into(), image: Some(website.spec.image.clone()), ..Default::default() };
    Deployment {
        metadata: ObjectMeta {
            name: Some(website.name_any()),
            namespace: website.namespace(),
            labels: Some(managed()),
            owner_references: website.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..Default::default()
        },
        spec: DeploymentSpec {
            replicas: Some(website.spec.replicas),
            selector: LabelSelector { match_labels: Some(pods.clone()), ..Default::default() },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta { labels: Some(pods), ..Default::default() }),
                spec: Some(PodSpec { containers: vec![container], ..Default::default() }),
            },
            ..Default::default()
        },
        ..Default::default()
    }
}

/// Returns the entry of a website in the namespace of the directory. An owner cannot be in another namespace, so a finalizer deletes
/// the entry.
pub fn entry(website: &Website, directory: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(entry_name(website)),
            namespace: Some(directory.into()),
            labels: Some(managed()),
            ..Default::default()
        },
        data: Some(BTreeMap::from([("host".to_owned(), website.spec.host.clone())])),
        ..Default::default()
    }
}

/// Returns the name of the directory entry. A uid is unique in the cluster, a name only in its namespace.
pub fn entry_name(website: &Website) -> String {
    format!("website-{}", website.uid().unwrap_or_default())
}

fn managed() -> BTreeMap<String, String> {
    BTreeMap::from([("app.kubernetes.io/managed-by".to_owned(), MANAGER.to_owned())])
}
// ANCHOR_END: children

// ANCHOR: status
/// Returns the status of a website whose Deployment is as given.
pub fn status(website: &Website, deployment: &Deployment, now: Time) -> WebsiteStatus {
    let ready = deployment.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or(0);
    let wanted = website.spec.replicas;
    let (truth, reason) = match ready >= wanted {
        true => ("True", "AllReady"),
        false => ("False", "Starting"),
    };
    let old = website.status.iter().flat_map(|status| &status.conditions);
    // The time of a condition is when its status changed, not when it was last looked at.
    let unchanged = old.clone().find(|condition| condition.type_ == "Ready" && condition.status == truth);
    let condition = Condition {
        type_: "Ready".into(),
        status: truth.into(),
        reason: reason.into(),
        message: format!("{ready} of {wanted} web servers answer requests"),
        observed_generation: website.metadata.generation,
        last_transition_time: unchanged.map_or(now, |condition| condition.last_transition_time.clone()),
    };
    WebsiteStatus {
        observed_generation: website.metadata.generation,
        ready_replicas: ready,
        conditions: vec![condition],
    }
}
// ANCHOR_END: status
