//! Finds types whose values clients cannot represent, or that cannot be extended later.

use crate::finding::FoundBy;
use crate::node::{Node, short};

/// Finds numbers that are not integers.
pub(crate) fn float(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.is_type("number") {
        found.add(
            node.path().child("type"),
            format!("`{}` is a floating-point number: languages read and round it differently", node.field()),
            "use an integer of a smaller unit, or a quantity",
        );
    }
}

/// Finds integers with a format that the Kubernetes API does not use.
pub(crate) fn unsigned(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if let Some(format) = node.schema.format.as_deref().filter(|format| format.starts_with("uint")) {
        found.add(
            node.path().child("format"),
            format!(
                "`{}` has the format `{}`, which Kubernetes does not have: the API server does not check it",
                node.field(),
                short(format)
            ),
            "use `int32` or `int64` with `minimum: 0`",
        );
    }
}

/// Finds integers without a format.
pub(crate) fn integer_without_format(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.is_type("integer") && node.schema.format.is_none() {
        found.add(
            node.path(),
            format!(
                "`{}` is an integer without a format: generators of clients choose 32 or 64 bits",
                node.field()
            ),
            "add `format: int32` or `format: int64`",
        );
    }
}

/// Finds integers that a 64-bit floating-point number cannot represent.
pub(crate) fn beyond_double(node: &Node<'_>, found: &mut FoundBy<'_>) {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    let bound = node.schema.maximum.as_ref().and_then(serde_json::Number::as_f64);
    if node.is_type("integer") && bound.is_some_and(|most| most > LARGEST) {
        found.add(
            node.path().child("maximum"),
            format!("`{}` can be above 2^53: JavaScript and other programs round it", node.field()),
            "lower `maximum`, or use a string",
        );
    }
}

/// Finds booleans.
pub(crate) fn boolean(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.is_type("boolean") && !node.is_in_status() {
        found.add(
            node.path().child("type"),
            format!("`{}` is a boolean, so you cannot add a third value later", node.field()),
            "use a string with an `enum`",
        );
    }
}

/// Finds maps of objects.
pub(crate) fn map_of_objects(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.schema.map_values().is_some_and(|values| values.type_.as_deref() == Some("object")) {
        found.add(
            node.path().child("additionalProperties"),
            format!(
                "`{}` is a map of objects: the API conventions ask for a list with a name in each item",
                node.field()
            ),
            "use a list of type `map` with the key in `x-kubernetes-list-map-keys`",
        );
    }
}

/// Finds strings without a maximum length.
pub(crate) fn string_without_most(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let is_bounded = schema.max_length.is_some() || schema.enum_.is_some() || schema.format.is_some();
    if node.is_type("string") && !is_bounded && !node.is_in_status() {
        found.add(
            node.path(),
            format!("`{}` has no `maxLength`: the cost of rules on it is estimated for the longest string that fits into a request", node.field()),
            "add `maxLength`",
        );
    }
}

/// Finds lists and maps without a maximum size.
pub(crate) fn unbounded(node: &Node<'_>, found: &mut FoundBy<'_>) {
    let schema = node.schema;
    let missing = match schema.type_.as_deref() {
        Some("array") if schema.max_items.is_none() => "maxItems",
        Some("object") if schema.additional_properties.is_some() && schema.max_properties.is_none() => {
            "maxProperties"
        }
        _ => return,
    };
    if !node.is_in_status() {
        found.add(
            node.path(),
            format!(
                "`{}` has no `{missing}`: the cost of rules on its items is estimated for as many items as fit into a request",
                node.field()
            ),
            format!("add `{missing}`"),
        );
    }
}

/// Finds values that may be `null`.
pub(crate) fn nullable(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.schema.nullable == Some(true) {
        found.add(
            node.path().child("nullable"),
            format!(
                "`{}` can be `null` or absent: clients that do not distinguish the two change the value",
                node.field()
            ),
            "remove `nullable`",
        );
    }
}
