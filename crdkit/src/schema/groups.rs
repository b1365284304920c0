//! Short forms of rules: groups of fields of which some are set, and fields that stay as they are.

use std::borrow::Cow;

use crd_core::cel::escape_name;
use serde_json::{Value, json};

use super::walk::{Node, Place};
use crate::Error;

/// Says that a field stays once it is set, until the schema around has made it a rule.
pub(super) const ONCE: &str = "x-crdkit-once";

/// Adds the rules of a type's groups.
pub(super) fn groups(node: &mut Node, mark: &Node, place: &Place) -> Result<(), Error> {
    let forms = [
        ("exactlyOneOf", "== 1", "exactly"),
        ("atMostOneOf", "<= 1", "at most"),
        ("atLeastOneOf", ">= 1", "at least"),
    ];
    for (name, condition, words) in forms {
        for group in mark.get(name).and_then(Value::as_array).into_iter().flatten() {
            let fields: Vec<&str> =
                group.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let properties = node.get("properties").and_then(Value::as_object);
            if let Some(field) =
                fields.iter().find(|field| properties.is_none_or(|all| !all.contains_key(**field)))
            {
                return Err(place.error(
                    format!("has a group with `{field}`, which is no field of it"),
                    "name the field as serde writes it",
                ));
            }
            let required = node.get("required").and_then(Value::as_array);
            if let Some(field) =
                fields.iter().find(|field| required.is_some_and(|all| all.iter().any(|name| name == *field)))
            {
                return Err(place.error(
                    format!("has a group with `{field}`, which is always set"),
                    "make the field an `Option` with `skip_serializing_if = \"Option::is_none\"`",
                ));
            }
            let counts = fields.iter().map(|field| format!("(has(self.{}) ? 1 : 0)", escaped(field)));
            let rule = format!("{} {condition}", counts.collect::<Vec<_>>().join(" + "));
            let message = format!("{words} one of {} must be set", listed(&fields));
            add(node, json!({"rule": rule, "message": message}));
        }
    }
    Ok(())
}

/// Adds the rules that optional immutable fields of a schema are not removed once they are set.
pub(super) fn once_set(node: &mut Node) {
    let required: Vec<Value> = node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut rules = Vec::new();
    for (name, property) in node.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let is_once = property.as_object_mut().and_then(|property| property.remove(ONCE)).is_some();
        if is_once && !required.iter().any(|required| required == name) {
            let field = escaped(name);
            rules.push(json!({
                "rule": format!("!has(oldSelf.{field}) || has(self.{field})"),
                "message": format!("{name} must not be removed once it is set"),
            }));
        }
    }
    for rule in rules {
        add(node, rule);
    }
}

fn add(node: &mut Node, rule: Value) {
    if let Value::Array(rules) = node.entry("x-kubernetes-validations").or_insert_with(|| json!([])) {
        rules.push(rule);
    }
}

fn listed(fields: &[&str]) -> String {
    match fields {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// The name of a property in rules. One that rules cannot name stays as it is: the rule is refused when it is compiled.
pub(super) fn escaped(name: &str) -> String {
    escape_name(name).map_or_else(|| name.to_owned(), Cow::into_owned)
}
