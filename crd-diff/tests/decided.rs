//! Changes whose effects follow from the definitions, or that only certain objects show.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers below are parts of tests")]

use crd_core::CustomResourceDefinition;
use crd_diff::{Class, DiffOptions, Finding, Judgement, Profile, diff};
use serde_json::{Map, Value, json};

/// Returns a definition with versions: name, served, storage, schema of `spec`.
fn with_versions(versions: &[(&str, bool, bool, &Value)]) -> CustomResourceDefinition {
    let version = |(name, served, storage, spec): &(&str, bool, bool, &Value)| {
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        json!({"name": name, "served": served, "storage": storage, "schema": {"openAPIV3Schema": schema}})
    };
    let versions: Vec<Value> = versions.iter().map(version).collect();
    let value = json!({
        "metadata": {"name": "boats.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "boats", "kind": "Boat"}, "versions": versions},
    });
    CustomResourceDefinition::from_value(value).unwrap()
}

fn compare(old: &Value, new: &Value) -> Vec<Finding> {
    let crd = |spec: &Value| with_versions(&[("v1", true, true, spec)]);
    diff(&crd(old), &crd(new), &DiffOptions::default())
}

fn judge(findings: &[Finding], id: &str) -> Judgement {
    let found =
        findings.iter().filter(|finding| finding.id == id).map(|finding| Profile::Clients.judge(finding));
    found.max().unwrap_or_else(|| panic!("no {id}: {findings:#?}"))
}

fn with_rule(mut schema: Value, rule: &str) -> Value {
    schema["x-kubernetes-validations"] = json!([{"rule": rule}]);
    schema
}

fn texts(names: &[&str]) -> Value {
    let fields: Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": fields})
}

#[test]
fn a_rule_that_follows_from_the_old_rules_breaks_nothing() {
    for (old, new, expected) in [
        (
            "!has(self.a) || self.b == 'x'",
            "!has(self.a) || (self.b == 'x' || self.b == 'y')",
            Judgement::Accepted,
        ),
        ("!has(self.a) || self.b == 'x'", "!has(self.a) || self.b in ['x', 'y']", Judgement::Accepted),
        ("has(self.a) && has(self.b)", "has(self.b) ? has(self.a) : true", Judgement::Accepted),
        ("!(has(self.a) || has(self.b))", "!has(self.a) && !has(self.b)", Judgement::Accepted),
        (
            "has(self.a) && self.a.startsWith('u') ? !has(self.b) : true",
            "(has(self.a) ? self.a : '').startsWith('u') ? !has(self.b) : true",
            Judgement::Accepted,
        ),
        (
            "has(self.a) && self.a.startsWith('u') ? !has(self.b) : true",
            "(has(self.a) ? self.a : 'u').startsWith('u') ? !has(self.b) : true",
            Judgement::Rejected,
        ),
        (
            "!has(self.a) || self.a == 'x' ? !has(self.b) : true",
            "(has(self.a) ? self.a : 'x') == 'x' ? !has(self.b) : true",
            Judgement::Accepted,
        ),
        (
            "[has(self.a), has(self.b)].filter(x, x == true).size() == 1",
            "[has(self.a), has(self.b)].filter(x, x == true).size() <= 1",
            Judgement::Accepted,
        ),
        (
            "[has(self.a), has(self.b)].filter(x, x == true).size() <= 1",
            "[has(self.a), has(self.b)].filter(x, x == true).size() == 1",
            Judgement::Rejected,
        ),
        ("!has(self.a) || self.b in ['x', 'y']", "!has(self.a) || self.b == 'x'", Judgement::Rejected),
        ("has(self.a) || has(self.b)", "has(self.a) != has(self.b)", Judgement::Rejected),
    ] {
        let schema = texts(&["a", "b"]);
        let findings = compare(&with_rule(schema.clone(), old), &with_rule(schema, new));
        assert_eq!(judge(&findings, "rule-changed"), expected, "{old} -> {new}: {findings:#?}");
    }
}

#[test]
fn an_enum_can_fulfil_a_rule() {
    let mut old = texts(&["a"]);
    old["properties"]["kind"] = json!({"type": "string", "enum": ["A", "B", "C"]});
    let rule = "self.kind in ['A', 'B'] || self.kind == 'C'";
    // Without the field, the rule fails.
    let findings = compare(&old, &with_rule(old.clone(), rule));
    assert_eq!(judge(&findings, "rule-added"), Judgement::Rejected, "{findings:#?}");
    old["required"] = json!(["kind"]);
    let findings = compare(&old, &with_rule(old.clone(), rule));
    assert_eq!(judge(&findings, "rule-added"), Judgement::Accepted, "{findings:#?}");
    // A value that is new has no old objects.
    let mut new = with_rule(old.clone(), "!(!has(self.a) && self.kind == 'D')");
    new["properties"]["kind"]["enum"] = json!(["A", "B", "C", "D"]);
    let findings = compare(&old, &new);
    assert_eq!(judge(&findings, "rule-added"), Judgement::Accepted, "{findings:#?}");
    let findings = compare(&old, &with_rule(old.clone(), "!(!has(self.a) && self.kind == 'C')"));
    assert_eq!(judge(&findings, "rule-added"), Judgement::Rejected, "{findings:#?}");
}

/// Returns `spec` with the schema in `spec.part`, beside so many fields that it is searched in parts.
fn in_large(part: &Value) -> Value {
    let names: Vec<String> = (0..200).map(|number| format!("field{number}")).collect();
    let mut spec = texts(&names.iter().map(String::as_str).collect::<Vec<_>>());
    spec["properties"]["part"] = part.clone();
    spec
}

#[test]
fn rules_about_new_fields_break_nothing() {
    let mut old = texts(&["a"]);
    old["required"] = json!(["a"]);
    for rule in [
        "has(self.a) && !has(self.b) || !has(self.a) && has(self.b)",
        "[has(self.a), has(self.b)].filter(x, x == true).size() <= 1",
        "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1",
        "self.a == 'tls' || !has(self.b) && !has(self.c)",
    ] {
        let new = with_rule(texts(&["a", "b", "c"]), rule);
        for (old, new) in [(old.clone(), new.clone()), (in_large(&old), in_large(&new))] {
            let findings = compare(&old, &new);
            assert_eq!(judge(&findings, "rule-added"), Judgement::Accepted, "{rule}: {findings:#?}");
        }
    }
}

#[test]
fn an_equality_with_the_old_value_does_not_see_a_new_default() {
    let set = |default: Option<&str>| {
        let mut items = texts(&["name"]);
        if let Some(default) = default {
            items["properties"]["name"]["default"] = json!(default);
        }
        let sets = json!({"type": "array", "maxItems": 5, "items": items});
        let part = json!({"type": "object", "required": ["sets"], "properties": {"sets": sets}});
        with_rule(in_large(&part), "!has(self.field1) || self.part.sets == oldSelf.part.sets")
    };
    let findings = compare(&set(None), &set(Some("x")));
    assert_eq!(judge(&findings, "default-added"), Judgement::Accepted, "{findings:#?}");
}

#[test]
fn rejections_of_large_definitions_name_rules_that_were_not_checked() {
    let part = |keywords: Value| {
        let mut part = texts(&["a"]);
        part["properties"]["a"] = keywords;
        let mut spec = in_large(&part);
        spec["properties"]["other"] = with_rule(texts(&["x"]), "!has(self.x) || self.x != 'x'");
        spec
    };
    let old = part(json!({"type": "string"}));
    let findings = compare(&old, &part(json!({"type": "string", "enum": ["b", "c"]})));
    let finding = findings.iter().find(|finding| finding.id == "enum-added").unwrap();
    let witness = finding.witnesses.iter().find(|witness| witness.class == Class::Write).unwrap();
    assert!(witness.answer.contains("some validation rules were not checked"), "{}", witness.answer);
}

#[test]
fn an_alternative_for_a_new_field_breaks_nothing() {
    let one_of = |names: &[&str]| {
        let mut schema = texts(names);
        let parts: Vec<Value> = names.iter().map(|name| json!({"required": [name]})).collect();
        schema["oneOf"] = json!(parts);
        schema
    };
    let findings = compare(&one_of(&["a", "b"]), &one_of(&["a", "c", "b"]));
    assert_eq!(judge(&findings, "one-of-changed"), Judgement::Accepted, "{findings:#?}");
    let mut narrow = texts(&["a", "b"]);
    narrow["oneOf"] =
        json!([{"required": ["a"]}, {"required": ["b"], "not": {"required": ["a"]}, "minProperties": 9}]);
    let findings = compare(&one_of(&["a", "b"]), &narrow);
    assert_eq!(judge(&findings, "one-of-changed"), Judgement::Rejected, "{findings:#?}");
}

#[test]
fn the_same_values_in_all_of_and_enum_are_no_restriction() {
    let field = |keywords: Value| {
        let mut field = json!({"type": "string"});
        field.as_object_mut().unwrap().extend(keywords.as_object().unwrap().clone());
        json!({"type": "object", "properties": {"a": field}})
    };
    let old = field(json!({"allOf": [{"enum": ["x", "y"]}, {"enum": ["y", "x"]}]}));
    let findings = compare(&old, &field(json!({"enum": ["x", "y"]})));
    assert_eq!(judge(&findings, "enum-added"), Judgement::Accepted, "{findings:#?}");
    let findings = compare(&old, &field(json!({"enum": ["x"]})));
    assert_eq!(judge(&findings, "enum-added"), Judgement::Rejected, "{findings:#?}");
}

#[test]
fn a_pattern_can_fulfil_a_minimum_of_characters() {
    let field = |keyword: &str, value: Value| json!({"type": "object", "properties": {"a": {"type": "string", "pattern": keyword, "minLength": value}}});
    let findings = compare(&field("^[a-z]+$", json!(0)), &field("^[a-z]+$", json!(1)));
    assert_eq!(judge(&findings, "min-length-tightened"), Judgement::Accepted, "{findings:#?}");
    let findings = compare(&field("^[a-z]*$", json!(0)), &field("^[a-z]*$", json!(1)));
    assert_eq!(judge(&findings, "min-length-tightened"), Judgement::Rejected, "{findings:#?}");
}

#[test]
fn a_large_limit_of_items_is_decided() {
    let list = |most: Option<u64>| {
        let item =
            json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}});
        let mut list = json!({"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]});
        most.inspect(|most| list["maxItems"] = json!(most));
        json!({"type": "object", "properties": {"a": list}})
    };
    let crd = |spec: &Value| with_versions(&[("v1", true, true, spec)]);
    let mut options = DiffOptions::default();
    // Too few to build an object.
    options.steps = 10_000;
    let findings = diff(&crd(&list(None)), &crd(&list(Some(1000))), &options);
    assert_eq!(judge(&findings, "max-items-tightened"), Judgement::Rejected, "{findings:#?}");
}

#[test]
fn rules_about_several_items_are_tried_with_items_that_differ_in_one_field() {
    let kinds = ["A", "B", "C", "D", "E", "F"];
    let item = json!({"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string", "enum": kinds}, "name": {"type": "string"}}});
    let list = json!({"type": "array", "maxItems": 8, "items": item});
    let object = |list: Value| json!({"type": "object", "properties": {"a": list}});
    let new = object(with_rule(list.clone(), "self.filter(x, x.kind == 'F').size() <= 1"));
    let findings = compare(&object(list), &new);
    assert_eq!(judge(&findings, "rule-added"), Judgement::Rejected, "{findings:#?}");
}

#[test]
fn changes_in_a_version_that_is_no_longer_served_reject_no_request() {
    let (old, new) = (texts(&["a", "b"]), with_rule(texts(&["a", "b"]), "!has(self.a) || has(self.b)"));
    let before = with_versions(&[("v1", true, false, &old), ("v2", true, true, &old)]);
    let after = with_versions(&[("v1", false, false, &new), ("v2", true, true, &old)]);
    let findings = diff(&before, &after, &DiffOptions::default());
    assert_eq!(judge(&findings, "rule-added"), Judgement::Accepted, "{findings:#?}");
    assert_eq!(judge(&findings, "version-unserved"), Judgement::Rejected, "{findings:#?}");
    let after = with_versions(&[("v1", true, false, &new), ("v2", true, true, &old)]);
    let findings = diff(&before, &after, &DiffOptions::default());
    assert_eq!(judge(&findings, "rule-added"), Judgement::Rejected, "{findings:#?}");
}

/// The part of a large definition once lacked the schema of the old storage version.
#[test]
fn objects_in_the_old_storage_version_of_large_definitions_keep_their_fields() {
    let schema = |default: Option<&str>| {
        let mut spec = texts(&["name"]);
        for number in 0..200 {
            spec["properties"][format!("field{number}")] = json!({"type": "string"});
        }
        default.inspect(|default| spec["properties"]["name"]["default"] = json!(default));
        spec
    };
    let (old, new) = (schema(None), schema(Some("x")));
    let before = with_versions(&[("v1", true, true, &old), ("v2", true, false, &old)]);
    let after = with_versions(&[("v1", true, false, &new), ("v2", true, true, &old)]);
    let findings = diff(&before, &after, &DiffOptions::default());
    let losses = findings.iter().flat_map(|finding| &finding.witnesses);
    let mut losses =
        losses.filter(|witness| witness.class == Class::Data && witness.answer.contains("`spec` is missing"));
    assert_eq!(losses.next(), None, "{findings:#?}");
    assert_eq!(judge(&findings, "default-added"), Judgement::Accepted, "{findings:#?}");
}

#[test]
fn a_status_that_was_no_field_before_breaks_no_client() {
    let crd = |status: bool, has_subresource: bool| {
        let mut crd = with_versions(&[("v1", true, true, &texts(&["a"]))]).to_value();
        let version = &mut crd["spec"]["versions"][0];
        if status {
            version["schema"]["openAPIV3Schema"]["properties"]["status"] = texts(&["phase"]);
        }
        if has_subresource {
            version["subresources"] = json!({"status": {}});
        }
        CustomResourceDefinition::from_value(crd).unwrap()
    };
    for (had_status, expected) in [(false, Judgement::Accepted), (true, Judgement::Rejected)] {
        let findings = diff(&crd(had_status, false), &crd(true, true), &DiffOptions::default());
        assert_eq!(judge(&findings, "status-subresource-added"), expected, "{findings:#?}");
    }
}

/// Returns an object type with so many fields of one schema.
fn fields(number: usize, schema: &Value) -> Value {
    let fields: Map<_, _> = (0..number).map(|number| (format!("field{number}"), schema.clone())).collect();
    json!({"type": "object", "properties": fields})
}

#[test]
fn a_large_field_with_a_default_does_not_use_up_the_steps() {
    let text = json!({"type": "string"});
    let mut config = fields(20, &fields(20, &fields(3, &text)));
    config["default"] = json!({});
    config["properties"]["limits"] = json!({
        "type": "object",
        "default": {"cpu": null, "disk": {"size": null, "class": "x".repeat(400)}},
        "properties": {
            "cpu": {"type": "string", "nullable": true},
            "disk": {"type": "object", "properties": {"size": {"type": "string", "nullable": true}, "class": text}},
        },
    });
    let spec = |policy: &str, alternatives: Value, build: Value| {
        json!({"type": "object", "required": ["image"], "properties": {"config": config, "image": {
            "type": "object",
            "anyOf": alternatives,
            "properties": {
                "custom": text,
                "product": text,
                "build": build,
                "policy": {"type": "string", "default": policy, "enum": ["Missing", "Always", "Never"]},
            },
        }}})
    };
    let old = spec(
        "Missing",
        json!([{"required": ["custom", "product"]}, {"required": ["product", "build"]}]),
        text.clone(),
    );
    let new = spec(
        "Always",
        json!([{"required": ["custom", "product"]}, {"required": ["product"]}]),
        json!({"type": "string", "nullable": true}),
    );
    let findings = compare(&old, &new);
    assert!(findings.iter().all(|finding| finding.undecided.is_empty()), "{findings:#?}");
    assert_eq!(judge(&findings, "default-changed"), Judgement::Accepted, "{findings:#?}");
}

#[test]
fn a_default_loses_nothing_where_another_field_is_removed() {
    let part =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string", "default": "x"}}});
    let spec = |name: &str| json!({"type": "object", "properties": {"part": part(name)}});
    let findings = compare(&spec("a"), &spec("b"));
    assert_eq!(judge(&findings, "property-removed"), Judgement::Rejected, "{findings:#?}");
    assert_eq!(judge(&findings, "default-added"), Judgement::Accepted, "{findings:#?}");
}
