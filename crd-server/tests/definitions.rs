//! Definitions that change while their objects are watched.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use crd_server::{Body, Config, Server};
use http::{Request, Response};
use serde_json::{Value, json};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SHIRTS: &str = "/apis/example.com/v1/shirts";

fn definition(plural: &str, kind: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"plural": plural, "kind": kind},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    })
}

fn get(server: &Server, path: &str) -> Response<Body> {
    server.handle(Request::get(path).body(Vec::new()).unwrap())
}

fn patch(server: &Server, body: &Value) {
    let request = Request::patch(format!("{CRDS}/shirts.example.com"));
    let request = request.header("content-type", "application/merge-patch+json").body(body.to_string());
    assert_eq!(server.handle(request.unwrap()).status(), 200);
}

fn text(body: &mut Body) -> String {
    String::from_utf8(body.read_now()).unwrap()
}

#[test]
fn a_changed_definition_ends_watches_without_an_error() {
    let server = Server::new();
    server.create(&definition("shirts", "Shirt")).unwrap();
    let shirt = json!({"apiVersion": "example.com/v1", "kind": "Shirt", "metadata": {"name": "a"}});
    let created = server.create(&shirt).unwrap();
    let path = format!(
        "{SHIRTS}?watch=1&resourceVersion={}",
        created["metadata"]["resourceVersion"].as_str().unwrap()
    );
    let mut running = get(&server, &path).into_body();
    assert_eq!(text(&mut running), "");

    // Labels of the definition do not matter to its objects.
    patch(&server, &json!({"metadata": {"labels": {"x": "y"}}}));
    assert_eq!(text(&mut running), "");
    assert!(!http_body::Body::is_end_stream(&running));
    assert_eq!(text(&mut get(&server, &path).into_body()), "");

    patch(&server, &json!({"spec": {"names": {"shortNames": ["sh"]}}}));
    assert_eq!(text(&mut running), "");
    let expired = text(&mut get(&server, &path).into_body());
    assert!(expired.contains("\"reason\":\"Expired\""), "{expired}");
}

#[test]
fn a_definition_without_names_of_its_own_is_not_served() {
    let server = Server::new();
    server.create(&definition("shirts", "Shirt")).unwrap();
    server.create(&definition("hats", "Shirt")).unwrap();
    let conditions = get(&server, &format!("{CRDS}/hats.example.com"));
    let conditions = text(&mut conditions.into_body());
    assert!(conditions.contains("\"ListKindConflict\""), "{conditions}");
    assert_eq!(get(&server, "/apis/example.com/v1/hats").status(), 404);
    assert_eq!(get(&server, SHIRTS).status(), 200);
}

/// Returns a server that establishes the CRDs of clients after a time.
fn slow_server(delay: Duration) -> Server {
    let mut config = Config::default();
    Server::with(config.establish_after(delay))
}

/// Returns the status and the reason of the condition `Established`.
fn established(crd: &Value) -> [Value; 2] {
    let conditions = crd["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let found =
        conditions.into_iter().find(|condition| condition["type"] == "Established").unwrap_or_default();
    [found["status"].clone(), found["reason"].clone()]
}

fn post(server: &Server, crd: &Value) -> u16 {
    send(server, "POST", CRDS, "application/json", &crd.to_string()).0
}

#[test]
fn objects_are_served_when_the_definition_is_established() {
    let server = slow_server(Duration::from_secs(3600));
    assert_eq!(post(&server, &definition("shirts", "Shirt")), 201);
    let path = format!("{CRDS}/shirts.example.com");
    let (_, crd) = send(&server, "GET", &path, "", "");
    assert_eq!(established(&crd), ["False", "Installing"].map(Value::from));
    assert_eq!(crd["status"]["conditions"][0]["type"], "NamesAccepted");
    assert_eq!(crd["status"]["acceptedNames"]["kind"], "Shirt");
    assert_eq!(get(&server, SHIRTS).status(), 404);
    assert_eq!(get(&server, "/apis/example.com/v1").status(), 404);
    // It can be deleted before.
    assert_eq!(send(&server, "DELETE", &path, "", "").0, 200);
    assert_eq!(get(&server, &path).status(), 404);
    // CRDs of the test itself are there from the start, so that their objects can be created.
    server.seed(&definition("shirts", "Shirt")).unwrap();
    assert_eq!(get(&server, SHIRTS).status(), 200);
}

#[test]
fn watches_see_that_a_definition_is_established() {
    let server = slow_server(Duration::from_millis(50));
    assert_eq!(post(&server, &definition("shirts", "Shirt")), 201);
    let mut watch = get(&server, &format!("{CRDS}?watch=1")).into_body();
    let (mut events, start) = (String::new(), Instant::now());
    while !events.contains("InitialNamesAccepted") {
        assert!(start.elapsed() < Duration::from_secs(60), "{events}");
        events.push_str(&text(&mut watch));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(events.contains("Installing"), "{events}");
    assert_eq!(get(&server, SHIRTS).status(), 200);
}

#[test]
fn a_restored_definition_is_established_after_its_time() {
    let (slow, quick) = (slow_server(Duration::from_secs(3600)), slow_server(Duration::from_millis(5)));
    assert_eq!(post(&slow, &definition("shirts", "Shirt")), 201);
    quick.restore(&slow.snapshot());
    let start = Instant::now();
    while get(&quick, SHIRTS).status() != 200 {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(get(&slow, SHIRTS).status(), 404);
}

/// Requests use a different version than the one in which objects are stored.
#[test]
fn a_stored_version_need_not_be_served() {
    let server = Server::new();
    let mut crd = definition("shirts", "Shirt");
    let versions = crd["spec"]["versions"].as_array_mut().unwrap();
    let mut next = versions[0].clone();
    next["name"] = "v2".into();
    next["storage"] = false.into();
    versions.push(next);
    versions[0]["served"] = false.into();
    server.create(&crd).unwrap();
    let shirt = json!({"apiVersion": "example.com/v2", "kind": "Shirt", "metadata": {"name": "a"}});
    let created = server.create(&shirt).unwrap();
    assert_eq!(created["apiVersion"], "example.com/v2");
    let mut read = get(&server, "/apis/example.com/v2/shirts/a").into_body();
    assert_eq!(serde_json::from_str::<Value>(&text(&mut read)).unwrap(), created);
    assert_eq!(get(&server, "/apis/example.com/v1/shirts/a").status(), 404);
}

/// Sends a request and returns the status and the body of the answer.
fn send(server: &Server, method: &str, path: &str, content_type: &str, body: &str) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path).header("content-type", content_type);
    let response = server.handle(request.body(body.to_owned()).unwrap());
    let status = response.status().as_u16();
    (status, serde_json::from_str(&text(&mut response.into_body())).unwrap_or_default())
}

fn terminating(server: &Server) -> (Value, Value) {
    let (_, crd) = send(server, "GET", &format!("{CRDS}/shirts.example.com"), "", "");
    let conditions = crd["status"]["conditions"].as_array().unwrap().clone();
    let found = conditions.into_iter().find(|condition| condition["type"] == "Terminating").unwrap();
    (found["status"].clone(), found["reason"].clone())
}

#[test]
fn a_deleted_definition_terminates_step_by_step() {
    let server = Server::new();
    server.create(&definition("shirts", "Shirt")).unwrap();
    let shirt = json!({
        "apiVersion": "example.com/v1", "kind": "Shirt",
        "metadata": {"name": "a", "finalizers": ["example.com/wait"]},
    });
    server.create(&shirt).unwrap();
    patch(&server, &json!({"metadata": {"finalizers": ["example.com/keep"]}}));
    let path = format!("{CRDS}/shirts.example.com");
    let (_, answer) = send(&server, "DELETE", &path, "", "");
    let last = answer["status"]["conditions"].as_array().unwrap().last().unwrap();
    assert_eq!(last["reason"], "InstanceDeletionPending");
    assert_eq!(terminating(&server), (json!("True"), json!("InstanceDeletionInProgress")));
    assert!(server.create(&shirt).is_err());

    let free = r#"{"metadata": {"finalizers": null}}"#;
    let merge = "application/merge-patch+json";
    assert_eq!(send(&server, "PATCH", &format!("{SHIRTS}/a"), merge, free).0, 200);
    assert_eq!(terminating(&server), (json!("False"), json!("InstanceDeletionCompleted")));
    let (_, crd) = send(&server, "GET", &path, "", "");
    assert_eq!(crd["metadata"]["finalizers"], json!(["example.com/keep"]));
    assert_eq!(send(&server, "PATCH", &path, merge, free).0, 200);
    assert_eq!(send(&server, "GET", &path, "", "").0, 404);
}

/// As a server of 1.36 answers: the object that was sent is returned, without the stored versions that reading it from storage would add.
#[test]
fn a_status_without_finalizers_removes_a_terminating_definition() {
    let server = Server::new();
    let mut crd = definition("shirts", "Shirt");
    crd["metadata"]["finalizers"] = json!(["example.com/keep"]);
    server.create(&crd).unwrap();
    let path = format!("{CRDS}/shirts.example.com");
    send(&server, "DELETE", &path, "", "");
    let (_, stored) = send(&server, "GET", &path, "", "");
    crd["metadata"] =
        json!({"name": "shirts.example.com", "resourceVersion": stored["metadata"]["resourceVersion"]});
    crd["spec"]["versions"][0]["storage"] = false.into();
    for (query, remains) in [("?dryRun=All", 200), ("", 404)] {
        let (status, written) =
            send(&server, "PUT", &format!("{path}/status{query}"), "application/json", &crd.to_string());
        assert_eq!((status, &written["status"]["storedVersions"]), (200, &Value::Null), "{written}");
        assert_eq!(send(&server, "GET", &path, "", "").0, remains);
    }
}

/// As a server of 1.37 answers.
#[test]
fn a_null_among_the_managed_fields_of_a_definition_resets_them() {
    let server = Server::new();
    server.create(&definition("shirts", "Shirt")).unwrap();
    let path = format!("{CRDS}/shirts.example.com");
    let (_, mut crd) = send(&server, "GET", &path, "", "");
    assert!(crd["metadata"]["managedFields"].is_array());
    crd["metadata"]["managedFields"] = json!([null]);
    let (code, written) = send(&server, "PUT", &path, "application/json", &crd.to_string());
    assert_eq!((code, written["metadata"].get("managedFields")), (200, None));
}

/// As a server of 1.37 answers: a CRD always has a status, so nobody adds it.
#[test]
fn the_status_of_a_definition_is_not_added_before_its_first_apply() {
    let server = Server::new();
    let mut crd = definition("shirts", "Shirt");
    server.create(&crd).unwrap();
    patch(&server, &json!({"metadata": {"managedFields": []}}));
    crd["metadata"]["labels"] = json!({"a": "b"});
    let path = format!("{CRDS}/shirts.example.com/status?fieldManager=m&force=true");
    let (code, applied) = send(&server, "PATCH", &path, "application/apply-patch+yaml", &crd.to_string());
    let entries = applied["metadata"]["managedFields"].as_array().unwrap();
    let before = entries.iter().find(|entry| entry["manager"] == "before-first-apply").unwrap();
    let status = &before["fieldsV1"]["f:status"];
    assert_eq!((code, status.get("."), &status["f:storedVersions"]), (200, None, &json!({})), "{before}");
}

#[test]
fn a_table_whose_columns_take_too_much_work_ends_with_a_timeout() {
    let server = Server::new();
    let mut crd = definition("shirts", "Shirt");
    let version = &mut crd["spec"]["versions"][0];
    version["schema"]["openAPIV3Schema"]["x-kubernetes-preserve-unknown-fields"] = true.into();
    let path = format!(".l{}", format!("[{}*]", "*,".repeat(99)).repeat(3));
    version["additionalPrinterColumns"] = json!([{"name": "L", "type": "string", "jsonPath": path}]);
    server.create(&crd).unwrap();
    for i in 0..30 {
        let list = vec![vec![vec![1; 10]; 10]; 10];
        let shirt = json!({
            "apiVersion": "example.com/v1", "kind": "Shirt", "metadata": {"name": format!("a{i}")}, "l": list,
        });
        server.create(&shirt).unwrap();
    }
    let table = Request::get(SHIRTS).header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    let response = server.handle(table.body(Vec::new()).unwrap());
    assert_eq!(response.status(), 504);
    assert_eq!(get(&server, SHIRTS).status(), 200);
}

/// As recorded from a server of 1.36: a client writes conditions and accepted names, which a controller corrects or not.
#[test]
fn a_definition_is_served_by_its_own_names_while_it_is_established() {
    let server = Server::new();
    server.create(&definition("shirts", "Shirt")).unwrap();
    let shirt = json!({"apiVersion": "example.com/v1", "kind": "Shirt", "metadata": {"name": "a"}});
    server.create(&shirt).unwrap();
    let write = |status: Value| {
        let path = format!("{CRDS}/shirts.example.com/status");
        let body = json!({"status": status}).to_string();
        send(&server, "PATCH", &path, "application/merge-patch+json", &body)
    };
    assert_eq!(write(json!({"acceptedNames": {"plural": "x", "kind": "X"}})).0, 200);
    let resources: Value =
        serde_json::from_str(&text(get(&server, "/apis/example.com/v1").body_mut())).unwrap();
    assert_eq!(resources["resources"].as_array().unwrap().len(), 1, "{resources}");
    assert_eq!(resources["resources"][0]["name"], "shirts");
    assert_eq!(get(&server, &format!("{SHIRTS}/a")).status(), 200);

    let established = |status: &str| json!({"conditions": [{"type": "Established", "status": status}]});
    assert_eq!(write(established("False")).0, 200);
    assert_eq!(get(&server, "/apis/example.com").status(), 404);
    assert_eq!(get(&server, &format!("{SHIRTS}/a")).status(), 404);
    assert_eq!(write(established("True")).0, 200);
    assert_eq!(get(&server, &format!("{SHIRTS}/a")).status(), 200);
}
