//! Recorded answers of kube-apiserver to objects: `crd_core::admit` returns the same answer with the same object.

use std::collections::BTreeSet;

use crd_core::admit::{Admission, FieldValidation, ServerOptions, Validator};
use crd_core::{CustomResourceDefinition, KubeVersion};
use crd_tests::answers::{as_text, cause_as_text, describe_admission};
use crd_tests::cases::{Case, ObjectCases, recorded_objects};
use serde_json::{Value, json};

/// The server that was recorded.
const RECORDED: ServerOptions = ServerOptions::new(KubeVersion::new(36));

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
            let ours =
                describe_admission(&answer(&validator, value), |object| as_recorded(object, is_update));
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

/// The verdict alone, for objects as they were recorded and as they are after small changes.
#[test]
fn the_verdict_alone_is_the_same() {
    let (mut missed, mut recorded, mut changed) = (Vec::new(), 0, 0);
    for ObjectCases { crd, cases } in &recorded_objects() {
        let crd = CustomResourceDefinition::from_value(crd.clone()).expect("the server took it");
        let validator = Validator::with_options(&crd, RECORDED).expect("the server took it");
        for (number, Case { name, value }) in cases.iter().enumerate() {
            let validator = as_requested(&validator, value);
            let object = &value["object"];
            if value.get("stored").is_none() {
                recorded += 1;
                if validator.accepts(object) != (value["expect"]["accepted"] == true) {
                    missed.push(format!("{name}: {object}"));
                }
            }
            for object in std::iter::once(object.clone()).chain(value.get("stored").cloned()) {
                for object in changes(&object, number) {
                    changed += 1;
                    if validator.accepts(&object) != validator.create(&object).is_accepted() {
                        missed.push(format!("{name}, changed: {object}"));
                    }
                }
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(recorded > 2_500 && changed > 6_000, "only {recorded} and {changed} objects");
}

/// Returns the object, and the object with one value changed. The place and the kind of the change depend on the turn.
fn changes(object: &Value, turn: usize) -> [Value; 2] {
    let mut changed = object.clone();
    change(&mut changed, &mut { turn * 31 % places(object) }, turn);
    [object.clone(), changed]
}

fn places(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(places).sum(),
        Value::Array(items) => items.iter().map(places).sum(),
        _ => 0,
    }
}

/// Changes the value at a place, counted from the root in order.
fn change(value: &mut Value, place: &mut usize, turn: usize) {
    if *place == 0 {
        *value = changed(value, turn);
        *place = usize::MAX;
        return;
    }
    *place -= 1;
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| change(value, place, turn)),
        Value::Array(items) => items.iter_mut().for_each(|item| change(item, place, turn)),
        _ => {}
    }
}

fn changed(value: &Value, turn: usize) -> Value {
    let mut value = value.clone();
    match (&mut value, turn % 4) {
        (Value::Object(fields), 0 | 1) => {
            fields.insert("unknown".to_owned(), json!({"a": [null, 1]}));
        }
        (Value::Object(fields), 2) => {
            let last = fields.keys().next_back().cloned();
            last.and_then(|name| fields.remove(&name));
        }
        (Value::Array(items), 0 | 1) => items.extend(items.first().cloned()),
        (Value::Array(items), 2) => drop(items.pop()),
        (Value::String(text), 0 | 1) => text.push_str("-x"),
        (Value::String(text), 2) => text.clear(),
        (Value::Number(number), 0) => *number = u64::MAX.into(),
        (Value::Number(number), 1) => {
            return json!(number.as_f64().unwrap_or_default() + 0.5);
        }
        (value, 3) => *value = Value::Null,
        (value, _) => *value = json!(7),
    }
    value
}

fn as_requested(validator: &Validator, case: &Value) -> Validator {
    validator.with_field_validation(match case["fieldValidation"].as_str() {
        Some("Strict") => FieldValidation::Strict,
        Some("Warn") => FieldValidation::Warn,
        _ => FieldValidation::Ignore,
    })
}

fn answer(validator: &Validator, case: &Value) -> Admission {
    let validator = as_requested(validator, case);
    let object = &case["object"];
    match (case.get("stored"), case["subresource"].as_str()) {
        (None, _) => validator.create(object),
        (Some(stored), Some("status")) => validator.update_status(object, stored),
        (Some(stored), _) => validator.update(object, stored),
    }
}

/// Returns the namespace of the requests was not recorded, nor were the names of objects that were updated.
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
