//! The parts of kube's runtime that operators are made of, against the server.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crd_server::{Config, Server};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::events::v1::Event as PublishedEvent;
use kube::api::{Api, DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::core::PartialObjectMeta;
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::finalizer::{self, finalizer};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::wait::{await_condition, conditions, delete::delete_and_finalize};
use kube::runtime::{WatchStreamExt as _, watcher};
use kube::{Client, Resource as _, ResourceExt as _};
use serde_json::json;

fn server() -> (Server, Client) {
    let mut config = Config::default();
    config.built_in_kinds();
    let server = Server::with(&config);
    let client = Client::new(server.clone(), "default");
    (server, client)
}

fn settings(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

async fn soon<T>(state: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), state).await.unwrap()
}

async fn until(mut is_true: impl AsyncFnMut() -> bool) {
    while !is_true().await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Gives each config map a secret.
async fn reconcile(owner: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let secrets: Api<Secret> = Api::default_namespaced(Client::clone(&client));
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": owner.name_any(), "ownerReferences": [owner.controller_owner_ref(&())]},
        "stringData": owner.data,
    });
    secrets.patch(&owner.name_any(), &PatchParams::apply("test").force(), &Patch::Apply(secret)).await?;
    Ok(Action::await_change())
}

#[tokio::test]
async fn a_controller_follows_its_objects_and_those_that_it_owns() {
    let (server, client) = server();
    let owners: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let running = Controller::new(owners.clone(), watcher::Config::default())
        .owns(secrets.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(50)), Arc::new(client))
        .for_each(|_| async {});
    let running = tokio::spawn(running);
    owners.create(&PostParams::default(), &settings("a")).await.unwrap();
    let exists = |secret: Option<&Secret>| secret.is_some();
    let first = soon(await_condition(secrets.clone(), "a", exists)).await.unwrap().unwrap();

    // A secret that is removed comes back, also after the watches have broken off.
    secrets.delete("a", &DeleteParams::default()).await.unwrap();
    let is_another = |secret: Option<&Secret>| secret.is_some_and(|secret| secret.uid() != first.uid());
    soon(await_condition(secrets.clone(), "a", is_another)).await.unwrap();
    server.break_watches();
    let data = Patch::Merge(json!({"data": {"key": "value"}}));
    owners.patch("a", &PatchParams::default(), &data).await.unwrap();
    let has_data = |secret: Option<&Secret>| secret.is_some_and(|secret| secret.data.is_some());
    soon(await_condition(secrets, "a", has_data)).await.unwrap();
    running.abort();
}

#[tokio::test]
async fn a_reflector_has_what_the_server_has() {
    let (server, client) = server();
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    api.create(&PostParams::default(), &settings("a")).await.unwrap();
    let before = server.snapshot();
    let (store, writer) = reflector::store();
    let stream = watcher(api.clone(), watcher::Config::default()).default_backoff().reflect(writer);
    let running = tokio::spawn(stream.for_each(|_| async {}));
    soon(store.wait_until_ready()).await.unwrap();
    assert!(store.get(&ObjectRef::new("a").within("default")).is_some());
    api.create(&PostParams::default(), &settings("b")).await.unwrap();
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let names = || {
        let mut names: Vec<String> = store.state().iter().map(|object| object.name_any()).collect();
        names.sort();
        names
    };
    soon(until(async || names() == ["b"])).await;
    // The watch ends, the next one is too old, and the reflector lists anew.
    server.restore(&before);
    soon(until(async || names() == ["a"])).await;
    running.abort();
}

#[tokio::test]
async fn a_watcher_of_metadata_sees_metadata() {
    let (_, client) = server();
    let mut object = settings("a");
    object.data = Some(BTreeMap::from([("key".to_owned(), "value".to_owned())]));
    let whole: Api<ConfigMap> = Api::default_namespaced(client.clone());
    whole.create(&PostParams::default(), &object).await.unwrap();
    let api: Api<PartialObjectMeta<ConfigMap>> = Api::default_namespaced(client);
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let mut objects = watcher(api.clone(), config).applied_objects().boxed();
        let found = soon(objects.try_next()).await.unwrap().unwrap();
        assert_eq!((found.name_any().as_str(), found.metadata.uid.is_some()), ("a", true));
    }
}

#[tokio::test]
async fn a_finalizer_is_added_and_removed() {
    let (_, client) = server();
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    api.create(&PostParams::default(), &settings("a")).await.unwrap();
    let (applied, cleaned) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let step = async || {
        let object = Arc::new(api.get("a").await.unwrap());
        let done = finalizer(&api, "example.com/test", object, async |event| {
            match event {
                finalizer::Event::Apply(_) => applied.fetch_add(1, Ordering::SeqCst),
                finalizer::Event::Cleanup(_) => cleaned.fetch_add(1, Ordering::SeqCst),
            };
            Ok::<_, std::convert::Infallible>(Action::await_change())
        });
        done.await.unwrap();
    };
    // The finalizer is added first, and its event calls the controller again.
    step().await;
    assert_eq!(api.get("a").await.unwrap().finalizers(), ["example.com/test"]);
    step().await;
    api.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(api.get("a").await.unwrap().metadata.deletion_timestamp.is_some());
    step().await;
    assert_eq!((applied.into_inner(), cleaned.into_inner()), (1, 1));
    assert!(api.get_opt("a").await.unwrap().is_none());
}

#[tokio::test]
async fn deletions_are_awaited() {
    let (_, client) = server();
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    let mut object = settings("a");
    object.metadata.finalizers = Some(vec!["example.com/test".to_owned()]);
    let created = api.create(&PostParams::default(), &object).await.unwrap();
    let deleted = tokio::spawn({
        let (api, uid) = (api.clone(), created.uid().unwrap());
        async move { await_condition(api, "a", conditions::is_deleted(&uid)).await.is_ok() }
    });
    let waiting = tokio::spawn({
        let api = api.clone();
        async move { delete_and_finalize(api, "a", &DeleteParams::default()).await.unwrap() }
    });
    let is_going =
        |object: Option<&ConfigMap>| object.is_some_and(|object| object.meta().deletion_timestamp.is_some());
    soon(await_condition(api.clone(), "a", is_going)).await.unwrap();
    assert!(!waiting.is_finished() && !deleted.is_finished());
    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    api.patch("a", &PatchParams::default(), &free).await.unwrap();
    soon(waiting).await.unwrap();
    assert!(soon(deleted).await.unwrap());
}

#[tokio::test]
async fn a_recorder_publishes_events() {
    let (_, client) = server();
    let api: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let object = api.create(&PostParams::default(), &settings("a")).await.unwrap();
    let recorder = Recorder::new(client.clone(), Reporter { controller: "test".into(), instance: None });
    let event = Event {
        type_: EventType::Normal,
        reason: "Created".into(),
        note: Some("the secret is there".into()),
        action: "Creating".into(),
        secondary: None,
    };
    // The second one counts in a series of the first.
    for _ in 0..2 {
        recorder.publish(&event, &object.object_ref(&())).await.unwrap();
    }
    let events: Api<PublishedEvent> = Api::default_namespaced(client);
    let events = events.list(&ListParams::default()).await.unwrap().items;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].series.as_ref().map(|series| series.count), Some(2));
}
