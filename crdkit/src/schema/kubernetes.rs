//! Improves the schemas of k8s-openapi's types, which are recognized by their names. Adds list and map types for
//! server-side apply, the pattern for quantities and, if enabled, enums. Shortens the metadata of embedded objects.

use std::sync::LazyLock;

use crd_core::OrderedMap;
use serde_json::{Value, json};

use super::foreign;
use super::walk::{Node, SchemaLocation, tree};
use crate::Error;

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";

/// The metadata fields that users set in templates. All other fields are kept unchecked.
const LEAN: &[&str] = &["annotations", "finalizers", "generateName", "labels", "name", "namespace"];

/// The grammar of quantities, as in `ParseQuantity` of k8s.io/apimachinery.
const QUANTITY_PATTERN: &str = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$";

/// The types in the table, each with its keywords.
static TYPES: LazyLock<OrderedMap<&str>> = LazyLock::new(|| {
    let lines = include_str!("kubernetes.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// Returns the fields that have a fixed set of values, with these values.
fn enums(type_name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_type = move |line: &'static str| line.strip_prefix(type_name)?.strip_prefix('.')?.split_once(' ');
    include_str!("kubernetes_enums.txt").lines().filter_map(of_type)
}

pub(super) fn kubernetes(node: &mut Node, _: &SchemaLocation) -> Result<(), Error> {
    let Some(name) = foreign::name(node).map(str::to_owned) else { return Ok(()) };
    for keyword in TYPES.get(&name).copied().unwrap_or_default().split(' ') {
        match keyword.split_once('=') {
            Some((field, keys)) => merged(node, field, keys),
            None if keyword == "atomic" => {
                node.insert("x-kubernetes-map-type".to_owned(), json!("atomic"));
            }
            None => {}
        }
    }
    undescribed(node);
    match name.as_str() {
        OBJECT_META => lean(node),
        QUANTITY => {
            node.insert("pattern".to_owned(), json!(QUANTITY_PATTERN));
        }
        _ => {}
    }
    Ok(())
}

/// The beginnings of type descriptions that are removed. Such a description has up to 2.5 kB and would be repeated for every field of the
/// type. The field's own description stays.
const OWN_TEXTS: &[&str] = &[
    "Quantity is a fixed-point representation of a number.",
    "IntOrString is a type that can hold an int32 or a string.",
    "Time is a wrapper around time.Time",
    "MicroTime is version of Time with microsecond level precision.",
    "ObjectMeta is metadata that all persisted resources must have",
];

/// Removes a description that comes from the type and not from the field.
fn undescribed(node: &mut Node) {
    let text = node.get("description").and_then(Value::as_str).unwrap_or_default();
    if OWN_TEXTS.iter().any(|own| text.starts_with(own)) {
        node.remove("description");
    }
}

/// Sets `x-kubernetes-list-type` and the keys of a list from the table. Optional keys get a default.
fn merged(node: &mut Node, field: &str, keys: &str) {
    let list = node.get_mut("properties").and_then(|all| all.get_mut(field)).and_then(Value::as_object_mut);
    let Some(list) = list.filter(|list| list.get("type").is_some_and(|name| name == "array")) else { return };
    if keys.is_empty() {
        list.insert("x-kubernetes-list-type".to_owned(), json!("set"));
        return;
    }
    let keys: Vec<(&str, Option<&str>)> = keys.split(',').map(key).collect();
    let Some(Value::Object(items)) = list.get_mut("items") else { return };
    let required = items.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_there = |key: &str| required.iter().any(|name| name == key);
    // The API server takes no key that may be absent: schema/validation.go. Such a list stays atomic.
    if keys.iter().any(|(key, default)| default.is_none() && !is_there(key)) {
        return;
    }
    for (key, default) in &keys {
        let property = items.get_mut("properties").and_then(|all| all.get_mut(*key));
        if let Some(Value::Object(property)) = property
            && !is_there(key)
        {
            property.entry("default").or_insert_with(|| json!(default));
        }
    }
    let keys: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
    list.insert("x-kubernetes-list-type".to_owned(), json!("map"));
    list.insert("x-kubernetes-list-map-keys".to_owned(), json!(keys));
}

fn key(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((key, default)) => (key, Some(default)),
        None => (text, None),
    }
}

/// Removes ten of the sixteen metadata fields, because users do not set them in templates. controller-gen does the same.
fn lean(node: &mut Node) {
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        properties.retain(|name, _| LEAN.contains(&name.as_str()));
        // Everybody knows them.
        properties
            .values_mut()
            .filter_map(Value::as_object_mut)
            .for_each(|field| drop(field.remove("description")));
    }
    node.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true));
}

/// Adds `enum` to the fields of Kubernetes types in a schema, at any depth.
pub(super) fn add_enums(node: &mut Node, place: &SchemaLocation) -> Result<(), Error> {
    let mut is_found = false;
    let mut schema = Value::Object(std::mem::take(node));
    tree(&mut schema, place, &mut |node, _| {
        let Some(name) = foreign::name(node).map(str::to_owned) else { return Ok(()) };
        for (field, values) in enums(&name) {
            let property = node.get_mut("properties").and_then(|all| all.get_mut(field));
            is_found |= property.and_then(Value::as_object_mut).is_some_and(|field| restrict(field, values));
        }
        Ok(())
    })?;
    if let Value::Object(changed) = schema {
        *node = changed;
    }
    if is_found {
        return Ok(());
    }
    Err(place.error(
        "has `kubernetes_enums`, but no field whose type of k8s-openapi has a fixed set of values",
        "remove `kubernetes_enums`",
    ))
}

/// Limits a string, or the strings in a list, to some values. Returns `false` for other types.
fn restrict(field: &mut Node, values: &str) -> bool {
    match field.get("type").and_then(Value::as_str) {
        Some("string") => {
            let values: Vec<&str> = values.split(',').collect();
            field.insert("enum".to_owned(), json!(values));
            true
        }
        Some("array") => {
            field.get_mut("items").and_then(Value::as_object_mut).is_some_and(|items| restrict(items, values))
        }
        _ => false,
    }
}
