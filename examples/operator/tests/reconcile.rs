//! The requests of the controller, answered by a function in place of the API server.

// ANCHOR: server
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use example_operator::{Operator, Website, controller};
use http::{Method, Request, Response};
use kube::client::Body;
use serde_json::{Value, json};

/// Returns the requests in a reconciliation of `website`: each with its method, path and body.
async fn requests(website: &Value) -> Vec<(Method, String, Value)> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (log, stored) = (seen.clone(), website.clone());
    let server = tower::service_fn(move |request: Request<Body>| {
        let (log, stored) = (log.clone(), stored.clone());
        async move {
            let (head, body) = request.into_parts();
            let bytes = body.collect_bytes().await.expect("the body can be read");
            let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let path = head.uri.path().to_owned();
            let answer = match (&head.method, path.contains("/websites/")) {
                (_, true) => stored,
                (&Method::DELETE, _) => json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
                _ => body.clone(),
            };
            log.lock().expect("nothing panicked").push((head.method, path, body));
            Ok::<_, Infallible>(Response::new(Body::from(answer.to_string().into_bytes())))
        }
    });
    let client = kube::Client::new(server, "default");
    let operator = Operator { client, directory: "website-directory".into(), watched: None };
    let website: Website = serde_json::from_value(website.clone()).expect("it is a website");
    controller::reconcile(Arc::new(website), Arc::new(operator)).await.expect("every request succeeds");
    seen.lock().expect("nothing panicked").clone()
}
// ANCHOR_END: server

// ANCHOR: reconcile
const WEBSITE: &str = "/apis/example.com/v1/namespaces/team/websites/blog";
const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/team/deployments/blog";
const ENTRY: &str = "/api/v1/namespaces/website-directory/configmaps/website-1f6c";

fn website(metadata: Value) -> Value {
    let mut website = json!({
        "apiVersion": "example.com/v1",
        "kind": "Website",
        "metadata": {"name": "blog", "namespace": "team", "uid": "1f6c", "generation": 1},
        "spec": {"host": "blog.example.com", "image": "blog:1", "replicas": 2},
    });
    for (key, value) in metadata.as_object().expect("it is an object") {
        website["metadata"][key] = value.clone();
    }
    website
}

#[tokio::test]
async fn a_new_website_gets_its_finalizer_before_anything_else() {
    let requests = requests(&website(json!({}))).await;
    let [(method, path, body)] = &*requests else { panic!("one request: {requests:?}") };
    assert_eq!((method, &**path), (&Method::PATCH, WEBSITE));
    assert!(body.to_string().contains("example.com/website-directory"), "{body}");
}

#[tokio::test]
async fn a_website_gets_a_deployment_an_entry_and_a_status() {
    let website = website(json!({"finalizers": ["example.com/website-directory"]}));
    let requests = requests(&website).await;
    let paths: Vec<&str> = requests.iter().map(|(_, path, _)| &**path).collect();
    assert_eq!(paths, [DEPLOYMENT, ENTRY, &*format!("{WEBSITE}/status")]);
    assert_eq!(requests[0].2["spec"]["replicas"], 2);
    assert_eq!(requests[1].2["data"], json!({"host": "blog.example.com"}));
    assert_eq!(requests[2].2["status"]["conditions"][0]["status"], "False");
}

#[tokio::test]
async fn a_deleted_website_takes_its_entry_along() {
    let deleted = json!({
        "finalizers": ["example.com/website-directory"],
        "deletionTimestamp": "2026-01-01T00:00:00Z",
    });
    let requests = requests(&website(deleted)).await;
    let seen: Vec<(&str, &str)> =
        requests.iter().map(|(method, path, _)| (method.as_str(), &**path)).collect();
    assert_eq!(seen, [("DELETE", ENTRY), ("PATCH", WEBSITE)]);
}
// ANCHOR_END: reconcile
