//! Schemas that users give in place of a type's own, and patches of the final schema: the last word on both.

use serde_json::{Value, json};

use super::marks;
use super::walk::{Node, Place};
use crate::{Error, patch};

/// The schema that a field asks for, until it takes its place.
pub(super) const SCHEMA: &str = "x-crdkit-schema";

/// Patches of a schema, until they are applied.
pub(super) const PATCH: &str = "x-crdkit-schema-patch";

/// Keeps schema and patches of a mark for the end, when the passes are through: what users write is not changed.
pub(super) fn keep(node: &mut Node, mark: &Node) {
    if let Some(schema) = mark.get("schema") {
        node.insert(SCHEMA.to_owned(), schema.clone());
    }
    if let Some(Value::Array(patches)) = mark.get("schemaPatches")
        && let Value::Array(all) = node.entry(PATCH).or_insert_with(|| json!([]))
    {
        all.extend(patches.iter().cloned());
    }
}

/// Puts the schema that is asked for in the place of a node, which keeps what the field itself says.
pub(super) fn replace(node: &mut Node, place: &Place) -> Result<(), Error> {
    let Some(schema) = node.remove(SCHEMA) else { return Ok(()) };
    let schema = match schema {
        Value::String(text) => serde_json::from_str(&text).map_err(|error| {
            place.error(format!("has a `schema` that is no JSON: {error}"), "write `schema = r#\"{...}\"#`")
        })?,
        other => other,
    };
    let Value::Object(schema) = schema else {
        return Err(place.error("has a `schema` that is no object of JSON", "write `schema = r#\"{...}\"#`"));
    };
    let mut around = std::mem::replace(node, schema);
    // Rules of both hold.
    if let Some(Value::Array(rules)) = around.remove("x-kubernetes-validations")
        && let Value::Array(all) = node.entry("x-kubernetes-validations").or_insert_with(|| json!([]))
    {
        all.extend(rules);
    }
    for (keyword, value) in around {
        node.entry(keyword).or_insert(value);
    }
    Ok(())
}

/// Applies the patches of a node, the type's before the field's.
pub(super) fn patch(node: &mut Node, place: &Place) -> Result<(), Error> {
    let patches = node.remove(PATCH);
    marks::forget(node);
    for text in patches.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        let mut value = Value::Object(std::mem::take(node));
        let patched = patch::apply_to_schema(&mut value, text);
        if let Value::Object(patched) = value {
            *node = patched;
        }
        patched.map_err(|error| {
            place.error(format!("has a `schema_patch` that {error}"), "compare it with the schema of `crd()`")
        })?;
    }
    Ok(())
}
