//! The needs of a gate: no breaking change passes, and none that breaks nothing fails.
#![expect(clippy::unwrap_used, reason = "the helpers below are parts of tests")]

use crd_core::CustomResourceDefinition;
use crd_diff::{Class, DiffOptions, Finding, Judgement, Profile, Severity, Undecided, diff};
use serde_json::{Value, json};

/// Returns a definition whose spec has this schema, as its only version.
fn crd(spec: &Value) -> CustomResourceDefinition {
    with_versions(&[("v1", true, true, json!({"properties": {"spec": spec}}))])
}

/// Returns a definition with versions: name, served, storage, schema.
fn with_versions(versions: &[(&str, bool, bool, Value)]) -> CustomResourceDefinition {
    let version = |(name, served, storage, schema): &(&str, bool, bool, Value)| {
        let mut schema = schema.clone();
        schema["type"] = json!("object");
        json!({"name": name, "served": served, "storage": storage, "schema": {"openAPIV3Schema": schema},
            "subresources": {"status": {}}})
    };
    let versions: Vec<Value> = versions.iter().map(version).collect();
    let value = json!({
        "metadata": {"name": "boats.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "boats", "kind": "Boat"}, "versions": versions},
    });
    CustomResourceDefinition::from_value(value).unwrap()
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn compare(old: &Value, new: &Value) -> Vec<Finding> {
    diff(&crd(old), &crd(new), &DiffOptions::default())
}

fn find<'f>(findings: &'f [Finding], id: &str) -> &'f Finding {
    findings.iter().find(|finding| finding.id == id).unwrap()
}

#[test]
fn structural_changes_are_decided_without_work() {
    let old = object(json!({
        "gone": {"type": "string"}, "size": {"type": "integer"}, "name": {"type": "string"},
        "color": {"type": "string", "enum": ["red", "blue"]}, "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    }));
    let mut new = object(json!({
        "size": {"type": "integer", "maximum": 5}, "name": {"type": "string", "maxLength": 3},
        "color": {"type": "string", "enum": ["red"]}, "labels": {"type": "object"},
    }));
    new["required"] = json!(["name"]);
    let mut options = DiffOptions::default();
    options.steps = 1;
    let findings = diff(&crd(&old), &crd(&new), &options);
    for (id, class) in [
        ("property-removed", Class::Data),
        ("maximum-tightened", Class::Write),
        ("max-length-tightened", Class::Write),
        ("enum-value-removed", Class::Write),
        ("map-values-removed", Class::Data),
        ("required-added", Class::Write),
    ] {
        let finding = find(&findings, id);
        assert!(finding.has(class) && !finding.undecided.contains(&class), "{finding:?}");
        assert_eq!(Profile::Clients.judge(finding), Judgement::Rejected, "{id}");
    }
}

#[test]
fn changes_beside_expensive_ones_have_their_own_work() {
    let digits = "([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
    let pattern = format!("^({digits}\\.){{3}}{digits}$");
    let labels = |most: Option<u64>| {
        let mut labels = json!({"type": "object", "additionalProperties": {"type": "string"}});
        most.inspect(|most| labels["maxProperties"] = json!(most));
        labels
    };
    let old = object(json!({"labels": labels(Some(4096)), "a": {"type": "string"}}));
    let mut new = object(json!({"labels": labels(None), "address": {"type": "string", "pattern": pattern}}));
    new["required"] = json!(["address"]);
    let findings = compare(&old, &new);
    for id in ["property-removed", "required-added"] {
        let finding = find(&findings, id);
        assert_eq!(Profile::Clients.judge(finding), Judgement::Rejected, "{finding:?}");
        assert!(finding.witness().is_some(), "{finding:?}");
    }
}

#[test]
fn a_search_without_result_and_one_without_work_have_two_names() {
    // No object can be against the rule, which no search knows.
    let rule = |text: &str| json!([{"rule": text}]);
    let old = object(json!({"a": {"type": "string"}}));
    let mut new = old.clone();
    new["x-kubernetes-validations"] = rule("!has(self.a) || size(self.a + 'x') > size(self.a)");
    let findings = compare(&old, &new);
    let finding = find(&findings, "rule-added");
    assert_eq!(finding.undecided_because, Some(Undecided::NoneFound), "{finding:?}");
    assert_eq!(Profile::Clients.judge(finding), Judgement::Undecided);
    assert!(finding.possible().unwrap().contains("none found: the search found no object"));

    let mut options = DiffOptions::default();
    options.steps = 1;
    let findings = diff(&crd(&old), &crd(&new), &options);
    let finding = find(&findings, "rule-added");
    assert_eq!(finding.undecided_because, Some(Undecided::NoWorkLeft), "{finding:?}");
    assert_eq!(Profile::Stored.judge(finding), Judgement::Accepted, "the profile accepts the class");
    assert!(finding.possible().unwrap().contains("--budget"));
}

#[test]
fn a_loss_is_not_weakened_by_a_default_beside_it() {
    let with = |o: Value| object(json!({"o": o}));
    let new = with(object(json!({"a": {"type": "string", "default": "x"}})));
    let map = with(json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let mut kept = object(json!({"a": {"type": "string"}}));
    kept["x-kubernetes-preserve-unknown-fields"] = json!(true);
    for (old, id) in [(map, "map-values-removed"), (with(kept), "preserve-unknown-fields-removed")] {
        let findings = compare(&old, &new);
        let finding = find(&findings, id);
        assert_eq!(Profile::Stored.judge(finding), Judgement::Rejected, "{finding:?}");
        assert!(finding.witness().unwrap().answer.contains("is missing"), "{finding:?}");
    }
}

#[test]
fn transition_rules_are_shown_on_maps_and_on_values_that_others_are_tied_to() {
    let edited = |old: &Value, new: &Value| {
        let findings = compare(old, new);
        let finding = find(&findings, "transition-rule-added");
        assert_eq!(Profile::Clients.judge(finding), Judgement::Rejected, "{finding:?}");
        assert_eq!(finding.witness().unwrap().class, Class::Edit);
    };
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    for rule in ["self == oldSelf", "oldSelf.size() == 0 || self == oldSelf"] {
        let mut fixed = map.clone();
        fixed["x-kubernetes-validations"] = json!([{"rule": rule}]);
        edited(&object(json!({"m": map})), &object(json!({"m": fixed})));
    }
    let list = |kind: Value| {
        let mut item = object(json!({"id": {"type": "string"}, "kind": kind, "url": {"type": "string"}}));
        item["required"] = json!(["id", "kind"]);
        item["x-kubernetes-validations"] =
            json!([{"rule": "self.kind == 'Local' ? !has(self.url) : has(self.url)"}]);
        let list = json!({"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]});
        object(json!({"l": list}))
    };
    let kind = json!({"type": "string", "enum": ["Local", "Remote"]});
    let mut fixed = kind.clone();
    fixed["x-kubernetes-validations"] = json!([{"rule": "self == oldSelf"}]);
    edited(&list(kind), &list(fixed));
}

#[test]
fn a_refusal_belongs_to_the_change_that_causes_it() {
    // Duplicates are refused by the list type; the default does nothing but fill in.
    let list = |k: Value, is_map: bool| {
        let mut item = object(json!({"name": {"type": "string"}, "k": k}));
        item["required"] = json!(["name"]);
        let mut list = json!({"type": "array", "items": item});
        if is_map {
            list["x-kubernetes-list-type"] = json!("map");
            list["x-kubernetes-list-map-keys"] = json!(["name"]);
        }
        object(json!({"l": list}))
    };
    let old = list(json!({"type": "string"}), false);
    let new = list(json!({"type": "string", "default": "x"}), true);
    let findings = compare(&old, &new);
    assert_eq!(find(&findings, "default-added").classes, [Class::Data]);
    assert!(find(&findings, "list-type-tightened").has(Class::Write));

    // Another alternative of `oneOf` refuses nothing; that `spec` is required does.
    let alternatives = |names: &[&str], is_required: bool| {
        let fields = names.iter().map(|name| ((*name).to_owned(), json!({"type": "object"}))).collect();
        let mut spec = object(Value::Object(fields));
        spec["oneOf"] = names.iter().map(|name| json!({"required": [name]})).collect();
        let mut schema = json!({"properties": {"spec": spec}});
        if is_required {
            schema["required"] = json!(["spec"]);
        }
        with_versions(&[("v1", true, true, schema)])
    };
    let findings = diff(
        &alternatives(&["p", "q"], false),
        &alternatives(&["p", "q", "r"], true),
        &DiffOptions::default(),
    );
    let one_of = find(&findings, "one-of-changed");
    assert!(!one_of.has(Class::Write) && !one_of.has(Class::Stuck), "{one_of:?}");
    assert!(find(&findings, "required-added").has(Class::Write));

    // An object without the field is accepted because it is optional, and not because it may be `null`.
    let mut old = object(json!({"p": {"type": "string"}}));
    old["required"] = json!(["p"]);
    let new = object(json!({"p": {"type": "string", "nullable": true}}));
    let findings = compare(&object(json!({"o": old})), &object(json!({"o": new})));
    let nullable = find(&findings, "nullable-added").witness().unwrap().new.clone().unwrap();
    assert_eq!(nullable["spec"]["o"], json!({"p": null}));
}

#[test]
fn a_field_that_no_stored_object_has_is_lost_later() {
    let spec = |properties: Value| json!({"properties": {"spec": object(properties)}});
    let versions = |first: Value, second: Value| {
        with_versions(&[("v1", true, true, spec(first)), ("v1beta1", true, false, spec(second))])
    };
    let (one, two) =
        (json!({"x": {"type": "string"}}), json!({"x": {"type": "string"}, "n": {"type": "string"}}));
    let of = |old: &CustomResourceDefinition, new: &CustomResourceDefinition, options: &DiffOptions| {
        let findings = diff(old, new, options);
        findings.into_iter().find(|finding| finding.id == "field-lost-between-versions")
    };
    let options = DiffOptions::default();
    let new = of(&versions(one.clone(), one.clone()), &versions(two.clone(), one.clone()), &options).unwrap();
    assert_eq!(new.severity, Severity::Warning);
    let witness = new.witness().unwrap();
    assert_eq!(
        (witness.class, &*witness.answer),
        (Class::Data, "`spec.n` is missing when the object is written in version v1beta1")
    );
    let known =
        of(&versions(two.clone(), two.clone()), &versions(two.clone(), one.clone()), &options).unwrap();
    assert_eq!(known.severity, Severity::Error);
    // A webhook that kustomize adds converts the field.
    let mut options = options;
    options.has_webhook = true;
    assert_eq!(of(&versions(two.clone(), two.clone()), &versions(two, one), &options), None);
}

#[test]
fn changes_that_break_nobody_are_no_errors() {
    let spec = || json!({"properties": {"spec": object(json!({"x": {"type": "string"}}))}});
    let all =
        |served: bool| with_versions(&[("v1", true, true, spec()), ("v1alpha1", served, false, spec())]);
    let one = with_versions(&[("v1", true, true, spec())]);
    let unserved = diff(&all(false), &one, &DiffOptions::default());
    let finding = find(&unserved, "version-removed");
    assert_eq!(Profile::Strict.judge(finding), Judgement::Accepted, "{finding:?}");
    assert!(finding.why.contains("status.storedVersions"));
    let served = diff(&all(true), &one, &DiffOptions::default());
    let finding = find(&served, "version-removed");
    assert_eq!(Profile::Clients.judge(finding), Judgement::Rejected);
    assert_eq!(finding.undecided, [Class::Server]);
    assert!(finding.mend.contains("status.storedVersions"));
    // The cluster says it.
    let mut live = all(true).to_value();
    live["status"] = json!({"storedVersions": ["v1"]});
    let live = CustomResourceDefinition::from_value(live).unwrap();
    let known = diff(&live, &one, &DiffOptions::default());
    assert_eq!(find(&known, "version-removed").undecided, []);

    // Nobody sends requests in a version that is not served.
    let mut other = spec();
    other["properties"]["spec"]["properties"] = json!({});
    let changed = with_versions(&[("v1", true, true, spec()), ("v1alpha1", false, false, other)]);
    let findings = diff(&all(false), &changed, &DiffOptions::default());
    assert_eq!(find(&findings, "property-removed").classes, [Class::Rust]);

    // An autoscaler gets a selector.
    let scale = |selector: Option<&str>| {
        let mut crd = crd(&object(json!({"replicas": {"type": "integer"}}))).to_value();
        crd["spec"]["versions"][0]["subresources"]["scale"] = json!({
            "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": selector,
        });
        CustomResourceDefinition::from_value(crd).unwrap()
    };
    let findings = diff(&scale(None), &scale(Some(".status.selector")), &DiffOptions::default());
    assert_eq!(find(&findings, "scale-subresource-changed").severity, Severity::Note);

    // The fault is as old as the definition.
    let fault = |maximum: u64| {
        object(
            json!({"a": {"type": "string", "format": "?", "default": 1}, "b": {"type": "integer", "maximum": maximum}}),
        )
    };
    let findings = compare(&fault(9), &fault(10));
    let refused = find(&findings, "definition-refused");
    assert_eq!(Profile::Clients.judge(refused), Judgement::Accepted, "{refused:?}");
}

/// Searches once tried objects of the whole definition, of which few fit into the share of a change.
#[test]
fn changes_of_large_definitions_are_decided_in_their_parts() {
    let fields = |with: &dyn Fn(usize) -> Value| {
        let field = |at: usize| (format!("f{at}"), object(json!({"a": {"type": "string"}, "b": with(at)})));
        let fields: serde_json::Map<_, _> = (0..200).map(field).collect();
        object(Value::Object(fields))
    };
    let old = fields(&|_| json!({"type": "string"}));
    let mut new = fields(&|at| match at % 4 {
        0 => json!({"type": "string", "default": "x"}),
        1 => json!({"type": "string", "pattern": "^[a-z]+$"}),
        _ => json!({"type": "string"}),
    });
    for at in (2..200).step_by(4) {
        new["properties"][format!("f{at}")]["x-kubernetes-validations"] =
            json!([{"rule": "has(self.a) == has(self.b) || self.a == 'known'"}]);
    }
    new["properties"]["f3"]["x-kubernetes-validations"] = json!([{"rule": "has(oldSelf.a) == has(self.a)"}]);
    let findings = compare(&old, &new);
    assert_eq!(findings.len(), 151);
    let judged =
        |judgement| findings.iter().filter(|finding| Profile::Clients.judge(finding) == judgement).count();
    assert_eq!((judged(Judgement::Undecided), judged(Judgement::Rejected)), (0, 101), "{findings:#?}");
}

#[test]
fn limits_that_hold_for_all_values_of_an_enum_refuse_nothing() {
    let with = |field: Value| object(json!({"kind": field}));
    let old = with(json!({"type": "string", "enum": ["System", "Own"]}));
    let findings =
        compare(&old, &with(json!({"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^[A-Z]"})));
    for id in ["min-length-tightened", "max-length-tightened", "pattern-tightened"] {
        assert_eq!(Profile::Clients.judge(find(&findings, id)), Judgement::Accepted, "{findings:?}");
    }
    let findings = compare(&old, &with(json!({"type": "string", "maxLength": 5})));
    assert_eq!(Profile::Clients.judge(find(&findings, "max-length-tightened")), Judgement::Rejected);
}

#[test]
fn what_changed_in_parts_and_rules_is_named_in_full() {
    let with = |names: Value| object(json!({"a": {"type": "string", "oneOf": [{"enum": names}]}}));
    let findings = compare(&with(json!(["x", "y"])), &with(json!(["x"])));
    assert_eq!(find(&findings, "one-of-changed").message, "`oneOf` changes: without `enum: \"y\"`");
    let rule = |text: &str| {
        let mut schema = object(json!({"a": {"type": "string", "maxLength": 9}}));
        schema["x-kubernetes-validations"] = json!([{"rule": text}]);
        schema
    };
    let known = (0..20).map(|at| format!("self.a == 'known{at}'")).collect::<Vec<_>>().join(" || ");
    let findings = compare(&rule(&known), &rule(&format!("{known} || self.a == 'last'")));
    assert!(find(&findings, "rule-changed").message.ends_with("self.a == 'last'\""), "{findings:?}");
}
