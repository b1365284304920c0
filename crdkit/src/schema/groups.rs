//! Rules for immutable fields, and for groups that limit the number of fields that are set.

use std::borrow::Cow;

use crd_core::escape_name;
use serde_json::Value;

use super::kept::Kept;
use super::walk::{Node, SchemaLocation};
use crate::Error;
use crate::marks::{GroupCount, Mark, RuleMark};

/// The keyword that holds the rules of a schema.
pub(super) const RULES: Kept<RuleMark> = Kept::new("x-kubernetes-validations");

/// The keyword of a field that must not change once it is set. It later becomes a rule of the enclosing schema.
pub(super) const ONCE: &str = "x-crdkit-once";

/// Adds the rules for a type's groups of fields.
pub(super) fn groups(node: &mut Node, mark: &Mark, place: &SchemaLocation) -> Result<(), Error> {
    for group in &mark.groups {
        let properties = node.get("properties").and_then(Value::as_object);
        let is_unknown = |field: &&String| properties.is_none_or(|all| !all.contains_key(*field));
        if let Some(field) = group.fields.iter().find(is_unknown) {
            return Err(place.error(
                format!("has a group with `{field}`, which is not one of its fields"),
                "use the name that serde writes",
            ));
        }
        let required = node.get("required").and_then(Value::as_array);
        let is_required = |field: &&String| required.is_some_and(|all| all.iter().any(|name| name == *field));
        if let Some(field) = group.fields.iter().find(is_required) {
            return Err(place.error(
                format!("has a group with `{field}`, which is always set"),
                "make the field an `Option` with `skip_serializing_if = \"Option::is_none\"`",
            ));
        }
        let (condition, words) = match group.count {
            GroupCount::ExactlyOne => ("== 1", "exactly"),
            GroupCount::AtMostOne => ("<= 1", "at most"),
            GroupCount::AtLeastOne => (">= 1", "at least"),
        };
        let counts = group.fields.iter().map(|field| format!("(has(self.{}) ? 1 : 0)", escaped(field)));
        let rule = format!("{} {condition}", counts.collect::<Vec<_>>().join(" + "));
        let message = format!("{words} one of {} must be set", listed(&group.fields));
        RULES.add(node, &[RuleMark::new(rule).message(message)]);
    }
    Ok(())
}

/// Adds rules that prevent the removal of optional immutable fields once they are set.
pub(super) fn once_set(node: &mut Node) {
    let required: Vec<Value> = node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut rules = Vec::new();
    for (name, property) in node.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let is_once = property.as_object_mut().and_then(|property| property.remove(ONCE)).is_some();
        if is_once && !required.iter().any(|required| required == name) {
            let field = escaped(name);
            let rule = RuleMark::new(format!("!has(oldSelf.{field}) || has(self.{field})"));
            rules.push(rule.message(format!("{name} must not be removed once it is set")));
        }
    }
    RULES.add(node, &rules);
}

fn listed(fields: &[String]) -> String {
    match fields {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// Escapes a property's name for use in rules. A name that rules cannot use stays unchanged, and the rule then does not compile.
pub(super) fn escaped(name: &str) -> String {
    escape_name(name).map_or_else(|| name.to_owned(), Cow::into_owned)
}
