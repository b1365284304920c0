//! The cases, as definitions.

use std::path::PathBuf;
use std::sync::OnceLock;

use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_diff::{Finding, Options, diff};
use crd_input::{Limits, Source, documents};
use serde_json::{Value, json};

/// The files of cases.
pub(crate) const FILES: [&str; 3] = ["schemas", "definitions", "peers"];

pub(crate) struct Case {
    pub(crate) file: &'static str,
    pub(crate) name: String,
    pub(crate) old: CustomResourceDefinition,
    pub(crate) new: CustomResourceDefinition,
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/changes")
}

/// Options with the release of the server whose answers are recorded.
pub(crate) fn recorded() -> Options {
    let mut options = Options::default();
    options.kube_version = KubeVersion::new(36);
    options
}

/// All cases with their findings, which are compared once for all tests.
pub(crate) fn compared() -> &'static [(Case, Vec<Finding>)] {
    static COMPARED: OnceLock<Vec<(Case, Vec<Finding>)>> = OnceLock::new();
    COMPARED.get_or_init(|| {
        let with_findings = |case: Case| {
            let findings = diff(&case.old, &case.new, &recorded());
            (case, findings)
        };
        FILES.into_iter().flat_map(cases).map(with_findings).collect()
    })
}

pub(crate) fn cases(file: &'static str) -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join(format!("{file}.yaml"))).unwrap();
    let (documents, errors) = documents(&Source::from_text(file, text), &Limits::default());
    assert!(errors.is_empty(), "{errors:?}");
    let cases = documents[0].value["cases"].as_array().unwrap();
    cases
        .iter()
        .map(|case| Case {
            file,
            name: case["name"].as_str().unwrap().to_owned(),
            old: definition(&case["old"]),
            new: definition(&case["new"]),
        })
        .collect()
}

/// The definition of one side: a small one, with the parts that the case names in the place of its own.
fn definition(side: &Value) -> CustomResourceDefinition {
    let spec = side.get("schema").cloned().unwrap_or(json!({
        "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
    }));
    let mut properties = json!({"spec": spec});
    merge(&mut properties, side.get("root"));
    let mut version = json!({
        "name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    });
    merge(&mut version, side.get("version"));
    let mut spec = json!({
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "shirts", "kind": "Shirt"},
        "versions": side.get("versions").cloned().unwrap_or(json!([version])),
    });
    merge(&mut spec, side.get("spec"));
    let name = format!("{}.example.com", spec["names"]["plural"].as_str().unwrap());
    CustomResourceDefinition::from_value(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": name}, "spec": spec,
    }))
    .unwrap()
}

fn merge(into: &mut Value, parts: Option<&Value>) {
    for (name, value) in parts.and_then(Value::as_object).into_iter().flatten() {
        into[name] = value.clone();
    }
}
