//! A derived resource with kube's client, whose server is a function, and the one for tests. The program fails if a request or an answer is wrong.

use std::sync::{Arc, Mutex};

use crdkit::{CrdSchema, CustomResource};
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::core::object::{HasSpec, HasStatus};
use kube::{Client, CustomResourceExt, Resource, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    kube,
    group = "example.com",
    version = "v1",
    kind = "Shirt",
    namespaced,
    status = "ShirtStatus",
    shortname = "sh",
    selectable = ".spec.color",
    printcolumn(name = "Color", type = "string", json_path = ".spec.color"),
    scale(spec_replicas_path = ".spec.count", status_replicas_path = ".status.count")
)]
struct ShirtSpec {
    #[crd(immutable)]
    color: String,
    count: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct ShirtStatus {
    count: i32,
}

/// A resource of the whole cluster, with the attributes of kube-derive and with a type parameter.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "example.com", version = "v1", kind = "Policy", validation = Rule::new("self.spec.rule != ''"))]
struct PolicySpec<T = String> {
    rule: T,
}

fn shirt(count: i32) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Shirt", "metadata": {"name": "a", "namespace": "there"},
        "spec": {"color": "red", "count": count}, "status": {"count": 1},
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    let server = tower::service_fn(move |request: http::Request<Body>| {
        let line = format!("{} {}", request.method(), request.uri());
        let is_list = request.method() == "GET" && request.uri().path().ends_with("/shirts");
        seen.lock().expect("nobody panicked").push(line);
        let list = json!({"apiVersion": "example.com/v1", "kind": "ShirtList", "metadata": {}, "items": [shirt(2)]});
        let answer = if is_list { list } else { shirt(3) };
        async move { Ok::<_, std::convert::Infallible>(http::Response::new(Body::from(answer.to_string().into_bytes()))) }
    });
    let client = Client::new(server, "there");
    let shirts: Api<Shirt> = Api::default_namespaced(client.clone());
    assert_eq!(shirts.get("a").await?.spec().count, 3);
    assert_eq!(shirts.list(&ListParams::default().fields("spec.color=red")).await?.items[0].name_any(), "a");
    let new = Shirt::new("b", ShirtSpec { color: "red".to_owned(), count: 1 });
    let created = shirts.create(&PostParams::default(), &new).await?;
    assert_eq!(created.status().map(|status| status.count), Some(1));
    shirts.patch("a", &PatchParams::apply("me"), &Patch::Apply(&new)).await?;
    let _policies: Api<Policy> = Api::all(client);

    let requests = requests.lock().expect("nobody panicked").clone();
    let of_shirts = "/apis/example.com/v1/namespaces/there/shirts";
    assert_eq!(requests[0], format!("GET {of_shirts}/a"));
    assert!(requests[1].starts_with(&format!("GET {of_shirts}?")), "{requests:?}");
    assert!(requests[2].starts_with(&format!("POST {of_shirts}?")), "{requests:?}");
    assert!(requests[3].starts_with(&format!("PATCH {of_shirts}/a?")), "{requests:?}");

    // The server for tests is a service of this version of kube.
    let server = crd_server::Server::new();
    server.create(&<Shirt as CustomResource>::crd()?.to_value())?;
    let stored: Api<Shirt> = Api::default_namespaced(Client::new(server, "there"));
    stored.create(&PostParams::default(), &new).await?;
    assert_eq!(stored.get("b").await?.spec.color, "red");

    // The definition survives a round trip through the type of k8s-openapi.
    let ours = <Shirt as CustomResource>::crd()?.to_value();
    let mut theirs = serde_json::to_value(Shirt::crd())?;
    theirs.as_object_mut().expect("it is an object").remove("status");
    assert_eq!(theirs["spec"]["versions"][0], ours["spec"]["versions"][0]);
    assert_eq!((Shirt::crd_name(), Shirt::shortnames()), ("shirts.example.com", ["sh"].as_slice()));
    assert_eq!(Shirt::api_resource().plural, Shirt::plural(&()));
    assert_eq!(serde_json::to_value(<Policy>::crd())?["spec"]["scope"], "Cluster");
    Ok(())
}
