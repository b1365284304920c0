//! Replaces schemas with the schemas in attributes, and patches the final schema.

use serde_json::{Value, json};

use super::groups::RULES;
use super::kept::Kept;
use super::marks;
use super::walk::{Node, SchemaLocation};
use crate::marks::Mark;
use crate::patch::PatchError;
use crate::{Error, patch};

/// The keyword that holds the replacement for a field's schema. The last value applies.
pub(super) const SCHEMA: Kept<Value> = Kept::new("x-crdkit-schema");

/// The keyword that holds the patches of a schema until they are applied.
pub(super) const PATCHES: Kept<String> = Kept::new("x-crdkit-schema-patch");

/// The keyword that holds replacements for parts of a schema, each with the path of the part.
pub(super) const SCHEMAS_AT: Kept<(String, String)> = Kept::new("x-crdkit-schemas-at");

/// Stores a mark's schemas and patches until the end, so that passes do not change them.
pub(super) fn keep(node: &mut Node, mark: &Mark) {
    SCHEMA.add(node, mark.schema.as_slice());
    SCHEMAS_AT.add(node, &mark.schemas_at);
    PATCHES.add(node, &mark.schema_patches);
}

/// Replaces a schema with the schema in the field's attribute. The field's own keywords stay.
pub(super) fn replace(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let Some(schema) = SCHEMA.take(node).pop() else { return Ok(()) };
    let schema = match schema {
        Value::String(text) => serde_json::from_str(&text).map_err(|error| {
            let message = format!("has a `schema` that is not valid JSON: {error}");
            place.error(message, "write `schema = r#\"{...}\"#`").caused_by(error)
        })?,
        other => other,
    };
    let Value::Object(schema) = schema else {
        return Err(place.error("has a `schema` that is not a JSON object", "write `schema = r#\"{...}\"#`"));
    };
    let mut around = std::mem::replace(node, schema);
    // Rules of both hold.
    if let Some(Value::Array(rules)) = around.remove(RULES.keyword())
        && let Value::Array(all) = node.entry(RULES.keyword()).or_insert_with(|| json!([]))
    {
        all.extend(rules);
    }
    for (keyword, value) in around {
        node.entry(keyword).or_insert(value);
    }
    Ok(())
}

/// Replaces parts of the schema (`schema_at`), and then applies the patches of the type and the field.
pub(super) fn patch(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let (schemas, patches) = (SCHEMAS_AT.take(node), PATCHES.take(node));
    marks::forget(node);
    for (path, text) in &schemas {
        put(node, path, text).map_err(|error| {
            error.into_error(|reason| {
                place.error(
                    format!("has a `schema_at` that {reason}"),
                    "compare it with the schema of `crd()`",
                )
            })
        })?;
    }
    for text in &patches {
        let mut value = Value::Object(std::mem::take(node));
        let patched = patch::apply_to_schema(&mut value, text);
        if let Value::Object(patched) = value {
            *node = patched;
        }
        patched.map_err(|error| {
            error.into_error(|reason| {
                place.error(
                    format!("has a `schema_patch` that {reason}"),
                    "compare it with the schema of `crd()`",
                )
            })
        })?;
    }
    Ok(())
}

/// Replaces the schema at a path with a schema that is a string of JSON.
fn put(node: &mut Node, path: &str, text: &str) -> Result<(), PatchError> {
    let schema = patch::object(text)?;
    let there =
        below(node, path).ok_or_else(|| PatchError::new(format!("is not in the schema: `{path}`")))?;
    if there.as_object() == Some(&schema) {
        return Err(PatchError::new(format!("changes nothing: `{path}` is already `{text}`")));
    }
    *there = Value::Object(schema);
    Ok(())
}

/// Returns the schema at a path in the notation of [`SchemaLocation`]: `.containers[].labels[*]`.
fn below<'n>(node: &'n mut Node, path: &str) -> Option<&'n mut Value> {
    if let Some((keyword, rest)) = path
        .strip_prefix("[]")
        .map(|rest| ("items", rest))
        .or_else(|| path.strip_prefix("[*]").map(|rest| ("additionalProperties", rest)))
    {
        return further(node.get_mut(keyword)?, rest);
    }
    let path = path.strip_prefix('.')?;
    let is_end = |(i, _): &(usize, &str)| !path[..*i].ends_with('\\');
    let end = path.match_indices(['.', '[']).find(is_end).map_or(path.len(), |(i, _)| i);
    let (name, rest) = path.split_at(end);
    further(node.get_mut("properties")?.get_mut(name.replace("\\.", "."))?, rest)
}

fn further<'n>(value: &'n mut Value, path: &str) -> Option<&'n mut Value> {
    if path.is_empty() { Some(value) } else { below(value.as_object_mut()?, path) }
}
