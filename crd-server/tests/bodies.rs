//! Bodies as clients of other languages send them, and writes of many clients at a time.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::thread;

use crd_server::{Config, Server};
use serde_json::{Value, json};

fn server() -> Server {
    let mut config = Config::default();
    config.built_in_kinds();
    Server::with(&config)
}

fn send(server: &Server, method: &str, path: &str, content_type: &str, body: &Value) -> (u16, Value) {
    let request = http::Request::builder().method(method).uri(path).header("content-type", content_type);
    let response = server.handle(request.body(body.to_string()).unwrap());
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.into_body().read_now()).unwrap_or_default())
}

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[test]
fn an_object_of_a_built_in_kind_has_the_type_of_the_path() {
    let server = server();
    for (i, type_) in [
        json!({}),
        json!({"kind": "ConfigMap"}),
        json!({"apiVersion": "v1"}),
        json!({"apiVersion": "", "kind": null}),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("map-{i}");
        let mut map = type_;
        map["metadata"] = json!({"name": name});
        let (status, created) = send(&server, "POST", MAPS, JSON, &map);
        assert_eq!(
            (status, &created["kind"], &created["apiVersion"]),
            (201, &json!("ConfigMap"), &json!("v1"))
        );
        map["data"] = json!({"a": "b"});
        let (status, replaced) = send(&server, "PUT", &format!("{MAPS}/{name}"), JSON, &map);
        assert_eq!((status, &replaced["data"]["a"]), (200, &json!("b")), "{replaced}");
    }
}

#[test]
fn a_subresource_has_the_type_of_the_path() {
    let server = server();
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": []}}});
    let path = "/apis/apps/v1/namespaces/default/deployments";
    let (status, created) =
        send(&server, "POST", path, JSON, &json!({"metadata": {"name": "web"}, "spec": spec}));
    assert_eq!((status, &created["apiVersion"]), (201, &json!("apps/v1")), "{created}");
    let body = json!({"metadata": {"name": "web"}, "status": {"readyReplicas": 1}});
    let (status, replaced) = send(&server, "PUT", &format!("{path}/web/status"), JSON, &body);
    assert_eq!((status, &replaced["status"]["readyReplicas"]), (200, &json!(1)), "{replaced}");
    let body = json!({"metadata": {"name": "web"}, "spec": {"replicas": 4}});
    let (status, scale) = send(&server, "PUT", &format!("{path}/web/scale"), JSON, &body);
    assert_eq!((status, &scale["spec"]["replicas"]), (200, &json!(4)), "{scale}");
}

#[test]
fn an_object_of_another_kind_is_rejected_in_the_words_of_the_decoder() {
    let server = server();
    for (type_, expected) in [
        (
            json!({"kind": "Secret", "apiVersion": "v1"}),
            "Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion",
        ),
        (
            json!({"kind": "Shirt"}),
            "Shirt in version \"v1\" cannot be handled as a ConfigMap: no kind \"Shirt\" is registered for version \"v1\" in scheme \
             \"pkg/api/legacyscheme/scheme.go:30\"",
        ),
        (
            json!({"apiVersion": "v2"}),
            "ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind \"ConfigMap\" is registered for version \"v2\" in scheme \
             \"pkg/api/legacyscheme/scheme.go:30\"",
        ),
    ] {
        let mut map = type_;
        map["metadata"] = json!({"name": "a"});
        let (status, answer) = send(&server, "POST", MAPS, JSON, &map);
        assert_eq!((status, answer["message"].as_str().unwrap()), (400, expected));
    }
}

#[test]
fn custom_resources_need_a_kind() {
    let server = server();
    server.create(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "hats.e.io"},
        "spec": {
            "group": "e.io", "scope": "Namespaced", "names": {"plural": "hats", "kind": "Hat"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    })).unwrap();
    let (status, answer) = send(
        &server,
        "POST",
        "/apis/e.io/v1/namespaces/default/hats",
        JSON,
        &json!({"metadata": {"name": "a"}}),
    );
    assert_eq!(status, 400);
    assert!(answer["message"].as_str().unwrap().contains("Object 'Kind' is missing"), "{answer}");
}

#[test]
fn the_scale_of_a_built_in_kind_can_be_applied() {
    let server = server();
    let path = "/apis/apps/v1/namespaces/default/deployments";
    send(&server, "POST", path, JSON, &json!({"metadata": {"name": "web"}, "spec": {"replicas": 1}}));
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web"}, "spec": {"replicas": 5}});
    let path = format!("{path}/web/scale");
    let (status, answer) = send(&server, "PATCH", &format!("{path}?fieldManager=x"), APPLY, &scale);
    assert_eq!(status, 409, "{answer}");
    let (status, answer) =
        send(&server, "PATCH", &format!("{path}?fieldManager=x&force=true"), APPLY, &scale);
    assert_eq!((status, &answer["spec"]["replicas"]), (200, &json!(5)), "{answer}");
}

/// Runs a write in 16 threads, 40 times in each, and returns the answers that are not 200.
fn failures(server: &Server, write: impl Fn(&Server, usize, usize) -> (u16, Value) + Sync) -> Vec<Value> {
    thread::scope(|scope| {
        let write = &write;
        let threads: Vec<_> = (0..16)
            .map(|thread| scope.spawn(move || (0..40).map(|i| write(server, thread, i)).collect::<Vec<_>>()))
            .collect();
        let answers = threads.into_iter().flat_map(|thread| thread.join().unwrap());
        answers.filter(|(status, _)| *status != 200).map(|(_, answer)| answer).collect()
    })
}

#[test]
fn writes_without_a_revision_never_conflict() {
    let server = server();
    send(&server, "POST", MAPS, JSON, &json!({"metadata": {"name": "a"}}));
    let path = format!("{MAPS}/a");
    let patched = failures(&server, |server, thread, i| {
        send(server, "PATCH", &path, MERGE, &json!({"data": {format!("key-{thread}"): i.to_string()}}))
    });
    assert_eq!(patched, Vec::<Value>::new());
    let map = server.handle(http::Request::get(&path).body("").unwrap()).into_body().read_now();
    let map: Value = serde_json::from_slice(&map).unwrap();
    assert!((0..16).all(|thread| map["data"][format!("key-{thread}")] == "39"), "{map}");
    let applied = failures(&server, |server, thread, i| {
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {format!("own-{thread}"): i.to_string()}});
        send(server, "PATCH", &format!("{path}?fieldManager=m{thread}"), APPLY, &body)
    });
    assert_eq!(applied, Vec::<Value>::new());
    let replaced = failures(&server, |server, thread, i| {
        let body = json!({"metadata": {"name": "a"}, "data": {"a": format!("{thread}-{i}")}});
        send(server, "PUT", &path, JSON, &body)
    });
    assert_eq!(replaced, Vec::<Value>::new());
}

#[test]
fn writes_of_a_scale_without_a_revision_never_conflict() {
    let server = server();
    let path = "/apis/apps/v1/namespaces/default/deployments";
    send(&server, "POST", path, JSON, &json!({"metadata": {"name": "web"}, "spec": {"replicas": 1}}));
    let scaled = failures(&server, |server, thread, i| {
        let replicas = json!({"metadata": {"name": "web"}, "spec": {"replicas": thread * 100 + i + 1}});
        let (method, content_type) = if thread % 2 == 0 { ("PATCH", MERGE) } else { ("PUT", JSON) };
        send(server, method, &format!("{path}/web/scale"), content_type, &replicas)
    });
    assert_eq!(scaled, Vec::<Value>::new());
}
