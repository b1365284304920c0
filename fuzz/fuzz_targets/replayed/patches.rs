//! The first byte chooses the type of the patch and the object; what follows is the patch.

use serde_json::Value;

use super::server::{send, server};

const TYPES: [&str; 4] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
    "application/strategic-merge-patch+json",
];
const OBJECTS: [&str; 4] = [
    "/apis/example.com/v1/namespaces/default/shirts/a",
    "/apis/apps/v1/namespaces/default/deployments/a",
    "/apis/example.com/v1/namespaces/default/shirts/a/status",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shirts.example.com",
];

pub(crate) fn run(bytes: &[u8]) {
    let Some((&first, patch)) = bytes.split_first() else { return };
    let (patch_type, path) = (TYPES[usize::from(first) % 4], OBJECTS[usize::from(first >> 2) % 4]);
    let server = &server();
    let request = || {
        let manager = if patch_type == TYPES[2] { "?fieldManager=m&force=true" } else { "" };
        http::Request::patch(format!("{path}{manager}"))
            .header("Content-Type", patch_type)
            .body(patch.to_vec())
            .unwrap()
    };
    let (code, answer) = send(server, request());
    let (_, stored) = send(server, http::Request::get(path).body(Vec::new()).unwrap());
    if code != 200 || path == OBJECTS[3] {
        return;
    }
    assert_eq!(answer, stored, "{patch_type} {path}: {}", String::from_utf8_lossy(patch));
    let repeats = patch_type == TYPES[1] || patch_type == TYPES[2];
    let names_version = answer.as_ref().is_some_and(|_| String::from_utf8_lossy(patch).contains("metadata"));
    if repeats && !names_version {
        let (code, again) = send(server, request());
        let version = |object: &Option<Value>| {
            object.as_ref().map(|object| object["metadata"]["resourceVersion"].clone())
        };
        assert_eq!(
            (code, version(&again)),
            (200, version(&stored)),
            "{patch_type} {path}: {}",
            String::from_utf8_lossy(patch)
        );
    }
}
