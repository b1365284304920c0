//! Joins the bounds of a type with the bounds of a field, or with the bounds under `allOf`. The tightest bound applies. Bounds that remain
//! under `allOf` would not count in the cost estimate for rules.

use serde_json::{Value, json};

use super::walk::{Node, SchemaLocation};
use super::{marks, numbers};
use crate::Error;

/// Keywords that bound a value.
const BOUNDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "pattern",
];

/// Returns the bounds of a type, because a field's own bounds would otherwise replace them.
pub(super) fn from_node(node: &Node) -> Option<Node> {
    let mut bounds = Node::new();
    bounds.extend(node.iter().filter(|(keyword, _)| BOUNDS.contains(&keyword.as_str())).map(clone));
    (!bounds.is_empty()).then_some(bounds)
}

/// Joins the bounds from the types' marks with the current bounds.
pub(super) fn bounds(node: &mut Node, _: &SchemaLocation) -> Result<(), Error> {
    for mut bounds in marks::bounds(node) {
        numbers::bounds(&mut bounds);
        tighten(node, &mut bounds);
    }
    Ok(())
}

/// Moves the bounds of `other` to `node`. Of two bounds, the tighter one remains.
pub(super) fn tighten(node: &mut Node, other: &mut Node) {
    range(node, other, "minimum", "exclusiveMinimum", |new, old| new > old);
    range(node, other, "maximum", "exclusiveMaximum", |new, old| new < old);
    for keyword in ["minLength", "minItems", "minProperties"] {
        pick(node, other, keyword, |new, old| new > old);
    }
    for keyword in ["maxLength", "maxItems", "maxProperties"] {
        pick(node, other, keyword, |new, old| new < old);
    }
    for keyword in ["pattern", "multipleOf"] {
        let Some(value) = other.remove(keyword) else { continue };
        match node.get(keyword) {
            None => {
                node.insert(keyword.to_owned(), value);
            }
            Some(own) if *own == value => {}
            // Two patterns cannot become one, and neither is part of an estimate.
            Some(_) => {
                if let Value::Array(all) = node.entry("allOf").or_insert_with(|| json!([])) {
                    all.push(json!({keyword: value}));
                }
            }
        }
    }
    if let Some(Value::Array(theirs)) = other.remove("enum") {
        match node.get_mut("enum") {
            Some(Value::Array(own)) => own.retain(|value| theirs.contains(value)),
            _ => {
                node.insert("enum".to_owned(), Value::Array(theirs));
            }
        }
    }
}

fn pick(node: &mut Node, other: &mut Node, keyword: &str, is_tighter: fn(f64, f64) -> bool) {
    let Some(value) = other.remove(keyword) else { return };
    let own = node.get(keyword).and_then(Value::as_f64);
    if own.is_none_or(|own| value.as_f64().is_some_and(|new| is_tighter(new, own))) {
        node.insert(keyword.to_owned(), value);
    }
}

/// Joins a minimum or maximum, together with its `exclusive` keyword in the API's form.
fn range(
    node: &mut Node,
    other: &mut Node,
    keyword: &str,
    exclusive: &str,
    is_tighter: fn(f64, f64) -> bool,
) {
    let excludes = other.remove(exclusive) == Some(Value::Bool(true));
    let Some(value) = other.remove(keyword) else { return };
    let own = node.get(keyword).and_then(Value::as_f64);
    let new = value.as_f64();
    if own.is_none_or(|own| new.is_some_and(|new| is_tighter(new, own))) {
        node.insert(keyword.to_owned(), value);
        node.remove(exclusive);
    } else if own != new {
        return;
    }
    if excludes {
        node.insert(exclusive.to_owned(), json!(true));
    }
}

/// Returns the bounds of `format: int32`.
pub(super) fn of_int32() -> Node {
    let mut node = Node::new();
    node.insert("minimum".to_owned(), i32::MIN.into());
    node.insert("maximum".to_owned(), i32::MAX.into());
    node
}

fn clone((keyword, value): (&String, &Value)) -> (String, Value) {
    (keyword.clone(), value.clone())
}
