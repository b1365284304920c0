//! Objects and the API server's answer to them.
#![cfg(feature = "testing")]

// ANCHOR: immutable
use crdkit::{CrdSchema, CustomResource, assert_accepted, assert_rejected, assert_update_rejected};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Shirt", storage = false)]
#[crd(spec_validation = ("self.min <= self.max", "min is above max"))]
struct ShirtSpec {
    min: i32,
    max: i32,
    #[crd(immutable)]
    color: String,
}

fn shirt(min: i32, max: i32, color: &str) -> Shirt {
    Shirt::new("a", ShirtSpec { min, max, color: color.into() })
}

#[test]
fn objects_are_accepted_or_refused() {
    let stored = assert_accepted!(shirt(1, 2, "red"));
    assert_eq!(stored["spec"], json!({"min": 1, "max": 2, "color": "red"}));
    assert_rejected!(shirt(2, 1, "red"), "spec: Invalid value: min is above max");
    assert_update_rejected!(shirt(1, 2, "red") => shirt(1, 2, "blue"), "spec.color: Invalid value: \"blue\": is immutable");
    let spec = json!({"min": 1, "max": "2", "color": "red"});
    assert_rejected!(
        Shirt,
        json!({"metadata": {"name": "a"}, "spec": spec}),
        "spec.max: Invalid value: \"string\""
    );
}
// ANCHOR_END: immutable

#[test]
#[should_panic(
    expected = "the API server would reject the object: Shirt.example.com \"a\" is invalid: spec: Invalid value: min is"
)]
fn a_refusal_is_shown() {
    assert_accepted!(shirt(2, 1, "red"));
}

#[test]
#[should_panic(expected = "the API server would accept the object")]
fn an_acceptance_is_shown() {
    assert_rejected!(shirt(1, 2, "red"), "");
}

#[test]
#[should_panic(expected = "for other causes:\nspec: Invalid value: min is above max\nnot: something else")]
fn other_causes_are_shown() {
    assert_rejected!(shirt(2, 1, "red"), "something else");
}

/// Up to 1.36, 19.99 is not a multiple of 0.01.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Heater", kube_version = "1.36")]
struct HeaterSpec {
    #[schemars(extend("multipleOf" = 0.01))]
    watts: f64,
}

#[test]
fn objects_are_judged_by_the_release_of_the_type() {
    use crdkit::KubeVersion;
    let heater = || Heater::new("mine", HeaterSpec { watts: 19.99 });
    assert_eq!(Heater::KUBE_VERSION, KubeVersion::new(36));
    crdkit::assert_rejected!(heater(), "spec.watts in body should be a multiple of 0.01");
    let newest = Heater::validator_at(KubeVersion::new(37)).unwrap();
    assert!(newest.create(serde_json::to_value(heater()).unwrap()).is_accepted());
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[schemars(extend("maxLength" = 20))]
#[crd(validation = "isSemver(self)")]
struct Semver(String);

/// The release of the resource is not known where the other type is derived: `crd()` refuses the rule.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Firmware", kube_version = "1.33", no_test)]
struct FirmwareSpec {
    version: Semver,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "stable.example.com", version = "v1", kind = "Radio", min_kube_version)]
struct RadioSpec {
    #[crd(validation = "isSemver(self)")]
    #[schemars(length(max = 20))]
    firmware: String,
}

#[test]
fn definitions_state_the_oldest_release_that_they_need() {
    let crd = Radio::crd().unwrap();
    let annotations = crd.metadata.annotations.clone().unwrap();
    assert_eq!(annotations.get("crdkit/min-kube-version").map(String::as_str), Some("1.34"));
    // A definition of several versions states its own.
    let mut older = crd.clone();
    older.spec.versions[0].name = "v1alpha1".to_owned();
    older.metadata.annotations = None;
    let merged = crdkit::merge_crds([older, crd], "v1").unwrap();
    let annotations = merged.metadata.annotations.unwrap();
    assert_eq!(annotations.get("crdkit/min-kube-version").map(String::as_str), Some("1.34"));
}

#[test]
fn definitions_are_judged_by_the_release_of_the_type() {
    use crdkit::KubeVersion;
    let error = Firmware::crd().unwrap_err().to_string();
    assert!(error.contains("undeclared reference to 'isSemver'"), "{error}");
    Firmware::unchecked().unwrap().with_kube_version(KubeVersion::new(34)).check().unwrap();
    assert!(Firmware::validator().is_err() && Firmware::validator_at(KubeVersion::new(34)).is_ok());
}

mod pods {
    use super::*;

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Worker", no_test)]
    pub(crate) struct WorkerSpec {
        template: k8s_openapi::api::core::v1::PodTemplateSpec,
    }
}

#[test]
fn a_crd_that_apply_cannot_store_names_its_largest_parts() {
    let sizes = crdkit::testing::fits_apply::<Shirt>();
    assert!(sizes.apply < 2_000);
    let panic = std::panic::catch_unwind(crdkit::testing::fits_apply::<pods::Worker>).map(drop);
    let message = *panic.expect_err("it is too large").downcast::<String>().expect("a message");
    assert!(message.starts_with("the CRD workers.example.com has "), "{message}");
    assert!(message.contains(" v1 spec.template.spec\n"), "{message}");
    assert!(message.ends_with("or apply with `--server-side`"), "{message}");
}
