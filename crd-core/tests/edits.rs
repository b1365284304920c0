//! The edits of remedies cure what they are proposed for.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_core::check::advise;
use crd_core::{CustomResourceDefinition, Edit, EditValue, FieldPath, Remedy, Segment, check};
use serde_json::{Value, json};

/// Returns a definition with this schema of `spec`.
fn definition(spec: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shirts.stable.example.com"},
        "spec": {
            "group": "stable.example.com",
            "names": {"plural": "shirts", "singular": "shirt", "kind": "Shirt", "listKind": "ShirtList"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": spec},
            }}}],
        },
    })
}

/// Returns a definition in which the value at a JSON pointer is another one.
fn with(pointer: &str, value: Value) -> Value {
    let mut crd = definition(json!({"type": "object"}));
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    crd.pointer_mut(parent).unwrap()[key] = value;
    crd
}

const ROOT: &str = "/spec/versions/0/schema/openAPIV3Schema";

fn parent<'v>(document: &'v mut Value, at: &FieldPath) -> (&'v mut Value, Segment) {
    let segments = at.segments();
    let (last, above) = segments.split_last().unwrap();
    let inner = above.iter().fold(document, |value, segment| match segment {
        Segment::Index(index) => value.get_mut(*index).unwrap(),
        Segment::Child(name) | Segment::Key(name) => {
            let absent = || panic!("{at} is not in the document: {name}");
            value.get_mut(&**name).unwrap_or_else(absent)
        }
    });
    (inner, (*last).clone())
}

fn parsed(value: &EditValue) -> Value {
    serde_json::from_str(value.json()).unwrap()
}

fn apply(document: &mut Value, remedy: &Remedy) {
    for edit in &remedy.edits {
        match (edit, parent(document, edit.at())) {
            (Edit::Add { value, .. }, (list, Segment::Index(index))) => {
                list.as_array_mut().unwrap().insert(index, parsed(value));
            }
            (Edit::Add { at, value }, (object, Segment::Child(name) | Segment::Key(name))) => {
                let old = object.as_object_mut().unwrap().insert(name.into(), parsed(value));
                assert_eq!(old, None, "{at} is there already");
            }
            (Edit::Replace { at, value }, (object, Segment::Child(name) | Segment::Key(name))) => {
                let old = object.as_object_mut().unwrap().insert(name.into(), parsed(value));
                assert!(old.is_some(), "{at} is not there");
            }
            (Edit::Replace { value, .. }, (list, Segment::Index(index))) => list[index] = parsed(value),
            (Edit::Remove { at }, (object, Segment::Child(name) | Segment::Key(name))) => {
                assert!(object.as_object_mut().unwrap().remove(&*name).is_some(), "{at} is not there");
            }
            (Edit::Rename { name, .. }, (object, Segment::Child(old) | Segment::Key(old))) => {
                let value = object.as_object_mut().unwrap().remove(&*old).unwrap();
                object[name] = value;
            }
            (edit, _) => panic!("{edit:?}"),
        }
    }
}

fn read(value: &Value) -> CustomResourceDefinition {
    CustomResourceDefinition::from_value(value.clone()).unwrap()
}

#[test]
fn edits_cure_what_is_rejected() {
    let long = json!({"type": "array", "items": {"type": "object", "properties": {"name": {
        "type": "string",
        "x-kubernetes-validations": [{"rule": "self.matches('^(a|b)+$') && self.contains('ab')"}],
    }}}});
    let text = json!({"type": "string", "x-kubernetes-validations": [
        {"rule": "self.split('').all(x, self.contains(x))"},
    ]});
    let map = json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "properties": {"name": {"type": "string"}}},
    });
    let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true});
    let unknown = json!({"type": "object", "properties": {"a": {"type": "string"}}, "default": {"b": 1}});
    let status_less = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": false});
    for (help, crd) in [
        ("did you mean `Cluster`?", with("/spec/scope", json!("cluster"))),
        ("did you mean `shirts.stable.example.com`?", with("/metadata/name", json!("shirts.example.com"))),
        ("did you mean `sh`?", with("/spec/names/shortNames", json!(["Sh"]))),
        (
            "did you mean `.spec.a`?",
            with(
                "/spec/versions/0/additionalPrinterColumns",
                json!([{"name": "A", "type": "string", "jsonPath": "{.spec.a}"}]),
            ),
        ),
        ("remove `nullable`", with(&format!("{ROOT}/nullable"), json!(true))),
        ("remove `preserveUnknownFields`", with("/spec/preserveUnknownFields", json!(true))),
        ("remove `listKind`: the default is `ShirtList`", with("/spec/names/listKind", json!("Shirt"))),
        ("add `type: object`", definition(json!({"properties": {"a": {"type": "string"}}}))),
        ("write `type: object`", with(&format!("{ROOT}/type"), json!("string"))),
        ("did you mean `integer`?", definition(json!({"type": "int"}))),
        ("add `name` to `required` of the items", definition(map)),
        ("add `x-kubernetes-preserve-unknown-fields: true`", definition(embedded)),
        ("remove from the default the fields that the schema does not have", definition(unknown)),
        ("remove the keyword", definition(status_less)),
        (
            "use `x-kubernetes-list-type: set`",
            definition(json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}})),
        ),
        ("add `maxItems: 10` to `spec`", definition(long)),
        ("add `maxLength: ", definition(text)),
    ] {
        let causes = check(&read(&crd));
        let cause = causes.iter().find(|cause| cause.help().is_some_and(|text| text.contains(help)));
        let cause = cause.unwrap_or_else(|| panic!("{help}: {causes:?}"));
        let remedy = cause.remedy.as_ref().unwrap();
        assert!(!remedy.edits.is_empty(), "{help}");
        let mut cured = crd.clone();
        apply(&mut cured, remedy);
        let left = check(&read(&cured));
        let is_left = left.iter().any(|other| other.field == cause.field && other.message == cause.message);
        assert!(!is_left, "{help}: {:?} leaves {cause}", remedy.edits);
    }
}

#[test]
fn edits_follow_advice() {
    for (help, crd) in [
        ("did you mean `maxLength`?", definition(json!({"type": "string", "maxLenght": 3}))),
        ("remove it", definition(json!({"type": "string", "nullable": false}))),
    ] {
        let advice = advise(&read(&crd));
        let advice = advice.iter().find(|advice| advice.help() == Some(help)).unwrap();
        let mut cured = crd.clone();
        apply(&mut cured, advice.remedy.as_ref().unwrap());
        assert!(advise(&read(&cured)).iter().all(|other| other.message != advice.message), "{help}");
    }
}
