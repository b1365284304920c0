//! Advice about serde's behavior: serde may reject unknown fields, or read a value that it wrote as a different value.

use serde_json::Value;

use super::marks;
use super::some_null::SOME_NULL;
use super::walk::{Node, SchemaLocation};
use crate::Advice;

/// Adds advice about types with `deny_unknown_fields`, and about fields that are an `Option` of an `Option`.
pub(super) fn denied(schema: &Value, place: &SchemaLocation, advice: &mut Vec<Advice>) {
    let Some(node) = schema.as_object() else { return };
    visit(node, &place.entered(node), is_closed(node), advice);
}

/// Removes the mark of a value that may be null in some variants only, and returns the advice for it.
pub(super) fn some_null(node: &mut Node, place: &SchemaLocation) -> Option<Advice> {
    node.remove(SOME_NULL)?;
    Some(place.advice(
        "null-in-some-variants",
        "can be null in one variant of an enum (an `Option`, or any JSON value) and not in another: the API server accepts null in both, \
         and serde cannot read an object that has null in the other variant",
        "put `#[serde(skip_serializing_if = \"Option::is_none\")]` on an `Option`, or use an `Option` in all variants",
    ))
}

fn visit(node: &Node, place: &SchemaLocation, is_closed: bool, advice: &mut Vec<Advice>) {
    if is_closed || marks::denies_unknown_fields(node) {
        push(advice, place.advice(
            "deny-unknown-fields",
            "serde rejects an object with a field that this version does not know, such as one of a later release: a controller then \
             cannot list any object of the kind",
            "remove `#[serde(deny_unknown_fields)]`: the API server drops unknown fields, or rejects them for `kubectl`",
        ));
    }
    if marks::is_nested_option(node) {
        push(
            advice,
            place.advice(
                "nested-option",
                "serde reads `null` as `None`, so that `Some(None)` is lost",
                "use one `Option`, or an enum with a name for each case",
            ),
        );
    }
    let below =
        |value: &Value, place: SchemaLocation, advice: &mut Vec<Advice>| denied(value, &place, advice);
    for (name, property) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        below(property, place.property(name), advice);
    }
    if let Some(items) = node.get("items") {
        below(items, place.items(), advice);
    }
    if let Some(values) = node.get("additionalProperties") {
        below(values, place.values(), advice);
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        for branch in node.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            let Some(branch) = branch.as_object() else { continue };
            visit(branch, &place.entered(branch), is_closed_branch(branch), advice);
        }
    }
}

/// Adds advice, unless it was already added for another variant.
fn push(advice: &mut Vec<Advice>, new: Advice) {
    if !advice.contains(&new) {
        advice.push(new);
    }
}

/// Returns `true` for a named type that allows no unknown fields. A map whose keys are an enum has a similar schema, but no name.
fn is_closed(node: &Node) -> bool {
    has_no_other(node) && marks::any_type_name(node).is_some()
}

/// Returns `true` for a variant that allows no unknown fields. A variant whose name is the key of its content does not count: it
/// never has other fields.
fn is_closed_branch(node: &Node) -> bool {
    let properties = node.get("properties").and_then(Value::as_object);
    let is_named =
        properties.is_some_and(|all| all.len() == 1 && all.values().all(|one| one.get("const").is_none()));
    has_no_other(node) && !is_named && node.contains_key("required")
}

fn has_no_other(node: &Node) -> bool {
    node.get("additionalProperties") == Some(&Value::Bool(false)) && node.contains_key("properties")
}
