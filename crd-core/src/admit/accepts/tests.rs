//! Tests that the quick verdict equals the verdict of the complete validation.

use serde_json::{Value, json};

use crate::CustomResourceDefinition;
use crate::admit::{FieldValidation, Validator};

/// Compares the two verdicts on objects. Each item of `objects` has the fields of an object, and `true` if the object is accepted.
fn check(version: Value, objects: &[(Value, bool)]) {
    check_versions(json!([version]), objects);
}

fn check_versions(versions: Value, objects: &[(Value, bool)]) {
    let crd = CustomResourceDefinition::from_value(json!({
        "metadata": {"name": "fs.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "fs", "kind": "F"},
            "versions": versions,
        },
    }));
    let validator = Validator::new(&crd.expect("a definition")).expect("a structural one");
    for (fields, expected) in objects {
        let mut object = json!({"apiVersion": "example.com/v1", "kind": "F", "metadata": {"name": "f"}});
        for (name, value) in fields.as_object().expect("the fields of an object") {
            object[name] = value.clone();
        }
        for validation in [FieldValidation::Ignore, FieldValidation::Strict] {
            let validator = validator.with_field_validation(validation);
            let whole = validator.create(&object).is_accepted();
            assert_eq!(validator.accepts(&object), whole, "{validation:?} {object}");
            if validation == FieldValidation::Ignore {
                assert_eq!(whole, *expected, "{object}");
            }
        }
    }
}

fn version(schema: Value) -> Value {
    json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}})
}

/// Returns a version whose objects have a field `v` with the given schema.
fn field(schema: &Value) -> Value {
    version(json!({"type": "object", "properties": {"v": schema}}))
}

#[test]
fn values_of_every_type() {
    check(
        field(&json!({"type": "integer", "format": "int32", "minimum": 1})),
        &[
            (json!({"v": 1}), true),
            (json!({"v": 0}), false),
            (json!({"v": 2_147_483_648_i64}), false),
            (json!({"v": 2.0}), true),
            (json!({"v": 2.5}), false),
            (json!({"v": u64::MAX}), false),
            (json!({"v": "1"}), false),
            (json!({"v": null}), true),
            (json!({"v": {}}), false),
            (json!({"v": {"unknown": 1}}), false),
            (json!({"unknown": 1}), true),
        ],
    );
    check(
        field(&json!({"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^a"})),
        &[
            (json!({"v": "äää"}), false),
            (json!({"v": "aää"}), true),
            (json!({"v": "aäää"}), false),
            (json!({"v": "a"}), false),
            (json!({"v": "ab"}), true),
        ],
    );
    check(
        field(
            &json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ),
        &[
            (json!({"v": 1}), true),
            (json!({"v": "1"}), true),
            (json!({"v": 1.5}), false),
            (json!({"v": []}), false),
        ],
    );
    check(
        field(&json!({"type": "string", "nullable": true, "enum": ["a", "b"]})),
        &[(json!({"v": null}), false), (json!({"v": "a"}), true), (json!({"v": "c"}), false)],
    );
}

#[test]
fn objects_and_lists() {
    let properties = json!({"a": {"type": "string"}, "b": {"type": "integer", "nullable": true}});
    check(
        field(
            &json!({"type": "object", "required": ["a", "b", "other"], "maxProperties": 2, "properties": properties}),
        ),
        &[(json!({"v": {"a": "", "b": null}}), false)],
    );
    check(
        field(&json!({"type": "object", "required": ["a", "b", "a"], "properties": properties})),
        &[
            (json!({"v": {"a": "", "b": null}}), true),
            (json!({"v": {"a": null, "b": null}}), false),
            (json!({"v": {"a": ""}}), false),
            (json!({"v": {"a": "", "b": 1, "c": 2}}), true),
        ],
    );
    check(
        field(&json!({"type": "object", "additionalProperties": {"type": "integer"}})),
        &[
            (json!({"v": {"x": 1}}), true),
            (json!({"v": {"x": ""}}), false),
            (json!({"v": {"x": null}}), true),
        ],
    );
    check(
        field(
            &json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": properties}),
        ),
        &[(json!({"v": {"x": {"y": null}}}), true), (json!({"v": {"a": 1}}), false)],
    );
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}, "maxItems": 30});
    let many: Vec<String> = (0..30).map(|i| (i % 29).to_string()).collect();
    check(
        field(&set),
        &[
            (json!({"v": ["a", "b"]}), true),
            (json!({"v": ["a", "b", "a"]}), false),
            (json!({"v": many}), false),
            (json!({"v": many[1..]}), true),
        ],
    );
    let item = json!({"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}, "j": {"type": "string", "default": "x"}}});
    let map = |keys: Value| json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": item});
    let objects = [
        (json!({"v": [{"k": "a", "j": ""}, {"k": "b", "j": ""}]}), true),
        (json!({"v": [{"k": "a"}, {"k": "b"}]}), true),
        (json!({"v": [{"k": "a"}, {"k": "a"}]}), false),
        (json!({"v": [{"j": "a"}]}), false),
    ];
    check(field(&map(json!(["k"]))), &objects);
    check(field(&map(json!(["k", "j"]))), &objects);
}

#[test]
fn defaults_and_what_the_server_changes() {
    let spec = json!({"type": "object", "required": ["a"], "minProperties": 2, "properties": {
        "a": {"type": "string", "default": "x", "maxLength": 2},
        "b": {"type": "string", "default": "too long", "maxLength": 2},
        "c": {"type": "array", "items": {"type": "integer", "default": 1}},
    }});
    check(
        field(&spec),
        &[
            (json!({}), true),
            (json!({"v": {}}), false),
            (json!({"v": {"b": "y"}}), true),
            (json!({"v": {"a": null, "b": "y"}}), true),
            (json!({"v": {"b": "y", "c": [null]}}), true),
            (json!({"v": {"a": "xyz", "b": "y"}}), false),
            (json!({"v": {"b": "y", "d": 1}}), true),
        ],
    );
    let mut with_status = version(json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"n": {"type": "integer"}}},
        "status": {"type": "object", "default": {}, "properties": {"n": {"type": "integer", "default": 1}}},
    }, "x-kubernetes-validations": [{"rule": "!has(self.status)"}]}));
    with_status["subresources"] = json!({"status": {}, "scale": {
        "specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n",
    }});
    check(
        with_status,
        &[
            (json!({"status": {"n": ""}}), true),
            (json!({"spec": {"n": 1}}), true),
            (json!({"spec": {"n": -1}}), false),
            (json!({"status": 1}), true),
            (json!({"status": {"unknown": 1}}), true),
        ],
    );
    // An unknown field of a status counts, although the status is dropped, also in an object that lacks defaults.
    let mut lacks = version(json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}},
        "status": {"type": "object"},
    }}));
    lacks["subresources"] = json!({"status": {}});
    check(lacks, &[(json!({"spec": {}, "status": {"unknown": 1}}), true), (json!({"spec": {}}), true)]);
    let resource = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    check(
        field(&resource),
        &[
            (json!({"v": {"apiVersion": "v1", "kind": "K", "metadata": {"name": "x"}, "spec": {}}}), true),
            (json!({"v": {"kind": "K"}}), false),
            (json!({}), true),
        ],
    );
}

#[test]
fn metadata() {
    let named = |metadata: Value| json!({"metadata": metadata});
    let objects = [
        (named(json!({})), false),
        (named(json!(null)), false),
        (named(json!({"name": "A"})), false),
        (named(json!({"name": ""})), false),
        (named(json!({"name": null, "generateName": "a-"})), true),
        (named(json!({"generateName": "-"})), false),
        (named(json!({"name": "a", "generateName": "A"})), false),
        (
            named(
                json!({"name": "a", "namespace": "b", "labels": {"a/b": "c"}, "annotations": {"A/b": "ä"}}),
            ),
            true,
        ),
        (named(json!({"name": "a", "namespace": "b.c"})), false),
        (named(json!({"name": "a", "labels": {"a": "ä"}})), false),
        (named(json!({"name": "a", "labels": {"a": null}})), true),
        (named(json!({"name": "a", "labels": {"a": 1}})), false),
        (named(json!({"name": "a", "annotations": {"a/": ""}})), false),
        (named(json!({"name": "a", "finalizers": ["a/b"], "uid": "u", "creationTimestamp": null})), true),
        (named(json!({"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "K"}]})), false),
        (named(json!({"name": "a", "unknown": 1})), true),
        (named(json!({"name": 1})), false),
    ];
    check(field(&json!({"type": "string"})), &objects);
    check(version(json!({"type": "object", "properties": {"metadata": {"type": "object"}}})), &objects);
    let rule = |rule: &str| version(json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}]}));
    check(rule("self.metadata.name != ''"), &objects);
    let prefixed = [(named(json!({"generateName": "a-"})), true), (named(json!({"name": "a"})), false)];
    check(rule("self.metadata.name.endsWith('-xxxxx')"), &prefixed);
    check(
        rule("has(self.metadata.generateName)"),
        &[
            (named(json!({"generateName": "", "name": "a"})), false),
            (named(json!({"generateName": "a", "name": "a"})), true),
        ],
    );
    // The server has set two more fields.
    check(rule("dyn(self.metadata).size() == 3"), &[(named(json!({"name": "a"})), true)]);
    let short = json!({"type": "object", "properties": {"metadata": {"type": "object", "properties": {
        "name": {"type": "string", "maxLength": 2},
    }}}});
    check(version(short), &[(named(json!({"name": "ab"})), true), (named(json!({"name": "abc"})), false)]);
    let many = json!({"type": "object", "properties": {"metadata": {"type": "object", "maxProperties": 2}}});
    check(version(many), &[(named(json!({"name": "ab"})), false)]);
    let branch = json!({"type": "object", "not": {"properties": {"metadata": {"required": ["labels"]}}, "required": ["metadata"]}});
    check(
        version(branch),
        &[(named(json!({"name": "a"})), true), (named(json!({"name": "a", "labels": {"a": "b"}})), false)],
    );
}

#[test]
fn other_kinds_and_versions() {
    check(
        field(&json!({"type": "string"})),
        &[
            (json!({"kind": "G"}), false),
            (json!({"apiVersion": "example.com/v2"}), false),
            (json!({"apiVersion": 1}), false),
            (json!({"kind": null}), false),
        ],
    );
    let stored = |schema: Value| {
        json!([
            {"name": "v1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"v": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }}},
            {"name": "v2", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"v": schema},
            }}},
        ])
    };
    let objects = [(json!({"v": {"l": vec![json!({}); 20]}}), true)];
    check_versions(stored(json!({"type": "object"})), &objects);
    let list = |length: usize| {
        json!({"type": "object", "properties": {"l": {"type": "array", "items": {
            "type": "object", "properties": {"d": {"type": "string", "default": "x".repeat(length)}},
        }}}})
    };
    check_versions(stored(list(10)), &objects);
    // More than the limit of size for defaults of a stored object.
    check_versions(stored(list(100_000)), &[(objects[0].0.clone(), false)]);
    let resource = json!({"type": "object", "x-kubernetes-embedded-resource": true});
    check_versions(stored(resource), &[(json!({"v": {"metadata": 1}}), false), (json!({"v": {}}), true)]);
}

#[test]
fn rules() {
    let mut schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "integer", "default": 3}, "b": {"type": "array", "items": {"type": "string"}},
    }, "x-kubernetes-validations": [{"rule": "self.a > 2 && (!has(self.b) || self.b.all(x, x != ''))"}]});
    let objects = [
        (json!({"v": {"a": 3}}), true),
        (json!({"v": {"a": 2}}), false),
        (json!({"v": {}}), true),
        (json!({"v": {"a": 4, "b": ["x", ""]}}), false),
        (json!({"v": {"a": 4, "b": []}}), true),
        (json!({}), true),
    ];
    check(field(&schema), &objects);
    schema["x-kubernetes-validations"] = json!([{"rule": "oldSelf.a == 1"}]);
    check(field(&schema), &[(json!({"v": {"a": 7}}), true)]);
    schema["x-kubernetes-validations"] = json!([{"rule": "self.a / 0 == 1"}]);
    check(field(&schema), &[(json!({"v": {"a": 7}}), false)]);
}

/// Compares the two verdicts on values of a field with the given schema.
fn check_values(field_schema: &Value, objects: &[(Value, bool)]) {
    let objects: Vec<_> = objects.iter().map(|(value, expected)| (json!({"v": value}), *expected)).collect();
    check(field(field_schema), &objects);
}

#[test]
fn defaults_that_other_restrictions_see() {
    let properties = json!({"a": {"type": "string", "default": "x"}, "b": {"type": "string"}});
    let with = |keyword: &str, restriction: Value| json!({"type": "object", "properties": properties, keyword: restriction});
    check_values(&with("minProperties", json!(1)), &[(json!({}), true), (json!({"b": "y"}), true)]);
    check_values(&with("maxProperties", json!(1)), &[(json!({}), true), (json!({"b": "y"}), false)]);
    check_values(&with("enum", json!([{"a": "x"}])), &[(json!({}), true), (json!({"b": "y"}), false)]);
    check_values(&with("required", json!(["a", "c"])), &[(json!({}), false)]);
    check_values(&with("not", json!({"required": ["a"]})), &[(json!({}), false)]);
    check_values(&with("not", json!({"required": ["b"]})), &[(json!({}), true), (json!({"b": "y"}), false)]);
    check_values(&with("anyOf", json!([{"properties": {"a": {"maxLength": 0}}}])), &[(json!({}), false)]);
    let nested = json!({"allOf": [{"not": {"required": ["a"]}}]});
    check_values(&with("oneOf", json!([nested])), &[(json!({}), false), (json!({"b": "y"}), false)]);
    // From above.
    let below = |keyword: &str, restriction: Value| json!({"type": "object", "properties": {"o": with("description", json!(""))}, keyword: restriction});
    let reaches = json!({"properties": {"o": {"required": ["a"]}}});
    check_values(&below("not", reaches.clone()), &[(json!({"o": {}}), false)]);
    check_values(&below("not", json!({"anyOf": [reaches]})), &[(json!({"o": {}}), false)]);
    check_values(&below("enum", json!([{"o": {"a": "x"}}])), &[(json!({"o": {}}), true)]);
    check_values(&below("not", json!({"required": ["p"]})), &[(json!({"o": {}}), true), (json!({}), true)]);
    let values = json!({"type": "object", "additionalProperties": with("description", json!("")),
        "not": {"additionalProperties": {"required": ["a"]}}});
    check_values(&values, &[(json!({"k": {}}), false), (json!({}), false)]);
    let items = json!({"type": "array", "items": with("description", json!("")), "not": {"items": {"required": ["a"]}}});
    check_values(&items, &[(json!([{}]), false)]);
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": with("x-kubernetes-map-type", json!("atomic"))});
    check_values(&set, &[(json!([{}, {"a": "x"}]), false), (json!([{}, {"a": "y"}]), true)]);
}

#[test]
fn defaults_within_defaults() {
    let inner = |length: usize| {
        json!({"type": "object", "default": {}, "properties": {
            "b": {"type": "string", "default": "xyz", "maxLength": length},
            "l": {"type": "array", "default": [{}, {"k": "y"}], "items": {"type": "object", "required": ["k"], "properties": {
                "k": {"type": "string", "default": "z", "maxLength": 3}}}},
        }})
    };
    let outer = |length| json!({"type": "object", "properties": {"a": inner(length)}});
    let objects =
        |fits| [(json!({}), fits), (json!({"a": {}}), fits), (json!({"a": {"b": "x", "l": []}}), true)];
    check_values(&outer(3), &objects(true));
    check_values(&outer(2), &objects(false));
    // More properties with defaults than have bits.
    let many: serde_json::Map<String, Value> =
        (0..70).map(|i| (format!("p{i}"), json!({"type": "string", "default": "x"}))).collect();
    check_values(
        &json!({"type": "object", "properties": many}),
        &[(json!({}), true), (json!({"p69": 1}), false)],
    );
    // The defaults exceed the limit of size.
    let large = json!({"type": "array", "items": {"type": "object", "properties": {
        "d": {"type": "string", "default": "x".repeat(100_000)}}}});
    check_values(&large, &[(json!(vec![json!({}); 20]), false), (json!(vec![json!({}); 2]), true)]);
}

#[test]
fn rules_that_see_absent_defaults() {
    let item = json!({"type": "object", "properties": {
        "k": {"type": "string"}, "p": {"type": "string", "default": "TCP"},
    }});
    let schema = |rule: &str| {
        json!({"type": "object", "properties": {
            "a": {"type": "integer", "default": 3},
            "b": {"type": "integer"},
            "class": {"type": "string", "default": "c"},
            "l": {"type": "array", "maxItems": 9, "items": item},
            "m": {"type": "object", "maxProperties": 9, "additionalProperties": item},
            "o": {"type": "object", "properties": {"n": item}},
        }, "x-kubernetes-validations": [{"rule": rule}]})
    };
    let object = json!({"l": [{}, {"k": "x"}], "m": {"y": {}}, "o": {"n": {}}});
    for (rule, holds) in [
        ("has(self.a)", true),
        ("self.a == 3", true),
        ("has(self.__namespace__) || self.b == 1", false),
        ("!has(self.b)", true),
        ("self.?a.orValue(1) == 3", true),
        ("self == self && dyn(self).a == 3", true),
        ("self.l.all(x, has(x.p))", true),
        ("self.l.all(x, !has(x.k))", false),
        ("self.l.exists(x, has(x.k) && x.k == 'x') && self.l.size() == 2", true),
        ("self.l.filter(x, has(x.k)).all(x, x.p == 'TCP')", true),
        ("self.l.map(x, x).all(x, has(x.p))", true),
        ("self.l[0].p == 'TCP'", true),
        ("self.m.all(k, has(self.m[k].p))", true),
        ("self.m.all(k, k == 'y') && size(self.m) == 1", true),
        ("self.m.exists(k, v, v.p == 'TCP')", true),
        ("self.m['y'].p == 'TCP' && self.m.y.p == 'TCP'", true),
        ("self.l.exists(x, x == self.l[0] && has(x.p))", true),
        ("dyn(self)['a'] == 3 && dyn(self)['class'] == 'c'", true),
        ("has(self.o.n) && !has(self.o.n.k)", true),
        ("dyn(self.o).size() == 1 && dyn(self.o.n).size() == 1", true),
        ("dyn(self.l[1]).size() == 2", true),
        ("(has(self.b) ? self.b : self.a) == 3", true),
        ("optional.of(self).optMap(x, x.a == 3).orValue(false)", true),
        ("self.l.all(self, has(self.p))", true),
        ("oldSelf.a == 1", true),
        ("'x' in self.l.map(x, has(x.k) ? x.k : '')", true),
    ] {
        let with_rule = schema(rule);
        check(field(&with_rule), &[(json!({"v": object}), holds)]);
    }
    let optional = json!({"rule": "!oldSelf.hasValue() && self.a == 3", "optionalOldSelf": true});
    let mut schema = schema("true");
    schema["x-kubernetes-validations"] = json!([optional]);
    check(field(&schema), &[(json!({"v": {}}), true), (json!({"v": {"a": 4}}), false)]);
}

#[test]
fn rules_on_absent_defaults() {
    let list = |rule: &str, default: Value| {
        json!({"type": "object", "properties": {"l": {
            "type": "array", "maxItems": 9, "default": default, "items": {"type": "object", "properties": {
                "n": {"type": "integer", "default": 1, "x-kubernetes-validations": [{"rule": "self > 0"}]},
            }, "x-kubernetes-validations": [{"rule": rule}]},
        }}})
    };
    check_values(&list("self.n == 1", json!([{}])), &[(json!({}), true), (json!({"l": [{"n": 2}]}), false)]);
    check_values(&list("true", json!([{"n": 0}])), &[(json!({}), false), (json!({"l": [{}]}), true)]);
    let value = json!({"type": "object", "properties": {"n": {
        "type": "integer", "default": 1, "x-kubernetes-validations": [{"rule": "self > 1"}]}}});
    check_values(&value, &[(json!({}), false), (json!({"n": 2}), true)]);
    // Rules that do not see defaults, on an object that lacks some; the default of the status is filled in later.
    let mut late = version(json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"n": {"type": "integer", "default": 1, "minimum": 0}}},
        "status": {"type": "object", "default": {}, "properties": {"n": {"type": "integer", "default": -1,
            "x-kubernetes-validations": [{"rule": "self > 0"}]}}},
    }, "x-kubernetes-validations": [{"rule": "!has(self.status)"}]}));
    late["subresources"] =
        json!({"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}});
    check(late.clone(), &[(json!({"spec": {}}), true), (json!({"spec": {"n": 2}}), true), (json!({}), true)]);
    late["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["n"] =
        json!({"type": "integer", "default": -1});
    check(late, &[(json!({"spec": {}}), false), (json!({"spec": {"n": 2}}), true)]);
}
