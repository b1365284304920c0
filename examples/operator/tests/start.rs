//! The start of the operator in clusters with and without its CRD.

// ANCHOR: start
use crdkit::install::{Compatibility, Installed, NotInstalled, Policy, install};
use crdkit::testing::ApiServer;
use example_operator::{Website, controller};
use kube::Client;
use serde_json::{Value, json};

fn client(server: &ApiServer) -> Client {
    Client::new(server.service(), "default")
}

async fn upgrade(server: &ApiServer) -> Result<Installed, NotInstalled> {
    let client = client(server);
    install(async |request| client.send(request).await, &Website::crd(), Policy::Upgrade).await
}

/// Returns the CRD with other properties.
fn with_properties(change: impl FnOnce(&mut Value)) -> Value {
    let mut crd = serde_json::to_value(Website::crd()).expect("it is JSON");
    change(&mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]);
    crd
}

#[tokio::test]
async fn the_operator_creates_its_crd() {
    let server = ApiServer::new();
    let first = upgrade(&server).await.expect("there is no CRD");
    assert_eq!(first, Installed::Created);
    let second = upgrade(&server).await.expect("the CRD is there");
    assert_eq!(second, Installed::Unchanged(Compatibility::Same));
}

#[tokio::test]
async fn the_operator_refuses_to_start_with_an_old_crd() {
    // `helm upgrade` does not upgrade the CRDs in `crds/`.
    let server = ApiServer::new();
    let old = with_properties(|properties| {
        properties["spec"]["properties"].as_object_mut().expect("it has fields").remove("image");
        properties["spec"]["required"] = json!(["host"]);
    });
    server.create(&old).expect("the CRD is valid");
    let error = controller::check(client(&server)).await.expect_err("the CRD is old");
    let lines: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
    assert!(lines[0].contains("older than the CRD of this program"), "{error}");
    assert!(lines.iter().any(|line| line.contains("v1 spec.image: the field is new")), "{error}");

    let upgraded = upgrade(&server).await.expect("the upgrade does no harm");
    assert!(matches!(upgraded, Installed::Upgraded(_)));
    controller::check(client(&server)).await.expect("the CRD is current");
}

#[tokio::test]
async fn a_newer_crd_stays() {
    let server = ApiServer::new();
    let newer =
        with_properties(|properties| properties["spec"]["properties"]["theme"] = json!({"type": "string"}));
    server.create(&newer).expect("the CRD is valid");
    let found = upgrade(&server).await.expect("it fits");
    assert!(matches!(found, Installed::Unchanged(Compatibility::LiveNewer(_))), "{found:?}");
}

#[tokio::test]
async fn an_upgrade_that_harms_is_refused() {
    let server = ApiServer::new();
    let mut other = with_properties(|_| {});
    other["spec"]["scope"] = json!("Cluster");
    server.create(&other).expect("the CRD is valid");
    let error = upgrade(&server).await.expect_err("the scope cannot change");
    assert!(matches!(error, NotInstalled::Unfit(Compatibility::Incompatible(_))), "{error}");
}
// ANCHOR_END: start

async fn force(server: &ApiServer) -> Result<Installed, NotInstalled> {
    let client = client(server);
    install(async |request| client.send(request).await, &Website::crd(), Policy::Force).await
}

/// Returns the address of the CRD.
fn address() -> String {
    let crd = with_properties(|_| {});
    let name = crd["metadata"]["name"].as_str().expect("it has a name");
    format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")
}

/// Reads the CRD that the server has.
async fn live(server: &ApiServer) -> Value {
    let request = http::Request::get(address()).body(Vec::new()).expect("the path is well-formed");
    client(server).request(request).await.expect("the CRD is there")
}

#[tokio::test]
async fn a_forced_upgrade_replaces_a_newer_crd() {
    let server = ApiServer::new();
    let newer =
        with_properties(|properties| properties["spec"]["properties"]["theme"] = json!({"type": "string"}));
    server.create(&newer).expect("the CRD is valid");
    let forced = force(&server).await.expect("the API server allows it");
    assert!(matches!(forced, Installed::Upgraded(_)), "{forced:?}");
    assert_eq!(upgrade(&server).await.expect("it is the same"), Installed::Unchanged(Compatibility::Same));
}

#[tokio::test]
async fn a_changed_crd_is_compared_again() {
    let server = ApiServer::new();
    upgrade(&server).await.expect("there is no CRD");
    let mut crd = live(&server).await;
    let mark = crd["metadata"]["annotations"]["crdkit/installed"].as_str().expect("it is marked").to_owned();
    assert!(mark.ends_with("-1"), "{mark}");

    // Somebody changes the CRD by hand, and leaves the annotation as it is.
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    crd.pointer_mut(spec).expect("it has fields")["theme"] = json!({"type": "string"});
    let request = http::Request::put(address()).header("content-type", "application/json");
    let request = request.body(crd.to_string().into_bytes()).expect("the path is well-formed");
    let _: Value = client(&server).request(request).await.expect("the CRD is valid");
    let found = upgrade(&server).await.expect("it fits");
    assert!(matches!(found, Installed::Unchanged(Compatibility::LiveNewer(_))), "{found:?}");
}
