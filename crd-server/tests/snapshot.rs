//! Snapshots of a server, and what clients see when one is restored.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_server::{Config, Server};
use http::Request;
use serde_json::{Value, json};

const OBJECTS: &str = "/apis/e.io/v1/shirts";

fn server() -> Server {
    let mut config = Config::default();
    config.built_in_kinds();
    Server::with(&config)
}

fn definition(maximum: u32) -> Value {
    let size = json!({"type": "integer", "maximum": maximum});
    let schema = json!({"type": "object", "properties": {"size": size}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "shirts.e.io"},
        "spec": {
            "group": "e.io", "names": {"plural": "shirts", "kind": "Shirt"}, "scope": "Cluster",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

fn shirt(name: &str, size: u32) -> Value {
    json!({"apiVersion": "e.io/v1", "kind": "Shirt", "metadata": {"name": name}, "size": size})
}

fn send(server: &Server, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = match body.is_null() {
        true => Request::builder().method(method).uri(path).body(String::new()),
        false => Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/merge-patch+json")
            .body(body.to_string()),
    };
    let response = server.handle(request.unwrap());
    let code = response.status().as_u16();
    (code, serde_json::from_slice(&response.into_body().read_now()).unwrap_or_default())
}

fn names(server: &Server) -> Vec<Value> {
    let list = send(server, "GET", OBJECTS, &Value::Null).1;
    list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].clone()).collect()
}

fn watch(server: &Server, revision: &Value) -> crd_server::Body {
    let revision = revision.as_str().unwrap();
    let path = format!("{OBJECTS}?watch=true&resourceVersion={revision}");
    server.handle(Request::get(path).body("").unwrap()).into_body()
}

#[test]
fn objects_and_definitions_come_back() {
    let server = server();
    server.create(&definition(9)).unwrap();
    let first = server.create(&shirt("a", 5)).unwrap();
    let snapshot = server.snapshot();

    server.create(&shirt("b", 5)).unwrap();
    send(&server, "PATCH", &format!("{OBJECTS}/a"), &json!({"size": 6}));
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shirts.e.io";
    assert_eq!(send(&server, "DELETE", path, &Value::Null).0, 200);
    assert_eq!(send(&server, "GET", OBJECTS, &Value::Null).0, 404);
    server.create(&definition(50)).unwrap();
    server.create(&shirt("c", 40)).unwrap();

    server.restore(&snapshot);
    assert_eq!(names(&server), ["a"]);
    assert_eq!(send(&server, "GET", &format!("{OBJECTS}/a"), &Value::Null).1, first);
    assert!(server.create(&shirt("c", 40)).is_err());
    assert_eq!(server.snapshot().objects().iter().filter(|object| object["kind"] == "Shirt").count(), 1);
}

#[test]
fn watches_end_and_clients_list_anew() {
    let server = server();
    server.create(&definition(9)).unwrap();
    let first = server.create(&shirt("a", 5)).unwrap();
    let revision = &first["metadata"]["resourceVersion"];
    let snapshot = server.snapshot();
    let mut running = watch(&server, revision);
    assert_eq!(running.read_now(), b"");
    server.restore(&snapshot);
    assert_eq!(running.read_now(), b"");
    assert!(http_body::Body::is_end_stream(&running) || running.read_now().is_empty());

    let error: Value = serde_json::from_slice(&watch(&server, revision).read_now()).unwrap();
    assert_eq!((&error["type"], &error["object"]["code"]), (&json!("ERROR"), &json!(410)));
    // Later than everything before.
    let list = send(&server, "GET", OBJECTS, &Value::Null).1;
    let number = |revision: &Value| revision.as_str().unwrap().parse::<u64>().unwrap();
    assert!(number(&list["metadata"]["resourceVersion"]) > number(revision));
    let mut next = watch(&server, &list["metadata"]["resourceVersion"]);
    server.create(&shirt("b", 1)).unwrap();
    let event: Value = serde_json::from_slice(&next.read_now()).unwrap();
    assert_eq!((&event["type"], &event["object"]["metadata"]["name"]), (&json!("ADDED"), &json!("b")));
}

/// A server that is set up once is the beginning of many tests.
#[test]
fn servers_begin_with_the_snapshot_of_another_one() {
    let template = server();
    template.create(&definition(9)).unwrap();
    template.create(&shirt("a", 5)).unwrap();
    let snapshot = template.snapshot();
    let servers: Vec<Server> = (0..10)
        .map(|i| {
            let server = Server::new();
            server.restore(&snapshot);
            server.create(&shirt(&format!("b{i}"), i)).unwrap();
            server
        })
        .collect();
    for (i, server) in servers.iter().enumerate() {
        assert_eq!(names(server), [json!("a"), json!(format!("b{i}"))]);
    }
    // A change of the definition in one is not seen in the others.
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shirts.e.io";
    let spec = definition(9)["spec"]["versions"][0].clone();
    let wider = json!({"spec": {"versions": [spec.as_object().map(|version| {
        let mut version = version.clone();
        version["schema"]["openAPIV3Schema"]["properties"]["size"]["maximum"] = 99.into();
        version
    })]}});
    assert_eq!(send(&servers[0], "PATCH", path, &wider).0, 200);
    assert!(servers[0].create(&shirt("large", 50)).is_ok());
    assert!(servers[1].create(&shirt("large", 50)).is_err());
    assert_eq!(names(&template), ["a"]);
}
