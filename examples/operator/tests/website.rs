//! The CRD, its answers to objects, and the desired state. No cluster is needed.

// ANCHOR: crd
use crdkit::{CrdFiles, assert_accepted, assert_rejected, assert_update_rejected};
use example_operator::{Website, WebsiteSpec, wanted};
use k8s_openapi::api::apps::v1::{Deployment, DeploymentStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

fn website(host: &str, replicas: i32) -> Website {
    let mut website =
        Website::new("blog", WebsiteSpec { host: host.into(), image: "blog:1".into(), replicas });
    website.metadata.namespace = Some("team".into());
    website.metadata.uid = Some("1f6c".into());
    website.metadata.generation = Some(1);
    website
}

#[test]
fn the_crd_file_is_current() -> Result<(), crdkit::Error> {
    CrdFiles::new("crds").add::<Website>()?.update_or_check()
}

#[test]
fn the_api_server_keeps_the_rules() {
    assert_accepted!(website("blog.example.com", 2));
    assert_rejected!(
        website("blog.example.com", 21),
        "spec.replicas in body should be less than or equal to 20"
    );
    assert_update_rejected!(website("a.example.com", 1) => website("b.example.com", 1), "spec.host");
}
// ANCHOR_END: crd

// ANCHOR: wanted
#[test]
fn a_deployment_belongs_to_its_website() {
    let deployment = wanted::deployment(&website("blog.example.com", 2));
    let owner = &deployment.metadata.owner_references.expect("there is an owner")[0];
    assert_eq!((&*owner.kind, &*owner.uid, owner.controller), ("Website", "1f6c", Some(true)));
    assert_eq!(deployment.spec.replicas, Some(2));
}

#[test]
fn a_condition_keeps_its_time_until_it_changes() {
    let deployment = |ready| Deployment {
        status: Some(DeploymentStatus { ready_replicas: Some(ready), ..Default::default() }),
        ..Default::default()
    };
    let time = |second| Time(Timestamp::from_second(second).expect("it is a time"));
    let mut website = website("blog.example.com", 2);
    let ready = [(0, 10, "False", 10), (1, 20, "False", 10), (2, 30, "True", 30), (2, 40, "True", 30)];
    for (replicas, now, truth, since) in ready {
        let status = wanted::status(&website, &deployment(replicas), time(now));
        let condition = &status.conditions[0];
        assert_eq!((&*condition.status, &condition.last_transition_time), (truth, &time(since)));
        website.status = Some(status);
    }
}
// ANCHOR_END: wanted
