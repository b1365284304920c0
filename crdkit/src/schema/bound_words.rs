//! Bounds of fields whose type schemars cannot see. A schemars attribute whose bound cannot be added to the schema is an error.
//!
//! schemars applies `length` only to known strings and lists, and `range` only to known numbers. It silently drops the attributes on
//! other types, such as maps, aliases or int-or-string enums.

use serde_json::{Value, json};

use super::bounds::tighten;
use super::kept::Kept;
use super::numbers;
use super::walk::{Node, SchemaLocation};
use crate::Error;
use crate::marks::{BoundKind, BoundMark, BoundMarks, Mark};

/// The keyword that holds the marks' bounds until the type of the schema is known.
const BOUNDS: Kept<BoundMarks> = Kept::new("x-crdkit-bounds");

/// Stores the bounds of a mark in the schema.
pub(super) fn keep(node: &mut Node, mark: &Mark) {
    if !mark.bounds.is_empty() {
        BOUNDS.add(node, std::slice::from_ref(&mark.bounds));
    }
}

/// Turns the stored bounds into keywords.
pub(super) fn apply(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let all = BOUNDS.take(node);
    // A given schema replaces the bounds.
    if super::replaced::SCHEMA.is_in(node) {
        return Ok(());
    }
    for BoundMarks { own, inner } in &all {
        bound(node, own, place)?;
        match node.get_mut("items") {
            Some(Value::Object(items)) => bound(items, inner, &place.items())?,
            _ if inner.iter().any(|bound| bound.is_strict) => {
                return Err(place.error("has `inner(...)` but is not a list", "remove it"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn bound(node: &mut Node, bounds: &[BoundMark], place: &SchemaLocation) -> Result<(), Error> {
    for bound in bounds {
        match keywords(node, bound.kind) {
            Some([min, max]) => {
                let mut bounds = Node::new();
                for (keyword, value) in [(min, &bound.min), (max, &bound.max)] {
                    bounds.extend(value.iter().map(|value| (keyword.to_owned(), value.clone())));
                }
                if let Some(pattern) = &bound.pattern {
                    bounds.insert("pattern".to_owned(), json!(pattern));
                }
                numbers::bounds(&mut bounds);
                tighten(node, &mut bounds);
            }
            None if bound.is_strict => {
                let message = format!("has `{}`, which has no effect on {}", bound.name, shown(node));
                return Err(place.error(message, help(bound.kind)));
            }
            None => {}
        }
    }
    Ok(())
}

/// Returns the minimum and maximum keywords for this kind of bound, or `None` if the bound does not apply to the schema's type.
fn keywords(node: &Node, kind: BoundKind) -> Option<[&'static str; 2]> {
    let is_either = node.get("x-kubernetes-int-or-string") == Some(&json!(true));
    let type_ = node.get("type").and_then(Value::as_str).unwrap_or(if is_either { "either" } else { "" });
    match (kind, type_) {
        (BoundKind::Range, "integer" | "number" | "either") => Some(["minimum", "maximum"]),
        (BoundKind::Length, "string" | "either") => Some(["minLength", "maxLength"]),
        (BoundKind::Length, "array") => Some(["minItems", "maxItems"]),
        (BoundKind::Length, "object") if !node.contains_key("properties") => {
            Some(["minProperties", "maxProperties"])
        }
        (BoundKind::Pattern | BoundKind::Format, "string" | "either") => Some(["", ""]),
        _ => None,
    }
}

fn help(kind: BoundKind) -> &'static str {
    match kind {
        BoundKind::Range => "`range` bounds numbers: use `length` for strings, lists and maps, or remove it",
        BoundKind::Length => "`length` bounds strings, lists and maps: use `range` for numbers, or remove it",
        BoundKind::Pattern | BoundKind::Format => "it is for strings: remove it",
    }
}

/// Describes the schema's values for messages.
fn shown(node: &Node) -> &'static str {
    match node.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => "a number",
        Some("string") => "a string",
        Some("boolean") => "a boolean",
        Some("array") => "a list",
        Some("object") if node.contains_key("properties") => "an object with fields",
        Some("object") => "a map",
        _ => "a value of any type",
    }
}

/// Rejects bounds that exclude every value.
pub(super) fn crossing(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let number = |keyword: &str| node.get(keyword).and_then(Value::as_f64);
    let is_true = |keyword: &str| node.get(keyword) == Some(&Value::Bool(true));
    let pairs = [
        ("minimum", "maximum"),
        ("minLength", "maxLength"),
        ("minItems", "maxItems"),
        ("minProperties", "maxProperties"),
    ];
    for (min, max) in pairs {
        let (Some(least), Some(most)) = (number(min), number(max)) else { continue };
        let excludes = min == "minimum" && (is_true("exclusiveMinimum") || is_true("exclusiveMaximum"));
        if least > most || (least == most && excludes) {
            let message = format!(
                "has bounds that exclude every value: its `{min}` is {least} and its `{max}` is {most}"
            );
            return Err(place.error(
                message,
                "change one of the bounds: the bounds of the type and of the field both apply",
            ));
        }
    }
    Ok(())
}
