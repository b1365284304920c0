//! Schemas without a type, such as the schema of `serde_json::Value`, which keep every value unchanged.

use serde_json::{Value, json};

use super::objects::{CLOSED, OPAQUE};
use super::walk::{Node, SchemaLocation};
use crate::Error;

pub(super) fn any(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    node.remove(CLOSED);
    if node.remove(OPAQUE).is_some() {
        node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
    }
    if node.get("not") == Some(&json!({})) {
        return Err(place.no_value());
    }
    // The root of an object is an object, even if a schema by hand has no type.
    if place.field().is_empty()
        && !["type", "enum", "items"].iter().any(|keyword| node.contains_key(*keyword))
    {
        node.insert("type".to_owned(), json!("object"));
        if !node.contains_key("properties") && !node.contains_key("additionalProperties") {
            node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
        }
    }
    match node.get("type") {
        Some(Value::String(name)) if name == "null" => {
            return Err(place.error(
                "is a unit type, whose only value is null",
                "use a struct with braces (`struct Empty {}`), a `bool`, or `#[serde(skip)]` the field",
            ));
        }
        Some(Value::Array(types)) => {
            let names: Vec<&str> = types.iter().filter_map(Value::as_str).collect();
            if names.len() == 2 && names.contains(&"integer") && names.contains(&"string") {
                node.remove("type");
                node.insert("x-kubernetes-int-or-string".to_owned(), json!(true));
                return Ok(());
            }
            return Err(place.error(
                format!("has more than one type: {}", names.join(", ")),
                "in a CRD, a value has a single type: use an enum with named variants, or `#[crd(schemaless)]`",
            ));
        }
        _ => {}
    }
    let is_true = |keyword: &str| node.get(keyword) == Some(&Value::Bool(true));
    if !node.contains_key("type")
        && !is_true("x-kubernetes-int-or-string")
        && !is_true("x-kubernetes-preserve-unknown-fields")
    {
        if node.contains_key("enum") || node.contains_key("properties") || node.contains_key("items") {
            return Err(place.error(
                "has a schema without a `type`",
                "return a type from its `JsonSchema`, or add one with `#[schemars(extend(\"type\" = \"string\"))]`",
            ));
        }
        node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
        // A value that is kept as it is may be null, too, unless its type is known.
        node.entry("nullable").or_insert(json!(true));
    }
    if node.get("nullable") == Some(&json!(false)) {
        node.remove("nullable");
    }
    Ok(())
}
