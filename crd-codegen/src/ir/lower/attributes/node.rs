//! Schemas as JSON objects, for the comparison.

use serde_json::{Map, Value};

/// A schema as an object of keywords.
pub(super) type Node = Map<String, Value>;

/// Returns the object under a keyword; empty if the keyword is absent.
pub(super) fn child(node: &Node, keyword: &str) -> Node {
    node.get(keyword).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Removes a keyword from a schema, and returns its value if it is a string.
pub(super) fn text(node: &mut Node, keyword: &str) -> Option<Box<str>> {
    match node.remove(keyword) {
        Some(Value::String(text)) => Some(text.into()),
        _ => None,
    }
}

/// Returns `true` if the schema requires the property.
pub(super) fn required_in(node: &Node, name: &str) -> bool {
    node.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|own| own == name))
}
