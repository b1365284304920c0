//! Definitions whose objects a webhook converts. The texts are those that upstream's server gave to the same webhook.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use crd_server::Server;
use http::Request;
use serde_json::{Value, json};

const NEW: &str = "/apis/e.io/v1/ws";
const OLD: &str = "/apis/e.io/v1beta1/ws";

/// `spec.host` of `v1beta1` is the first one of `spec.hosts` in `v1`.
fn definition() -> Value {
    let version = |name: &str, is_stored: bool, properties: Value| {
        let schema = json!({
            "type": "object",
            "properties": {
                "spec": {"type": "object", "properties": properties},
                "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
            },
        });
        json!({
            "name": name, "served": true, "storage": is_stored, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": schema},
        })
    };
    let hosts = json!({"type": "array", "items": {"type": "string"}});
    let mut old = version("v1beta1", false, json!({"host": {"type": "string"}, "d": {"type": "string"}}));
    old["selectableFields"] = json!([{"jsonPath": ".spec.host"}]);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ws.e.io"},
        "spec": {
            "group": "e.io", "names": {"plural": "ws", "kind": "W"}, "scope": "Cluster",
            "conversion": {
                "strategy": "Webhook",
                "webhook": {
                    "conversionReviewVersions": ["v1"],
                    "clientConfig": {"url": "https://localhost/never/asked"},
                },
            },
            "versions": [
                version("v1", true, json!({"hosts": hosts, "d": {"type": "string", "default": "one"}})),
                old,
            ],
        },
    })
}

/// Returns the answer of the webhook.
fn review(review: &Value) -> Value {
    let request = &review["request"];
    let mut objects = request["objects"].clone();
    for object in objects.as_array_mut().unwrap() {
        object["apiVersion"] = request["desiredAPIVersion"].clone();
        let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { continue };
        if request["desiredAPIVersion"] == "e.io/v1" {
            if let Some(host) = spec.remove("host") {
                spec.insert("hosts".to_owned(), json!([host]));
            }
        } else if let Some(hosts) = spec.remove("hosts") {
            spec.insert("host".to_owned(), hosts[0].clone());
        }
    }
    json!({
        "apiVersion": review["apiVersion"], "kind": "ConversionReview",
        "response": {"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": objects},
    })
}

type Change = Box<dyn Fn(&mut Value) + Send>;

/// Returns a server whose webhook can be made to answer wrongly.
fn server() -> (Server, Arc<Mutex<Change>>) {
    let server = Server::new();
    server.create(&definition()).unwrap();
    let change: Arc<Mutex<Change>> = Arc::new(Mutex::new(Box::new(|_| {})));
    let own = Arc::clone(&change);
    server.convert("ws.e.io", move |asked| {
        let mut answer = review(asked);
        own.lock().unwrap()(&mut answer);
        answer
    });
    (server, change)
}

fn send(server: &Server, method: &str, path: &str, kind: &str, body: &Value) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path).header("content-type", kind);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let response = server.handle(request.body(body).unwrap());
    let code = response.status().as_u16();
    let bytes = response.into_body().read_now();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

fn get(server: &Server, path: &str) -> (u16, Value) {
    send(server, "GET", path, "", &Value::Null)
}

fn create(server: &Server, path: &str, name: &str, spec: &Value) -> (u16, Value) {
    let object = w(path, name, spec);
    send(server, "POST", path, "application/json", &object)
}

fn w(path: &str, name: &str, spec: &Value) -> Value {
    let version = path.split('/').nth(3).unwrap();
    json!({
        "apiVersion": format!("e.io/{version}"), "kind": "W", "metadata": {"name": name, "labels": {"l": "1"}},
        "spec": spec,
    })
}

fn watched(server: &Server, path: &str) -> Vec<Value> {
    let request = Request::get(format!("{path}?watch=true")).body("").unwrap();
    let bytes = server.handle(request).into_body().read_now();
    let events = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    events.map(|event| serde_json::from_slice(event).unwrap()).collect()
}

#[test]
fn objects_are_written_and_read_in_all_versions() {
    let (server, _) = server();
    let (code, created) = create(&server, OLD, "a", &json!({"host": "x"}));
    // The stored version has given its default.
    assert_eq!((code, &created["spec"]), (201, &json!({"host": "x", "d": "one"})));
    assert_eq!(created["metadata"]["managedFields"][0]["apiVersion"], "e.io/v1beta1");
    create(&server, NEW, "b", &json!({"hosts": ["y", "z"], "d": "two"}));
    assert_eq!(get(&server, &format!("{NEW}/a")).1["spec"], json!({"hosts": ["x"], "d": "one"}));
    assert_eq!(get(&server, &format!("{OLD}/b")).1["spec"], json!({"host": "y", "d": "two"}));

    let specs = |path: &str| {
        let list = get(&server, path).1;
        list["items"].as_array().unwrap().iter().map(|item| item["spec"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(specs(OLD), [json!({"d": "one", "host": "x"}), json!({"d": "two", "host": "y"})]);
    assert_eq!(specs(&format!("{OLD}?fieldSelector=spec.host%3Dy")), [json!({"d": "two", "host": "y"})]);
    let hosts: Vec<Value> =
        watched(&server, OLD).iter().map(|event| event["object"]["spec"]["host"].clone()).collect();
    assert_eq!(hosts, ["x", "y"]);
}

#[test]
fn patches_of_an_old_version_change_the_stored_object() {
    let (server, _) = server();
    create(&server, OLD, "a", &json!({"host": "x"}));
    let merge = "application/merge-patch+json";
    let (code, patched) = send(&server, "PATCH", &format!("{OLD}/a"), merge, &json!({"spec": {"host": "z"}}));
    assert_eq!(
        (code, &patched["spec"]["host"], &patched["metadata"]["generation"]),
        (200, &json!("z"), &json!(2))
    );
    let (code, same) = send(&server, "PATCH", &format!("{OLD}/a"), merge, &json!({"spec": {"host": "z"}}));
    assert_eq!((code, &same["metadata"]["resourceVersion"]), (200, &patched["metadata"]["resourceVersion"]));
    let status = json!({"status": {"phase": "up"}});
    let (code, patched) = send(&server, "PATCH", &format!("{OLD}/a/status"), merge, &status);
    assert_eq!(
        (code, &patched["status"]["phase"], &patched["spec"]["host"]),
        (200, &json!("up"), &json!("z"))
    );
    let stored = get(&server, &format!("{NEW}/a")).1;
    assert_eq!((&stored["spec"]["hosts"], &stored["status"]["phase"]), (&json!(["z"]), &json!("up")));
    let (code, _) = send(&server, "DELETE", &format!("{OLD}/a"), "", &Value::Null);
    assert_eq!((code, get(&server, &format!("{NEW}/a")).0), (200, 404));
}

/// Owners of fields in one version lose what is changed through another one.
#[test]
fn owners_are_compared_in_their_own_version() {
    let (server, _) = server();
    let apply = |path: &str, manager: &str, spec: &Value| {
        let path = format!("{path}/c?fieldManager={manager}");
        send(&server, "PATCH", &path, "application/apply-patch+yaml", &w(&path, "c", spec))
    };
    assert_eq!(apply(OLD, "m", &json!({"host": "q"})).0, 201);
    let (code, refused) = apply(NEW, "n", &json!({"hosts": ["r"]}));
    assert_eq!((code, &refused["details"]["causes"][0]["field"]), (409, &json!(".spec.host")));
    let path = format!("{NEW}/c?fieldManager=n&force=true");
    let (code, forced) =
        send(&server, "PATCH", &path, "application/apply-patch+yaml", &w(NEW, "c", &json!({"hosts": ["r"]})));
    assert_eq!((code, &forced["spec"]["hosts"]), (200, &json!(["r"])));
    let owned: Vec<_> = forced["metadata"]["managedFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["manager"].clone(), entry["fieldsV1"].get("f:spec").cloned()))
        .collect();
    assert_eq!(owned, [(json!("m"), None), (json!("n"), Some(json!({"f:hosts": {}})))]);

    // What is not applied any more is removed in the version in which it was applied.
    let (code, applied) = apply(OLD, "n", &json!({"d": "x"}));
    assert_eq!((code, &applied["spec"]), (200, &json!({"d": "x"})), "{applied}");
}

/// A change of an answer or of an object, and the end of the refusal.
type WrongAnswer = (fn(&mut Value), &'static str);

/// Changes of the answer of the webhook, with the end of the refusal.
fn wrong_answers() -> [WrongAnswer; 6] {
    [
        (
            |answer| set(answer, "/response/result", json!({"status": "Failed", "message": "no way"})),
            "failed: no way",
        ),
        (
            |answer| set(answer, "/response/result", json!({"status": "Failed"})),
            "failed: response.result.status was 'Failed', not 'Success'",
        ),
        (|answer| set(answer, "/response", Value::Null), "failed: no response provided"),
        (
            |answer| set(answer, "/kind", "Other".into()),
            "failed: no kind \"Other\" is registered for version \"apiextensions.k8s.io/v1\" in scheme \"pkg/runtime/scheme.go:111\"",
        ),
        (|answer| set(answer, "/response/convertedObjects", json!([])), "returned 0 objects, expected 1"),
        (|answer| set(answer, "/response/uid", "x".into()), "failed: expected response.uid=\""),
    ]
}

/// Changes of the converted object, with the end of the refusal.
fn wrong_objects() -> [WrongAnswer; 6] {
    [
        (
            |object| set(object, "/apiVersion", "e.io/v9".into()),
            "returned invalid object at index 0: invalid groupVersion (expected e.io/v1beta1, received e.io/v9)",
        ),
        (
            |object| set(object, "/kind", "Other".into()),
            "returned invalid object at index 0: invalid kind (expected W, received Other)",
        ),
        (
            |object| set(object, "/metadata/name", "other".into()),
            "returned invalid object: must have the same name: a != other",
        ),
        (
            |object| drop(object.as_object_mut().unwrap().remove("metadata")),
            "returned invalid object: must have the same name: a != ",
        ),
        (
            |object| set(object, "/metadata/labels", json!({"a": 1})),
            "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
        ),
        (
            |object| set(object, "/metadata/labels", json!({"a b": "c"})),
            "returned invalid metadata: metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric \
             characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or \
             'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ),
    ]
}

fn set(value: &mut Value, path: &str, new: Value) {
    *value.pointer_mut(path).unwrap() = new;
}

#[test]
fn wrong_answers_of_the_webhook_are_refused() {
    let (server, change) = server();
    create(&server, NEW, "a", &json!({"hosts": ["x"]}));
    let of_object = |wrong: fn(&mut Value)| -> Change {
        Box::new(move |answer| wrong(&mut answer["response"]["convertedObjects"][0]))
    };
    let answers = wrong_answers().map(|(wrong, expected)| (Box::new(wrong) as Change, expected));
    let objects = wrong_objects().map(|(wrong, expected)| (of_object(wrong), expected));
    for (wrong, expected) in answers.into_iter().chain(objects) {
        *change.lock().unwrap() = wrong;
        let (code, status) = get(&server, &format!("{OLD}/a"));
        let message = status["message"].as_str().unwrap().to_owned();
        assert_eq!((code, status.get("reason")), (500, None), "{message}");
        assert!(
            message.starts_with(&format!("conversion webhook for e.io/v1, Kind=W {expected}")),
            "{message}"
        );
        let (code, status) = create(&server, OLD, "n", &json!({"host": "x"}));
        let message = status["message"].as_str().unwrap();
        assert!(
            code == 500 && message.starts_with("conversion webhook for e.io/v1beta1, Kind=W "),
            "{message}"
        );
        assert_eq!(watched(&server, OLD)[0]["type"], "ERROR");
    }
}

#[test]
fn a_webhook_changes_labels_and_annotations_alone() {
    let (server, change) = server();
    create(&server, NEW, "a", &json!({"hosts": ["x"]}));
    *change.lock().unwrap() = Box::new(|answer| {
        let metadata = &mut answer["response"]["convertedObjects"][0]["metadata"];
        metadata["labels"] = json!({"new": "yes"});
        metadata["finalizers"] = json!(["x/y"]);
        metadata["generation"] = 17.into();
    });
    let (code, read) = get(&server, &format!("{OLD}/a"));
    assert_eq!((code, &read["metadata"]["labels"]), (200, &json!({"new": "yes"})));
    assert_eq!((read["metadata"].get("finalizers"), &read["metadata"]["generation"]), (None, &json!(1)));
}

#[test]
fn without_a_function_only_the_stored_version_is_served() {
    let server = Server::new();
    server.create(&definition()).unwrap();
    assert_eq!(create(&server, NEW, "a", &json!({"hosts": ["x"]})).0, 201);
    let (code, status) = get(&server, &format!("{OLD}/a"));
    let expected = "conversion webhook for e.io/v1, Kind=W failed: no function converts `ws.e.io`";
    assert_eq!((code, &status["message"]), (500, &json!(expected)));
}
