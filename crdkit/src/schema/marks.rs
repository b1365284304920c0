//! What the derives say of types and fields beside schemars' words, and its translation into keywords.
//!
//! A derive leaves marks in the schema under one key, the type's before the field's, as values of JSON. They become
//! keywords when the schema has taken the shape that the keywords speak about.

use serde_json::{Value, json};

use super::walk::{Node, Place};
use super::{SchemaOptions, descriptions, groups, replaced, shown};
use crate::Error;

/// The key under which marks stand until they are applied.
pub(crate) const KEY: &str = "x-crdkit";

/// The key under which the name of the Rust type stays when marks are applied, for the errors of later passes.
pub(super) const TYPE: &str = "x-crdkit-type";

/// Keywords that a mark sets as they are.
const KEYWORDS: &[(&str, &str)] = &[
    ("listType", "x-kubernetes-list-type"),
    ("listMapKeys", "x-kubernetes-list-map-keys"),
    ("mapType", "x-kubernetes-map-type"),
    ("embeddedResource", "x-kubernetes-embedded-resource"),
    ("preserveUnknownFields", "x-kubernetes-preserve-unknown-fields"),
];

/// Adds a mark after those that are there.
pub(crate) fn add(node: &mut Node, mark: Value) {
    if let Value::Array(marks) = node.entry(KEY).or_insert_with(|| json!([])) {
        marks.push(mark);
    }
}

/// Puts the marks of an inner schema before those of the schema that takes its place.
pub(super) fn prepend(node: &mut Node, inner: Value) {
    let Value::Array(mut marks) = inner else { return };
    if let Some(Value::Array(own)) = node.remove(KEY) {
        marks.extend(own);
    }
    node.insert(KEY.to_owned(), Value::Array(marks));
}

/// The Rust type whose schema this is.
pub(super) fn type_name(node: &Node) -> Option<&str> {
    let applied = node.get(TYPE);
    // The outermost name is the one that users wrote where the value stands.
    marks(node).rev().find_map(|mark| mark.get("type")).or(applied)?.as_str()
}

/// Whether a field asks for no schema.
pub(super) fn is_schemaless(node: &Node) -> bool {
    marks(node).any(|mark| mark.get("schemaless") == Some(&Value::Bool(true)))
}

/// Turns the marks of a node into keywords.
pub(super) fn apply(node: &mut Node, place: &Place, options: SchemaOptions) -> Result<(), Error> {
    match type_name(node).map(str::to_owned) {
        Some(name) => {
            node.insert(TYPE.to_owned(), name.into());
        }
        None => foreign_options(node),
    }
    let marks = node.remove(KEY).unwrap_or_default();
    for mark in marks.as_array().into_iter().flatten() {
        let Value::Object(mark) = mark else { continue };
        for (name, keyword) in KEYWORDS {
            if let Some(value) = mark.get(*name) {
                node.insert((*keyword).to_owned(), value.clone());
            }
        }
        if mark.get("intOrString") == Some(&Value::Bool(true)) {
            for keyword in
                ["type", "format", "anyOf", "oneOf", "minimum", "maximum", "properties", "required"]
            {
                node.remove(keyword);
            }
            node.insert("x-kubernetes-int-or-string".to_owned(), json!(true));
        }
        if mark.get("embeddedResource") == Some(&Value::Bool(true)) {
            node.insert("type".to_owned(), json!("object"));
            if !node.contains_key("properties") {
                node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
            }
        }
        match mark.get("format").and_then(Value::as_str) {
            None => {}
            Some("") => {
                node.remove("format");
            }
            Some(format) => {
                node.insert("format".to_owned(), format.into());
            }
        }
        replaced::keep(node, mark);
        shown::keep(node, mark);
        descriptions::keep(node, mark);
        of_parts(node, mark, place)?;
        nullable(node, mark, options);
        if let Some(Value::Array(rules)) = mark.get("validations")
            && let Value::Array(all) = node.entry("x-kubernetes-validations").or_insert_with(|| json!([]))
        {
            all.extend(rules.iter().cloned());
        }
        groups::groups(node, mark, place)?;
        if mark.get("immutable") == Some(&Value::Bool(true)) {
            node.insert(groups::ONCE.to_owned(), json!(true));
        }
    }
    groups::once_set(node);
    list_map_keys(node, place)
}

/// Adds the rules of a field for the items of its list, or for the values of its map.
fn of_parts(node: &mut Node, mark: &Node, place: &Place) -> Result<(), Error> {
    let parts = [
        ("itemValidations", "items", "is no list, and has rules for its items"),
        ("valueValidations", "additionalProperties", "is no map, and has rules for its values"),
    ];
    for (name, keyword, wrong) in parts {
        let Some(Value::Array(rules)) = mark.get(name) else { continue };
        let Some(Value::Object(part)) = node.get_mut(keyword) else {
            return Err(place.error(wrong, "put the rules on the field itself: `validation = \"...\"`"));
        };
        if let Value::Array(all) = part.entry("x-kubernetes-validations").or_insert_with(|| json!([])) {
            all.extend(rules.iter().cloned());
        }
    }
    Ok(())
}

fn nullable(node: &mut Node, mark: &Node, options: SchemaOptions) {
    match mark.get("nullable") {
        Some(Value::Bool(true)) => {
            node.insert("nullable".to_owned(), json!(true));
        }
        Some(_) => {
            node.remove("nullable");
        }
        // Serde never writes this `None` as null, and an `enum` takes none in any case. A null that users write is
        // dropped by the API server, unless it is applied by the server's side.
        None if mark.contains_key("nullIsSkipped")
            && (!options.every_option_is_nullable || node.contains_key("enum")) =>
        {
            node.remove("nullable");
        }
        None if mark.contains_key("isOption")
            && (is_int_or_string(node) || node.contains_key(replaced::SCHEMA)) =>
        {
            node.insert("nullable".to_owned(), json!(true));
        }
        None => {}
    }
}

fn is_int_or_string(node: &Node) -> bool {
    node.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true))
}

/// In a type that derives schemars' trait alone, every int-or-string that may be absent may be null: schemars says of
/// `Option` nothing else here.
fn foreign_options(node: &mut Node) {
    let required: Vec<Value> = node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (name, property) in node.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if let Value::Object(property) = property
            && is_int_or_string(property)
            && !property.contains_key("default")
            && !required.iter().any(|required| required == name)
        {
            property.insert("nullable".to_owned(), json!(true));
        }
    }
}

/// A list of type map needs items with its keys, which are required or have a default, and are scalars.
fn list_map_keys(node: &Node, place: &Place) -> Result<(), Error> {
    let list_type = node.get("x-kubernetes-list-type").and_then(Value::as_str);
    if list_type.is_some() && node.get("type").is_none_or(|name| name != "array") {
        return Err(place.error("has a list type and is no list", "put `list_type` on a `Vec`"));
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
    for key in keys.iter().filter_map(Value::as_str) {
        let Some(property) = items.get("properties").and_then(|properties| properties.get(key)) else {
            return Err(place.error(
                format!("has the list map key `{key}`, which is no field of its items"),
                "name a field of the items as serde writes it",
            ));
        };
        if property.get("type").is_some_and(|name| name == "object" || name == "array") {
            return Err(place.error(
                format!("has the list map key `{key}`, which is no scalar"),
                "name a field that is a text, a number or a truth value",
            ));
        }
        let is_required = items
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(|name| name == key));
        if !is_required && property.get("default").is_none_or(Value::is_null) {
            return Err(place.error(
                format!("has the list map key `{key}`, which may be absent"),
                "make it no `Option`, or give it a `#[serde(default = ...)]`",
            ));
        }
        if property.get("nullable") == Some(&Value::Bool(true)) {
            return Err(place
                .error(format!("has the list map key `{key}`, which may be null"), "make it no `Option`"));
        }
    }
    Ok(())
}

fn marks(node: &Node) -> impl DoubleEndedIterator<Item = &Node> {
    node.get(KEY).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}
