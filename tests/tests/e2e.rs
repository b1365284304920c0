//! Definitions and derived types against a real API server.

use crd_core::check::Verdict;
use crd_tests::cases::{Case, recorded_definitions};
use crd_tests::server::Server;
use crdkit::CustomResource;
use example_derive::{CronTab, Shirt};
use serde_json::Value;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";

#[tokio::test]
async fn the_server_accepts_derived_definitions() {
    let Some(server) = Server::start().await else { return };
    for crd in [CronTab::crd(), Shirt::crd()] {
        let crd = crd.expect("the example is sound").to_value();
        let answer = server.post(&format!("{CRDS}&fieldValidation=Strict"), &crd).await;
        assert_eq!(answer["kind"], "CustomResourceDefinition", "{answer}");
    }
}

#[tokio::test]
async fn the_server_and_check_agree() {
    let Some(server) = Server::start().await else { return };
    let options = server.options;
    let mut differences = Vec::new();
    for Case { name, value } in recorded_definitions() {
        let ours = Verdict::with_definition_at(value["crd"].clone(), options).0;
        let answer = server.post(&format!("{CRDS}&fieldValidation=Ignore"), &value["crd"]).await;
        let mut causes: Vec<String> =
            ours.errors.iter().map(|cause| format!("{} {}", cause.reason, cause.field)).collect();
        causes.sort();
        let theirs = theirs(&answer);
        if ours.accepted != (answer["kind"] != "Status") || causes != theirs {
            differences.push(format!("{name}\n  ours    {causes:?}\n  theirs  {theirs:?}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Returns the causes of a refusal, sorted: the server walks maps in random order.
fn theirs(answer: &Value) -> Vec<String> {
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    let causes = answer["details"]["causes"].as_array().into_iter().flatten();
    let mut causes: Vec<String> =
        causes.map(|cause| format!("{} {}", text(cause, "reason"), text(cause, "field"))).collect();
    causes.sort();
    causes
}
