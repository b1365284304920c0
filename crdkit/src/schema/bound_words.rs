//! Bounds that fields say of types which schemars does not see through: they reach the schema, or are errors.
//!
//! schemars puts a `length` on what it knows to be a text or a list, a `range` on a number, and drops both in silence
//! elsewhere: on an enum of integer and text, on a map, behind an alias.

use serde_json::{Value, json};

use super::bounds::tighten;
use super::numbers;
use super::walk::{Node, Place};
use crate::Error;

/// The key under which the bounds of a mark stand until the shape of the schema is known.
const KEY: &str = "x-crdkit-bound-words";

/// Keeps what a mark says.
pub(super) fn keep(node: &mut Node, mark: &Node) {
    if let Some(words) = mark.get("boundWords")
        && let Value::Array(all) = node.entry(KEY).or_insert_with(|| json!([]))
    {
        all.push(words.clone());
    }
}

/// Puts the bounds in their places.
pub(super) fn apply(node: &mut Node, place: &Place) -> Result<(), Error> {
    let Some(Value::Array(all)) = node.remove(KEY) else { return Ok(()) };
    // A schema that is given has the last word.
    if node.contains_key(super::replaced::SCHEMA) {
        return Ok(());
    }
    for words in &all {
        words.get("own").map_or(Ok(()), |words| bound(node, words, place))?;
        let Some(inner) = words.get("inner") else { continue };
        match node.get_mut("items") {
            Some(Value::Object(items)) => bound(items, inner, &place.items())?,
            _ if is_strict(inner) => {
                return Err(place.error("has `inner(...)` and is not a list", "remove it"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_strict(words: &Value) -> bool {
    words.as_array().into_iter().flatten().any(|word| word["strict"] == true)
}

fn bound(node: &mut Node, words: &Value, place: &Place) -> Result<(), Error> {
    for word in words.as_array().into_iter().flatten() {
        let kind = word["kind"].as_str().unwrap_or_default();
        match keywords(node, kind) {
            Some([min, max]) => {
                let mut bounds = Node::new();
                for (keyword, value) in [(min, word.get("min")), (max, word.get("max"))] {
                    bounds.extend(value.map(|value| (keyword.to_owned(), value.clone())));
                }
                if let Some(pattern) = word.get("pattern").filter(|_| kind == "pattern") {
                    bounds.insert("pattern".to_owned(), pattern.clone());
                }
                numbers::bounds(&mut bounds);
                tighten(node, &mut bounds);
            }
            None if word["strict"] == true => {
                let name = word["name"].as_str().unwrap_or(kind);
                return Err(
                    place.error(format!("has `{name}`, which has no effect on {}", shown(node)), help(kind))
                );
            }
            None => {}
        }
    }
    Ok(())
}

/// The keywords by which a kind of bound is said of a schema's type; `None` where it says nothing of the type.
fn keywords(node: &Node, kind: &str) -> Option<[&'static str; 2]> {
    let is_either = node.get("x-kubernetes-int-or-string") == Some(&json!(true));
    let type_ = node.get("type").and_then(Value::as_str).unwrap_or(if is_either { "either" } else { "" });
    match (kind, type_) {
        ("range", "integer" | "number" | "either") => Some(["minimum", "maximum"]),
        ("length", "string" | "either") => Some(["minLength", "maxLength"]),
        ("length", "array") => Some(["minItems", "maxItems"]),
        ("length", "object") if !node.contains_key("properties") => Some(["minProperties", "maxProperties"]),
        ("pattern" | "format", "string" | "either") => Some(["", ""]),
        _ => None,
    }
}

fn help(kind: &str) -> &'static str {
    match kind {
        "range" => "`range` bounds numbers: use `length` for texts, lists and maps, or remove it",
        "length" => "`length` bounds texts, lists and maps: use `range` for numbers, or remove it",
        _ => "it is for texts: remove it",
    }
}

/// What values of a schema are, in words.
fn shown(node: &Node) -> &'static str {
    match node.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => "a number",
        Some("string") => "a text",
        Some("boolean") => "a truth value",
        Some("array") => "a list",
        Some("object") if node.contains_key("properties") => "an object with fields",
        Some("object") => "a map",
        _ => "a value of any type",
    }
}

/// Refuses bounds between which no value is.
pub(super) fn crossing(node: &mut Node, place: &Place) -> Result<(), Error> {
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
            let message = format!("takes no value: its `{min}` is {least} and its `{max}` is {most}");
            return Err(place.error(message, "change one of the bounds: those of type and field count both"));
        }
    }
    Ok(())
}
