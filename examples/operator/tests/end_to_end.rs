//! The controller against an API server in the process of the test.

// ANCHOR: start
use std::time::Duration;

use crdkit::testing::ApiServer;
use example_operator::wanted::DIRECTORY;
use example_operator::{Website, WebsiteSpec, controller};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client};
use serde_json::json;

/// A server with the operator's CRD and its namespaces, and the operator on it.
fn start() -> (ApiServer, Client) {
    let server = ApiServer::with::<Website>().expect("the CRD is valid");
    for name in ["team", DIRECTORY] {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        server.create(&namespace).expect("the namespace is new");
    }
    let client = Client::new(server.service(), "default");
    tokio::spawn(controller::run(client.clone()));
    (server, client)
}

fn blog(replicas: i32) -> Website {
    Website::new("blog", WebsiteSpec { host: "blog.example.com".into(), image: "blog:1".into(), replicas })
}

/// A check that the condition `Ready` of a website has a status.
fn is_ready(wanted: &'static str) -> impl Fn(Option<&Website>) -> bool {
    move |website| {
        let conditions = website.and_then(|website| website.status.as_ref()).map(|status| &status.conditions);
        conditions
            .into_iter()
            .flatten()
            .any(|condition| condition.type_ == "Ready" && condition.status == wanted)
    }
}

/// Waits for a state, but not for long.
async fn soon<T>(state: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), state).await.expect("it comes about in time")
}
// ANCHOR_END: start

// ANCHOR: ready
#[tokio::test]
async fn a_website_becomes_ready_and_goes() {
    let (server, client) = start();
    let websites: Api<Website> = Api::namespaced(client.clone(), "team");
    websites.create(&PostParams::default(), &blog(2)).await.expect("it is accepted");
    soon(await_condition(websites.clone(), "blog", is_ready("False"))).await.expect("it has a status");

    // The controller of Deployments is not there: the test does its work.
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "team");
    let ready = Patch::Merge(json!({"status": {"readyReplicas": 2}}));
    deployments.patch_status("blog", &PatchParams::default(), &ready).await.expect("the deployment exists");
    soon(await_condition(websites.clone(), "blog", is_ready("True"))).await.expect("it is ready");

    let entries: Api<ConfigMap> = Api::namespaced(client, DIRECTORY);
    let list = async || entries.list(&ListParams::default()).await.expect("it can be listed").items;
    assert_eq!(list().await.len(), 1);
    let website = websites.delete("blog", &DeleteParams::default()).await.expect("it exists");
    let uid =
        website.left().and_then(|website| website.metadata.uid).expect("the finalizer keeps it for a moment");
    soon(await_condition(websites, "blog", conditions::is_deleted(&uid))).await.expect("it is gone");
    assert_eq!(list().await, []);

    // The owner of the deployment is gone.
    server.collect_garbage();
    assert_eq!(deployments.get_opt("blog").await.expect("it can be read"), None);
}
// ANCHOR_END: ready

// ANCHOR: faults
#[tokio::test]
async fn a_conflict_is_tried_again() {
    use crd_server::Fault;

    let (server, client) = start();
    server.inject(Fault::conflict().on("PATCH").below("/deployments/"));
    let websites: Api<Website> = Api::namespaced(client, "team");
    websites.create(&PostParams::default(), &blog(1)).await.expect("it is accepted");
    // The operator waits for 15 seconds after an error; a change of the website wakes it at once.
    server.idle(Duration::from_millis(100)).await;
    let label = Patch::Merge(json!({"metadata": {"labels": {"a": "b"}}}));
    websites.patch("blog", &PatchParams::default(), &label).await.expect("it exists");
    soon(await_condition(websites, "blog", is_ready("False"))).await.expect("it has a status");

    let lines: Vec<String> = server.take_requests().iter().map(ToString::to_string).collect();
    let patches = lines.iter().filter(|line| line.starts_with("PATCH") && line.contains("/deployments/"));
    let codes: Vec<&str> = patches.filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(codes.first(), Some(&"409"), "{lines:#?}");
    assert!(codes.contains(&"201"), "{lines:#?}");
}
// ANCHOR_END: faults

// ANCHOR: rules
#[tokio::test]
async fn the_server_keeps_the_rules() {
    let (_, client) = start();
    let websites: Api<Website> = Api::namespaced(client, "team");
    let refused =
        websites.create(&PostParams::default(), &blog(21)).await.expect_err("it has too many replicas");
    assert!(
        refused.to_string().contains("spec.replicas in body should be less than or equal to 20"),
        "{refused}"
    );
    websites.create(&PostParams::default(), &blog(1)).await.expect("it is accepted");
    let moved = Patch::Merge(json!({"spec": {"host": "other.example.com"}}));
    let refused = websites.patch("blog", &PatchParams::default(), &moved).await.expect_err("it is immutable");
    assert!(refused.to_string().contains("spec.host"), "{refused}");
}
// ANCHOR_END: rules
