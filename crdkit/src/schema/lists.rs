//! Converts lists. Sets get `x-kubernetes-list-type: set`, and tuples of similar items become lists of a fixed length.

use serde_json::{Value, json};

use super::merge::unify;
use super::walk::{Node, SchemaLocation};
use crate::Error;

pub(super) fn lists(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let is_tuple = node.contains_key("prefixItems");
    if is_tuple {
        node.remove("items");
    } else if node.get("type").is_some_and(|name| name == "array")
        && node.get("items").is_none_or(Value::is_boolean)
    {
        let is_empty = node.get("maxItems").is_some_and(|most| *most == 0);
        if is_empty || node.get("items") == Some(&Value::Bool(false)) {
            return Err(place.error(
                "is always an empty list",
                "`#[serde(skip)]` the field, or give the list a type for its items",
            ));
        }
        node.insert("items".to_owned(), json!({}));
    }
    Ok(())
}

/// Gives the items of a tuple a schema that accepts all of them, if there is one. The schemas of the items are already
/// converted.
pub(super) fn tuples(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let Some(Value::Array(prefix)) = node.remove("prefixItems") else { return Ok(()) };
    let mut prefix = prefix.iter().filter_map(Value::as_object);
    let Some(first) = prefix.next() else { return Ok(()) };
    let different = || {
        place.error(
            "is a tuple of different types: a list in a CRD has one schema for all its items",
            "use a struct with named fields, or `#[crd(schemaless)]`",
        )
    };
    let mut shape = first.clone();
    for item in prefix {
        // Either of both would be taken in every place.
        if item.get("type") != shape.get("type") && [item, &shape].into_iter().any(|item| !is_number(item)) {
            return Err(different());
        }
        shape = unify(&shape, item, place).map_err(|_| different())?;
    }
    node.insert("items".to_owned(), Value::Object(shape));
    Ok(())
}

/// Turns a list with `uniqueItems` into a set.
pub(super) fn sets(node: &mut Node) {
    if node.remove("uniqueItems") == Some(Value::Bool(true)) && is_scalar(node.get("items")) {
        node.insert("x-kubernetes-list-type".to_owned(), json!("set"));
    }
}

fn is_number(item: &Node) -> bool {
    item.get("type").is_some_and(|name| name == "integer" || name == "number")
}

/// Returns `true` if the items are scalars and never null, as a list of type `set` requires.
fn is_scalar(items: Option<&Value>) -> bool {
    let Some(items) = items else { return false };
    let is_nullable = items.get("nullable") == Some(&Value::Bool(true));
    let name = items.get("type").and_then(Value::as_str);
    !is_nullable && matches!(name, Some("string" | "integer" | "number" | "boolean"))
}
