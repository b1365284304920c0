//! The controller: brings the cluster to the state that each website wants.

// ANCHOR: reconcile
use std::sync::Arc;
use std::time::Duration;

use crdkit::install::{NotInstalled, Policy, install};
use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{self, Event};
use kube::runtime::{Controller, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

use crate::wanted::{self, MANAGER};
use crate::{Website, WebsiteStatus};

const FINALIZER: &str = "example.com/website-directory";

/// The operator, and where it works.
#[derive(Clone)]
pub struct Operator {
    pub client: Client,
    /// The namespace of the directory of websites and of the lease.
    pub directory: String,
    /// The namespace whose websites are reconciled, or all namespaces.
    pub watched: Option<String>,
}

/// The reason why a website could not be reconciled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the website has no namespace")]
    NoNamespace,
    #[error(transparent)]
    Api(#[from] kube::Error),
    #[error(transparent)]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
}

/// Brings one website to its desired state. Running it again without a change in the cluster changes nothing.
pub async fn reconcile(website: Arc<Website>, operator: Arc<Operator>) -> Result<Action, Error> {
    let namespace = website.namespace().ok_or(Error::NoNamespace)?;
    let websites = Api::<Website>::namespaced(operator.client.clone(), &namespace);
    let result = finalizer::finalizer(&websites, FINALIZER, website, async |event| match event {
        Event::Apply(website) => apply(&operator, &websites, &website).await,
        Event::Cleanup(website) => clean_up(&operator, &website).await,
    });
    Ok(result.await.map_err(Box::new)?)
}

async fn apply(operator: &Operator, websites: &Api<Website>, website: &Website) -> Result<Action, Error> {
    // Server-side apply: the operator owns the fields that it sends, and no others.
    let manager = PatchParams::apply(MANAGER).force();
    let name = website.name_any();

    let namespace = website.namespace().ok_or(Error::NoNamespace)?;
    let deployments = Api::<Deployment>::namespaced(operator.client.clone(), &namespace);
    let deployment = deployments.patch(&name, &manager, &Patch::Apply(wanted::deployment(website))).await?;

    let entries = Api::<ConfigMap>::namespaced(operator.client.clone(), &operator.directory);
    let entry = Patch::Apply(wanted::entry(website, &operator.directory));
    entries.patch(&wanted::entry_name(website), &manager, &entry).await?;

    let status = wanted::status(website, &deployment, Time(Timestamp::now()));
    // A write without a change would wake this controller again.
    if website.status.as_ref() != Some(&status) {
        websites.patch_status(&name, &manager, &Patch::Apply(status_patch(status))).await?;
    }
    Ok(Action::await_change())
}

fn status_patch(status: WebsiteStatus) -> serde_json::Value {
    json!({"apiVersion": Website::api_version(&()), "kind": Website::kind(&()), "status": status})
}

async fn clean_up(operator: &Operator, website: &Website) -> Result<Action, Error> {
    let entries = Api::<ConfigMap>::namespaced(operator.client.clone(), &operator.directory);
    match entries.delete(&wanted::entry_name(website), &DeleteParams::default()).await {
        // An earlier attempt may have deleted the entry.
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        result => drop(result?),
    }
    Ok(Action::await_change())
}
// ANCHOR_END: reconcile

// ANCHOR: check
/// Fails if the CRD of the cluster is not there, or drops or rejects what this operator writes.
pub async fn check(client: Client) -> Result<(), NotInstalled> {
    install(async |request| client.send(request).await, &Website::crd(), Policy::Verify).await?;
    Ok(())
}
// ANCHOR_END: check

// ANCHOR: run
/// Reconciles websites until the process is told to stop.
pub async fn run(operator: Operator) {
    let client = operator.client.clone();
    let (websites, deployments) = match &operator.watched {
        Some(namespace) => (Api::namespaced(client.clone(), namespace), Api::namespaced(client, namespace)),
        None => (Api::all(client.clone()), Api::all(client)),
    };
    let owned = watcher::Config::default().labels(&format!("app.kubernetes.io/managed-by={MANAGER}"));
    Controller::new(websites, watcher::Config::default())
        .owns::<Deployment>(deployments, owned)
        .shutdown_on_signal()
        .run(reconcile, try_again, Arc::new(operator))
        .for_each(async |result| {
            if let Err(error) = result {
                eprintln!("{error}");
            }
        })
        .await;
}

fn try_again(_: Arc<Website>, _: &Error, _: Arc<Operator>) -> Action {
    Action::requeue(Duration::from_secs(15))
}
// ANCHOR_END: run
