//! A test server with a custom resource and a built-in kind, for the targets that send requests.

use crd_server::{Config, Server, Snapshot};
use serde_json::{Value, json};

thread_local! {
    // One server for each thread: tests that replay inputs run side by side, and expect revisions that no other test moves on.
    static SERVER: (Server, Snapshot) = {
        let mut config = Config::default();
        config.built_in_kinds();
        let server = Server::with(&config);
        for object in [crd(), shirt(), deployment()] {
            server.create(&object).unwrap();
        }
        let snapshot = server.snapshot();
        (server, snapshot)
    };
}

/// Returns a server with a custom resource and a Deployment, as it was before other runs of this thread.
pub(crate) fn server() -> Server {
    SERVER.with(|(server, snapshot)| {
        server.restore(snapshot);
        server.clone()
    })
}

/// Sends a request, and returns the status code and what the body reads as.
pub(crate) fn send(server: &Server, request: http::Request<Vec<u8>>) -> (u16, Option<Value>) {
    let shown = format!("{request:?}");
    let response = server.handle(request);
    let code = response.status().as_u16();
    let body: Option<Value> = serde_json::from_slice(&response.into_body().read_now()).ok();
    if let Some(status) = body.as_ref().filter(|body| code >= 400 && body["kind"] == "Status") {
        assert_eq!(status["code"], code, "{shown}");
    }
    (code, body)
}

fn crd() -> Value {
    let text = json!({"type": "string"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "shirts.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "shirts", "singular": "shirt", "kind": "Shirt", "listKind": "ShirtList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                "selectableFields": [{"jsonPath": ".spec.color"}],
                "additionalPrinterColumns": [{"name": "Color", "type": "string", "jsonPath": ".spec.color"}],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {
                        "color": {"type": "string", "default": "white", "maxLength": 10, "x-kubernetes-validations": [{"rule": "self != 'red'"}]},
                        "replicas": {"type": "integer", "minimum": 0},
                        "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": text},
                        "list": {"type": "array", "items": text},
                        "map": {"type": "object", "additionalProperties": text},
                        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"], "items": {
                            "type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}, "name": text}}},
                        "any": {"x-kubernetes-preserve-unknown-fields": true}}},
                    "status": {"type": "object", "properties": {"phase": text, "replicas": {"type": "integer"}}}}}}}]},
    })
}

fn shirt() -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Shirt", "metadata": {"name": "a", "namespace": "default", "labels": {"a": "b"}, "finalizers": ["example.com/f"]},
        "spec": {"color": "blue", "tags": ["a", "b"], "list": ["x"], "map": {"k": "v"}, "ports": [{"port": 1, "name": "one"}, {"port": 2}], "any": {"l": [1, {"m": null}]}}})
}

fn deployment() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {
            "containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 1}], "env": [{"name": "A", "value": "1"}]}, {"name": "d", "image": "j"}],
            "volumes": [{"name": "v", "emptyDir": {}}]}}}})
}
