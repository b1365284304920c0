//! The operator against an API server in the process of the test, or against the cluster that `KUBECONFIG` names.

// ANCHOR: start
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::time::Duration;

use crdkit::install::{Policy, install};
use crdkit::testing::ApiServer;
use example_operator::leader::{Candidate, LEASE};
use example_operator::{Operator, Website, WebsiteSpec, controller};
use futures::FutureExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

/// A cluster with the CRD, and two namespaces for one test.
struct Cluster {
    /// The server in this process, unless `KUBECONFIG` names a cluster.
    server: Option<ApiServer>,
    client: Client,
    team: String,
    directory: String,
}

/// Runs a test with the operator in a cluster, and removes what both have left.
async fn with_operator(test: impl AsyncFnOnce(&Cluster)) {
    let cluster = Cluster::start().await;
    let operator = tokio::spawn(controller::run(Operator {
        client: cluster.client.clone(),
        directory: cluster.directory.clone(),
        watched: Some(cluster.team.clone()),
    }));
    let outcome = AssertUnwindSafe(test(&cluster)).catch_unwind().await;
    cluster.clean_up().await;
    operator.abort();
    outcome.unwrap_or_else(|panic| resume_unwind(panic));
}

impl Cluster {
    async fn start() -> Self {
        let (server, client) = match std::env::var_os("KUBECONFIG") {
            Some(_) => {
                let client = Client::try_default().await.expect("KUBECONFIG names a cluster");
                let send = async |request| client.send(request).await;
                install(send, &Website::crd(), Policy::Upgrade).await.expect("the CRD can be installed");
                (None, client)
            }
            None => {
                let server = ApiServer::with::<Website>().expect("the CRD is valid");
                let client = Client::new(server.service(), "default");
                (Some(server), client)
            }
        };
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let new = async || {
            let namespace = json!({"metadata": {"generateName": "website-test-"}});
            let namespace = serde_json::from_value(namespace).expect("it is a namespace");
            namespaces.create(&PostParams::default(), &namespace).await.expect("it has a new name").name_any()
        };
        Self { team: new().await, directory: new().await, server, client }
    }

    async fn clean_up(&self) {
        // The operator removes its finalizer.
        let websites: Api<Website> = self.api();
        let all = websites.delete_collection(&DeleteParams::default(), &ListParams::default()).await;
        all.expect("websites can be deleted");
        let are_gone =
            async || websites.list(&ListParams::default()).await.is_ok_and(|list| list.items.is_empty());
        soon(until(are_gone)).await;
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        for name in [&self.team, &self.directory] {
            namespaces.delete(name, &DeleteParams::default()).await.expect("the namespace exists");
        }
    }

    /// Returns the objects of a kind in the namespace with the websites.
    fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), &self.team)
    }
}

fn blog(replicas: i32) -> Website {
    Website::new("blog", WebsiteSpec { host: "blog.example.com".into(), image: "nginx".into(), replicas })
}

/// Returns a check that the condition `Ready` of a website has a status.
fn is_ready(wanted: &'static str) -> impl Fn(Option<&Website>) -> bool {
    move |website| {
        let conditions = website.and_then(|website| website.status.as_ref()).map(|status| &status.conditions);
        conditions
            .into_iter()
            .flatten()
            .any(|condition| condition.type_ == "Ready" && condition.status == wanted)
    }
}

/// Waits for a state, but not for ever.
async fn soon<T>(state: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), state).await.expect("it comes about in time")
}

/// Asks again and again.
async fn until(is_true: impl AsyncFn() -> bool) {
    while !is_true().await {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
// ANCHOR_END: start

// ANCHOR: ready
#[tokio::test]
async fn a_website_becomes_ready_and_goes() {
    with_operator(async |cluster| {
        let websites: Api<Website> = cluster.api();
        websites.create(&PostParams::default(), &blog(2)).await.expect("it is accepted");
        soon(await_condition(websites.clone(), "blog", is_ready("False"))).await.expect("it has a status");

        let deployments: Api<Deployment> = cluster.api();
        // The controller of Deployments may not be there: the test does its work. Another one soon writes the true status.
        let ready = Patch::Merge(json!({"status": {"replicas": 2, "readyReplicas": 2}}));
        let patched = deployments.patch_status("blog", &PatchParams::default(), &ready).await;
        patched.expect("the deployment exists");
        soon(await_condition(websites.clone(), "blog", is_ready("True"))).await.expect("it is ready");

        let entries: Api<ConfigMap> = Api::namespaced(cluster.client.clone(), &cluster.directory);
        let owned = ListParams::default().labels("app.kubernetes.io/managed-by=website-operator");
        let list = async || entries.list(&owned).await.expect("it can be listed").items;
        assert_eq!(list().await.len(), 1);
        let website = websites.delete("blog", &DeleteParams::default()).await.expect("it exists");
        let uid = website.left().and_then(|website| website.uid());
        let uid = uid.expect("the finalizer keeps it for a moment");
        soon(await_condition(websites, "blog", conditions::is_deleted(&uid))).await.expect("it is gone");
        assert_eq!(list().await, []);

        // The owner of the deployment is gone.
        if let Some(server) = &cluster.server {
            server.collect_garbage();
        }
        let is_gone = async || deployments.get_opt("blog").await.expect("it can be read").is_none();
        soon(until(is_gone)).await;
    })
    .await;
}
// ANCHOR_END: ready

// ANCHOR: faults
#[tokio::test]
async fn a_conflict_is_tried_again() {
    use crdkit::testing::Fault;

    with_operator(async |cluster| {
        // A cluster cannot be told to fail.
        let Some(server) = &cluster.server else { return };
        server.inject(Fault::conflict().on("PATCH").below("/deployments/"));
        let websites: Api<Website> = cluster.api();
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
    })
    .await;
}
// ANCHOR_END: faults

// ANCHOR: rules
#[tokio::test]
async fn the_server_keeps_the_rules() {
    with_operator(async |cluster| {
        let websites: Api<Website> = cluster.api();
        let refused =
            websites.create(&PostParams::default(), &blog(21)).await.expect_err("it has too many replicas");
        assert!(
            refused.to_string().contains("spec.replicas in body should be less than or equal to 20"),
            "{refused}"
        );
        websites.create(&PostParams::default(), &blog(1)).await.expect("it is accepted");
        let moved = Patch::Merge(json!({"spec": {"host": "other.example.com"}}));
        let refused =
            websites.patch("blog", &PatchParams::default(), &moved).await.expect_err("it is immutable");
        assert!(refused.to_string().contains("spec.host"), "{refused}");
    })
    .await;
}
// ANCHOR_END: rules

// ANCHOR: leader
#[tokio::test]
async fn one_copy_leads_at_a_time() {
    let cluster = Cluster::start().await;
    let leases: Api<Lease> = Api::namespaced(cluster.client.clone(), &cluster.directory);
    let candidate = |name: &str| Candidate {
        leases: leases.clone(),
        name: name.to_owned(),
        term: Duration::from_millis(300),
    };
    let holder = async || {
        let lease = leases.get_opt(LEASE).await.expect("it can be read")?;
        lease.spec?.holder_identity
    };
    let leads = async |name: &str| soon(until(async || holder().await.as_deref() == Some(name))).await;

    let first = candidate("first");
    let first = tokio::spawn(async move { first.lead(std::future::pending::<()>()).await });
    leads("first").await;
    let second = candidate("second");
    let second = tokio::spawn(async move { second.lead(async { "done" }).await });
    // The first copy renews its lease.
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert!(!second.is_finished());
    // It stops without giving the lease back.
    first.abort();
    let done = soon(second).await.expect("it does not panic").expect("the server answers");
    assert_eq!(done, Some("done"));
    assert_eq!(holder().await, None);
    cluster.clean_up().await;
}
// ANCHOR_END: leader
