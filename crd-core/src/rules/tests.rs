//! Tests of rules over objects: order, messages, old values, ratcheting and budgets.

use serde_json::{Value, json};

use super::{BUDGET, Found, Old, RuleTree};
use crate::correlate::{Correlated, Known};
use crate::crd::JsonSchemaProps;
use crate::values::Meter;
use crate::{FieldPath, Structural};

fn structural(schema: Value) -> Structural {
    let schema = JsonSchemaProps::from_value(schema).expect("a schema");
    Structural::from_json_schema(&schema).expect("a structural schema")
}

/// Errors, and warnings with `warning: ` before them.
fn messages(found: &Found) -> Vec<String> {
    let errors = found.errors.iter().map(ToString::to_string);
    errors.chain(found.warnings.iter().map(|text| format!("warning: {text}"))).collect()
}

fn run(schema: &Value, old: Option<&Value>, new: &Value, budget: u64) -> Vec<String> {
    let schema = structural(schema.clone());
    let tree = RuleTree::new(&schema, false).expect("the schema has rules");
    let known = Known::default();
    let old = old.map_or(Old::NONE, |old| Old::ratcheting(Correlated::new(old, new, &schema, &known)));
    let mut found = Found::default();
    tree.validate(&FieldPath::new("o"), new, old, (budget, &Meter::default()), &mut found);
    messages(&found)
}

fn created(schema: &Value, new: &Value) -> Vec<String> {
    run(schema, None, new, BUDGET)
}

fn updated(schema: &Value, old: &Value, new: &Value) -> Vec<String> {
    run(schema, Some(old), new, BUDGET)
}

#[test]
fn rules_of_a_node_come_before_those_below() {
    let schema = json!({"type": "object", "properties": {
        "l": {"type": "array", "maxItems": 3,
            "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0"}]},
            "x-kubernetes-validations": [{"rule": "self.size() > 2", "message": " three "}]},
        "m": {"type": "object", "maxProperties": 3, "additionalProperties": {
            "type": "string", "maxLength": 3, "x-kubernetes-validations": [
                {"rule": "self != 'x'", "reason": "FieldValueDuplicate"}]}},
    }, "x-kubernetes-validations": [
        {"rule": "has(self.m)", "reason": "FieldValueRequired", "fieldPath": ".m"},
    ]});
    assert_eq!(
        created(&schema, &json!({"l": [1, 0]})),
        [
            "o.m: Required value: failed rule: has(self.m)",
            "o.l: Invalid value: three",
            "o.l[1]: Invalid value: 0: failed rule: self > 0",
        ]
    );
    assert_eq!(created(&schema, &json!({"m": {"k": "x"}})), ["o.m[k]: Duplicate value: \"x\""]);
}

/// As in the API server, 1.30 to 1.37: `UnstructuredToVal` of `k8s.io/apiserver/pkg/cel/common`.
#[test]
fn an_object_without_properties_is_a_value() {
    let rules: Vec<Value> =
        ["has(self.a)", "self.a == self.a", "!has(self.a) || has(self.a)", "!has(self.a)"]
            .map(|rule| json!({"rule": rule}))
            .into();
    for open in [json!({"type": "object"}), json!({"type": "object", "additionalProperties": true})] {
        let schema = json!({"type": "object", "properties": {"a": open}, "x-kubernetes-validations": rules});
        for value in [json!({}), json!({"b": 1})] {
            assert_eq!(
                created(&schema, &json!({"a": value})),
                ["o: Invalid value: failed rule: !has(self.a)"]
            );
        }
    }
}

#[test]
fn errors_of_evaluation_show_the_type() {
    let schema = json!({"type": "object", "properties": {
        "e": {"x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{"rule": "self > 0"}]},
        "f": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0 || true"}, {"rule": "self > 0"}]},
        "i": {"type": "integer", "x-kubernetes-validations": [
            {"rule": "1 / self > 0", "message": "quotient", "messageExpression": "'never'"}]},
    }});
    assert_eq!(
        created(&schema, &json!({"e": "a", "f": 1.0, "i": 0})),
        [
            "o.e: Invalid value: \"\": 'no such overload': call arguments did not match a supported operator, function or \
             macro signature for rule: self > 0",
            "o.f: Invalid value: \"integer\": invalid data, expected int, got float64 evaluating rule: self > 0",
            "o.i: Invalid value: \"integer\": division by zero evaluating rule: quotient",
        ]
    );
}

#[test]
fn messages_that_cannot_be_used_give_way() {
    let of = |expression: &str| {
        let rules = json!([{"rule": "self == ''", "message": "plain", "messageExpression": expression}]);
        json!({"type": "string", "maxLength": 3, "x-kubernetes-validations": rules})
    };
    for (expression, expected) in [
        ("'not ' + self", "not x"),
        ("' trimmed\\n'", "trimmed"),
        ("'two\\nlines'", "plain"),
        ("'   '", "plain"),
        ("self.substring(5)", "plain"),
        // No rule of this place uses `oldSelf`, so messages do not have it.
        ("string(oldSelf)", "plain"),
    ] {
        let expected = format!("o: Invalid value: \"x\": {expected}");
        assert_eq!(updated(&of(expression), &json!("y"), &json!("x")), [expected], "{expression}");
    }
}

#[test]
fn transitions_need_an_old_value() {
    let schema = json!({"type": "integer", "nullable": true, "x-kubernetes-validations": [
        {"rule": "self >= oldSelf", "message": "grows"},
        {"rule": "oldSelf.hasValue() || self < 10", "optionalOldSelf": true, "message": "small",
         "messageExpression": "'was %d'.format([oldSelf])"},
    ]});
    assert_eq!(created(&schema, &json!(11)), ["o: Invalid value: 11: small"]);
    assert_eq!(updated(&schema, &Value::Null, &json!(11)), ["o: Invalid value: 11: small"]);
    assert_eq!(updated(&schema, &json!(12), &json!(11)), ["o: Invalid value: 11: grows"]);
    let schema = json!({"type": "integer", "x-kubernetes-validations": [
        {"rule": "!oldSelf.hasValue()", "optionalOldSelf": true, "messageExpression": "'was %d'.format([oldSelf])"},
    ]});
    // In the message, `oldSelf` is a plain value although it is optional in the rule, so the message does not compile.
    assert_eq!(
        updated(&schema, &json!(12), &json!(11)),
        ["o: Invalid value: 11: failed rule: !oldSelf.hasValue()"]
    );
}

#[test]
fn what_was_wrong_already_is_a_warning() {
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "integer"},
        "l": {"type": "array", "maxItems": 3, "items": {
            "type": "integer", "x-kubernetes-validations": [{"rule": "self > 0"}]}},
        "i": {"type": "integer", "x-kubernetes-validations": [{"rule": "1 / self > 0"}]},
        "t": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > oldSelf"}]},
    }});
    // Items of this list have no old values, but the list has.
    assert_eq!(
        updated(&schema, &json!({"n": 1, "l": [0]}), &json!({"n": 2, "l": [0]})),
        ["warning: o.l[0]: Invalid value: 0: failed rule: self > 0"]
    );
    assert_eq!(
        updated(&schema, &json!({"l": [0]}), &json!({"l": [0, 1]})),
        ["o.l[0]: Invalid value: 0: failed rule: self > 0"]
    );
    assert_eq!(
        updated(&schema, &json!({"i": 0, "t": 1}), &json!({"i": 0, "t": 1})),
        [
            "o.i: Invalid value: \"integer\": division by zero evaluating rule: 1 / self > 0",
            "o.t: Invalid value: 1: failed rule: self > oldSelf",
        ]
    );
}

#[test]
fn budgets_stop_everything() {
    let schema = json!({"type": "object", "properties": {
        "l": {"type": "array", "maxItems": 200, "items": {"type": "integer", "x-kubernetes-validations": [
                {"rule": "self > 0"}]},
            "x-kubernetes-validations": [
                {"rule": "self.all(x, self.all(y, self.all(z, x + y + z >= 0)))", "message": "heavy"},
                {"rule": "false"}]},
    }});
    let object = json!({"l": vec![0; 60]});
    assert_eq!(
        created(&schema, &object),
        [
            "o.l: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation rules \
          will be run due to call cost exceeds limit for rule: heavy"
        ]
    );
    let out = "o.l: Invalid value: \"array\": validation failed due to running out of cost budget, no further validation \
               rules will be run";
    assert_eq!(run(&schema, None, &object, 1000), [out]);
    assert_eq!(run(&schema, None, &object, 0), [out]);
    let message = json!({"type": "integer", "x-kubernetes-validations": [
        {"rule": "self > 0", "messageExpression": "string(self) + string(self) + string(self)"}, {"rule": "false"}]});
    assert_eq!(
        run(&message, None, &json!(0), 4),
        [
            "o: Invalid value: \"integer\": messageExpression evaluation failed due to running out of cost budget, no \
          further validation rules will be run"
        ]
    );
}

/// Rules of a resource's metadata use the types of the resource, but only the data that the metadata's schema declares.
#[test]
fn rules_of_metadata_have_types_of_the_resource_and_data_of_their_schema() {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "t": "a"}});
    let of = |rule: &str, names: &Value| {
        let metadata =
            json!({"type": "object", "properties": names, "x-kubernetes-validations": [{"rule": rule}]});
        let schema = json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": metadata}});
        created(&schema, &object)
    };
    let (t, name) = (json!({"t": {"type": "string"}}), json!({"name": {"type": "string"}}));
    assert!(of("self.t == 'a'", &t)[0].contains("undefined field 't'"));
    assert!(of("self.name == 'x'", &t)[0].contains("no such key: name"));
    assert_eq!(of("self.name == 'x'", &name), [""; 0]);
}
