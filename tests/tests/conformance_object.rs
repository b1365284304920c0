//! Recorded answers of kube-apiserver to objects: `crd_core::admit` returns the same answer with the same object.

use std::collections::BTreeSet;

use crd_core::admit::{Admission, FieldValidation, Options, Validator};
use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_tests::answers::{as_text, cause_as_text, of_admission};
use crd_tests::cases::{Case, ObjectCases, recorded_objects};
use serde_json::Value;

/// The server that was recorded.
const RECORDED: Options = Options::new(KubeVersion::new(36));

#[test]
fn every_case_is_answered_alike() {
    let mut missed = BTreeSet::new();
    let mut count = 0;
    for ObjectCases { crd, cases } in &recorded_objects() {
        let crd = CustomResourceDefinition::from_value(crd.clone()).expect("the server took it");
        let validator = Validator::with_options(&crd, RECORDED).expect("the server took it");
        for Case { name, value } in cases {
            count += 1;
            let is_update = value.get("stored").is_some();
            let ours = of_admission(&answer(&validator, value), |object| as_recorded(object, is_update));
            let recorded = recorded(&value["expect"]);
            if ours != recorded {
                println!("{name}\n  ours      {ours}\n  recorded  {recorded}");
                missed.insert(name.clone());
            }
        }
    }
    assert!(count > 2_800, "only {count} cases were found");
    assert!(missed.is_empty(), "{missed:#?}");
}

fn answer(validator: &Validator, case: &Value) -> Admission {
    let field_validation = match case["fieldValidation"].as_str() {
        Some("Strict") => FieldValidation::Strict,
        Some("Warn") => FieldValidation::Warn,
        _ => FieldValidation::Ignore,
    };
    let validator = validator.with_field_validation(field_validation);
    let object = &case["object"];
    match (case.get("stored"), case["subresource"].as_str()) {
        (None, _) => validator.create(object),
        (Some(stored), Some("status")) => validator.update_status(object, stored),
        (Some(stored), _) => validator.update(object, stored),
    }
}

/// The namespace of the requests was not recorded, nor were the names of objects that were updated.
fn as_recorded(object: &Value, is_update: bool) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|key, value| match key.as_str() {
            "name" => !is_update,
            "namespace" => value != "default",
            _ => true,
        });
    }
    object
}

fn recorded(expect: &Value) -> String {
    let list = |key: &str| expect[key].as_array().into_iter().flatten();
    as_text(
        expect.get("object").filter(|_| expect["accepted"] == true),
        expect["reason"].as_str(),
        expect["message"].as_str(),
        list("errors").map(cause_as_text).collect(),
        list("warnings").filter_map(Value::as_str).map(str::to_owned).collect(),
    )
}
