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
    "title",
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
    let is_nullable = node.get("nullable") == Some(&Value::Bool(true));
    // A default of null where null is no value: `Option` with `#[serde(default)]`, for which absent says the same.
    if node.get("default").is_some_and(Value::is_null)
        || (!is_nullable && node.get("default") == Some(&Value::Null))
    {
        node.remove("default");
    }
    if node.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        node.remove("required");
    }
    Ok(())
}
