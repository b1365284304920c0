//! Lists: sets as `x-kubernetes-list-type: set`, tuples of one type as lists of a fixed length.

use serde_json::{Value, json};

use super::SchemaOptions;
use super::walk::{Node, Place};
use crate::Error;

pub(super) fn lists(node: &mut Node, place: &Place, _: SchemaOptions) -> Result<(), Error> {
    if let Some(Value::Array(prefix)) = node.remove("prefixItems") {
        let first = prefix.first().cloned().unwrap_or_default();
        if prefix.iter().any(|item| *item != first) {
            return Err(place.error(
                "is a tuple of different types: a list in a CRD has one schema for all its items",
                "use a struct with named fields, or `#[crd(schemaless)]`",
            ));
        }
        node.insert("items".to_owned(), first);
    }
    if node.get("type").is_some_and(|name| name == "array") && node.get("items").is_none_or(Value::is_boolean)
    {
        if node.get("maxItems").is_some_and(|most| *most == 0)
            || node.get("items") == Some(&Value::Bool(false))
        {
            return Err(place.error(
                "is always an empty list",
                "`#[serde(skip)]` the field, or give the list a type for its items",
            ));
        }
        node.insert("items".to_owned(), json!({}));
    }
    if node.remove("uniqueItems") == Some(Value::Bool(true)) && is_scalar(node.get("items")) {
        node.insert("x-kubernetes-list-type".to_owned(), json!("set"));
    }
    Ok(())
}

/// Whether items are scalars that are never null: a list of type set takes nothing else.
fn is_scalar(items: Option<&Value>) -> bool {
    let Some(items) = items else { return false };
    let is_nullable = items.get("nullable") == Some(&Value::Bool(true));
    let name = items.get("type").and_then(Value::as_str);
    !is_nullable && matches!(name, Some("string" | "integer" | "number" | "boolean"))
}
