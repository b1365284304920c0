//! A program with client-go against a real API server and against `crdkit serve`: it sees the same.
//!
//! `cargo test -p crd-tests --features e2e --test e2e_go`, with `CRD_E2E_KUBE=1.37` for another release.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crd_core::KubeVersion;
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
    let ours = Served::start(program, &[&definitions], real.options.kube_version);
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

/// The typed clients of Go send protobuf by default.
#[test]
fn typed_clients_work_with_their_default_content_type() {
    let definitions = workspace().join("tests/tests/e2e_kubectl/files/shirts.yaml");
    let program = Path::new(env!("CARGO_BIN_EXE_crdkit-with-cluster"));
    let server = Served::start(program, &[&definitions], KubeVersion::DEFAULT);
    let output = Command::new(go_client("typedclient")).env("KUBECONFIG", server.kubeconfig()).output();
    let output = output.expect("the client was built");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), TYPED, "{errors}");
}

const TYPED: &str = "\
created map map[a:1] map[b:[0 255]] true
added 1
updated 2
deleted 2
gone true
error configmaps \"map\" not found
secret value Opaque
deployment 0 25% false 1500m 8080 s true
scale 3 app=web
status 2 web:2
leader me 3 false
released \"\"
definition HatList 1.5 2 integer string true
left 0
create in protobuf true
delete in protobuf true
";

/// Returns the lines that the program prints, and its errors.
fn seen(client: &Path, kubeconfig: &Path) -> String {
    let output = Command::new(client).env("KUBECONFIG", kubeconfig).output().expect("the client was built");
    [output.stderr, output.stdout].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
}
