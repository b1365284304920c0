//! Requests that are made to stop or to fill the server.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use crd_server::{Config, Server};
use http::Request;
use http_body::Body as _;
use serde_json::{Value, json};

const OBJECTS: &str = "/apis/e.io/v1/shirts";
const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const MOST_BYTES: usize = 3 * 1024 * 1024;

/// Returns a server with a definition whose objects may have any fields.
fn server_with(config: &Config) -> Server {
    let server = Server::with(config);
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "shirts.e.io"},
        "spec": {
            "group": "e.io", "names": {"plural": "shirts", "kind": "Shirt"}, "scope": "Cluster",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    });
    server.create(&crd).unwrap();
    server
}

fn server() -> Server {
    server_with(&Config::default())
}

fn shirt(name: &str, content: Value) -> String {
    json!({"apiVersion": "e.io/v1", "kind": "Shirt", "metadata": {"name": name}, "x": content}).to_string()
}

fn send(server: &Server, request: http::request::Builder, body: impl Into<String>) -> (u16, Value) {
    let response = server.handle(request.body(body.into()).unwrap());
    let code = response.status().as_u16();
    (code, serde_json::from_slice(&response.into_body().read_now()).unwrap_or_default())
}

fn create(server: &Server, body: impl Into<String>) -> (u16, Value) {
    send(server, Request::post(OBJECTS), body)
}

fn patch(server: &Server, kind: &str, body: impl Into<String>) -> (u16, Value) {
    send(server, Request::patch(format!("{OBJECTS}/a")).header("content-type", kind), body)
}

/// Returns a text that makes an object of exactly as many bytes.
fn of_size(name: &str, bytes: usize) -> String {
    let length = bytes - shirt(name, json!("")).len();
    shirt(name, "x".repeat(length).into())
}

#[test]
fn bodies_have_the_limits_of_the_api_server_and_of_etcd() {
    let server = server();
    let (code, status) = create(&server, of_size("a", MOST_BYTES + 1));
    assert_eq!((code, &status["message"]), (413, &json!("Request entity too large: limit is 3145728")));
    let (code, status) = create(&server, of_size("a", MOST_BYTES));
    assert_eq!((code, status.get("reason")), (500, None));
    let expected = "rpc error: code = ResourceExhausted desc = trying to send message larger than max (3145903 vs. 2097152)";
    assert_eq!(status["message"], expected);
    let (code, status) = create(&server, of_size("a", 1_600_000));
    assert_eq!((code, &status["message"]), (500, &json!("etcdserver: request is too large")));

    // Close to the limit an object is stored without its owners.
    let (code, stored) = create(&server, of_size("a", 1_572_600));
    assert_eq!((code, stored["metadata"].get("managedFields")), (201, None));
    let (code, stored) = create(&server, of_size("b", 1_572_300));
    assert_eq!((code, stored["metadata"].get("managedFields").is_some()), (201, true));
    let grown = json!({"y": "y".repeat(600_000)}).to_string();
    let (code, status) = patch(&server, MERGE_PATCH, grown);
    assert_eq!((code, status["message"].as_str().unwrap().contains("larger than max")), (500, true));
}

#[test]
fn json_patches_are_limited_in_operations_and_copies() {
    let server = server();
    create(&server, shirt("a", json!([])));
    let add = json!({"op": "add", "path": "/y", "value": 1});
    let many = |count| Value::from(vec![add.clone(); count]).to_string();
    assert_eq!(patch(&server, JSON_PATCH, many(10_000)).0, 200);
    let (code, status) = patch(&server, JSON_PATCH, many(10_001));
    let expected =
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001";
    assert_eq!((code, &status["message"]), (413, &json!(expected)));

    // Each copy doubles the object.
    let double = |count: usize| {
        let copy = |i: usize| json!({"op": "copy", "from": "/x", "path": format!("/x/{i}")});
        Value::from((0..count).map(copy).collect::<Vec<_>>()).to_string()
    };
    assert_eq!(patch(&server, JSON_PATCH, double(10)).0, 200);
    let (code, status) = patch(&server, JSON_PATCH, double(30));
    let expected = "the server rejected our request due to an error in our request";
    assert_eq!((code, &status["message"]), (422, &json!(expected)));

    // Three copies of a MiB are the limit.
    let copies = |length: usize| {
        let mut steps = vec![json!({"op": "add", "path": "/k", "value": "x".repeat(length)})];
        for path in ["/k1", "/k2", "/k3"] {
            steps.push(json!({"op": "copy", "from": "/k", "path": path}));
        }
        steps.extend(["/k", "/k1", "/k2", "/k3"].map(|path| json!({"op": "remove", "path": path})));
        Value::from(steps).to_string()
    };
    assert_eq!(patch(&server, JSON_PATCH, copies((1 << 20) - 2)).0, 200);
    assert_eq!(patch(&server, JSON_PATCH, copies((1 << 20) - 1)).0, 422);
}

#[test]
fn long_lists_are_patched_in_time() {
    let server = server();
    create(&server, shirt("a", vec![0; 100_000].into()));
    let at_the_front = vec![json!({"op": "add", "path": "/x/0", "value": 1}); 10_000];
    let start = Instant::now();
    assert_eq!(patch(&server, JSON_PATCH, Value::from(at_the_front).to_string()).0, 200);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn deep_json_is_refused_or_stored() {
    let server = server();
    create(&server, shirt("a", json!({})));
    for depth in [100, 120, 1_000, 9_000, 10_001, 400_000] {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            let inner = if open == "[" { "" } else { "1" };
            let deep = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
            let name = format!("{depth}-{}", open.len());
            let body = shirt(&name, json!("@")).replace("\"@\"", &deep);
            let (code, stored) = create(&server, body);
            assert_eq!(code, if depth <= 9_000 { 201 } else { 400 }, "{depth}: {stored}");
            if code == 400 {
                let reason =
                    format!("json parse error: invalid character '{}' exceeded max depth", &open[..1]);
                assert!(stored["message"].as_str().unwrap().contains(&reason), "{stored}");
            }
            let merge = format!("{{\"y\":{deep}}}");
            assert_eq!(
                patch(&server, MERGE_PATCH, merge).0,
                if depth <= 9_000 { 200 } else { 400 },
                "{depth}"
            );
        }
    }
    assert_eq!(send(&server, Request::get(OBJECTS), "").0, 200);
}

/// Each level of an applied object is a field with an owner. A path from the root for each of them takes quadratic time.
#[test]
fn deep_objects_are_applied_in_time() {
    let server = server();
    let start = Instant::now();
    for (manager, innermost) in [("a", 1), ("b", 2), ("a", 1)] {
        let depth = 9_000;
        let deep = format!("{}{innermost}{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        let body = shirt("a", json!("@")).replace("\"@\"", &deep);
        let request = Request::patch(format!("{OBJECTS}/a?force=true&fieldManager={manager}"));
        let (code, status) =
            send(&server, request.header("content-type", "application/apply-patch+yaml"), body);
        assert!(code < 300, "{manager}: {status}");
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// A patch that makes an object deeper than any body: each copy doubles the depth, or each request adds some.
#[test]
fn patches_do_not_make_objects_deeper_than_bodies() {
    let server = server();
    create(&server, shirt("a", json!([[]])));
    let copy =
        |depth: usize| json!({"op": "copy", "from": "/x", "path": format!("/x{}/-", "/0".repeat(depth))});
    let copies: Vec<Value> = (0..20).map(|i| copy(1 << i)).collect();
    let (code, status) = patch(&server, JSON_PATCH, Value::from(copies).to_string());
    assert_eq!((code, &status["reason"]), (422, &json!("Invalid")));
    for depth in (0..10).map(|i| 1 + i * 1_000) {
        let nested = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
        let path = "/0".repeat(depth);
        let body = format!("[{{\"op\":\"add\",\"path\":\"/x{path}\",\"value\":{nested}}}]");
        let expected = if depth < 9_000 { 200 } else { 422 };
        assert_eq!(patch(&server, JSON_PATCH, body).0, expected, "{depth}");
    }
    // Reads by selectors, watches, metadata and the collection of garbage get along with such an object.
    for query in ["?labelSelector=a", "?fieldSelector=metadata.name%3Da"] {
        assert_eq!(send(&server, Request::get(format!("{OBJECTS}{query}")), "").0, 200);
    }
    let mut selected =
        server.handle(Request::get(format!("{OBJECTS}?watch=1&labelSelector=a")).body("").unwrap());
    assert_eq!(next(selected.body_mut()), None);
    assert_eq!(server.collect_garbage(), 0);
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    assert_eq!(send(&server, Request::get(OBJECTS).header("accept", table), "").0, 200);
    let yaml = server.handle(Request::get(OBJECTS).header("accept", "application/yaml").body("").unwrap());
    assert_eq!(yaml.status(), 200);
    assert_eq!(send(&server, Request::delete(format!("{OBJECTS}/a")), "").0, 200);
}

#[test]
fn deep_yaml_and_definitions_are_limited() {
    let server = server();
    let yaml = |name: &str, depth: usize| {
        let head = format!("apiVersion: e.io/v1\nkind: Shirt\nmetadata: {{name: {name}}}\nx: ");
        let request = Request::post(OBJECTS).header("content-type", "application/yaml");
        send(&server, request, format!("{head}{}1{}\n", "[".repeat(depth), "]".repeat(depth)))
    };
    assert_eq!(yaml("a", 5_000).0, 201);
    let (code, status) = yaml("b", 10_000);
    let message = status["message"].as_str().unwrap();
    assert_eq!((code, message.contains("yaml: exceeded max depth of 10000")), (400, true), "{message}");
    for (levels, expected) in [(90, 201), (2_000, 400)] {
        let mut schema = json!({"type": "string"}).to_string();
        for _ in 0..levels {
            schema = format!("{{\"type\":\"object\",\"properties\":{{\"a\":{schema}}}}}");
        }
        let crd = format!(
            "{{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{{\"name\":\"hats.e.io\"}},\
             \"spec\":{{\"group\":\"e.io\",\"names\":{{\"plural\":\"hats\",\"kind\":\"Hat\"}},\"scope\":\"Cluster\",\"versions\":[{{\
             \"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{{\"openAPIV3Schema\":{schema}}}}}]}}}}"
        );
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let (code, status) = send(&server, Request::post(path), crd);
        assert_eq!(code, expected, "{levels}: {status}");
    }
}

#[test]
fn long_selectors_are_read_or_refused() {
    let server = server();
    create(&server, shirt("a", json!({})));
    let values = |separator: &str, count: usize| {
        (0..count).map(|i| format!("v{i}")).collect::<Vec<_>>().join(separator)
    };
    let deep = "(".repeat(20_000);
    for (query, expected) in [
        (format!("labelSelector=a%20in%20({})", values(",", 8_000)), 200),
        (format!("labelSelector={}", values("%3D1,", 5_000)), 200),
        (format!("labelSelector={deep}"), 400),
        (format!("fieldSelector=metadata.name%3D{}", "a".repeat(60_000)), 200),
        (format!("fieldSelector={}", values("%3D1,", 5_000)), 400),
        (format!("{}limit=1", "a=b&".repeat(10_000)), 200),
        (format!("continue={}", "A".repeat(60_000)), 400),
        ("limit=9223372036854775807".to_owned(), 200),
        ("limit=-9223372036854775808".to_owned(), 200),
    ] {
        let (code, answer) = send(&server, Request::get(format!("{OBJECTS}?{query}")), "");
        assert_eq!(code, expected, "{}: {answer}", &query[..40.min(query.len())]);
    }
}

/// Returns the next part of a watch that is there now.
fn next(body: &mut crd_server::Body) -> Option<Value> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(body).poll_frame(&mut context) {
        std::task::Poll::Ready(Some(Ok(frame))) => serde_json::from_slice(&frame.into_data().unwrap()).ok(),
        _ => None,
    }
}

fn watch(server: &Server, revision: &str) -> crd_server::Body {
    let path = format!("{OBJECTS}?watch=true&resourceVersion={revision}");
    server.handle(Request::get(path).body("").unwrap()).into_body()
}

#[test]
fn a_slow_reader_of_a_watch_is_dropped() {
    let mut config = Config::default();
    config.kept_events(1_000);
    let server = server_with(&config);
    let (_, first) = create(&server, shirt("a", json!(0)));
    let revision = first["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let mut slow = watch(&server, &revision);
    assert_eq!(next(&mut slow), None);
    for i in 1..=2_000 {
        patch(&server, MERGE_PATCH, json!({"x": i}).to_string());
        if i == 10 {
            assert_eq!(next(&mut slow).unwrap()["object"]["x"], 1);
        }
    }
    // What was read before comes, and then the end of the body without an error, as from the watch cache of the API server.
    let rest: Vec<Value> = std::iter::from_fn(|| next(&mut slow)).collect();
    assert_eq!(rest.last().unwrap()["object"]["x"], 10);
    assert!(slow.is_end_stream() || next(&mut slow).is_none());
    // The next watch is told.
    let error = next(&mut watch(&server, &revision)).unwrap();
    assert_eq!((&error["type"], &error["object"]["code"]), (&json!("ERROR"), &json!(410)));
}

#[test]
fn the_past_of_large_objects_is_short() {
    let server = server();
    let (_, first) = create(&server, of_size("a", 1_000_000));
    let revision = first["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    for i in 0..150 {
        assert_eq!(patch(&server, MERGE_PATCH, json!({"y": i}).to_string()).0, 200);
    }
    // 150 MB would be kept.
    let error = next(&mut watch(&server, &revision)).unwrap();
    assert_eq!((&error["type"], &error["object"]["code"]), (&json!("ERROR"), &json!(410)));
}

#[test]
fn watches_that_are_gone_leave_nothing() {
    let server = server();
    let (_, first) = create(&server, shirt("a", json!(0)));
    let revision = first["metadata"]["resourceVersion"].as_str().unwrap();
    let start = Instant::now();
    for _ in 0..100_000 {
        assert_eq!(next(&mut watch(&server, revision)), None);
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
