//! Built-in kinds: what operators, kubectl and Helm expect to find next to their own kinds.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::thread;
use std::time::{Duration, Instant};

use crd_server::{Config, Server};
use serde_json::{Value, json};

fn server() -> Server {
    let mut config = Config::default();
    config.built_in_kinds();
    Server::with(&config)
}

fn send(server: &Server, method: &str, path: &str, body: Value) -> (u16, Value) {
    let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let request = http::Request::builder().method(method).uri(path).header("content-type", content_type);
    let response = server.handle(request.body(body).unwrap());
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.into_body().read_now()).unwrap_or_default())
}

fn get(server: &Server, path: &str) -> Value {
    send(server, "GET", path, Value::Null).1
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

fn pod(server: &Server, name: &str, spec: Value) {
    let body = json!({"metadata": {"name": name}, "spec": spec});
    let (status, answer) = send(server, "POST", "/api/v1/namespaces/default/pods", body);
    assert_eq!(status, 201, "{answer}");
}

#[test]
fn the_kinds_of_a_cluster_are_stored() {
    let server = server();
    for (path, kind) in [
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", "ClusterRole"),
        ("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "ClusterRoleBinding"),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", "Role"),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", "RoleBinding"),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            "ValidatingWebhookConfiguration",
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
            "MutatingWebhookConfiguration",
        ),
        ("/apis/apiregistration.k8s.io/v1/apiservices", "APIService"),
        ("/apis/certificates.k8s.io/v1/certificatesigningrequests", "CertificateSigningRequest"),
        ("/apis/scheduling.k8s.io/v1/priorityclasses", "PriorityClass"),
        ("/apis/storage.k8s.io/v1/storageclasses", "StorageClass"),
        ("/apis/networking.k8s.io/v1/ingressclasses", "IngressClass"),
        ("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", "ResourceClaim"),
        ("/api/v1/persistentvolumes", "PersistentVolume"),
        ("/api/v1/namespaces/default/resourcequotas", "ResourceQuota"),
        ("/api/v1/namespaces/default/limitranges", "LimitRange"),
        ("/api/v1/namespaces/default/endpoints", "Endpoints"),
        ("/api/v1/namespaces/default/replicationcontrollers", "ReplicationController"),
    ] {
        let (status, created) = send(&server, "POST", path, json!({"metadata": {"name": "a"}}));
        assert_eq!((status, created["kind"].as_str()), (201, Some(kind)), "{created}");
        assert!(names(&get(&server, path)).contains(&"a"), "{path}");
        let (status, answer) = send(&server, "DELETE", &format!("{path}/a"), Value::Null);
        assert_eq!(status, 200, "{answer}");
    }
}

#[test]
fn reviews_are_answered_as_for_an_administrator() {
    let server = server();
    let review = |path: &str, spec: Value| {
        let (status, answer) = send(&server, "POST", path, json!({"spec": spec}));
        assert_eq!(status, 201, "{answer}");
        answer
    };
    let group = "/apis/authorization.k8s.io/v1";
    let attributes = json!({"resourceAttributes": {"verb": "get", "resource": "pods"}});
    for resource in
        ["selfsubjectaccessreviews", "subjectaccessreviews", "namespaces/default/localsubjectaccessreviews"]
    {
        let answer = review(&format!("{group}/{resource}"), attributes.clone());
        assert_eq!((&answer["status"]["allowed"], &answer["spec"]), (&json!(true), &attributes));
    }
    let rules = review(&format!("{group}/selfsubjectrulesreviews"), json!({"namespace": "default"}));
    assert_eq!(rules["status"]["resourceRules"][0]["verbs"], json!(["*"]));
    let answer = review("/apis/authentication.k8s.io/v1/tokenreviews", json!({"token": "x"}));
    assert_eq!(answer["status"]["authenticated"], true);
    let (status, _) = send(&server, "GET", &format!("{group}/selfsubjectaccessreviews"), Value::Null);
    assert_eq!(status, 405);
    let list = get(&server, group);
    let resources = list["resources"].as_array().unwrap();
    let found = resources.iter().find(|resource| resource["name"] == "selfsubjectaccessreviews").unwrap();
    assert_eq!(found["verbs"], json!(["create"]));
}

#[test]
fn evictions_delete_and_bindings_set_the_node() {
    let server = server();
    let pods = "/api/v1/namespaces/default/pods";
    pod(&server, "a", json!({"containers": []}));
    let binding = json!({"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "node-1"}});
    let (status, answer) = send(&server, "POST", &format!("{pods}/a/binding"), binding.clone());
    assert_eq!((status, answer["status"].as_str()), (201, Some("Success")), "{answer}");
    assert_eq!(get(&server, &format!("{pods}/a"))["spec"]["nodeName"], "node-1");
    let (status, answer) = send(&server, "POST", &format!("{pods}/a/binding"), binding);
    assert_eq!(status, 409);
    assert!(answer["message"].as_str().unwrap().contains("already assigned to node \"node-1\""), "{answer}");

    pod(&server, "b", json!({"containers": []}));
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "b"}});
    let (status, _) = send(&server, "POST", &format!("{pods}/b/eviction?dryRun=All"), eviction.clone());
    assert_eq!((status, names(&get(&server, pods))), (201, vec!["a", "b"]));
    let (status, _) = send(&server, "POST", &format!("{pods}/b/eviction"), eviction.clone());
    assert_eq!((status, names(&get(&server, pods))), (201, vec!["a"]));
    let (status, answer) = send(&server, "POST", &format!("{pods}/b/eviction"), eviction);
    assert_eq!((status, answer["message"].as_str()), (404, Some("pods \"b\" not found")));
    let list = get(&server, "/api/v1");
    let resources = list["resources"].as_array().unwrap();
    let found = resources.iter().find(|resource| resource["name"] == "pods/eviction").unwrap();
    assert_eq!((&found["group"], &found["kind"]), (&json!("policy"), &json!("Eviction")));
}

#[test]
fn a_service_account_gets_a_token() {
    let server = server();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    send(&server, "POST", accounts, json!({"metadata": {"name": "a"}}));
    let request = json!({"spec": {"expirationSeconds": 600}});
    let (status, answer) = send(&server, "POST", &format!("{accounts}/a/token"), request.clone());
    assert_eq!((status, &answer["kind"]), (201, &json!("TokenRequest")));
    assert_eq!(answer["status"]["token"].as_str().unwrap().split('.').count(), 3);
    let spec = json!({"token": answer["status"]["token"]});
    let reviewed =
        send(&server, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", json!({"spec": spec})).1;
    assert_eq!(reviewed["status"]["user"]["username"], "system:serviceaccount:default:a", "{reviewed}");
    assert_eq!(answer["spec"]["expirationSeconds"], 600);
    assert_eq!(send(&server, "POST", &format!("{accounts}/none/token"), request).0, 404);
}

#[test]
fn fields_of_built_in_kinds_are_selectable() {
    let server = server();
    let pods = "/api/v1/namespaces/default/pods";
    pod(&server, "host", json!({"containers": [], "hostNetwork": true}));
    pod(&server, "own", json!({"containers": []}));
    let job = json!({"metadata": {"name": "job"}, "spec": {"template": {"spec": {"containers": []}}}});
    send(&server, "POST", "/apis/batch/v1/namespaces/default/jobs", job);
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    send(&server, "PATCH", &format!("{jobs}/job/status"), json!({"status": {"succeeded": 2}}));
    let event = json!({
        "metadata": {"name": "event"}, "involvedObject": {"name": "own"}, "source": {"component": "me"}, "reason": "Made",
    });
    send(&server, "POST", "/api/v1/namespaces/default/events", event);
    let events = "/apis/events.k8s.io/v1/namespaces/default/events";
    let event = json!({"metadata": {"name": "new"}, "regarding": {"name": "own"}, "reason": "Seen", "reportingController": "me"});
    send(&server, "POST", events, event);
    for (path, selector, expected) in [
        (pods, "spec.hostNetwork=true", vec!["host"]),
        (pods, "spec.hostNetwork=false", vec!["own"]),
        (pods, "status.podIPs=", vec!["host", "own"]),
        (pods, "metadata.name=own,spec.hostNetwork=true", vec![]),
        (pods, "metadata.name!=own", vec!["host"]),
        (jobs, "status.successful=2", vec!["job"]),
        (jobs, "status.successful=0", vec![]),
        ("/api/v1/nodes", "spec.unschedulable=false", vec![]),
    ] {
        let list = get(&server, &format!("{path}?fieldSelector={selector}"));
        assert_eq!(names(&list), expected, "{selector}");
    }
    let found = get(
        &server,
        &format!("{events}?fieldSelector=regarding.name=own,reason=Seen,reportingController=me"),
    );
    assert_eq!(names(&found), ["new"]);
    let found = get(&server, "/api/v1/events?fieldSelector=source=me,reason=Made");
    assert_eq!(names(&found), ["event"]);
}

#[test]
fn the_server_has_a_service_of_its_own() {
    let server = server();
    let service = get(&server, "/api/v1/namespaces/default/services/kubernetes");
    assert_eq!(service["spec"]["ports"][0]["port"], 443);
    let slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    let found = get(&server, &format!("{slices}?labelSelector=kubernetes.io/service-name=kubernetes"));
    assert_eq!(names(&found), ["kubernetes"]);
}

#[test]
fn the_role_of_administrators_exists() {
    let server = server();
    for (plural, field) in [("clusterroles", "rules"), ("clusterrolebindings", "subjects")] {
        let path = format!("/apis/rbac.authorization.k8s.io/v1/{plural}/cluster-admin");
        assert_ne!(get(&server, &path)[field][0], Value::Null, "{plural}");
    }
}

/// As a kube-apiserver does: only these kinds have names that are no subdomains.
#[test]
fn names_of_some_kinds_are_any_segment_of_a_path() {
    let server = server();
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    for (path, name, expected) in [
        (format!("{rbac}/clusterroles"), "system:Node", ""),
        (format!("{rbac}/namespaces/default/rolebindings"), "A:b", ""),
        (format!("{rbac}/clusterroles"), "a/b", "may not contain '/'"),
        ("/apis/networking.k8s.io/v1/ipaddresses".to_owned(), "2001:db8::1", ""),
        ("/apis/apiregistration.k8s.io/v1/apiservices".to_owned(), "v1.", ""),
        ("/apis/policy/v1/namespaces/default/poddisruptionbudgets".to_owned(), "A:b", ""),
        ("/api/v1/namespaces/default/events".to_owned(), "A:b", ""),
        ("/apis/events.k8s.io/v1/namespaces/default/events".to_owned(), "C:d", "RFC 1123 subdomain"),
        ("/api/v1/namespaces/default/configmaps".to_owned(), "A:b", "RFC 1123 subdomain"),
    ] {
        let (status, answer) = send(&server, "POST", &path, json!({"metadata": {"name": name}}));
        let message = answer["message"].as_str().unwrap_or_default();
        assert_eq!(status, if expected.is_empty() { 201 } else { 422 }, "{path} {answer}");
        assert!(message.contains(expected), "{path} {message}");
        if expected.is_empty() {
            assert_eq!(get(&server, &format!("{path}/{name}"))["metadata"]["name"], name);
        }
    }
    let named = json!({"metadata": {"generateName": "System:"}});
    let (status, answer) = send(&server, "POST", &format!("{rbac}/clusterroles"), named);
    assert_eq!(status, 201, "{answer}");
}

#[test]
fn a_write_of_a_status_keeps_what_its_kind_keeps() {
    let server = server();
    let pods = "/api/v1/namespaces/default/pods";
    pod(&server, "a", json!({"containers": []}));
    let owner = json!({"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1"});
    let patch = json!({
        "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "ownerReferences": [owner]},
        "spec": {"nodeName": "x"}, "status": {"phase": "Running"},
    });
    let (status, patched) = send(&server, "PATCH", &format!("{pods}/a/status"), patch.clone());
    let metadata = &patched["metadata"];
    assert_eq!(
        (status, &metadata["labels"], &metadata["annotations"]),
        (200, &json!({"a": "b"}), &json!({"c": "d"}))
    );
    assert_eq!((metadata.get("ownerReferences"), patched["spec"].get("nodeName")), (None, None));
    assert_eq!(patched["status"]["phase"], "Running");

    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    send(
        &server,
        "POST",
        deployments,
        json!({"metadata": {"name": "a", "labels": {"own": "1"}}, "spec": {}}),
    );
    let (_, patched) = send(&server, "PATCH", &format!("{deployments}/a/status"), patch);
    let metadata = &patched["metadata"];
    assert_eq!((&metadata["labels"], &metadata["annotations"]), (&json!({"own": "1"}), &json!({"c": "d"})));
}

#[test]
fn a_dry_run_does_not_look_at_the_revision_of_a_new_object() {
    let server = server();
    let maps = "/api/v1/namespaces/default/configmaps";
    let map = json!({"metadata": {"name": "a", "resourceVersion": "5"}});
    assert_eq!(send(&server, "POST", &format!("{maps}?dryRun=All"), map.clone()).0, 201);
    assert_eq!(send(&server, "POST", maps, map).0, 500);
}

#[test]
fn both_groups_have_the_same_events() {
    let server = server();
    let (core, new) =
        ("/api/v1/namespaces/default/events", "/apis/events.k8s.io/v1/namespaces/default/events");
    let event = json!({
        "metadata": {"name": "a"}, "regarding": {"kind": "Pod", "name": "p"}, "note": "seen", "reason": "Seen", "type": "Normal",
        "reportingController": "me", "deprecatedCount": 2,
    });
    let (status, created) = send(&server, "POST", new, event);
    assert_eq!((status, &created["note"]), (201, &json!("seen")), "{created}");
    let found = get(&server, &format!("{core}/a"));
    assert_eq!(
        (&found["apiVersion"], &found["message"], &found["involvedObject"]["name"]),
        (&json!("v1"), &json!("seen"), &json!("p"))
    );
    assert_eq!(
        (&found["count"], &found["reportingComponent"], found.get("note")),
        (&json!(2), &json!("me"), None)
    );
    send(&server, "PATCH", &format!("{core}/a"), json!({"message": "again"}));
    let found = get(&server, &format!("{new}?fieldSelector=regarding.name=p"));
    assert_eq!(
        (&found["apiVersion"], &found["items"][0]["note"]),
        (&json!("events.k8s.io/v1"), &json!("again"))
    );
    let (status, _) = send(&server, "PATCH", &format!("{new}/a"), json!({"note": "third"}));
    assert_eq!((status, &get(&server, &format!("{core}/a"))["message"]), (200, &json!("third")));
    assert_eq!(names(&get(&server, &format!("{core}?fieldSelector=involvedObject.name=p,source=me"))), ["a"]);
    send(&server, "DELETE", &format!("{core}/a"), Value::Null);
    assert_eq!(names(&get(&server, new)), [""; 0]);
}

#[test]
fn autoscalers_have_two_versions() {
    let server = server();
    let path =
        |version: &str| format!("/apis/autoscaling/{version}/namespaces/default/horizontalpodautoscalers");
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"});
    let spec = json!({"maxReplicas": 3, "scaleTargetRef": target, "targetCPUUtilizationPercentage": 70});
    let (status, created) =
        send(&server, "POST", &path("v1"), json!({"metadata": {"name": "a"}, "spec": spec}));
    assert_eq!((status, &created["apiVersion"]), (201, &json!("autoscaling/v1")), "{created}");
    assert_eq!(created["spec"]["targetCPUUtilizationPercentage"], 70);
    let found = get(&server, &format!("{}/a", path("v2")));
    assert_eq!(
        found["spec"]["metrics"][0]["resource"]["target"],
        json!({"averageUtilization": 70, "type": "Utilization"})
    );
    assert_eq!(found["spec"].get("targetCPUUtilizationPercentage"), None);
    let patch = json!({"spec": {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 5}}}});
    send(&server, "PATCH", &format!("{}/a", path("v2")), patch);
    send(&server, "PATCH", &format!("{}/a", path("v1")), json!({"spec": {"maxReplicas": 9}}));
    let found = get(&server, &format!("{}/a", path("v2")));
    assert_eq!(found["spec"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"], 5);
    assert_eq!((&found["spec"]["maxReplicas"], found["metadata"].get("annotations")), (&json!(9), None));
    assert_eq!(get(&server, "/apis/autoscaling")["preferredVersion"]["version"], "v2");
}

#[test]
fn garbage_is_collected_while_the_server_is_there() {
    let server = server();
    let maps = "/api/v1/namespaces/default/configmaps";
    let (_, owner) = send(&server, "POST", maps, json!({"metadata": {"name": "owner"}}));
    let reference = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"], "blockOwnerDeletion": true,
    });
    send(&server, "POST", maps, json!({"metadata": {"name": "owned", "ownerReferences": [reference]}}));
    server.keep_collecting_garbage(Duration::from_millis(5)).unwrap();
    send(&server, "DELETE", &format!("{maps}/owner?propagationPolicy=Foreground"), Value::Null);
    let start = Instant::now();
    while !names(&get(&server, maps)).is_empty() && start.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(names(&get(&server, maps)), [""; 0]);
}

#[test]
fn a_client_that_outlives_a_server_lists_anew() {
    let mut config = Config::default();
    config.built_in_kinds().first_revision(1_000);
    let server = Server::with(&config);
    let maps = "/api/v1/namespaces/default/configmaps";
    let request = http::Request::get(format!("{maps}?watch=true&resourceVersion=700&timeoutSeconds=1"));
    let event = server.handle(request.body("").unwrap()).into_body().read_now();
    let event: Value = serde_json::from_slice(&event).unwrap();
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
    let (status, _) =
        send(&server, "GET", &format!("{maps}?resourceVersion=700&resourceVersionMatch=Exact"), Value::Null);
    assert_eq!(status, 410);
}

/// The words are those of `runtime.NewStrictDecodingError`, and of `DecodeInto` in `handlers/create.go` of apiserver.
#[cfg(feature = "protobuf")]
#[test]
fn unknown_fields_of_built_in_kinds_are_reported() {
    let server = server();
    let deployment = |name: &str| {
        let labels = json!({"app": "a"});
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {
                "foo": 1, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "a", "x": {}}]}},
            },
        })
    };
    let path = "/apis/apps/v1/namespaces/default/deployments";
    let words = r#"strict decoding error: unknown field "spec.foo", unknown field "spec.template.spec.containers[0].x""#;
    let (status, answer) = send(&server, "POST", &format!("{path}?fieldValidation=Strict"), deployment("a"));
    let message = format!(r#"Deployment in version "v1" cannot be handled as a Deployment: {words}"#);
    assert_eq!((status, answer["message"].as_str()), (400, Some(&*message)), "{answer}");

    let warnings = |query: &str, name: &str| {
        let request =
            http::Request::post(format!("{path}{query}")).header("content-type", "application/json");
        let response = server.handle(request.body(deployment(name).to_string()).unwrap());
        assert_eq!(response.status(), 201);
        let warnings = response.headers().get_all("warning").iter();
        warnings.map(|warning| warning.to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected = [
        r#"299 - "unknown field \"spec.foo\"""#,
        r#"299 - "unknown field \"spec.template.spec.containers[0].x\"""#,
    ];
    assert_eq!(warnings("", "b"), expected);
    assert_eq!(warnings("?fieldValidation=Warn", "c"), expected);
    assert_eq!(warnings("?fieldValidation=Ignore", "d"), [""; 0]);
    for name in ["b", "c", "d"] {
        assert_eq!(get(&server, &format!("{path}/{name}"))["spec"]["foo"], Value::Null, "{name}");
    }

    let path = format!("{path}/b?fieldValidation=Strict");
    let (status, answer) = send(&server, "PATCH", &path, json!({"spec": {"replicas": 2, "bar": 1}}));
    assert_eq!(status, 422, "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(message.ends_with(r#": strict decoding error: unknown field "spec.bar""#), "{message}");
}

#[test]
fn registrations_without_effect_are_reported_once() {
    let reported = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut config = Config::default();
    let seen = std::sync::Arc::clone(&reported);
    config.built_in_kinds();
    config.on_registration(move |kind, name| seen.lock().unwrap().push(format!("{kind} {name}")));
    let server = Server::with(&config);
    for (plural, name) in [
        ("validatingwebhookconfigurations", "a"),
        ("validatingwebhookconfigurations", "b"),
        ("validatingadmissionpolicies", "c"),
    ] {
        let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}");
        let (status, answer) = send(&server, "POST", &path, json!({"metadata": {"name": name}}));
        assert_eq!(status, 201, "{answer}");
    }
    let expected = ["ValidatingWebhookConfiguration a", "ValidatingAdmissionPolicy c"];
    assert_eq!(*reported.lock().unwrap(), expected);
}
