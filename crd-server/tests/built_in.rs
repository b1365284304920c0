//! Built-in kinds, namespaces, garbage collection, and what tests do to a server.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, UNIX_EPOCH};

use crd_server::{Config, Fault, Server};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod, Secret};
use kube::api::{
    Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, PropagationPolicy, WatchParams,
};
use kube::{Client, Error};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn server() -> Server {
    let mut config = Config::default();
    config.built_in_kinds().clock(|| UNIX_EPOCH + Duration::from_secs(1_700_000_000));
    Server::with(&config)
}

fn client(server: &Server) -> Client {
    Client::new(server.clone(), "default")
}

fn read<T: DeserializeOwned>(object: Value) -> T {
    serde_json::from_value(object).unwrap()
}

fn code(error: Error) -> (u16, String) {
    match error {
        Error::Api(status) => (status.code, status.message),
        other => (0, other.to_string()),
    }
}

fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "web:1", "env": [{"name": "A", "value": "1"}]}]},
            },
        },
    })
}

#[tokio::test]
async fn apply_merges_the_lists_of_built_in_kinds() {
    let api: Api<Deployment> = Api::default_namespaced(client(&server()));
    let apply = |manager: &str, object: Value| {
        let (api, parameters) = (api.clone(), PatchParams::apply(manager));
        async move { api.patch("web", &parameters, &Patch::Apply(object)).await }
    };
    let created = apply("one", deployment()).await.unwrap();
    assert_eq!(created.metadata.generation, Some(1));
    let mut second = deployment();
    second["spec"] = json!({"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "B", "value": "2"}]}]}}});
    let merged = apply("two", second.clone()).await.unwrap();
    let pod = merged.spec.template.spec.unwrap();
    let names: Vec<String> =
        pod.containers[0].env.iter().flatten().map(|variable| variable.name.clone()).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(pod.containers[0].image.as_deref(), Some("web:1"));
    second["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:2");
    let (status, message) = code(apply("two", second).await.unwrap_err());
    assert_eq!(status, 409);
    assert!(
        message.contains("conflict with \"one\": .spec.template.spec.containers[name=\"web\"].image"),
        "{message}"
    );
}

#[tokio::test]
async fn strategic_patches_merge_the_lists_of_built_in_kinds() {
    let api: Api<Deployment> = Api::default_namespaced(client(&server()));
    api.create(&PostParams::default(), &read(deployment())).await.unwrap();
    let variable = json!({"name": "B", "value": "2"});
    let containers = json!([{"name": "web", "env": [variable]}]);
    let patch = json!({"spec": {"template": {"spec": {"containers": containers}}}});
    let patched = api.patch("web", &PatchParams::default(), &Patch::Strategic(patch)).await.unwrap();
    let pod = patched.spec.template.spec.unwrap();
    assert_eq!(pod.containers[0].image.as_deref(), Some("web:1"));
    assert_eq!(pod.containers[0].env.iter().flatten().count(), 2);
}

/// Returns the answer to a `GET` as JSON.
fn get(server: &Server, path: &str) -> Value {
    let request = http::Request::get(path).body("").unwrap();
    serde_json::from_slice(&server.handle(request).into_body().read_now()).unwrap_or_default()
}

#[test]
fn schemas_are_published_for_kubectl() {
    let server = server();
    server.create(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "hats.e.io"},
        "spec": {
            "group": "e.io", "scope": "Namespaced", "names": {"plural": "hats", "kind": "Hat"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
            }}}],
        },
    })).unwrap();
    let index = get(&server, "/openapi/v3");
    let url = index["paths"]["apis/e.io/v1"]["serverRelativeURL"].as_str().unwrap();
    assert!(url.starts_with("/openapi/v3/apis/e.io/v1?hash="), "{url}");
    let document = get(&server, url);
    let size = &document["components"]["schemas"]["io.e.v1.Hat"]["properties"]["spec"]["properties"]["size"];
    assert_eq!(*size, json!({"type": "integer"}));
    let patch = &document["paths"]["/apis/e.io/v1/namespaces/{namespace}/hats/{name}"]["patch"];
    assert_eq!(
        patch["x-kubernetes-group-version-kind"],
        json!({"group": "e.io", "version": "v1", "kind": "Hat"})
    );
    assert_eq!(patch["parameters"][2]["name"], "fieldValidation");
    assert!(
        get(&server, "/openapi/v3/api/v1")["paths"]["/api/v1/namespaces/{namespace}/configmaps"].is_object()
    );
    assert!(get(&server, "/openapi/v3/apis/none/v1").is_null());
}

#[test]
fn schemas_have_entity_tags() {
    let server = server();
    let ask = |path: &str, known: &str| {
        let request = http::Request::get(path).header("if-none-match", known).body("").unwrap();
        let response = server.handle(request);
        let header = |name: &str| {
            response.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        (response.status().as_u16(), header("etag"), header("cache-control"), header("location"))
    };
    let (code, tag, ..) = ask("/openapi/v3", "");
    assert_eq!(code, 200);
    assert_eq!(ask("/openapi/v3", &tag).0, 304);
    let index = get(&server, "/openapi/v3");
    let url = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap();
    let (code, tag, cache, _) = ask(url, "");
    assert_eq!((code, cache.as_str()), (200, "public, immutable"));
    assert_eq!(tag, format!("\"{}\"", url.rsplit_once('=').unwrap().1));
    assert_eq!(ask(url, &tag), (304, tag.clone(), cache, String::new()));
    let (code, _, cache, location) = ask("/openapi/v3/apis/apps/v1?hash=wrong", "");
    assert_eq!((code, cache.as_str(), location.as_str()), (301, "no-cache, private", url));
    assert_eq!(ask("/openapi/v3/apis/apps/v1", "").2, "no-cache, private");
}

#[tokio::test]
async fn objects_of_the_core_group_are_served() {
    let server = server();
    let client = client(&server);
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let sent = read(json!({"metadata": {"name": "token"}, "stringData": {"key": "value"}}));
    let secret = secrets.create(&PostParams::default(), &sent).await.unwrap();
    assert_eq!(secret.data.unwrap()["key"].0, b"value");
    assert_eq!(secret.metadata.generation, None);
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let pod = read(json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a"}]}}));
    pods.create(&PostParams::default(), &pod).await.unwrap();
    let status = json!({"status": {"phase": "Running"}});
    let running = pods.patch_status("a", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    assert_eq!(running.status.unwrap().phase.as_deref(), Some("Running"));
    let leases: Api<Lease> = Api::default_namespaced(client.clone());
    let lease = |holder: &str| {
        read::<Lease>(json!({"metadata": {"name": "leader"}, "spec": {"holderIdentity": holder}}))
    };
    leases.create(&PostParams::default(), &lease("a")).await.unwrap();
    // Most kinds are replaced by an update without a revision, but a lease is not.
    let (status, message) =
        code(leases.replace("leader", &PostParams::default(), &lease("b")).await.unwrap_err());
    assert_eq!(status, 422);
    assert!(message.contains("metadata.resourceVersion: Invalid value: 0: must be specified"), "{message}");
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let map = |value: &str| read::<ConfigMap>(json!({"metadata": {"name": "a"}, "data": {"a": value}}));
    maps.create(&PostParams::default(), &map("1")).await.unwrap();
    let replaced = maps.replace("a", &PostParams::default(), &map("2")).await.unwrap();
    assert_eq!(replaced.data.unwrap()["a"], "2");
    let groups = kube::discovery::Discovery::new(client).run().await.unwrap();
    let kinds = groups.groups().flat_map(kube::discovery::ApiGroup::recommended_resources).count();
    assert!(kinds > 15, "{kinds}");
}

#[tokio::test]
async fn namespaces_go_with_their_objects() {
    let server = server();
    let client = client(&server);
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let names = namespaces.list(&ListParams::default()).await.unwrap();
    let names: Vec<String> = names.into_iter().filter_map(|namespace| namespace.metadata.name).collect();
    assert_eq!(names, ["default", "kube-node-lease", "kube-public", "kube-system"]);
    let settings: Api<ConfigMap> = Api::namespaced(client.clone(), "team");
    let settings_named = |name: &str| read::<ConfigMap>(json!({"metadata": {"name": name}}));
    let refused = settings.create(&PostParams::default(), &settings_named("a")).await.unwrap_err();
    assert_eq!(code(refused), (404, "namespaces \"team\" not found".to_owned()));

    let team = namespaces
        .create(&PostParams::default(), &read(json!({"metadata": {"name": "team"}})))
        .await
        .unwrap();
    assert_eq!(team.metadata.labels.unwrap()["kubernetes.io/metadata.name"], "team");
    settings.create(&PostParams::default(), &settings_named("a")).await.unwrap();
    let mut kept = settings_named("kept");
    kept.metadata.finalizers = Some(vec!["example.com/keep".to_owned()]);
    settings.create(&PostParams::default(), &kept).await.unwrap();

    let going = namespaces.delete("team", &DeleteParams::default()).await.unwrap().left().unwrap();
    assert_eq!(going.status.unwrap().phase.as_deref(), Some("Terminating"));
    let left = settings.list(&ListParams::default()).await.unwrap();
    assert_eq!(left.items.len(), 1);
    let (status, message) =
        code(settings.create(&PostParams::default(), &settings_named("b")).await.unwrap_err());
    assert_eq!(status, 403);
    assert!(message.ends_with("because it is being terminated"), "{message}");

    let free = json!({"metadata": {"finalizers": null}});
    settings.patch("kept", &PatchParams::default(), &Patch::Merge(free)).await.unwrap();
    assert_eq!(namespaces.get_opt("team").await.unwrap(), None);
}

/// Returns a config map, and one that it owns.
async fn family(settings: &Api<ConfigMap>) -> String {
    let parent = read(json!({"metadata": {"name": "parent"}}));
    let uid = settings.create(&PostParams::default(), &parent).await.unwrap().metadata.uid.unwrap();
    let owner = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "parent", "uid": uid, "blockOwnerDeletion": true,
    });
    let child = read(json!({"metadata": {"name": "child", "ownerReferences": [owner]}}));
    settings.create(&PostParams::default(), &child).await.unwrap();
    uid
}

async fn names(settings: &Api<ConfigMap>) -> Vec<String> {
    let all = settings.list(&ListParams::default()).await.unwrap();
    all.into_iter().filter_map(|object| object.metadata.name).collect()
}

#[tokio::test]
async fn dependents_are_collected() {
    let server = server();
    let settings: Api<ConfigMap> = Api::default_namespaced(client(&server));
    let none: [&str; 0] = [];
    family(&settings).await;
    assert_eq!(server.collect_garbage(), 0);
    settings.delete("parent", &DeleteParams::default()).await.unwrap();
    assert_eq!(names(&settings).await, ["child"]);
    assert_eq!(server.collect_garbage(), 1);
    assert_eq!(names(&settings).await, none);

    family(&settings).await;
    let by = |propagation| DeleteParams { propagation_policy: Some(propagation), ..DeleteParams::default() };
    settings.delete("parent", &by(PropagationPolicy::Foreground)).await.unwrap();
    assert_eq!(names(&settings).await, ["child", "parent"]);
    assert_eq!(server.collect_garbage(), 2);
    assert_eq!(names(&settings).await, none);

    family(&settings).await;
    settings.delete("parent", &by(PropagationPolicy::Orphan)).await.unwrap();
    server.collect_garbage();
    assert_eq!(names(&settings).await, ["child"]);
    assert_eq!(settings.get("child").await.unwrap().metadata.owner_references, None);
}

#[tokio::test]
async fn faults_time_and_broken_watches() {
    let server = server();
    let settings: Api<ConfigMap> = Api::default_namespaced(client(&server));
    server.inject(Fault::forbidden("not for you").on("POST").below("/configmaps"));
    let sent = |name: &str| read::<ConfigMap>(json!({"metadata": {"name": name}}));
    let refused = settings.create(&PostParams::default(), &sent("a")).await.unwrap_err();
    assert_eq!(code(refused), (403, "not for you".to_owned()));
    let first = settings.create(&PostParams::default(), &sent("a")).await.unwrap();
    server.advance(Duration::from_secs(90));
    let second = settings.create(&PostParams::default(), &sent("b")).await.unwrap();
    let time = |object: ConfigMap| serde_json::to_value(object.metadata.creation_timestamp).unwrap();
    assert_eq!((time(first), time(second)), (json!("2023-11-14T22:13:20Z"), json!("2023-11-14T22:14:50Z")));

    let mut watch = Box::pin(settings.watch(&WatchParams::default(), "0").await.unwrap());
    assert!(watch.try_next().await.unwrap().is_some());
    assert!(watch.try_next().await.unwrap().is_some());
    server.break_watches();
    assert!(watch.next().await.is_none());

    let lines: Vec<String> = server.take_requests().iter().map(ToString::to_string).collect();
    assert_eq!(lines[lines.len() - 4], "POST /api/v1/namespaces/default/configmaps? 403");
    assert_eq!(server.take_requests(), []);
}

#[test]
fn ephemeral_containers_are_added_and_stay() {
    let server = server();
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}});
    server.create(&pod).unwrap();
    let add = |containers: Value| {
        let request = http::Request::patch("/api/v1/namespaces/default/pods/web/ephemeralcontainers");
        let request = request.header("content-type", "application/merge-patch+json");
        let body = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"ephemeralContainers": containers}});
        let response = server.handle(request.body(body.to_string()).unwrap());
        let status = response.status().as_u16();
        (status, serde_json::from_slice::<Value>(&response.into_body().read_now()).unwrap())
    };
    let (status, pod) = add(json!([{"name": "debug", "image": "shell"}]));
    let container = &pod["spec"]["ephemeralContainers"][0];
    assert_eq!((status, &container["imagePullPolicy"]), (200, &json!("Always")));
    assert_eq!((&pod["metadata"]["generation"], &pod["metadata"]["labels"]), (&json!(2), &Value::Null));
    let reason = "Pod \"web\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be";
    let changed = add(json!([{"name": "debug", "image": "shell:2"}]));
    assert_eq!((changed.0, changed.1["message"].as_str().unwrap()), (422, &*format!("{reason} changed\n")));
    let removed = add(json!([]));
    assert_eq!((removed.0, removed.1["message"].as_str().unwrap()), (422, &*format!("{reason} removed\n")));
}
