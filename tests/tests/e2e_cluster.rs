//! `crdkit` with definitions from a cluster: `--cluster` against a real API server.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crd_core::check::FeatureGate;
use crd_tests::server::Server;
use crd_tests::workspace;
use serde_json::{Value, json};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The tool in a folder of its own, with the kubeconfig of a server.
struct Tool {
    folder: PathBuf,
    kubeconfig: PathBuf,
}

impl Tool {
    fn new(kubeconfig: &Path) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e-cluster");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { folder, kubeconfig: kubeconfig.to_owned() }
    }

    /// Returns the exit status, and both outputs together.
    fn run(&self, arguments: &str) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_crdkit-with-cluster"))
            .args(arguments.split_whitespace())
            .current_dir(&self.folder)
            .env("KUBECONFIG", &self.kubeconfig)
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(text).unwrap())
    }

    fn expect(&self, arguments: &str, status: i32, parts: &[&str]) {
        let (ended, output) = self.run(arguments);
        assert_eq!(ended, status, "{arguments}: {output}");
        for text in parts {
            assert!(output.contains(text), "{arguments}: no `{text}` in:\n{output}");
        }
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).unwrap()
    }
}

fn fixture() -> Vec<Value> {
    let path = workspace().join("crd-codegen/tests/fixtures/clients.json");
    let list: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    list["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn definitions_come_from_a_cluster() {
    let Some(server) = Server::start_with_all_features().await else { return };
    let mut definitions = fixture();
    // The group belongs to this test alone: a cluster can have other definitions, such as those of other tests.
    for definition in &mut definitions {
        let plural = definition["spec"]["names"]["plural"].as_str().unwrap().to_owned();
        definition["spec"]["group"] = json!("cluster.example.com");
        // `check` gives advice on this definition.
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
        definition.pointer_mut(spec).unwrap()["colors"] =
            json!({"type": "array", "items": {"type": "string"}});
        definition["metadata"] =
            json!({"name": format!("{plural}.cluster.example.com"), "labels": {"app": "shirts"}});
        let answer = server.post(CRDS, definition).await;
        assert_eq!(answer["kind"], "CustomResourceDefinition", "{answer}");
    }
    let tool = Tool::new(server.kubeconfig());

    generates(&tool, &definitions);
    generates_by_name(&tool);
    lists(&tool);
    checks(&tool);
    compares(&tool, &server, &definitions[0]).await;
    locks(&tool, &server, &definitions[0]).await;
    fails(&tool);
}

/// Definitions from a cluster give the same output as those from a file that was applied.
fn generates(tool: &Tool, definitions: &[Value]) {
    let arguments = "generate --cluster --cluster-select cluster.example.com --client --out";
    tool.expect(&format!("{arguments} by-group"), 0, &["from 2 CRDs"]);
    tool.expect(&format!("{arguments} by-group --check"), 0, &[]);
    tool.expect(
        "generate --cluster --cluster-select *shirts.cluster.example.com --out one",
        0,
        &["from 1 CRD"],
    );

    // The server has filled in the conversion, and has sorted properties by name.
    let mut files = definitions.to_vec();
    for definition in &mut files {
        definition["spec"]["conversion"] = json!({"strategy": "None"});
    }
    files.iter_mut().for_each(Value::sort_all_objects);
    let texts: Vec<String> = files.iter().map(Value::to_string).collect();
    fs::write(tool.folder.join("crds.json"), texts.join("\n")).unwrap();
    tool.expect("generate crds.json --client --out from-file", 0, &["from 2 CRDs"]);
    let kind = "cluster_example_com/v1/shirt.rs";
    let (from_cluster, from_file) =
        (tool.read(&format!("by-group/{kind}")), tool.read(&format!("from-file/{kind}")));
    let (header, body) = from_cluster.split_once('\n').unwrap();
    assert_eq!(body, from_file.split_once('\n').unwrap().1);
    assert!(header.contains("<cluster>/shirts.cluster.example.com"), "{header}");
    let embedded = tool.read("by-group/cluster_example_com/v1/definitions.rs");
    for left_out in ["uid", "resourceVersion", "managedFields", "creationTimestamp", "Established"] {
        assert!(!embedded.contains(left_out), "{left_out}");
    }
    assert!(embedded.contains(r#"\"labels\":{\"app\":\"shirts\"}"#), "{embedded}");
}

/// Names of definitions are inputs next to files.
fn generates_by_name(tool: &Tool) {
    tool.expect(
        "generate --cluster shirts.cluster.example.com --out by-name",
        0,
        &["from 1 CRD", "in by-name"],
    );
    assert!(tool.read("by-name/cluster_example_com/v1/shirt.rs").contains("pub struct Shirt {"));
    tool.expect("generate shirtpolicies --cluster --out by-plural", 0, &["from 1 CRD"]);
    // The definition of the file is the one of the cluster.
    tool.expect("generate --cluster shirts.cluster.example.com crds.json --out both", 0, &["from 3 CRDs"]);
    tool.expect(
        "generate --cluster shirtz.cluster.example.com --out x",
        2,
        &["is named `shirtz.cluster.example.com`", "did you mean `shirts.cluster.example.com`?"],
    );
    tool.expect(
        "generate shirts.cluster.example.com --out x",
        2,
        &["there is no such file or directory", "`--cluster` reads the CRD with this name from a cluster"],
    );
}

fn lists(tool: &Tool) {
    let (status, output) = tool.run("list-crds --cluster cluster.example.com");
    assert_eq!(status, 0, "{output}");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        output.lines().map(words).collect::<Vec<_>>(),
        [
            "NAME KIND SCOPE VERSIONS",
            "shirtpolicies.cluster.example.com ShirtPolicy Cluster v1 (storage)",
            "shirts.cluster.example.com Shirt Namespaced v1 (storage)",
        ]
    );
    // Without an input, all definitions of the current context.
    let (status, output) = tool.run("list-crds --format json");
    assert_eq!(status, 0, "{output}");
    let shirt = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let shirt = shirt.into_iter().find(|entry| entry["name"] == "shirts.cluster.example.com").unwrap();
    assert_eq!(
        (&shirt["kind"], &shirt["versions"][0]["storage"], &shirt["group"]),
        (&json!("Shirt"), &json!(true), &json!("cluster.example.com"))
    );
}

fn checks(tool: &Tool) {
    let release = Server::chosen_release();
    tool.expect(
        &format!("check --cluster --cluster-select cluster.example.com --kube-version {release}"),
        0,
        &[
            "checked 2 CRDs: 2 accepted, 0 rejected",
            "<cluster>/shirts.cluster.example.com:",
            "\"colors\": {",
            "list-without-type",
        ],
    );
    // The cluster is asked for its release, which has no such gate. The servers of old releases do not know theirs.
    let selectors = "--feature-gate CustomResourceFieldSelectors=true";
    if !FeatureGate::CustomResourceFieldSelectors.is_settable_in(release) {
        let error =
            format!("the feature gate `CustomResourceFieldSelectors` cannot be set in Kubernetes {release}:");
        tool.expect(&format!("check --cluster {selectors}"), 2, &[&error]);
    }
    tool.expect(&format!("check --cluster --kube-version 1.30 {selectors}"), 0, &[]);
}

/// The definition and the objects of a cluster against a file, and the other way round.
async fn compares(tool: &Tool, server: &Server, definition: &Value) {
    const SPEC: &str = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    let objects = "/apis/cluster.example.com/v1/namespaces/default/shirts";
    for (name, colors) in [("plain", json!([])), ("red", json!(["red"]))] {
        let shirt = json!({
            "apiVersion": "cluster.example.com/v1", "kind": "Shirt", "metadata": {"name": name},
            "spec": {"color": "blue", "colors": colors},
        });
        let answer = server.post(objects, &shirt).await;
        assert_eq!(answer["kind"], "Shirt", "{answer}");
    }
    let write = |definition: &Value| {
        fs::write(tool.folder.join("next.json"), definition.to_string()).unwrap();
    };
    // The definitions of others are not missing in the file.
    write(definition);
    let release = Server::chosen_release();
    let to = |new: &str| format!("diff --kube-version {release} --objects cluster cluster {new}");
    tool.expect(&to("next.json"), 0, &["no change"]);

    let mut next = definition.clone();
    next.pointer_mut(SPEC).unwrap()["colors"]["items"]["maxLength"] = json!(2);
    write(&next);
    tool.expect(
        &to("next.json"),
        1,
        &[
            "1 of your 2 objects can no longer be changed, not even in fields that are valid: default/red",
            "error[max-length-tightened]: shirts.cluster.example.com v1 spec.colors[]:",
        ],
    );
    // The status of the cluster names the stored versions.
    next.pointer_mut("/spec/versions/0").unwrap()["name"] = json!("v2");
    write(&next);
    tool.expect(
        &format!("diff --kube-version {release} cluster next.json"),
        1,
        &["error[stored-version-removed]: shirts.cluster.example.com", "missing from spec.versions"],
    );
    tool.expect(
        &format!("diff --kube-version {release} next.json cluster"),
        1,
        &["error[stored-version-removed]: shirts.cluster.example.com"],
    );
}

/// A job, and a definition that changes.
async fn locks(tool: &Tool, server: &Server, definition: &Value) {
    let jobs = "[job.shirts]\ncluster = true\ncluster-select = [\"cluster.example.com\"]\nout = \"src\"\n";
    fs::write(tool.folder.join("crdkit.toml"), jobs).unwrap();
    tool.expect("run", 0, &["from 2 CRDs"]);
    assert!(tool.read("crdkit.lock").contains("\"<cluster>/shirts.cluster.example.com\" = \"sha256:"));
    tool.expect("run --check --locked", 0, &[]);

    let path = format!("{CRDS}/{}", definition["metadata"]["name"].as_str().unwrap());
    let request = http::Request::get(&path).body(Vec::new()).unwrap();
    let mut changed: Value = server.client.request(request).await.unwrap();
    changed["spec"]["names"]["shortNames"] = json!(["sh"]);
    let answer = server.send(http::Method::PUT, &path, &changed).await.unwrap().body;
    assert_eq!(answer["kind"], "CustomResourceDefinition", "{answer}");
    tool.expect(
        "run --locked",
        2,
        &["crdkit.lock: the checksum differs for <cluster>/shirts.cluster.example.com"],
    );
    tool.expect("run", 0, &[]);
    tool.expect("run --locked", 0, &[]);
}

fn fails(tool: &Tool) {
    tool.expect(
        "generate --cluster --cluster-select shirtpol --out x",
        2,
        &["is named `shirtpol`", "did you mean `shirtpolicies.cluster.example.com`?"],
    );
    tool.expect(
        "generate --cluster=nowhere --out x",
        2,
        &["the kubeconfig has no context `nowhere`", "its contexts are `"],
    );
    tool.expect("generate --cluster-select a --out x", 2, &["--cluster"]);
    tool.expect("generate --out x", 2, &["no input is named, and standard input is empty"]);

    let with = |text: &str| {
        let kubeconfig = tool.folder.join("kubeconfig");
        fs::write(&kubeconfig, text).unwrap();
        Tool { folder: tool.folder.clone(), kubeconfig }
    };
    let own = fs::read_to_string(&tool.kubeconfig).unwrap();
    let stranger: String = own
        .lines()
        .map(
            |line| {
                if line.contains("token:") { "    token: wrong\n".to_owned() } else { format!("{line}\n") }
            },
        )
        .collect();
    with(&stranger).expect(
        "generate --cluster --out x",
        2,
        &["the cluster requires authentication", "log in"],
    );
    let gone = own.replace("127.0.0.1:", "127.0.0.1:1");
    with(&gone).expect(
        "generate --cluster --out x",
        2,
        &["the cluster cannot be reached", "kubectl get crds"],
    );
    let none = Tool { folder: tool.folder.clone(), kubeconfig: tool.folder.join("no-such-file") };
    none.expect(
        "generate --cluster --out x",
        2,
        &["no-such-file` does not exist", "set KUBECONFIG to the path of a kubeconfig"],
    );
    fs::write(tool.folder.join("crdkit.toml"), "[job.shirts]\ncluster = true\nout = \"src\"\n").unwrap();
    none.expect("run", 2, &["job `shirts`: <cluster>: the kubeconfig `", "KUBECONFIG"]);
    assert!(!tool.folder.join("x").exists());
}
