//! `crdkit list-crds` with files. `tests/tests/e2e_cluster.rs` lists the definitions of a cluster.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tool;

use serde_json::{Value, json};
use tool::Folder;

const CRDS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, kind: Shirt, shortNames: [sh]}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1beta1, served: true, storage: false, deprecated: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: hats.stable.example.com}
spec:
  group: stable.example.com
  scope: Cluster
  names: {plural: hats, kind: Hat}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
";

#[test]
fn definitions_are_listed_by_name() {
    let folder =
        Folder::new("list-crds", &[("crds.yaml", CRDS), ("other.yaml", "kind: ConfigMap\napiVersion: v1\n")]);
    let run = folder.run("list-crds crds.yaml");
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (
            0,
            "\
NAME                        KIND    SCOPE        VERSIONS
hats.stable.example.com     Hat     Cluster      v1 (storage)
shirts.stable.example.com   Shirt   Namespaced   v1 (storage), v1beta1 (deprecated), v1alpha1 (not served)
"
        )
    );
    let run = folder.run("list-crds --format json crds.yaml");
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines[0],
        json!({
            "name": "hats.stable.example.com", "group": "stable.example.com", "kind": "Hat", "plural": "hats", "shortNames": [],
            "scope": "Cluster",
            "versions": [{"name": "v1", "served": true, "storage": true, "deprecated": false}],
        })
    );
    assert_eq!((&lines[1]["shortNames"], lines.len()), (&json!(["sh"]), 2));
    assert_eq!(
        folder.run_with("list-crds -", CRDS.as_bytes()).stdout,
        folder.run("list-crds crds.yaml").stdout
    );
    folder
        .run("list-crds other.yaml")
        .expect(2, &["no CustomResourceDefinition in the input: 1 other object"]);
}

/// A definition of a cluster is only named with `--cluster`.
#[test]
fn names_of_definitions_need_a_cluster() {
    let folder = Folder::new("list-crds-names", &[]);
    folder.run("generate hats.stable.example.com --out x").expect(
        2,
        &[
            "there is no such file or directory",
            "hats.stable.example.com",
            "`--cluster` reads the CRD with this name from a cluster",
        ],
    );
    for file in ["crds/hats", "hats.yaml", "hats"] {
        assert!(!folder.run(&format!("generate {file} --out x")).stderr.contains("--cluster"), "{file}");
    }
}
