//! crdkit changes no feature of a user's program: with `preserve_order` of `serde_json`, values would print in another order everywhere.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crd_tests::project::Project;
use crd_tests::workspace;

/// The features of crdkit that are meant for a running operator, with all that they turn on.
const OF_OPERATORS: [&str; 5] = ["", "check", "validate", "install", "publish"];

#[test]
fn an_operator_has_the_same_features_with_crdkit() {
    let alone = features(None);
    assert!(alone.len() > 100 && alone.keys().any(|package| package.starts_with("serde_json ")), "{alone:?}");
    for crdkit in OF_OPERATORS {
        let changed: Vec<String> = features(Some(crdkit))
            .into_iter()
            .filter_map(|(package, with)| {
                let without = alone.get(&package).filter(|without| **without != with)?;
                Some(format!("{package}: {without} -> {with}"))
            })
            .collect();
        assert!(changed.is_empty(), "crdkit with the features \"{crdkit}\" changes {changed:#?}");
    }
}

#[test]
#[ignore = "builds kube and crdkit, which takes minutes"]
fn an_operator_prints_the_same_with_crdkit() {
    let crdkit = workspace().join("crdkit");
    let features: Vec<&str> = OF_OPERATORS.into_iter().filter(|feature| !feature.is_empty()).collect();
    let dependencies = format!(
        "crdkit = {{ path = {crdkit:?}, optional = true, features = {features:?} }}\n\
         k8s-openapi = {{ version = \"0.29\", default-features = false, features = [\"latest\", \"schemars\"] }}\n\
         kube = {{ version = \"5\", default-features = false, features = [\"derive\"] }}\n\
         schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n"
    );
    let project = Project::new(Path::new(env!("CARGO_TARGET_TMPDIR")), "operator", &dependencies);
    project.write("src/main.rs", include_str!("user_features/operator.rs"));
    project.write("Cargo.lock", &fs::read_to_string(workspace().join("Cargo.lock")).unwrap());
    let alone = project.cargo(&["run", "--quiet"]);
    assert!(alone.contains("\n{\"a\":2,\"b\":1}\n"), "{alone}");
    assert_eq!(project.cargo(&["run", "--quiet", "--features", "crdkit"]), alone);
}

/// Returns the features of the packages below an operator that its program contains, with those of crdkit or without crdkit.
fn features(crdkit: Option<&str>) -> BTreeMap<String, String> {
    let project = tempfile::tempdir().unwrap();
    let path = workspace().join("crdkit");
    let crdkit = crdkit.map(|features| {
        let features: Vec<&str> = features.split_whitespace().collect();
        format!("crdkit = {{ path = {path:?}, features = {features:?} }}\n")
    });
    let manifest = format!(
        r#"[package]
name = "operator"
version = "0.1.0"
edition = "2024"

[dependencies]
kube = {{ version = "5", default-features = false, features = ["client", "ring", "runtime", "rustls-tls"] }}
k8s-openapi = {{ version = "0.29", default-features = false, features = ["latest", "schemars"] }}
schemars = "1"
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
{}
[workspace]
"#,
        crdkit.unwrap_or_default()
    );
    fs::write(project.path().join("Cargo.toml"), manifest).unwrap();
    fs::create_dir(project.path().join("src")).unwrap();
    fs::write(project.path().join("src/main.rs"), "fn main() {}").unwrap();
    // The versions are those of the workspace, which are there without a network.
    fs::copy(workspace().join("Cargo.lock"), project.path().join("Cargo.lock")).unwrap();
    let edges = ["--edges", "normal,no-proc-macro", "--format", "{p} | {f}", "--prefix", "none"];
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline"])
        .args(edges)
        .current_dir(project.path())
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once(" | "));
    let lines = lines.filter(|(package, _)| !package.starts_with("crd") && !package.starts_with("operator"));
    lines.map(|(package, features)| (package.to_owned(), features.to_owned())).collect()
}
