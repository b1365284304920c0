//! Faults of every kind, at every place.

use super::*;
use crate::types::{Nested, Scalar};

/// A kind that never comes fails.
#[test]
fn all_kinds_of_faults_are_made() {
    let of_types: BTreeSet<String> =
        [Scalar::crd(), Nested::crd()].into_iter().flat_map(|crd| kinds_of_faults(&crd.unwrap())).collect();
    let expected = [
        "a duplicate",
        "a list with too few items",
        "a list with too many items",
        "above the maximum",
        "below the minimum",
        "not a match of the pattern",
        "not a value of the enum",
        "not of the format",
        "of another type",
        "required, and absent",
        "too long",
        "too short",
    ];
    assert_eq!(Vec::from_iter(of_types), expected);
    let spec = json!({"type": "object", "required": ["map", "few", "multiple", "share"], "properties": {
        "map": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "integer"}},
        "few": {"type": "object", "maxProperties": 1, "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        "multiple": {"type": "integer", "multipleOf": 5, "minimum": 10, "maximum": 50},
        "share": {"type": "number", "multipleOf": 0.25, "minimum": 0, "maximum": 1},
    }});
    let expected = [
        "above the maximum",
        "an object with too few properties",
        "an object with too many properties",
        "below the minimum",
        "not a multiple",
        "of another type",
        "required, and absent",
    ];
    assert_eq!(Vec::from_iter(kinds_of_faults(&definition(&spec))), expected);
}

/// Each text of a format that is wrong is wrong in nothing else.
#[test]
fn every_format_is_broken() {
    let formats = formats();
    for (name, format) in formats.as_object().unwrap() {
        let spec = json!({"type": "object", "required": ["text"], "properties": {"text": format}});
        let is_broken = kinds_of_faults(&definition(&spec)).contains("not of the format");
        // Any text is a password.
        assert_eq!(is_broken, name != "password", "{name}");
    }
}

#[test]
fn every_pattern_is_broken() {
    let patterns = [
        r"^[a-z]([-a-z0-9]*[a-z0-9])?$",
        r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$",
        r"^(https?)://[^\s/$.?#].[^\s]*$",
        r"^projects/[^/]+/topics/[^/]+$",
        "^.{1,3}$",
        "a",
        r"^\S+$",
    ];
    for pattern in patterns {
        let spec = json!({"type": "object", "required": ["text"], "properties": {
            "text": {"type": "string", "pattern": pattern, "minLength": 1, "maxLength": 64},
        }});
        assert!(kinds_of_faults(&definition(&spec)).contains("not a match of the pattern"), "{pattern}");
    }
}

/// A rule is broken by what it reads: values, fields that are there, items, keys, sizes.
#[test]
fn every_rule_is_broken() {
    let rules = [
        "self.min <= self.max",
        "self.min != 3",
        "self.type == 'Recreate' ? !has(self.rolling) : true",
        "has(self.secret) != has(self.config)",
        "!has(self.name) || self.name.startsWith('app-')",
        "self.ports.all(p, p.port != 22)",
        "self.ports.filter(p, p.protocol == 'UDP').size() <= 1",
        "size(self.hosts) > 0",
        "self.hosts.exists(h, h.endsWith('.example.com'))",
        "self.labels.all(k, !k.startsWith('kubernetes.io/'))",
        "!('app' in self.labels)",
        "self.?tls.secret.orValue('x') != ''",
        "self.isOn || !has(self.timeout)",
        "!has(self.timeout) || duration(self.timeout) <= duration('1h')",
        "size(self.labels) < 3",
    ];
    let text = json!({"type": "string", "maxLength": 30});
    for rule in rules {
        let hosts = json!({"type": "string", "pattern": r"^[a-z]{1,5}\.example\.(com|org)$"});
        let spec = json!({
            "type": "object",
            "required": ["min", "max", "type", "ports", "hosts", "labels", "isOn"],
            "x-kubernetes-validations": [{"rule": rule}],
            "properties": {
                "min": {"type": "integer", "minimum": 0, "maximum": 10},
                "max": {"type": "integer", "minimum": 0, "maximum": 10},
                "type": {"type": "string", "enum": ["Recreate", "Rolling"]},
                "rolling": {"type": "object", "properties": {"surge": {"type": "integer"}}},
                "secret": text, "config": text, "name": text, "timeout": {"type": "string", "format": "duration"},
                "isOn": {"type": "boolean"},
                "tls": {"type": "object", "properties": {"secret": text}},
                "hosts": {"type": "array", "maxItems": 5, "items": hosts},
                "labels": {"type": "object", "maxProperties": 5, "additionalProperties": text},
                "ports": {"type": "array", "maxItems": 4, "items": {"type": "object", "required": ["port"], "properties": {
                    "port": {"type": "integer", "minimum": 1, "maximum": 65535},
                    "protocol": {"type": "string", "enum": ["TCP", "UDP"], "default": "TCP"},
                }}},
            },
        });
        let crd = definition(&spec);
        let validator = Validator::new(&crd).unwrap();
        let broken = std::cell::Cell::new(0);
        run(invalid_objects_of(&crd), |InvalidObject { object, fault, .. }| {
            if fault.contains("violates the rule") {
                let refusal = validator.create(&object).result.unwrap_err();
                prop_assert_eq!(refusal.broken_rules().count(), 1);
                prop_assert_eq!(fault, format!("spec: violates the rule `{rule}`"));
                broken.set(broken.get() + 1);
            }
            Ok(())
        });
        assert!(broken.get() > 0, "{rule}");
    }
}

/// Of several rules at several places each is broken alone, and the field is the one that the rule names.
#[test]
fn rules_at_every_place_are_broken() {
    let spec = json!({
        "type": "object", "required": ["least", "most", "items", "map"],
        "x-kubernetes-validations": [
            {"rule": "self.least <= self.most", "fieldPath": ".least", "reason": "FieldValueForbidden"},
            {"rule": "self.least + self.most != 7", "messageExpression": "'seven: ' + string(self.least)"},
            {"rule": "self.most >= oldSelf.most"},
            {"rule": "true"},
        ],
        "properties": {
            "least": {"type": "integer", "minimum": 0, "maximum": 9, "x-kubernetes-validations": [{"rule": "self != 4"}]},
            "most": {"type": "integer", "minimum": 0, "maximum": 9},
            "items": {"type": "array", "maxItems": 4, "items": {
                "type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "!self.endsWith('x')"}],
            }},
            "map": {"type": "object", "minProperties": 1, "maxProperties": 4, "additionalProperties": {
                "type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0", "message": "odd"}],
            }},
        },
    });
    let rules: Vec<String> = kinds_of_faults(&definition(&spec))
        .into_iter()
        .filter_map(|words| words.strip_prefix("violates the rule ").map(str::to_owned))
        .collect();
    let expected = [
        "!self.endsWith('x')",
        "self != 4",
        "self % 2 == 0",
        "self.least + self.most != 7",
        "self.least <= self.most",
    ];
    assert_eq!(rules, expected.map(|rule| format!("`{rule}`")));
    check_crd(&definition(&spec));
}

/// A bound that cannot be broken alone is broken with the other bound of the value.
#[test]
fn two_bounds_of_one_value_are_broken_together() {
    let spec = json!({"type": "string", "enum": ["a"], "pattern": "^a$"});
    let crd = definition_of(&json!({"type": "object", "properties": {"spec": spec}}));
    let validator = Validator::new(&crd).unwrap();
    run(invalid_objects_of(&crd), |InvalidObject { object, fault, .. }| {
        prop_assert_eq!(fault, "spec: not a value of the enum");
        prop_assert_eq!(causes(&validator, &object).len(), 2);
        Ok(())
    });
}
