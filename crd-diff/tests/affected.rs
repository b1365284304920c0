//! Real objects: all are tried, or named as left out.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crd_core::CustomResourceDefinition;
use crd_diff::{Class, DiffOptions, Finding, Judgement, Profile, affected, diff};
use serde_json::{Value, json};

/// Returns a kind whose objects have this `spec`.
fn crd(spec: &Value) -> CustomResourceDefinition {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    CustomResourceDefinition::from_value(json!({
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"},
            "versions": [
                {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}},
            ],
        },
    }))
    .unwrap()
}

fn object(name: &str, spec: &Value) -> Value {
    let metadata = json!({"name": name, "namespace": "default"});
    json!({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": metadata, "spec": spec})
}

fn list_of(type_: &str) -> Value {
    json!({"type": "object", "properties": {"l": {"type": "array", "items": {"type": type_}}}})
}

/// Returns the findings of lists whose items change their type.
fn found(objects: &[Value], options: &DiffOptions) -> Vec<Finding> {
    affected(&crd(&list_of("integer")), &crd(&list_of("string")), options, objects)
}

fn messages(findings: &[Finding]) -> Vec<(&str, &[Class], &str)> {
    findings.iter().map(|finding| (finding.id, &finding.classes[..], finding.message.as_str())).collect()
}

const EDIT: &str = "can no longer be changed, not even in fields that are valid";
const WRITE: &str = "would be rejected if they were created again";

/// Each cause of a refusal was once searched for edits anew.
#[test]
fn items_of_one_list_are_edited_once() {
    let objects: Vec<Value> =
        (0..200).map(|i| object(&format!("a{i}"), &json!({"l": vec![1; 100]}))).collect();
    let findings = found(&objects, &DiffOptions::default());
    let names = "default/a0, default/a1, default/a2, default/a3, default/a4, default/a5, default/a6, default/a7, default/a8, default/a9 and 190 more";
    let (edit, write) = (
        format!("200 of your 200 objects {EDIT}: {names}"),
        format!("200 of your 200 objects {WRITE}: {names}"),
    );
    assert_eq!(
        messages(&findings),
        [
            ("objects-affected", &[Class::Edit][..], edit.as_str()),
            ("objects-affected", &[Class::Write][..], write.as_str())
        ]
    );
    // The witness is the first object.
    assert!(findings[1].witness().unwrap().answer.starts_with("Foo.example.com \"a0\" is invalid"));
}

/// Objects without steps were once skipped in silence, or took all the time of the world.
#[test]
fn objects_for_which_the_steps_do_not_suffice_are_named_and_never_pass() {
    let with = |type_: &str| {
        let default = json!({"type": "string", "default": "x".repeat(1 << 20)});
        json!({"type": "object", "properties": {"large": default, "l": {"type": type_}}})
    };
    let objects: Vec<Value> = (0..50).map(|i| object(&format!("a{i}"), &json!({"l": 1}))).collect();
    let (old, new) = (crd(&with("integer")), crd(&with("string")));
    let mut options = DiffOptions::default();
    // Enough for some of the objects, whose defaults make them large.
    options.steps = 8_000_000;
    let findings = affected(&old, &new, &options, &objects);
    let left_out = findings.iter().find(|finding| finding.id == "objects-not-tried").unwrap();
    assert!(left_out.message.contains("objects were not tested: default/a"), "{}", left_out.message);
    assert_eq!(left_out.undecided, [Class::Stuck, Class::Data, Class::Edit, Class::Write]);
    assert!(left_out.witnesses.is_empty());
    for profile in [Profile::Stored, Profile::Clients, Profile::Strict, Profile::Rust] {
        assert_eq!(profile.judge(left_out), Judgement::Undecided, "{profile:?}");
    }
    let count = |finding: &Finding| finding.message.split(' ').next().unwrap().parse::<usize>().unwrap();
    let written = findings.iter().find(|finding| finding.classes == [Class::Write]);
    assert_eq!(written.map_or(0, count) + count(left_out), objects.len(), "{:?}", messages(&findings));
    assert_eq!(findings, affected(&old, &new, &options, &objects));
}

#[test]
fn objects_that_etcd_does_not_store_are_named() {
    let objects = [object("large", &json!({"l": vec![1; 1 << 20]})), object("small", &json!({"l": []}))];
    let findings = found(&objects, &DiffOptions::default());
    let expected = "1 of your 2 objects were not tested: default/large";
    let all = [Class::Stuck, Class::Data, Class::Edit, Class::Write];
    assert_eq!(messages(&findings), [("objects-not-tried", &all[..], expected)]);
}

/// The fields that the server sets are no difference.
#[test]
fn objects_of_a_cluster_are_compared_as_they_were_sent() {
    let mut object = object("a", &json!({"l": []}));
    object["metadata"]["uid"] = "f0".into();
    object["metadata"]["managedFields"] = json!([{}]);
    assert_eq!(found(&[object], &DiffOptions::default()), []);
}

/// The search for long strings once took all steps, so that nothing was left for the object that shows the change.
#[test]
fn the_search_for_values_leaves_steps_for_other_objects() {
    let with = |limits: Value| {
        let mut text = json!({"type": "string"});
        text.as_object_mut().unwrap().extend(limits.as_object().cloned().unwrap());
        crd(&json!({"type": "object", "properties": {"x": text}}))
    };
    let findings =
        diff(&with(json!({})), &with(json!({"minLength": 1_000_000_000})), &DiffOptions::default());
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert!(finding.witnesses.iter().any(|witness| witness.class == Class::Write), "{finding:?}");
}
