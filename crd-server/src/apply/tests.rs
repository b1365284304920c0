use crd_core::Structural;
use crd_core::crd::JsonSchemaProps;
use serde_json::{Value, json};

use super::*;

fn schema() -> Structural {
    let schema = JsonSchemaProps::from_value(json!({"type": "object", "properties": {"spec": {
        "type": "object",
        "properties": {
            "color": {"type": "string"},
            "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "list": {"type": "array", "items": {"type": "string"}},
            "ports": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
                "items": {"type": "object", "properties": {"port": {"type": "integer"}, "name": {"type": "string"}}},
            },
            "any": {"x-kubernetes-preserve-unknown-fields": true},
        },
    }}}));
    Structural::from_json_schema(&schema.unwrap()).unwrap()
}

/// The types of a CRD with one version.
#[derive(Debug)]
struct OneVersion<'a>(&'a Structural);

impl Types for OneVersion<'_> {
    fn node(&self, api_version: &str) -> Option<Node<'_>> {
        (api_version == "e.io/v1").then_some(Node::root(self.0))
    }

    fn reset(&self, _: &str) -> &[&'static str] {
        &[]
    }

    fn emptied(&self) -> Emptied {
        Emptied::Kept
    }
}

fn object(spec: &Value) -> Value {
    json!({"apiVersion": "e.io/v1", "kind": "Shirt", "metadata": {"name": "a"}, "spec": spec})
}

/// Applies specs one after another, each with its own field manager. Returns the object's final spec.
fn applied(steps: &[(&str, Value, bool)]) -> Result<Value, String> {
    let schema = schema();
    let empty = json!({"apiVersion": "e.io/v1", "kind": "Shirt"});
    let (mut live, mut entries) = (empty.clone(), Vec::new());
    for (i, (manager, spec, force)) in steps.iter().enumerate() {
        let types = OneVersion(&schema);
        let writer = Writer { types: &types, manager, api_version: "e.io/v1", subresource: "", now: "now" };
        let applied = writer.apply(&live, &object(spec), entries, (i > 0).then_some(&empty), *force);
        let applied =
            applied.map_err(|failure| failure.to_value()["message"].as_str().unwrap().to_owned())?;
        (live, entries) = (applied.object, applied.entries);
    }
    Ok(live["spec"].clone())
}

#[test]
fn fields_of_two_managers_are_merged() {
    let (a, b) = (json!({"color": "red", "tags": ["x"]}), json!({"tags": ["y"], "any": {"k": [1]}}));
    let found = applied(&[("a", a, false), ("b", b, false)]);
    assert_eq!(found, Ok(json!({"color": "red", "tags": ["x", "y"], "any": {"k": [1]}})));
}

#[test]
fn fields_that_nobody_applies_any_more_are_removed() {
    let first = json!({"color": "red", "ports": [{"port": 1, "name": "x"}, {"port": 2}]});
    let second = json!({"ports": [{"port": 2}]});
    let other = json!({"ports": [{"port": 1}]});
    assert_eq!(applied(&[("a", first.clone(), false), ("a", second.clone(), false)]), Ok(second.clone()));
    let found = applied(&[("a", first, false), ("b", other, false), ("a", second, false)]);
    assert_eq!(found, Ok(json!({"ports": [{"port": 1}, {"port": 2}]})));
}

#[test]
fn conflicts_name_the_manager_and_the_field() {
    let (red, blue) = (json!({"color": "red"}), json!({"color": "blue"}));
    let steps = |force| [("a", red.clone(), false), ("b", blue.clone(), force)];
    let conflict = "Apply failed with 1 conflict: conflict with \"a\": .spec.color";
    assert_eq!(applied(&steps(false)), Err(conflict.to_owned()));
    assert_eq!(applied(&steps(true)), Ok(blue.clone()));
}

#[test]
fn atomic_lists_have_one_owner() {
    let steps = [("a", json!({"list": ["x"]}), false), ("b", json!({"list": ["y"]}), false)];
    let conflict = "Apply failed with 1 conflict: conflict with \"a\": .spec.list";
    assert_eq!(applied(&steps), Err(conflict.to_owned()));
}

#[test]
fn duplicates_and_unknown_fields_are_refused() {
    let error = |spec| applied(&[("a", spec, false)]).unwrap_err();
    let object = "failed to create typed patch object (/a; e.io/v1, Kind=Shirt)";
    assert_eq!(error(json!({"other": 1})), format!("{object}: .spec.other: field not declared in schema"));
    assert_eq!(
        error(json!({"tags": ["x", "x"]})),
        format!("{object}: .spec.tags: duplicate entries for key [=\"x\"]")
    );
}
