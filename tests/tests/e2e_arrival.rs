//! CRDs that kubectl applies over stored ones: a real API server accepts, rejects and stores them as `crdkit check --old --as` predicts.
//!
//! `cargo test -p crd-tests --features e2e --test e2e_arrival`, with `CRD_E2E_KUBE` for another release of the CRD server, or with
//! `CRD_E2E_KUBECTL=1.27` for another kubectl and kube-apiserver.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crd_core::check::{ServerOptions, Verdict, update};
use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_server::{MergedCrd, UpdateMethod, merge_crd};
use crd_tests::server::{Server, kubectl};
use http::Method;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Changes by another field manager of the stored CRD, as merge patches.
const FOREIGN: [(&str, &str); 9] = [
    ("nothing", "{}"),
    ("annotation", r#"{"metadata": {"annotations": {"team": "b", "a": "2"}, "labels": {"by": "others"}}}"#),
    ("names", r#"{"spec": {"names": {"shortNames": ["y"], "categories": ["all"], "singular": "other"}}}"#),
    (
        "webhook",
        r#"{"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://a.example.com/convert"}}}}}"#,
    ),
    (
        "service",
        r#"{"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"service": {"namespace": "a", "name": "b"}}}}}}"#,
    ),
    ("finalizer", r#"{"metadata": {"finalizers": ["e.example.com/x"]}}"#),
    (
        "owner",
        r#"{"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]}}"#,
    ),
    (
        "versions",
        r#"{"spec": {"versions": [{"name": "v1", "served": true, "storage": true, "deprecated": true,
        "schema": {"openAPIV3Schema": {"type": "object", "description": "theirs"}}}]}}"#,
    ),
    (
        "unapplied",
        r#"{"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": null}}}"#,
    ),
];

/// New CRDs, as merge patches of the first one. `<null>` is a null in the new CRD.
const NEW: [(&str, &str); 15] = [
    ("null", r#"{"spec": {"conversion": {"strategy": "None", "webhook": "<null>"}}}"#),
    ("same", "{}"),
    (
        "schema",
        r#"{"spec": {"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
        "description": "ours"}}}]}}"#,
    ),
    ("without annotation", r#"{"metadata": {"annotations": null}}"#),
    ("annotation", r#"{"metadata": {"annotations": {"a": "3"}}}"#),
    ("short names", r#"{"spec": {"names": {"shortNames": ["x", "z"]}}}"#),
    ("without short names", r#"{"spec": {"names": {"shortNames": null, "singular": null}}}"#),
    ("strategy", r#"{"spec": {"conversion": {"strategy": "None"}}}"#),
    (
        "webhook",
        r#"{"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://b.example.com/convert"}}}}}"#,
    ),
    ("kind", r#"{"spec": {"names": {"kind": "Cap"}}}"#),
    ("scope", r#"{"spec": {"scope": "Cluster"}}"#),
    ("unknown field", r#"{"spec": {"colour": "red"}}"#),
    (
        "wrong schema",
        r#"{"spec": {"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
        "properties": {"a": {}}}}}]}}"#,
    ),
    ("finalizer", r#"{"metadata": {"finalizers": ["e.example.com/y"]}}"#),
    ("preserve", r#"{"spec": {"preserveUnknownFields": true}}"#),
];

fn first(plural: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.stable.example.com"), "annotations": {"a": "1", "b": "1"}},
        "spec": {
            "group": "stable.example.com",
            "names": {"plural": plural, "kind": format!("Hat{plural}"), "singular": format!("hat{plural}"), "shortNames": [format!("s{plural}")]},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object"}},
            }}}],
        },
    })
}

/// Applies a merge patch of this test to a value.
fn patched(value: &Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut fields = value.as_object().cloned().unwrap_or_default();
    for (name, change) in changes {
        match change {
            Value::Null => drop(fields.remove(name)),
            change => {
                let below = patched(fields.get(name).unwrap_or(&Value::Null), change);
                fields.insert(name.clone(), below);
            }
        }
    }
    fields.into()
}

/// kubectl with a home of its own.
struct Kubectl {
    program: PathBuf,
    kubeconfig: PathBuf,
    folder: TempDir,
}

impl Kubectl {
    /// Runs a command with a CRD. Returns whether it succeeded, and its errors.
    fn run(&self, arguments: &[&str], crd: &Value) -> (bool, String) {
        let file = self.folder.path().join("crd.json");
        fs::write(&file, crd.to_string()).unwrap();
        let mut command = Command::new(&self.program);
        command.args(arguments).arg("--validate=false").arg("-f").arg(&file);
        command.env("KUBECONFIG", &self.kubeconfig).env("HOME", self.folder.path());
        let output = command.stdin(Stdio::null()).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// A CRD of the real server.
struct Stored<'a> {
    server: &'a Server,
    path: String,
}

impl Stored<'_> {
    async fn get(&self) -> Value {
        self.server.send(Method::GET, &self.path, &Value::Null).await.unwrap().body
    }

    /// Waits until the CRD is established, after which its scope cannot change.
    async fn established(&self) {
        let is_established = |crd: &Value| {
            let conditions = crd["status"]["conditions"].as_array();
            let mut conditions = conditions.into_iter().flatten();
            conditions.any(|condition| condition["type"] == "Established" && condition["status"] == "True")
        };
        while !is_established(&self.get().await) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Changes the CRD as another field manager.
    async fn change(&self, patch: &str) {
        let path = format!("{}?fieldManager=other", self.path);
        loop {
            let new = patched(&self.get().await, &serde_json::from_str(patch).unwrap());
            let answer = self.server.send(Method::PUT, &path, &new).await.unwrap().body;
            match answer["reason"].as_str() {
                // The controllers of the server were faster.
                Some("Conflict") => {}
                None => return,
                Some(_) => unreachable!("{answer}"),
            }
        }
    }

    async fn delete(&self) {
        self.change(r#"{"metadata": {"finalizers": null}}"#).await;
        self.server.send(Method::DELETE, &self.path, &json!({})).await.unwrap();
    }
}

/// The commands that wrote the stored CRD first, or a request, and that write the new one.
const WAYS: [(&[&str], &[&str]); 6] = [
    (&[], &["apply"]),
    (&["apply"], &["apply"]),
    (&[], &["apply", "--server-side"]),
    (&["apply", "--server-side"], &["apply", "--server-side"]),
    (&["apply", "--server-side"], &["apply", "--server-side", "--force-conflicts"]),
    (&["apply"], &["apply", "--server-side"]),
];

#[tokio::test]
async fn applied_crds_are_judged_and_merged_as_predicted() {
    let Some(real) = Server::start_for_kubectl().await else { return };
    let client = Kubectl {
        program: kubectl(),
        kubeconfig: real.kubeconfig().to_owned(),
        folder: tempfile::tempdir().unwrap(),
    };
    let (mut compared, mut rejected, mut differences) = (0, 0, Vec::new());
    for (way, (before, arrival)) in WAYS.iter().enumerate() {
        for (at, (foreign, theirs)) in FOREIGN.iter().enumerate() {
            for (with, (change, ours)) in NEW.iter().enumerate() {
                // All pairs of a way, a change of others and a new CRD, but not all triples: each takes a second.
                if (way + at + with) % 5 != 0 {
                    continue;
                }
                let plural = format!("h{way}x{at}x{with}");
                let first = first(&plural);
                let stored = Stored { server: &real, path: format!("{CRDS}/{plural}.stable.example.com") };
                match before {
                    [] => drop(real.post(CRDS, &first).await),
                    before => assert!(client.run(before, &first).0, "{first}"),
                }
                stored.established().await;
                stored.change(theirs).await;
                let new = patched(&first, &serde_json::from_str(ours).unwrap()).to_string();
                let new: Value = serde_json::from_str(&new.replace("\"<null>\"", "null")).unwrap();
                let predicted = predict(&stored.get().await, &new, arrival, real.options.kube_version);
                let (is_accepted, errors) = client.run(arrival, &new);
                compared += 1;
                rejected += usize::from(!is_accepted);
                let difference = difference(&predicted, is_accepted, &errors, &stored.get().await);
                // After its first server-side apply, kubectl moves the fields of `kubectl apply` to itself, and applies a second time.
                let is_moved = *before == ["apply"] && *arrival != ["apply"] && is_accepted;
                let difference = difference.filter(|_| !is_moved || predicted.is_err());
                differences.extend(
                    difference.map(|text| format!("{before:?} {arrival:?} {foreign} {change}: {text}")),
                );
                stored.delete().await;
            }
        }
    }
    println!("{compared} CRDs against Kubernetes {}, {rejected} rejected", real.options.kube_version);
    assert!(rejected > 20 && compared - rejected > 50, "{rejected} of {compared} rejected");
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

/// The messages of the rejection, or the CRD that is stored.
type Prediction = Result<Value, Vec<String>>;

fn predict(stored: &Value, new: &Value, arrival: &[&str], release: KubeVersion) -> Prediction {
    let manager = arrival.iter().find_map(|argument| argument.strip_prefix("--field-manager="));
    let method = match arrival.contains(&"--server-side") {
        true => UpdateMethod::ServerSideApply {
            manager: manager.unwrap_or("kubectl"),
            force: arrival.contains(&"--force-conflicts"),
        },
        false => UpdateMethod::Apply,
    };
    let MergedCrd { crd, is_sent, .. } =
        merge_crd(Some(stored), new, method, release).map_err(|not_merged| {
            let status = not_merged.rejected.status();
            vec![status["message"].as_str().unwrap().to_owned()]
        })?;
    if !is_sent {
        return Ok(crd);
    }
    let old = CustomResourceDefinition::from_value(stored.clone()).unwrap();
    let (verdict, _) = update(&old, crd.clone(), ServerOptions::new(release));
    match verdict {
        Verdict { accepted: true, .. } => Ok(crd),
        Verdict { errors, refusal, .. } => Err(errors
            .iter()
            .map(ToString::to_string)
            .chain(refusal.map(|refusal| refusal.message))
            .collect()),
    }
}

/// Returns the difference between a prediction and what the server did.
fn difference(predicted: &Prediction, is_accepted: bool, errors: &str, stored: &Value) -> Option<String> {
    match (predicted, is_accepted) {
        (Ok(merged), true) => {
            let (merged, stored) = (comparable(merged), comparable(stored));
            (merged != stored).then(|| format!("stored\n{stored}\npredicted\n{merged}"))
        }
        (Ok(_), false) => Some(format!("rejected: {errors}")),
        (Err(causes), true) => Some(format!("accepted, predicted {causes:?}")),
        (Err(causes), false) => {
            let missing = causes.iter().find(|cause| !errors.contains(*cause))?;
            Some(format!("rejected: {errors}\npredicted {missing}"))
        }
    }
}

/// Returns what a user writes into a CRD: without empty values, what the server sets, and the annotation that `--server-side` renews in a
/// second request.
fn comparable(crd: &Value) -> Value {
    let mut crd = json!({"metadata": crd["metadata"], "spec": crd["spec"]});
    if let Value::Object(metadata) = &mut crd["metadata"] {
        for name in ["managedFields", "uid", "resourceVersion", "generation", "creationTimestamp"] {
            metadata.remove(name);
        }
    }
    if let Value::Object(spec) = &mut crd["spec"] {
        // An unknown field.
        spec.remove("colour");
    }
    let singular = crd["spec"]["names"]["kind"].as_str().unwrap_or_default().to_lowercase();
    crd["spec"]["names"] = patched(&json!({"singular": singular}), &crd["spec"]["names"]);
    crd["spec"]["conversion"] = patched(&json!({"strategy": "None"}), &crd["spec"]["conversion"]);
    if let Some(service) = crd["spec"]["conversion"].pointer_mut("/webhook/clientConfig/service") {
        *service = patched(&json!({"port": 443}), service);
    }
    without_empty(&crd)
}

fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), without_empty(value)));
            fields.filter(|(_, value)| !is_empty(value)).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(without_empty).collect(),
        scalar => scalar.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Number(_) => false,
    }
}
