use serde_json::{Value, json};

use super::super::open_api;
use super::super::stored::StoredExpressions;
use super::*;
use crate::crd::JsonSchemaProps;

/// Returns the errors in the rules of a schema: `field: message`, and the help if any.
fn check(schema: Value) -> Vec<String> {
    let written = JsonSchemaProps::from_value(schema).expect("a schema");
    let schema = Structural::from_json_schema(&written).expect("a structural schema");
    let path = FieldPath::new("schema");
    let mut found = Causes::default();
    open_api::open_api(&written, Some(&schema), &path, &mut found);
    let mut compiled = Causes::default();
    let stored = StoredExpressions::default();
    let (types, stored) = (SchemaTypes::for_resource(&schema), stored.for_version(""));
    compile(&types, &path, Environment::default(), stored, &found, &mut compiled);
    found.append(&mut compiled);
    let print = |found: &Diagnostic| match found.help() {
        Some(help) => format!("{found} // {help}"),
        None => found.to_string(),
    };
    found.iter().map(print).collect()
}

fn with_rule(rule: &Value) -> Value {
    json!({"type": "object", "properties": {"spec": {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "x-kubernetes-validations": [rule],
    }}})
}

#[test]
fn what_a_rule_says_of_itself() {
    let at = "schema.properties[spec].x-kubernetes-validations[0]";
    for (rule, found) in [
        (json!({"rule": "self.n > 1"}), vec![]),
        (
            json!({"rule": " "}),
            vec![format!(
                "{at}.rule: Required value: rule is not specified // add the expression, or remove the rule"
            )],
        ),
        (
            json!({"rule": "self.n\n> 1"}),
            vec![format!(
                "{at}.message: Required value: message must be specified if rule contains line breaks // add `message`"
            )],
        ),
        (
            json!({"rule": "self.n > 1", "fieldPath": ".m"}),
            vec![format!("{at}.fieldPath: Invalid value: \".m\": must be a valid path")],
        ),
        (
            json!({"rule": "self.n > 1", "optionalOldSelf": true}),
            vec![format!(
                "{at}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"
            )],
        ),
        (
            json!({"rule": "self.m > 1"}),
            vec![format!(
                "{at}.rule: Invalid value: {{\"Rule\":\"self.m \\u003e 1\",\"Message\":\"\",\
                 \"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}}: \
                 compilation failed: ERROR: <input>:1:5: undefined field 'm'\n | self.m > 1\n | ....^"
            )],
        ),
    ] {
        assert_eq!(check(with_rule(&rule)), found);
    }
}

/// Metadata has a name and a generated name in the rules of enclosing nodes. The rules of metadata itself can read
/// these names only if an enclosing node has rules.
#[test]
fn rules_of_metadata_see_the_type_of_the_resource() {
    let metadata = json!({"type": "object", "properties": {"t": {"type": "string"}},
        "x-kubernetes-validations": [{"rule": "self.t == 'a'"}]});
    let resource = json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"metadata": metadata}});
    let alone = json!({"type": "object", "properties": {"spec": resource}});
    assert_eq!(check(alone.clone()), [""; 0]);
    let mut below_a_rule = alone;
    below_a_rule["x-kubernetes-validations"] = json!([{"rule": "true"}]);
    let found = check(below_a_rule);
    assert!(found[0].contains("undefined field 't'"), "{found:?}");
}

/// The expected responses come from `ValidateCustomResourceDefinition` in apiextensions-apiserver 0.36.2.
#[test]
fn rules_below_an_unknown_type() {
    let rule = json!([{"rule": "self.x > 0"}]);
    let inner =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "x-kubernetes-validations": rule});
    let odd = json!({"type": "odd", "properties": {"a": inner}});
    let unsupported = "schema.properties[o].type: Unsupported value: \"odd\": supported values";
    let with = |rules_above: bool| {
        let mut schema = json!({"type": "object", "properties": {"o": odd, "p": {"type": "object"}}});
        if rules_above {
            schema["x-kubernetes-validations"] = json!([{"rule": "true"}]);
        }
        check(schema)
    };
    let found = with(false);
    assert!(found[0].starts_with(unsupported) && found[1].contains("undefined field 'x'"), "{found:#?}");
    let found = with(true);
    assert!(found[0].starts_with(unsupported), "{found:#?}");
    assert_eq!(
        found[1],
        "schema.properties[o].properties[a].x-kubernetes-validations: Internal error: internal error: failed to \
         construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL \
         declarations"
    );
}

/// The expected response comes from a server of 1.37. Without rules of enclosing nodes, the items have
/// their own type.
#[test]
fn rules_of_items_of_a_type_without_elements() {
    let items = json!({"type": "object", "x-kubernetes-validations": [{"rule": "true"}]});
    let mut schema = json!({"type": "object", "properties": {"n": {"type": "integer", "items": items}}});
    assert_eq!(check(schema.clone()), [""; 0]);
    schema["x-kubernetes-validations"] = json!([{"rule": "true"}]);
    assert_eq!(
        check(schema),
        [
            "schema.properties[n].items.x-kubernetes-validations: Internal error: failed to convert to declType for CEL \
          validation rules"
        ]
    );
}

#[test]
fn transitions_need_items_that_can_be_told_apart() {
    let list = |list_type: &str| {
        let rule = json!([{"rule": "self.k == oldSelf.k"}]);
        let items = json!({"type": "object", "properties": {"k": {"type": "string", "maxLength": 9}},
            "required": ["k"], "x-kubernetes-validations": rule});
        let mut list =
            json!({"type": "array", "maxItems": 9, "x-kubernetes-list-type": list_type, "items": items});
        if list_type == "map" {
            list["x-kubernetes-list-map-keys"] = json!(["k"]);
        }
        check(json!({"type": "object", "properties": {"l": list}}))
    };
    assert_eq!(list("map"), [""; 0]);
    assert_eq!(
        list("atomic"),
        [
            "schema.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: \"self.k == oldSelf.k\": \
         oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[l]"
        ]
    );
}

#[test]
fn what_costs_too_much_says_what_to_bound() {
    let found = check(json!({"type": "object", "properties": {"l": {
        "type": "array",
        "items": {"type": "string", "maxLength": 1000, "x-kubernetes-validations": [
            {"rule": "self.contains('abc')"},
        ]},
    }}}));
    assert_eq!(found.len(), 3, "{found:#?}");
    let at = "schema.properties[l].items.x-kubernetes-validations[0].rule";
    assert!(
        found[0]
            .starts_with(&format!("{at}: Forbidden: estimated rule cost exceeds budget by factor of 42.0x"))
    );
    assert!(
        found[0].ends_with("// add `maxItems: 24000` to `l`: the rule costs 42 times the limit"),
        "{found:#?}"
    );
    assert!(found[1].starts_with(&format!("{at}: Forbidden: contributed to estimated rule cost total")));
    assert!(found[2].starts_with("schema: Forbidden: x-kubernetes-validations estimated rule cost total"));
}

/// Returns the help for an expensive rule at the property `l`. Checks that the rule is cheap enough after the changes.
fn help_for(l: &Value, changes: &[(&str, Value)]) -> String {
    let found = check(json!({"type": "object", "properties": {"l": l}}));
    let is_dear = |found: &&String| found.contains("estimated rule cost exceeds");
    let help =
        found.iter().find(is_dear).and_then(|found| found.split_once(" // ")).expect("there is help").1;
    for (at, value) in changes {
        let mut changed = l.clone();
        *changed.pointer_mut(at).unwrap_or(&mut Value::Null) = value.clone();
        let found = check(json!({"type": "object", "properties": {"l": changed}}));
        assert_eq!(found, Vec::<String>::new(), "{at} {value}");
    }
    help.to_owned()
}

#[test]
fn limits_that_exist_are_lowered() {
    let quantity = json!([{"rule": "quantity(string(self)).isGreaterThan(quantity('0'))"}]);
    let mut amount = json!({"x-kubernetes-int-or-string": true, "x-kubernetes-validations": quantity});
    let list = json!({"type": "array", "maxItems": 16, "items": amount});
    let help = help_for(&list, &[("/maxItems", json!(15))]);
    assert_eq!(help, "add `maxLength: 780000` to `l[*]`, or lower `maxItems` of `l` from 16 to 15");
    amount["maxLength"] = json!(780_000);
    let help = help_for(&json!({"type": "array", "maxItems": 100, "items": amount}), &[]);
    assert_eq!(help, "lower `maxItems` of `l` from 100 to 16: the rule costs 6 times the limit");
    amount["maxLength"] = json!(20);
    let list = json!({"type": "array", "maxItems": 100, "items": amount});
    assert_eq!(check(json!({"type": "object", "properties": {"l": list}})), Vec::<String>::new());
    let list = json!({
        "type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 300},
        "x-kubernetes-validations": [{"rule": "self.all(t, self.exists_one(u, u == t))"}],
    });
    let help = help_for(&list, &[("/maxItems", json!(280))]);
    assert_eq!(help, "lower `maxItems` of `l` from 1000 to 280: the rule costs 12 times the limit");
}

#[test]
fn wordings_that_cost_less_are_offered() {
    let text = json!({"type": "string", "maxLength": 20});
    let object = json!({"type": "object", "properties": {"a": text, "n": {"type": "integer"}}});
    let list = json!({"type": "array", "maxItems": 20, "items": object});
    for (schema, rule, expected) in [
        (
            &object,
            "!oldSelf.hasValue() || oldSelf.value().?a == self.?a",
            "!oldSelf.hasValue() || (has(oldSelf.value().a) ? has(self.a) && oldSelf.value().a == self.a : !(has(self.a)))",
        ),
        (
            &list,
            "self.filter(x, x.n > 1).all(x, x.a.matches('^a+$'))",
            "self.all(x, !(x.n > 1) || (x.a.matches('^a+$')))",
        ),
    ] {
        let mut schema = schema.clone();
        let is_optional = rule.contains("oldSelf").then_some(true);
        schema["x-kubernetes-validations"] = json!([{"rule": rule, "optionalOldSelf": is_optional}]);
        let help = help_for(&schema, &[("/x-kubernetes-validations/0/rule", json!(expected))]);
        assert_eq!(help, format!("write `{expected}`"));
    }
}
