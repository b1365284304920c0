//! Builds the documents for `/openapi/v2` and `/openapi/v3`: the schemas and operations of all served resources.
//!
//! Source: `k8s.io/kube-openapi/pkg/{handler,handler3}`, `pkg/controller/openapi/builder/builder.go` of apiextensions-apiserver.

mod operations;
mod protobuf;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crd_docs::openapi::{OpenApi, object_meta, publish};
use crd_go::json::remove;
use serde_json::{Map, Value, json};

use crate::definition::{self, Definition};
use crate::shared::Shared;
use operations::Published;
pub(crate) use protobuf::encode;

/// The schemas that the operations of all resources share, in the format of OpenAPI v3. The schemas for `metadata` are in `crd-docs`.
///
/// Recorded from apiextensions-apiserver 0.36.2.
static SHARED: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("shared.json")).expect("a test reads it"));

/// Returns the list of documents: one for each group and version.
pub(crate) fn index(server: &Shared) -> Value {
    let paths = hashes(server).into_iter().map(|(name, hash)| {
        let url = format!("/openapi/v3/{name}?hash={hash}");
        (name, json!({"serverRelativeURL": url}))
    });
    json!({"paths": paths.collect::<Map<_, _>>()})
}

/// Returns the hash of a document, if a document with this name exists.
pub(crate) fn hash(server: &Shared, name: &str) -> Option<String> {
    hashes(server).remove(name)
}

/// Returns the hash of each document, by document name.
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

/// Returns the document for a group and version, such as `apis/stable.example.com/v1`.
pub(crate) fn document(server: &Shared, wanted: &str) -> Option<Value> {
    let (paths, schemas) = published(server, OpenApi::V3, |name| name == wanted);
    if paths.is_empty() {
        return None;
    }
    Some(json!({
        "openapi": "3.0.0", "info": {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
        "paths": paths, "components": {"schemas": schemas},
    }))
}

/// Returns the document for all groups and versions in the format of OpenAPI v2.
pub(crate) fn document_v2(server: &Shared) -> Value {
    let (paths, schemas) = published(server, OpenApi::V2, |_| true);
    json!({
        "swagger": "2.0", "info": {"title": "Kubernetes", "version": format!("v{}.0", server.config.kube_version)},
        "paths": paths, "definitions": schemas, "parameters": operations::shared_parameters(),
    })
}

/// Returns the paths and schemas for the requested groups and versions, sorted by name.
fn published(
    server: &Shared,
    form: OpenApi,
    is_wanted: impl Fn(&str) -> bool,
) -> (Map<String, Value>, Map<String, Value>) {
    let (mut paths, mut schemas, mut has_scale) = (Map::new(), Map::new(), false);
    for definition in server.published() {
        for version in definition.crd.spec.versions.iter().filter(|version| version.served) {
            if !is_wanted(&name(&definition, &version.name)) {
                continue;
            }
            let mut published = publish(&definition.crd, &version.name, form).unwrap_or_default();
            if form == OpenApi::V2 && definition.built_in().is_some() {
                // By its kind, kubectl would find a schema without fields, and warn that it cannot compute a patch from it. It has the
                // types of these kinds itself.
                let schemas = published.values_mut().filter_map(Value::as_object_mut);
                schemas.for_each(|schema| drop(remove(schema, "x-kubernetes-group-version-kind")));
            }
            let names = &definition.crd.spec.names;
            let named = |kind: &str| published.keys().find(|name| name.rsplit('.').next() == Some(kind));
            if let (Some(object), Some(list)) = (named(&names.kind), named(&names.list_kind())) {
                paths.extend(Published { definition: &definition, version, object, list, form }.paths());
            }
            has_scale |= definition::scale(version).is_some();
            schemas.extend(published);
        }
    }
    let shared = SHARED.iter().filter(|(name, _)| has_scale || !name.contains("Scale"));
    for (name, schema) in shared.chain(object_meta()) {
        let mut schema = schema.clone();
        if form == OpenApi::V2 {
            lower(&mut schema);
        }
        schemas.insert(name.clone(), schema);
    }
    paths.sort_keys();
    schemas.sort_keys();
    (paths, schemas)
}

/// Converts a shared schema to the format of OpenAPI v2: removes defaults, and moves references from `allOf` next to the descriptions.
fn lower(schema: &mut Value) {
    let fields = match schema {
        Value::Object(fields) => fields,
        Value::Array(items) => return items.iter_mut().for_each(lower),
        _ => return,
    };
    let _ = remove(fields, "default");
    if let Some(Value::Array(references)) = remove(fields, "allOf")
        && let Some(Value::Object(reference)) = references.into_iter().next()
    {
        fields.extend(reference);
    }
    if let Some(Value::String(path)) = fields.get_mut("$ref") {
        *path = path.replace(&OpenApi::V3.path(""), &OpenApi::V2.path(""));
    }
    fields.values_mut().for_each(lower);
}

/// Returns a document's name, which is the path of its group and version.
fn name(definition: &Definition, version: &str) -> String {
    let root = if definition.resource.group.is_empty() { "api" } else { "apis" };
    format!("{root}/{}", definition.api_version(version))
}
