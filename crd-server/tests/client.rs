//! kube's client, `Api` and `watcher` against the server.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crd_server::{Config, Server};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::runtime::watcher::{self, Event};
use kube::runtime::{conditions, wait::await_condition};
use kube::{Client, Error};
use serde_json::json;

const GROUP: &str = "stable.example.com";

fn definition() -> CustomResourceDefinition {
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"replicas": {"type": "integer", "default": 1, "maximum": 9}}},
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    });
    let crd = json!({
        "metadata": {"name": format!("crontabs.{GROUP}")},
        "spec": {
            "group": GROUP,
            "names": {"plural": "crontabs", "kind": "CronTab"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    });
    serde_json::from_value(crd).unwrap()
}

/// Returns a client of a new server with the definition, created through the client.
async fn client() -> Client {
    let client = Client::new(Server::with(&Config::default()), "default");
    let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
    crds.create(&PostParams::default(), &definition()).await.unwrap();
    let name = format!("crontabs.{GROUP}");
    await_condition(crds, &name, conditions::is_crd_established()).await.unwrap();
    client
}

fn crontabs(client: &Client) -> (Api<DynamicObject>, ApiResource) {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, "v1", "CronTab"));
    (Api::default_namespaced_with(client.clone(), &resource), resource)
}

fn crontab(resource: &ApiResource, name: &str) -> DynamicObject {
    DynamicObject::new(name, resource).data(json!({"spec": {}}))
}

#[tokio::test]
async fn objects_are_created_changed_and_deleted() {
    let client = client().await;
    let (api, resource) = crontabs(&client);
    let created = api.create(&PostParams::default(), &crontab(&resource, "a")).await.unwrap();
    assert_eq!((created.data["spec"]["replicas"].as_i64(), created.metadata.generation), (Some(1), Some(1)));

    let merge = Patch::Merge(json!({"spec": {"replicas": 3}, "metadata": {"finalizers": ["example.com/x"]}}));
    let patched = api.patch("a", &PatchParams::default(), &merge).await.unwrap();
    assert_eq!((patched.data["spec"]["replicas"].as_i64(), patched.metadata.generation), (Some(3), Some(2)));
    let status = Patch::Merge(json!({"status": {"phase": "ready"}}));
    let patched = api.patch_status("a", &PatchParams::default(), &status).await.unwrap();
    assert_eq!(
        (patched.data["status"]["phase"].as_str(), patched.metadata.generation),
        (Some("ready"), Some(2))
    );
    let Err(Error::Api(refused)) = api.replace("a", &PostParams::default(), &created).await else {
        panic!("an old object was accepted");
    };
    assert_eq!((refused.code, refused.reason.as_str()), (409, "Conflict"));
    let wrong = Patch::Merge(json!({"spec": {"replicas": 10}}));
    let Err(Error::Api(refused)) = api.patch("a", &PatchParams::default(), &wrong).await else {
        panic!("a wrong object was accepted");
    };
    assert_eq!(refused.code, 422);

    let deleted = api.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(deleted.left().unwrap().metadata.deletion_timestamp.is_some());
    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    api.patch("a", &PatchParams::default(), &free).await.unwrap();
    assert!(api.get_opt("a").await.unwrap().is_none());
}

#[tokio::test]
async fn lists_have_pages() {
    let client = client().await;
    let (api, resource) = crontabs(&client);
    for name in ["a", "b", "c"] {
        api.create(&PostParams::default(), &crontab(&resource, name)).await.unwrap();
    }
    let first = api.list(&ListParams::default().limit(2)).await.unwrap();
    let token = first.metadata.continue_.unwrap();
    let second = api.list(&ListParams::default().limit(2).continue_token(&token)).await.unwrap();
    assert_eq!((first.items.len(), second.items.len()), (2, 1));
}

async fn watcher_sees_all(config: watcher::Config) {
    let client = client().await;
    let (api, resource) = crontabs(&client);
    api.create(&PostParams::default(), &crontab(&resource, "a")).await.unwrap();
    let mut events = watcher::watcher(api.clone(), config).boxed();
    assert!(matches!(events.try_next().await.unwrap(), Some(Event::Init)));
    assert!(matches!(events.try_next().await.unwrap(), Some(Event::InitApply(_))));
    assert!(matches!(events.try_next().await.unwrap(), Some(Event::InitDone)));
    let writer = api.clone();
    let written = tokio::spawn(async move {
        writer.create(&PostParams::default(), &crontab(&resource, "b")).await.unwrap();
        writer.delete("a", &DeleteParams::default()).await.unwrap();
    });
    let Some(Event::Apply(applied)) = events.try_next().await.unwrap() else {
        panic!("no object was created")
    };
    assert_eq!(applied.metadata.name.as_deref(), Some("b"));
    let Some(Event::Delete(deleted)) = events.try_next().await.unwrap() else {
        panic!("no object was deleted")
    };
    assert_eq!(deleted.metadata.name.as_deref(), Some("a"));
    written.await.unwrap();
}

#[tokio::test]
async fn a_watcher_lists_and_watches() {
    watcher_sees_all(watcher::Config::default()).await;
}

#[tokio::test]
async fn a_watcher_streams_the_initial_list() {
    watcher_sees_all(watcher::Config::default().streaming_lists()).await;
}

#[tokio::test]
async fn a_watch_ends_at_its_timeout() {
    let client = client().await;
    let (api, _) = crontabs(&client);
    let params = kube::api::WatchParams::default().timeout(1);
    let events: Vec<_> = api.watch(&params, "0").await.unwrap().try_collect().await.unwrap();
    assert!(events.is_empty() || events.len() == 1, "{events:?}");
}

#[tokio::test]
async fn discovery_finds_definitions() {
    let client = client().await;
    let gvk = GroupVersionKind::gvk(GROUP, "v1", "CronTab");
    let (resource, capabilities) = kube::discovery::pinned_kind(&client, &gvk).await.unwrap();
    assert_eq!((resource.plural.as_str(), capabilities.subresources.len()), ("crontabs", 1));
    assert_eq!(client.apiserver_version().await.unwrap().minor, "37");
    let groups = client.list_api_groups().await.unwrap();
    assert!(groups.groups.iter().any(|group| group.name == GROUP));
}

/// Prints how many objects a core creates and reads in a second. It asserts nothing about times.
#[test]
#[ignore = "a measurement, for release builds"]
fn objects_per_second() {
    const OBJECTS: u32 = 20_000;
    let server = Server::new();
    let mut crd = serde_json::to_value(definition()).unwrap();
    crd["apiVersion"] = json!("apiextensions.k8s.io/v1");
    crd["kind"] = json!("CustomResourceDefinition");
    server.create(&crd).unwrap();
    let path = format!("/apis/{GROUP}/v1/namespaces/d/crontabs");
    let measure = |name: &str, request: &dyn Fn(u32) -> http::Request<String>| {
        let start = std::time::Instant::now();
        for i in 0..OBJECTS {
            assert!(server.handle(request(i)).status().is_success());
        }
        println!("{name}: {:.0} per second", f64::from(OBJECTS) / start.elapsed().as_secs_f64());
    };
    measure("create", &|i| {
        let object = json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "CronTab", "metadata": {"name": format!("a{i}")}, "spec": {},
        });
        http::Request::post(&path).body(object.to_string()).unwrap()
    });
    measure("get", &|i| http::Request::get(format!("{path}/a{i}")).body(String::new()).unwrap());
    measure("get again", &|i| http::Request::get(format!("{path}/a{i}")).body(String::new()).unwrap());
}
