//! Checks that the schema of a list fits its `x-kubernetes-list-type`.

use serde_json::Value;

use super::walk::{Node, SchemaLocation};
use crate::Error;

/// Rejects a list type that the schema of the list does not allow.
pub(super) fn check(node: &Node, place: &SchemaLocation) -> Result<(), Error> {
    let list_type = node.get("x-kubernetes-list-type").and_then(Value::as_str);
    if list_type.is_some() && node.get("type").is_none_or(|name| name != "array") {
        return Err(place.error("has a list type but is not a list", "put `list_type` on a `Vec`"));
    }
    if list_type == Some("set")
        && let Some(items) = node.get("items")
        && items.get("type").is_some_and(|name| name == "object")
        && items.get("x-kubernetes-map-type").is_none_or(|name| name != "atomic")
    {
        return Err(place.error(
            "is a set of objects, which the API server cannot compare",
            "use `list_type = \"map\"` with `list_map_keys`, or `list_type = \"atomic\"`",
        ));
    }
    let Some(Value::Array(keys)) = node.get("x-kubernetes-list-map-keys") else { return Ok(()) };
    let items = node.get("items").unwrap_or(&Value::Null);
    keys.iter().filter_map(Value::as_str).try_for_each(|key| self::key(key, items, place))
}

/// Rejects a key in `x-kubernetes-list-map-keys`, unless it is a scalar field of the items that is always present and never null.
fn key(key: &str, items: &Value, place: &SchemaLocation) -> Result<(), Error> {
    let error = |problem: &str, help: &str| {
        Err(place.error(format!("has the list map key `{key}`, which {problem}"), help))
    };
    let Some(property) = items.get("properties").and_then(|properties| properties.get(key)) else {
        return error(
            "is not a field of its items",
            "name a field of the items; use the name that serde writes",
        );
    };
    if property.get("type").is_some_and(|name| name == "object" || name == "array") {
        return error("is not a scalar", "name a field that is a string, a number or a boolean");
    }
    let required = items.get("required").and_then(Value::as_array);
    let is_required = required.is_some_and(|all| all.iter().any(|name| name == key));
    if !is_required && property.get("default").is_none_or(Value::is_null) {
        return error(
            "may be absent",
            "make the field required by removing `Option`, or give it a `#[serde(default = ...)]`",
        );
    }
    if property.get("nullable") == Some(&Value::Bool(true)) {
        return error("may be null", "remove `Option` from the type of the field");
    }
    Ok(())
}
