//! The cases, as definitions.

use std::path::PathBuf;
use std::sync::OnceLock;

use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_diff::{DiffOptions, Finding, added, diff, removed};
use crd_input::{Limits, Source, documents};
use serde_json::{Value, json};

/// The files of cases.
pub(crate) const FILES: [&str; 8] =
    ["schemas", "definitions", "peers", "places", "rules", "ownership", "versions", "combinations"];
/// The releases of the servers whose answers are recorded.
pub(crate) const RELEASES: [KubeVersion; 2] = [KubeVersion::new(36), KubeVersion::new(37)];

pub(crate) struct Case {
    pub(crate) file: &'static str,
    pub(crate) name: String,
    /// Difference from the answer of another tool, with its reason; for the cases of `peers.yaml`.
    pub(crate) others: Option<String>,
    /// `None` if the CRD is new.
    pub(crate) old: Option<CustomResourceDefinition>,
    /// `None` if the CRD is gone.
    pub(crate) new: Option<CustomResourceDefinition>,
    /// Objects that show what random ones do not.
    pub(crate) objects: Vec<Value>,
    /// The specs that two managers apply one after the other.
    pub(crate) apply: Vec<Value>,
}

impl Case {
    /// Returns the definitions of both sides.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &CustomResourceDefinition> {
        [&self.old, &self.new].into_iter().flatten()
    }

    /// Returns the findings of the change.
    pub(crate) fn findings(&self, options: &DiffOptions) -> Vec<Finding> {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => diff(old, new, options),
            (Some(old), None) => vec![removed(old)],
            (None, Some(new)) => vec![added(new)],
            (None, None) => Vec::new(),
        }
    }
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/changes")
}

/// Options with a release.
pub(crate) fn for_release(release: KubeVersion) -> DiffOptions {
    let mut options = DiffOptions::default();
    options.kube_version = release;
    options
}

/// Returns all cases with their findings for a server of the first release, which are compared once for all tests.
pub(crate) fn compared() -> &'static [(Case, Vec<Finding>)] {
    static COMPARED: OnceLock<Vec<(Case, Vec<Finding>)>> = OnceLock::new();
    COMPARED.get_or_init(|| {
        let with_findings = |case: Case| {
            let findings = case.findings(&for_release(RELEASES[0]));
            (case, findings)
        };
        FILES.into_iter().flat_map(cases).map(with_findings).collect()
    })
}

pub(crate) fn cases(file: &'static str) -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join(format!("{file}.yaml"))).unwrap();
    let (documents, errors) = documents(&Source::from_string(file, text), &Limits::default());
    assert!(errors.is_empty(), "{errors:?}");
    let cases = documents[0].value["cases"].as_array().unwrap();
    cases
        .iter()
        .map(|case| Case {
            file,
            name: case["name"].as_str().unwrap().to_owned(),
            others: case.get("others").map(|text| text.as_str().unwrap().to_owned()),
            old: definition(&case["old"]),
            new: definition(&case["new"]),
            objects: case.get("objects").map(|all| all.as_array().unwrap().clone()).unwrap_or_default(),
            apply: case.get("apply").map(|specs| specs.as_array().unwrap().clone()).unwrap_or_default(),
        })
        .collect()
}

/// Returns the CRD of one side: a small one, with the parts that the case names in the place of its own. `fields` are those of
/// the spec, `root` those of the object, `top` keywords of the object.
fn definition(side: &Value) -> Option<CustomResourceDefinition> {
    if side.is_null() {
        return None;
    }
    let fields =
        side.get("fields").cloned().unwrap_or(json!({"a": {"type": "string"}, "b": {"type": "string"}}));
    let spec = side.get("schema").cloned().unwrap_or(json!({"type": "object", "properties": fields}));
    let mut properties = json!({"spec": spec});
    merge(&mut properties, side.get("root"));
    let mut schema = json!({"type": "object", "properties": properties});
    merge(&mut schema, side.get("top"));
    let mut version =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    merge(&mut version, side.get("version"));
    let mut spec = json!({
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "shirts", "kind": "Shirt"},
        "versions": side.get("versions").cloned().unwrap_or(json!([version])),
    });
    merge(&mut spec, side.get("spec"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let name = format!("{}.{}", text(&spec["names"]["plural"]), text(&spec["group"]));
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": name}, "spec": spec,
    });
    Some(CustomResourceDefinition::from_value(definition).unwrap())
}

fn merge(into: &mut Value, parts: Option<&Value>) {
    for (name, value) in parts.and_then(Value::as_object).into_iter().flatten() {
        into[name] = value.clone();
    }
}
