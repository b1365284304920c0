//! `/openapi/v3`: the schemas of everything that is served, as `kubectl apply` and `kubectl explain` ask for them.
//!
//! Of the operations, only what clients look up is published: their kind, their action, and the parameter
//! `fieldValidation`.
//!
//! Source: `k8s.io/kube-openapi/pkg/handler3`, `pkg/controller/openapi/builder/builder.go` of apiextensions-apiserver.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_docs::openapi::{OpenApi, object_meta, publish};
use serde_json::{Map, Value, json};

use crate::definition::Definition;
use crate::shared::Shared;

/// The list of documents: one for each group and version.
pub(crate) fn index(server: &Shared) -> Value {
    let paths = hashes(server).into_iter().map(|(name, hash)| {
        let url = format!("/openapi/v3/{name}?hash={hash}");
        (name, json!({"serverRelativeURL": url}))
    });
    json!({"paths": paths.collect::<Map<_, _>>()})
}

/// The hash of a document, if there is one of that name.
pub(crate) fn hash(server: &Shared, name: &str) -> Option<String> {
    hashes(server).remove(name)
}

/// The hashes of all documents by their names.
fn hashes(server: &Shared) -> BTreeMap<String, String> {
    let mut documents: BTreeMap<String, u64> = BTreeMap::new();
    for definition in server.published() {
        for version in definition.crd.spec.versions.iter().filter(|version| version.served) {
            // Clients read a document again when its hash is another one.
            let hash = documents.entry(name(&definition, &version.name)).or_default();
            *hash = hash.wrapping_mul(31).wrapping_add(definition.epoch);
        }
    }
    documents.into_iter().map(|(name, hash)| (name, format!("{hash:016X}"))).collect()
}

/// The document of a group and version: `apis/stable.example.com/v1`.
pub(crate) fn document(server: &Shared, wanted: &str) -> Option<Value> {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for definition in server.published() {
        for version in definition.crd.spec.versions.iter().filter(|version| version.served) {
            if name(&definition, &version.name) == wanted {
                schemas.extend(publish(&definition.crd, &version.name, OpenApi::V3).unwrap_or_default());
                paths.extend(operations(&definition, &version.name));
            }
        }
    }
    if paths.is_empty() {
        return None;
    }
    schemas.extend(object_meta().clone());
    Some(json!({
        "openapi": "3.0.0", "info": {"title": "Kubernetes CRD Swagger", "version": format!("v{}.0", server.config.kube_version)},
        "paths": paths, "components": {"schemas": schemas},
    }))
}

/// The name of a document: the path of its group and version.
fn name(definition: &Definition, version: &str) -> String {
    let root = if definition.resource.group.is_empty() { "api" } else { "apis" };
    format!("{root}/{}", definition.api_version(version))
}

/// The paths of a resource, with their operations.
fn operations(definition: &Arc<Definition>, version: &str) -> [(String, Value); 2] {
    let kind = json!({"group": definition.resource.group, "version": version, "kind": definition.kind()});
    let validation = json!({
        "name": "fieldValidation", "in": "query", "schema": {"type": "string", "uniqueItems": true},
    });
    let read = |action: &str| json!({"x-kubernetes-action": action, "x-kubernetes-group-version-kind": kind});
    let write = |action: &str| {
        let mut operation = read(action);
        operation["parameters"] = json!([validation]);
        operation
    };
    let collection = definition.path(version, "{namespace}", "");
    let object = definition.path(version, "{namespace}", "{name}");
    [
        (collection, json!({"get": read("list"), "post": write("post"), "delete": read("deletecollection")})),
        (
            object,
            json!({"get": read("get"), "put": write("put"), "patch": write("patch"), "delete": read("delete")}),
        ),
    ]
}
