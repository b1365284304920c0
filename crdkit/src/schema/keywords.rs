//! Keywords of JSON Schema that the API writes otherwise or does not have.

use serde_json::{Value, json};

use super::walk::{Node, Place};
use crate::Error;

/// Annotations that say nothing about which values are taken, and that `JSONSchemaProps` does not have.
const ANNOTATIONS: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
];

pub(super) fn keywords(node: &mut Node, _: &Place) -> Result<(), Error> {
    for keyword in ANNOTATIONS {
        node.remove(*keyword);
    }
    if let Some(value) = node.remove("const") {
        node.insert("enum".to_owned(), json!([value]));
    }
    if let Some(Value::Array(examples)) = node.remove("examples")
        && let Some(first) = examples.into_iter().next()
    {
        node.entry("example").or_insert(first);
    }
    // `Option` with `#[serde(default)]`, for which absent says the same.
    if node.get("default").is_some_and(Value::is_null) {
        node.remove("default");
    }
    if let Some(default) = node.get_mut("default") {
        without_null(default);
    }
    if node.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        node.remove("required");
    }
    Ok(())
}

/// A default with `null` for a field that is not nullable is refused; absent says the same.
fn without_null(default: &mut Value) {
    match default {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}
