//! Against a real API server.

use crd_tests::server::Server;
use serde_json::{Value, json};

const CRDS: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation=Strict";

#[tokio::test]
async fn the_server_tells_right_from_wrong() {
    let Some(server) = Server::start().await else { return };
    let mut crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "coils.wire.example.org"},
        "spec": {
            "group": "wire.example.org",
            "names": {"plural": "coils", "kind": "Coil"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    });
    let accepted = server.post(CRDS, &crd).await;
    assert_eq!(accepted["kind"], "CustomResourceDefinition", "{accepted}");
    crd["spec"]["names"]["plural"] = Value::from("Coils");
    let refused = server.post(CRDS, &crd).await;
    assert_eq!(refused["reason"], "Invalid", "{refused}");
}
