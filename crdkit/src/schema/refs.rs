//! Ends the recursion of recursive types, at fields with `recursion` or `schemaless`. A recursive type without such a field is an error.
//! With inlined schemas, schemars writes a `$ref` only for recursive types.

use serde_json::{Value, json};

use super::marks;
use super::walk::{Node, SchemaLocation, tree};
use crate::Error;

/// Rejects types that refer to themselves.
pub(super) fn reject(schema: &mut Value, root: &SchemaLocation) -> Result<(), Error> {
    if let Value::Object(node) = schema {
        node.remove("$defs");
    }
    tree(schema, root, &mut |node, place| {
        let Some(target) = node.get("$ref").and_then(Value::as_str) else { return Ok(()) };
        // The whole schema is `#`.
        let name = match target.rsplit('/').next() {
            Some(name) if name != "#" => name,
            _ => root.type_name(),
        };
        Err(place.error(
            format!("is recursive: it contains a `{name}` inside a `{name}`"),
            "put `#[crd(recursion = 3)]` on a field of the cycle: the API server then keeps deeper levels without checking them; or `#[crd(schemaless)]`",
        ))
    })
}

/// Ends the recursion: at fields with `recursion` after the given number of levels, and at fields with `schemaless`
/// immediately.
pub(super) fn end(schema: &mut Value, root: &SchemaLocation) -> Result<(), Error> {
    unroll(schema, root)?;
    cut(schema);
    Ok(())
}

/// Expands recursive types to the number of levels that `recursion` gives. Below these levels, every value of the type is
/// kept.
fn unroll(schema: &mut Value, root: &SchemaLocation) -> Result<(), Error> {
    let mut is_marked = false;
    tree(schema, root, &mut |node, place| {
        if marks::recursion(node).is_none() {
            return Ok(());
        }
        is_marked = true;
        if node_has_reference(node) {
            return Ok(());
        }
        Err(place.error("has `recursion`, but its type is not recursive", "remove `recursion`"))
    })?;
    if is_marked {
        let whole = schema.clone();
        unrolled(schema, &whole, None, false);
    }
    Ok(())
}

fn has_reference(value: &Value) -> bool {
    match value {
        Value::Object(node) => node_has_reference(node),
        Value::Array(values) => values.iter().any(has_reference),
        _ => false,
    }
}

fn node_has_reference(node: &Node) -> bool {
    node.contains_key("$ref") || node.values().any(has_reference)
}

/// Expands a schema with `left` remaining levels. A reference inside a field with `recursion` counts as a level.
fn unrolled(value: &mut Value, whole: &Value, left: Option<u32>, mut is_within: bool) {
    let node = match value {
        Value::Object(node) => node,
        Value::Array(values) => {
            values.iter_mut().for_each(|value| unrolled(value, whole, left, is_within));
            return;
        }
        _ => return,
    };
    let mut left = left;
    if let Some(levels) = marks::recursion(node) {
        let levels = *left.get_or_insert(levels);
        if levels == 0 {
            open(node, whole);
            return;
        }
        is_within = true;
    }
    if is_within && let Some(Value::String(target)) = node.get("$ref") {
        if let Some(Value::Object(definition)) = whole.pointer(target.trim_start_matches('#')) {
            let mut definition = definition.clone();
            definition.remove("$defs");
            node.remove("$ref");
            marks::prepend(node, &mut definition);
            for (keyword, value) in definition {
                node.entry(keyword).or_insert(value);
            }
        }
        left = left.map(|levels| levels - 1);
        is_within = false;
    }
    let parts = node.iter_mut().filter(|(keyword, _)| *keyword != "$defs");
    parts.for_each(|(_, value)| unrolled(value, whole, left, is_within));
}

/// Replaces the schemas of `schemaless` fields with schemas that accept every value of the type.
fn cut(schema: &mut Value) {
    if has_marked(schema) {
        let whole = schema.clone();
        cut_marked(schema, &whole);
    }
}

fn has_marked(value: &Value) -> bool {
    match value {
        Value::Object(node) => marks::is_schemaless(node) || node.values().any(has_marked),
        Value::Array(values) => values.iter().any(has_marked),
        _ => false,
    }
}

/// Replaces the outermost `schemaless` schemas first, because everything inside them is removed with them.
fn cut_marked(value: &mut Value, whole: &Value) {
    match value {
        Value::Object(node) if marks::is_schemaless(node) => open(node, whole),
        Value::Object(node) => node.values_mut().for_each(|value| cut_marked(value, whole)),
        Value::Array(values) => values.iter_mut().for_each(|value| cut_marked(value, whole)),
        _ => {}
    }
}

/// Replaces a schema with a schema that accepts every value of its type.
fn open(node: &mut Node, whole: &Value) {
    let kept = marks::beside_schemaless(node);
    *node = opened(&Value::Object(std::mem::take(node)), whole, DEPTH);
    if let Some(mark) = kept {
        marks::add(node, mark);
    }
}

/// Returns a schema that accepts every value of the given schema's types, including `null` if the given schema allows it.
fn opened(schema: &Value, whole: &Value, depth: usize) -> Node {
    let mut node = Node::new();
    node.insert(marks::SCHEMALESS.to_owned(), json!(true));
    node.extend(schema.get("description").map(|text| ("description".to_owned(), text.clone())));
    let Some(accepted) = types(schema, whole, depth) else { return node };
    let is_nullable = accepted.contains(&"null");
    let is_shown = |name: &&str| {
        let is_part_of_number = *name == "integer" && accepted.contains(&"number");
        accepted.contains(name) && !is_part_of_number
    };
    let mut types: Vec<&str> = TYPES.into_iter().filter(is_shown).collect();
    match types.as_slice() {
        ["array"] => {
            let items = schema.get("items").filter(|_| depth > 0);
            let items = items.map_or_else(Node::new, |items| opened(items, whole, depth - 1));
            node.insert("items".to_owned(), Value::Object(items));
        }
        ["object"] => drop(node.insert("additionalProperties".to_owned(), json!(true))),
        [_] | ["integer", "string"] => {}
        // As a value of any type, but for null.
        _ => {
            node.insert("nullable".to_owned(), json!(is_nullable));
            return node;
        }
    }
    if is_nullable {
        types.push("null");
    }
    let types = if let [only] = types.as_slice() { json!(only) } else { json!(types) };
    node.insert("type".to_owned(), types);
    node
}

/// Maximum depth at which lists and references are followed to find a schema's types.
const DEPTH: usize = 8;

/// The types of a schema except `null`.
const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Returns the types that a schema accepts, or `None` if it accepts every type. `depth` limits how many references are followed.
fn types<'v>(schema: &'v Value, whole: &'v Value, depth: usize) -> Option<Vec<&'v str>> {
    let node = schema.as_object().filter(|_| depth > 0)?;
    if let Some(target) = node.get("$ref").and_then(Value::as_str) {
        return types(whole.pointer(target.trim_start_matches('#'))?, whole, depth - 1);
    }
    if node.get("x-kubernetes-int-or-string") == Some(&json!(true)) {
        return Some(vec!["integer", "string"]);
    }
    match (node.get("type"), node.get("oneOf").or(node.get("anyOf"))) {
        (Some(Value::String(name)), _) => Some(vec![name]),
        (Some(Value::Array(names)), _) => Some(names.iter().filter_map(Value::as_str).collect()),
        (_, Some(Value::Array(branches))) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(types(branch, whole, depth - 1)?);
            }
            Some(all)
        }
        _ => None,
    }
}
