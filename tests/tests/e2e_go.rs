//! A program with client-go against a real API server and against `crdkit serve`: it sees the same.
//!
//! `cargo test -p crd-tests --features e2e --test e2e_go`, with `CRD_E2E_KUBE=1.37` for another release.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crd_tests::served::Served;
use crd_tests::server::{Server, go_client};
use crd_tests::workspace;
use http::Method;
use serde_json::Value;

/// The time after which the real server lists a definition that was created.
const SETTLED: Duration = Duration::from_secs(4);

#[tokio::test]
async fn client_go_sees_the_same() {
    let Some(real) = Server::start_with_discovery().await else { return };
    let definitions = workspace().join("tests/tests/e2e_kubectl/files/shirts.yaml");
    let program = Path::new(env!("CARGO_BIN_EXE_crdkit-with-cluster"));
    let ours = Served::start(program, &definitions, real.options.kube_version);
    let text = std::fs::read_to_string(&definitions).expect("the definition is in the repository");
    let definition: Value = serde_yaml::from_str(&text).expect("the definition is YAML");
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let created = real.send(Method::POST, path, &definition).await.expect("the answer is JSON").body;
    assert_eq!(created["kind"], "CustomResourceDefinition", "{created}");
    tokio::time::sleep(SETTLED).await;

    let client = go_client("goclient");
    let [expected, found] =
        [real.kubeconfig(), ours.kubeconfig()].map(|kubeconfig| seen(&client, kubeconfig));
    println!("{} lines against Kubernetes {}", expected.lines().count(), real.options.kube_version);
    assert!(expected.ends_with("left 0\n"), "{expected}");
    assert_eq!(expected, found);
}

/// The lines that the program prints, and its errors.
fn seen(client: &Path, kubeconfig: &Path) -> String {
    let output = Command::new(client).env("KUBECONFIG", kubeconfig).output().expect("the client was built");
    [output.stderr, output.stdout].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
}
