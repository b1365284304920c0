//! The documents of OpenAPI, compared with those of apiextensions-apiserver 0.36.2 for the same CRDs. Long descriptions are left out of
//! the recorded documents.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use crd_server::{Config, Server};
use http::{Request, Response};
use serde::Deserialize as _;
use serde_json::{Value, json};

const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

fn server(config: &Config) -> Server {
    let server = Server::with(config);
    for document in serde_yaml::Deserializer::from_str(include_str!("openapi/definitions.yaml")) {
        server.create(&Value::deserialize(document).unwrap()).unwrap();
    }
    server
}

fn get(server: &Server, path: &str, header: (&str, &str)) -> Response<Vec<u8>> {
    let request = Request::get(path).header(header.0, header.1).body("").unwrap();
    let (head, mut body) = server.handle(request).into_parts();
    Response::from_parts(head, body.read_now().to_vec())
}

fn document(server: &Server, path: &str) -> Value {
    serde_json::from_slice(get(server, path, ("accept", "application/json")).body()).unwrap()
}

/// Leaves out long descriptions, as in the recorded documents.
fn without_long_descriptions(value: &mut Value) {
    if let Value::Object(fields) = value {
        let is_long = |text: &Value| text.as_str().is_some_and(|text| text.chars().count() > 60);
        fields.retain(|name, value| name != "description" || !is_long(value));
        fields.values_mut().for_each(without_long_descriptions);
    } else if let Value::Array(items) = value {
        items.iter_mut().for_each(without_long_descriptions);
    }
}

/// The references of a document that lead nowhere.
fn dangling(document: &Value, value: &Value, found: &mut BTreeSet<String>) {
    if let Some(Value::String(path)) = value.get("$ref")
        && document.pointer(path.trim_start_matches('#')).is_none()
    {
        found.insert(path.clone());
    }
    let inner: Vec<&Value> = match value {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    inner.into_iter().for_each(|inner| dangling(document, inner, found));
}

#[test]
fn documents_equal_those_of_a_real_server() {
    let server = server(&Config::default());
    for (path, parts, recorded) in [
        (
            "/openapi/v3/apis/stable.example.com/v1",
            &["/paths", "/components/schemas"][..],
            include_str!("openapi/v3.json"),
        ),
        ("/openapi/v2", &["/paths", "/definitions", "/parameters"], include_str!("openapi/v2.json")),
    ] {
        let mut found = document(&server, path);
        without_long_descriptions(&mut found);
        let recorded: Value = serde_json::from_str(recorded).unwrap();
        for part in parts {
            let recorded = recorded.pointer(part).unwrap().as_object().unwrap();
            assert!(recorded.len() > 3);
            for (name, expected) in recorded {
                assert_eq!(&found.pointer(part).unwrap()[name], expected, "{path} {part} {name}");
            }
        }
    }
}

/// Generators of clients follow all references.
#[test]
fn references_lead_to_schemas() {
    let mut config = Config::default();
    let server = server(config.built_in_kinds());
    let index = document(&server, "/openapi/v3");
    let documents = index["paths"].as_object().unwrap().values();
    let urls = documents.map(|document| document["serverRelativeURL"].as_str().unwrap().to_owned());
    let mut identifiers = BTreeSet::new();
    for url in urls.chain(["/openapi/v2".to_owned()]) {
        let document = document(&server, &url);
        let mut found = BTreeSet::new();
        dangling(&document, &document, &mut found);
        assert_eq!(found, BTreeSet::new(), "{url}");
        for operation in
            document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap())
        {
            if let Some(Value::String(identifier)) = operation.1.get("operationId") {
                assert!(identifiers.insert((url == "/openapi/v2", identifier.clone())), "{identifier}");
            }
        }
    }
    assert!(identifiers.contains(&(true, "listAppsV1DeploymentForAllNamespaces".to_owned())));
    assert!(identifiers.contains(&(false, "createCoreV1NamespacedConfigMap".to_owned())));
}

/// kubectl computes strategic merge patches with the published fields, and built-in kinds have none. Its patches then removed nothing
/// from lists.
#[test]
fn kubectl_computes_patches_of_built_in_kinds_itself() {
    let mut config = Config::default();
    let server = server(config.built_in_kinds());
    let path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    let is_strategic = |name: &str| name == "application/strategic-merge-patch+json";
    let v3 = document(&server, "/openapi/v3/apis/apps/v1");
    let content = v3["paths"][path]["patch"]["requestBody"]["content"].as_object().unwrap();
    assert!(content.contains_key("application/apply-patch+yaml"));
    assert!(!content.keys().any(|name| is_strategic(name)));
    let v2 = document(&server, "/openapi/v2");
    let consumed = v2["paths"][path]["patch"]["consumes"].as_array().unwrap();
    assert!(!consumed.iter().any(|name| is_strategic(name.as_str().unwrap())));
}

#[test]
fn v2_is_published_in_json_and_protobuf_with_one_tag() {
    let server = server(&Config::default());
    let header = |response: &Response<Vec<u8>>, name: &str| {
        response.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    };
    let json = get(&server, "/openapi/v2", ("accept", "*/*"));
    assert_eq!(header(&json, "content-type"), "application/json");
    assert_eq!(header(&json, "vary"), "Accept");
    let tag = header(&json, "etag");
    for accepted in [PROTOBUF, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"] {
        let protobuf = get(&server, "/openapi/v2", ("accept", accepted));
        assert_eq!(
            (header(&protobuf, "content-type").as_str(), header(&protobuf, "etag")),
            (PROTOBUF, tag.clone())
        );
        // Field 1 of a document, a text of three bytes.
        assert!(protobuf.body().starts_with(b"\x0a\x032.0"));
    }
    assert_eq!(get(&server, "/openapi/v2", ("if-none-match", &tag)).status(), 304);
    let refused = get(&server, "/openapi/v2", ("accept", "text/html"));
    assert_eq!((refused.status().as_u16(), refused.body().len()), (406, 0));
    server.create(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "coats.e.io"},
        "spec": {"group": "e.io", "scope": "Cluster", "names": {"plural": "coats", "kind": "Coat"}, "versions": [
            {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}},
        ]},
    })).unwrap();
    assert_eq!(get(&server, "/openapi/v2", ("if-none-match", &tag)).status(), 200);
}
