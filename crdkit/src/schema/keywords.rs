//! Converts keywords of JSON Schema that the API writes differently or does not have.

use serde_json::{Value, json};

use super::SchemaOptions;
use super::walk::{Node, SchemaLocation};
use crate::Error;
use crate::verdict::Places;

/// Annotations that `JSONSchemaProps` does not have. They do not restrict values.
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

pub(super) fn keywords(node: &mut Node, _: &SchemaLocation) -> Result<(), Error> {
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
    // `Option` with `#[serde(default)]`, for which an absent default means the same.
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

/// Extensions that `JSONSchemaProps` has.
const EXTENSIONS: &[&str] = &[
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

/// Drops and records extensions that `JSONSchemaProps` does not have, because the API server would also drop them. An extension that may
/// be a misspelled extension of the API server is kept, and later rejected. In code for kube-derive, even such an extension is dropped,
/// as kube-derive does.
pub(super) fn extensions(
    node: &mut Node,
    place: &SchemaLocation,
    options: SchemaOptions,
    places: &mut Places,
) {
    let is_dropped = |keyword: &str| {
        keyword.starts_with("x-")
            && !EXTENSIONS.contains(&keyword)
            && (options.every_option_is_nullable || !keyword.starts_with("x-kubernetes-"))
    };
    let dropped: Vec<String> = node.keys().filter(|keyword| is_dropped(keyword)).cloned().collect();
    for keyword in dropped {
        node.remove(&keyword);
        places.add_advice([place.advice(
            "dropped-keyword",
            format!("`{keyword}` is not a keyword of a CRD's schema and is dropped"),
            "remove it from the type's `JsonSchema` or from `extend`",
        )]);
    }
}

/// Removes `null` fields from a default. The API server rejects `null` for a field that is not nullable, and an absent field is
/// equivalent.
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
