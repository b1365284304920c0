//! Answers that depend on the release of Kubernetes -> the same from `crd_core::check` and `crd_core::admit`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_core::admit::{Admission, Validator};
use crd_core::check::{ReleaseCompatibility, ServerOptions, Support, Verdict};
use crd_core::{CustomResourceDefinition, Diagnostic, KubeVersion};
use crd_tests::cases::recorded_definitions;
use crd_tests::workspace;
use serde_json::{Value, json};

#[test]
fn every_release_answers_as_it_does() {
    let file = workspace().join("tests/conformance/versions.yaml");
    let cases: Value = serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let cases = cases.as_array().unwrap();
    for case in cases {
        let answers = case["answers"].as_array().unwrap();
        assert_eq!(answers[0]["since"], KubeVersion::OLDEST.minor(), "{}", case["name"]);
        for minor in KubeVersion::OLDEST.minor()..=KubeVersion::NEWEST.minor() {
            let since = |answer: &&Value| answer["since"].as_u64().unwrap() <= u64::from(minor);
            let wanted = answers.iter().rev().find(since).unwrap();
            let (errors, warnings) = answer(case, minor);
            assert_eq!(errors, sorted(&wanted["errors"]), "{} on 1.{minor}", case["name"]);
            assert_eq!(warnings, sorted(&wanted["warnings"]), "{} on 1.{minor}", case["name"]);
        }
    }
    assert!(cases.len() > 15);
}

/// Releases that answer a definition alike are asked once; the answers are those of asking each.
#[test]
fn all_releases_at_once_answer_as_each_does() {
    let mut crds: Vec<Value> =
        recorded_definitions().into_iter().map(|case| case.value["crd"].clone()).collect();
    let file = workspace().join("tests/conformance/versions.yaml");
    let cases: Value = serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    crds.extend(cases.as_array().unwrap().iter().map(definition));
    let mut count = 0;
    for crd in crds {
        let compatibility = ReleaseCompatibility::for_value(crd.clone(), None, ServerOptions::default());
        for minor in KubeVersion::OLDEST.minor()..=KubeVersion::NEWEST.minor() {
            let version = KubeVersion::new(minor);
            let verdict = Verdict::with_definition_at(crd.clone(), ServerOptions::new(version)).0;
            let refused = compatibility.rows.iter().filter_map(|row| match row.support(version) {
                Support::Rejected(causes) => Some(causes.clone()),
                Support::Accepted | Support::Inert(_) => None,
            });
            let mut found: Vec<String> = refused.flatten().map(|cause| cause.to_string()).collect();
            let mut wanted: Vec<String> =
                verdict.errors.iter().chain(&verdict.refusal).map(ToString::to_string).collect();
            found.sort();
            wanted.sort();
            assert_eq!(found, wanted, "1.{minor}: {crd}");
            assert_eq!(compatibility.is_accepted_by(version), verdict.accepted, "1.{minor}: {crd}");
            count += 1;
        }
    }
    assert!(count > 2_000, "{count}");
}

/// Returns the causes and the warnings, sorted.
fn answer(case: &Value, minor: u32) -> (Vec<String>, Vec<String>) {
    let options = ServerOptions::new(KubeVersion::new(minor));
    let crd = definition(case);
    let kept = |causes: &[Diagnostic]| {
        let mut texts: Vec<String> = causes.iter().map(|cause| one_line(&cause.to_string())).collect();
        // That rules were not run is in every answer to an object that is invalid.
        texts.retain(|text| !text.contains("some validation rules were not checked"));
        texts.sort();
        texts
    };
    let verdict = Verdict::with_definition_at(crd.clone(), options).0;
    if case.get("object").is_none() && case.get("newStatus").is_none() {
        return (kept(&verdict.errors), verdict.warnings);
    }
    assert_eq!(verdict.errors, [], "{}", case["name"]);
    let crd = CustomResourceDefinition::from_value(crd).unwrap();
    let admission = admit(case, &Validator::with_options(&crd, options).unwrap());
    (kept(admission.causes()), admission.warnings.iter().map(ToString::to_string).collect())
}

fn admit(case: &Value, validator: &Validator) -> Admission {
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}});
    for (key, value) in case["metadata"].as_object().into_iter().flatten() {
        object["metadata"][key] = value.clone();
    }
    object["spec"] = case.get("object").cloned().unwrap_or(json!({}));
    match case.get("storedStatus") {
        None => validator.create(object),
        Some(status) => {
            let mut stored = object.clone();
            stored["status"] = status.clone();
            object["status"] = case["newStatus"].clone();
            validator.update_status(object, &stored)
        }
    }
}

fn definition(case: &Value) -> Value {
    let mut schema = json!({"type": "object", "properties": {"spec": case["spec"]}});
    let mut version = json!({"name": "v1", "served": true, "storage": true});
    if let Some(status) = case.get("status") {
        schema["properties"]["status"] = status.clone();
        version["subresources"] = json!({"status": {}});
    }
    if let Some(fields) = case.get("selectableFields") {
        version["selectableFields"] = fields.clone();
    }
    version["schema"] = json!({"openAPIV3Schema": schema});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": "things", "kind": "Thing"},
            "scope": "Cluster",
            "versions": [version],
        },
    })
}

fn sorted(list: &Value) -> Vec<String> {
    let mut texts: Vec<String> =
        list.as_array().into_iter().flatten().map(|text| one_line(text.as_str().unwrap())).collect();
    texts.sort();
    texts
}

/// Returns the text without its line breaks, so that cases can be wrapped.
fn one_line(text: &str) -> String {
    text.replace('\n', "").trim_end().to_owned()
}
