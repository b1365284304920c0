//! Feature gates against a real API server of a release that lets its users set them.
//!
//! ```console
//! $ CRD_E2E_KUBE=1.30 cargo test -p crd-tests --features e2e --test e2e_gates
//! ```
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use crd_core::CustomResourceDefinition;
use crd_core::admit::Validator;
use crd_core::check::{FeatureGate, Verdict, features};
use crd_tests::answers::{describe_admission, describe_server};
use crd_tests::predictions::comparable;
use crd_tests::server::Server;
use http::Method;
use serde_json::{Value, json};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Returns a server with all gates of its release turned on or off; `None` if there are none.
#[expect(clippy::print_stderr, reason = "a test that is skipped prints the reason")]
async fn server(is_enabled: bool) -> Option<Server> {
    let release = Server::chosen_release();
    let is_settable = |gate: &FeatureGate| gate.is_settable_in(release);
    let gates: Vec<_> =
        FeatureGate::ALL.into_iter().filter(is_settable).map(|gate| (gate, is_enabled)).collect();
    if gates.is_empty() {
        eprintln!(
            "skipped: users cannot set these gates in Kubernetes {release}; `CRD_E2E_KUBE` names another"
        );
        return None;
    }
    Server::start_with(&gates).await
}

fn definition(plural: &str, properties: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.gates.example.com")},
        "spec": {
            "group": "gates.example.com",
            "names": {"plural": plural, "kind": plural},
            "scope": "Cluster",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "properties": properties}},
            }}}],
        },
    })
}

/// Returns a definition whose rule needs `oldSelf` to be optional.
fn with_optional_old_self() -> Value {
    let rule = json!({"rule": "!oldSelf.hasValue() || self >= oldSelf.value()", "optionalOldSelf": true});
    definition("optionals", &json!({"size": {"type": "integer", "x-kubernetes-validations": [rule]}}))
}

fn with_selectable_fields(path: &str) -> Value {
    let mut definition = definition("selectables", &json!({"color": {"type": "string"}}));
    definition["spec"]["versions"][0]["selectableFields"] = json!([{"jsonPath": path}]);
    definition
}

/// Asks for a definition to be created, and compares the answers and the features that are left.
async fn is_alike(server: &Server, definition: &Value) {
    let (verdict, crd) = Verdict::with_definition_at(definition.clone(), server.options);
    let answer = server.post(&format!("{CRDS}?dryRun=All&fieldValidation=Ignore"), definition).await;
    assert_eq!(verdict.accepted, answer["kind"] != "Status", "{:?}: {answer}", verdict.errors);
    if !verdict.accepted {
        let causes: Vec<String> = verdict.errors.iter().map(|cause| cause.field.to_string()).collect();
        let theirs: Vec<&str> = answer["details"]["causes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cause| cause["field"].as_str().unwrap())
            .collect();
        assert_eq!(causes, theirs);
        return;
    }
    let used = features::used(&crd.unwrap());
    let stored = CustomResourceDefinition::from_value(answer).unwrap();
    let dropped: Vec<_> = used.into_iter().filter(|found| !features::used(&stored).contains(found)).collect();
    let inert =
        features::inert(&CustomResourceDefinition::from_value(definition.clone()).unwrap(), server.options);
    assert_eq!(dropped, inert);
}

#[tokio::test]
async fn fields_behind_gates_are_kept_or_dropped() {
    for is_enabled in [true, false] {
        let Some(server) = server(is_enabled).await else { return };
        for definition in [
            with_optional_old_self(),
            with_selectable_fields(".spec.color"),
            with_selectable_fields(".spec.colour"),
        ] {
            is_alike(&server, &definition).await;
        }
    }
}

#[tokio::test]
async fn violations_that_do_not_change_are_ignored_by_a_gate() {
    for is_enabled in [true, false] {
        let Some(server) = server(is_enabled).await else { return };
        let loose = definition("sizes", &json!({"size": {"type": "integer"}, "color": {"type": "string"}}));
        server.post(CRDS, &loose).await;
        // Before, the API server does not serve the objects.
        tokio::time::sleep(Duration::from_secs(6)).await;
        let path = "/apis/gates.example.com/v1/sizes";
        let mut object = json!({
            "apiVersion": "gates.example.com/v1", "kind": "sizes", "metadata": {"name": "a"},
            "spec": {"size": 7, "color": "red"},
        });
        let stored = server.post(path, &object).await;
        let rule = json!([{"rule": "self < 5", "message": "too large"}]);
        let size = json!({"type": "integer", "maximum": 6, "x-kubernetes-validations": rule});
        let mut strict = definition("sizes", &json!({"size": size, "color": {"type": "string"}}));
        let current = server.send(Method::GET, &format!("{CRDS}/sizes.gates.example.com"), &json!({})).await;
        strict["metadata"]["resourceVersion"] = current.unwrap().body["metadata"]["resourceVersion"].clone();
        server.send(Method::PUT, &format!("{CRDS}/sizes.gates.example.com"), &strict).await;
        tokio::time::sleep(Duration::from_secs(6)).await;

        let crd = CustomResourceDefinition::from_value(strict).unwrap();
        let validator = Validator::with_options(&crd, server.options).unwrap();
        object["spec"]["color"] = json!("blue");
        object["metadata"] = stored["metadata"].clone();
        let ours = describe_admission(&validator.update(object.clone(), &stored), comparable);
        let answer = server.send(Method::PUT, &format!("{path}/a"), &object).await.unwrap();
        let theirs = describe_server(&answer.body, answer.warnings, comparable);
        assert_eq!(ours, theirs);
        let has_ratcheting = server.options.is_enabled(FeatureGate::CrdValidationRatcheting);
        assert_eq!(answer.body["kind"] != "Status", has_ratcheting, "{}", answer.body);
    }
}
