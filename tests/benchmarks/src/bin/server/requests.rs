//! The definition, and the requests that are measured.

use http::Request;
use serde_json::{Value, json};

/// The objects.
pub(crate) const PATH: &str = "/apis/stable.example.com/v1/namespaces/default/crontabs";

/// The requests in the order in which they are measured, by the number of the object.
pub(crate) const REQUESTS: [(&str, fn(u32) -> Request<String>); 6] = [
    ("create", create),
    ("get", get),
    ("update by a merge patch", merge),
    ("create by apply", |i| apply(i, "my/image:1")),
    ("update by apply", |i| apply(i, "my/image:2")),
    ("delete", |i| request("DELETE", format!("{PATH}/applied-{i}"), "", String::new())),
];

pub(crate) fn definition() -> Value {
    let spec = json!({
        "type": "object",
        "properties": {
            "schedule": {"type": "string"},
            "image": {"type": "string"},
            "replicas": {"type": "integer", "default": 1, "maximum": 9},
        },
    });
    let status = json!({"type": "object", "properties": {"phase": {"type": "string"}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "crontabs.stable.example.com"},
        "spec": {
            "group": "stable.example.com",
            "names": {"plural": "crontabs", "kind": "CronTab"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
            }],
        },
    })
}

pub(crate) fn object(name: &str, image: &str) -> String {
    json!({
        "apiVersion": "stable.example.com/v1", "kind": "CronTab",
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"schedule": "* * * * *", "image": image},
    })
    .to_string()
}

pub(crate) fn request(method: &str, path: String, kind: &str, body: String) -> Request<String> {
    let request = Request::builder().method(method).uri(path).header("content-type", kind);
    request.body(body).expect("the request is valid")
}

pub(crate) fn create(i: u32) -> Request<String> {
    request("POST", PATH.to_owned(), "application/json", object(&format!("crontab-{i}"), "my/image:1"))
}

pub(crate) fn get(i: u32) -> Request<String> {
    request("GET", format!("{PATH}/crontab-{i}"), "", String::new())
}

fn merge(i: u32) -> Request<String> {
    let patch = json!({"spec": {"image": "my/image:2"}}).to_string();
    request("PATCH", format!("{PATH}/crontab-{i}"), "application/merge-patch+json", patch)
}

fn apply(i: u32, image: &str) -> Request<String> {
    let path = format!("{PATH}/applied-{i}?fieldManager=me");
    request("PATCH", path, "application/apply-patch+yaml", object(&format!("applied-{i}"), image))
}
