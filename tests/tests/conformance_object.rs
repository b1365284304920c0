//! Objects that kube-apiserver 1.36 judged -> the same answer, with the same object, from `crd_core::admit`.

use std::collections::BTreeSet;
use std::fmt::Write;

use crd_core::CustomResourceDefinition;
use crd_core::admit::{Admission, FieldValidation, Validator};
use crd_tests::cases::{Case, ObjectCases, recorded_objects};
use serde_json::Value;

#[test]
fn every_case_is_answered_alike() {
    let recorded = recorded_objects();
    let mut missed = BTreeSet::new();
    let mut count = 0;
    for ObjectCases { crd, cases } in &recorded {
        let crd = CustomResourceDefinition::from_value(crd.clone()).expect("the server took it");
        let validator = Validator::new(&crd).expect("the server took it");
        for Case { name, value } in cases {
            count += 1;
            let is_update = value.get("stored").is_some();
            let ours = show(&answer(&validator, value), is_update);
            let recorded = show_recorded(&value["expect"]);
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

/// Verdict, reason, causes, message, object and warnings, the causes and warnings in any order: the server's own order of
/// properties is random.
fn show(admission: &Admission, is_update: bool) -> String {
    let object = admission.result.as_ref().ok().map(|object| as_recorded(object, is_update));
    let (object, reason, message) = match &admission.result {
        Ok(_) => (object.as_ref(), None, None),
        // The message of what has causes repeats them.
        Err(refusal) => {
            let message = Some(refusal.to_string()).filter(|_| refusal.causes.is_empty());
            (None, Some(refusal.reason.as_str()), message)
        }
    };
    let causes = admission.causes().iter();
    let causes = causes.map(|cause| format!("{} {}: {}", cause.reason, cause.field, cause.message)).collect();
    text(object, reason, message.as_deref(), causes, admission.warnings.clone())
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

fn show_recorded(expect: &Value) -> String {
    let list = |key: &str| expect[key].as_array().into_iter().flatten();
    let cause = |cause: &Value| {
        let text = |key: &str| cause[key].as_str().unwrap_or_default();
        format!("{} {}: {}", text("reason"), text("field"), text("message"))
    };
    text(
        expect.get("object").filter(|_| expect["accepted"] == true),
        expect["reason"].as_str(),
        expect["message"].as_str(),
        list("errors").map(cause).collect(),
        list("warnings").filter_map(Value::as_str).map(str::to_owned).collect(),
    )
}

fn text(
    object: Option<&Value>,
    reason: Option<&str>,
    message: Option<&str>,
    mut causes: Vec<String>,
    mut warnings: Vec<String>,
) -> String {
    causes.sort();
    warnings.sort();
    let mut out = format!("{} {}", reason.unwrap_or("accepted"), message.unwrap_or_default());
    if let Some(object) = object {
        write(&mut out, object);
    }
    format!("{out} {causes:?} {warnings:?}")
}

/// JSON with sorted keys, in which a whole float is an integer as in Go.
fn write(out: &mut String, value: &Value) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (key, value) in fields {
                let _ = write!(out, "{key:?}:");
                write(out, value);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(out, item);
                out.push(',');
            }
            out.push(']');
        }
        Value::Number(number) if number.is_f64() || number.as_i64().is_none() => {
            let _ = write!(out, "{}", number.as_f64().unwrap_or_default());
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
