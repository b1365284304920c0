//! Checks that a schema node and its items fit `x-kubernetes-list-type`, `x-kubernetes-map-type` and `x-kubernetes-list-map-keys`.

use std::collections::HashSet;

use super::dump;
use crate::crd::{Items, JsonSchemaProps};
use crate::lazy_path::LazyPath;
use crate::{CauseReason, Causes, Diagnostic, Edit, Remedy, Shown};

/// Checks the extensions that control how a node's values are merged.
pub(super) fn types(schema: &JsonSchemaProps, place: &LazyPath<'_>, out: &mut Causes) {
    if schema.x_preserve_unknown_fields == Some(false) {
        let path = place.child("x-kubernetes-preserve-unknown-fields").path();
        let remedy = Remedy::new("remove the keyword").with(Edit::remove(path.clone()));
        out.push(Diagnostic::invalid(path, false, "must be true or undefined").with_help(remedy));
    }
    if let Some(map_type) = &schema.x_map_type {
        owner_type(schema, "object", "must be object if x-kubernetes-map-type is specified", place, out);
        if map_type != "atomic" && map_type != "granular" {
            let path = place.child("x-kubernetes-map-type").path();
            out.push(Diagnostic::not_supported(path, map_type.as_str(), &["atomic", "granular"]));
        }
    }
    if let Some(list_type) = &schema.x_list_type {
        list(schema, list_type, place, out);
    }
    let keys = schema.x_list_map_keys.as_deref().unwrap_or_default();
    if !keys.is_empty() {
        let path = || place.child("x-kubernetes-list-type").path();
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        match schema.x_list_type.as_deref() {
            None => {
                let remedy = Remedy::new("add `x-kubernetes-list-type: map`").with(Edit::add(path(), "map"));
                out.push(Diagnostic::required(path(), detail).with_help(remedy));
            }
            Some("map") => {}
            Some(other) => out.push(Diagnostic::invalid(path(), other, detail)),
        }
    }
    if schema.x_list_type.as_deref() == Some("map") {
        map_list(schema, keys, place, out);
    }
    if let (Some(list_type @ ("set" | "map")), Some(Items::Schema(items))) =
        (schema.x_list_type.as_deref(), &schema.items)
    {
        unambiguous(list_type, keys, items, place, out);
    }
}

fn owner_type(
    schema: &JsonSchemaProps,
    wanted: &str,
    detail: &str,
    place: &LazyPath<'_>,
    out: &mut Causes,
) -> bool {
    let type_ = schema.type_.as_deref().unwrap_or_default();
    if type_ == wanted {
        return true;
    }
    let path = place.child("type").path();
    let help = format!("write `type: {wanted}`, or remove the keyword");
    out.push(if type_.is_empty() {
        Diagnostic::required(path, detail).with_help(help)
    } else {
        Diagnostic::invalid(path, type_, detail).with_help(help)
    });
    false
}

fn list(schema: &JsonSchemaProps, list_type: &str, place: &LazyPath<'_>, out: &mut Causes) {
    let detail = "must be array if x-kubernetes-list-type is specified";
    let is_array = owner_type(schema, "array", detail, place, out);
    if let (true, "set", Some(Items::Schema(items))) = (is_array, list_type, &schema.items) {
        set_items(items, place, out);
    }
    if !matches!(list_type, "atomic" | "set" | "map") {
        let path = place.child("x-kubernetes-list-type").path();
        out.push(Diagnostic::not_supported(path, list_type, &["atomic", "set", "map"]));
    }
}

/// Checks the items of a list of type `set`. The API server compares the items of a set as a whole.
fn set_items(items: &JsonSchemaProps, place: &LazyPath<'_>, out: &mut Causes) {
    let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let place = place.child("items");
    // The API server shows the list type of the items in both cases.
    let version = out.version();
    let shown = || Shown::pointer(items.x_list_type.as_deref(), version);
    match items.type_.as_deref() {
        Some("array") if items.x_list_type.as_deref().is_some_and(|list_type| list_type != "atomic") => {
            let path = place.child("x-kubernetes-list-type").path();
            out.push(Diagnostic::invalid(path, shown(), detail));
        }
        Some("object") if items.x_map_type.as_deref() != Some("atomic") => {
            let path = place.child("x-kubernetes-map-type").path();
            let help =
                "add `x-kubernetes-map-type: atomic` to the items, or use `x-kubernetes-list-type: map`";
            out.push(Diagnostic::invalid(path, shown(), detail).with_help(help));
        }
        _ => {}
    }
}

fn map_list(schema: &JsonSchemaProps, keys: &[String], place: &LazyPath<'_>, out: &mut Causes) {
    let version = out.version();
    let keys_path = || place.child("x-kubernetes-list-map-keys").path();
    let items_place = place.child("items");
    if keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        let help = "list the properties that identify an item, such as `name`";
        out.push(Diagnostic::required(keys_path(), detail).with_help(help));
    }
    let items = match &schema.items {
        None => {
            let detail = "must have a schema if x-kubernetes-list-type is map";
            out.push(Diagnostic::required(items_place.path(), detail));
            return;
        }
        Some(Items::Schema(items)) => items,
        Some(other) => {
            let detail = "must only have a single schema if x-kubernetes-list-type is map";
            out.push(Diagnostic::invalid(
                items_place.path(),
                Shown(dump::items(other, out.version())),
                detail,
            ));
            return;
        }
    };
    let type_ = items.type_.as_deref().unwrap_or_default();
    if type_ != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        out.push(Diagnostic::invalid(items_place.child("type").path(), type_, detail));
        return;
    }
    let properties_place = items_place.child("properties");
    let mut seen = HashSet::new();
    for key in keys {
        match items.properties.as_ref().and_then(|properties| properties.get(key)) {
            Some(property) if matches!(property.type_.as_deref(), Some("array" | "object")) => {
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let path = properties_place.key(key).child("type").path();
                // The API server shows the type of the item instead.
                out.push(Diagnostic::invalid(path, type_, detail));
            }
            Some(_) => {}
            None => {
                let detail = "entries must all be names of item properties";
                out.push_with(CauseReason::Invalid, || {
                    let shown = Shown::strings(Some(keys), version);
                    Diagnostic::invalid(keys_path(), shown, detail)
                });
            }
        }
        if !seen.insert(key.as_str()) {
            let detail = "must not contain duplicate entries";
            out.push_with(CauseReason::Invalid, || {
                let shown = Shown::strings(Some(keys), version);
                Diagnostic::invalid(keys_path(), shown, detail)
            });
        }
    }
}

/// Checks that items are not nullable, and that each key of a list of type `map` is required or has a default.
fn unambiguous(
    list_type: &str,
    keys: &[String],
    items: &JsonSchemaProps,
    place: &LazyPath<'_>,
    out: &mut Causes,
) {
    let items_place = place.child("items");
    if items.nullable == Some(true) {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        out.push(Diagnostic::forbidden(items_place.child("nullable").path(), &detail));
    }
    if list_type == "set" {
        return;
    }
    let required: HashSet<&str> = items.required.iter().flatten().map(String::as_str).collect();
    let properties_place = items_place.child("properties");
    for key in keys {
        let Some(property) = items.properties.as_ref().and_then(|properties| properties.get(key)) else {
            continue;
        };
        let place = properties_place.key(key);
        let is_required = required.contains(key.as_str());
        if !is_required && property.default.is_none() {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                          property";
            let list = items_place.child("required").path();
            let edit = match &items.required {
                Some(names) => Edit::add(list.index(names.len()), key.as_str()),
                None => Edit::add(list, vec![key.as_str()]),
            };
            let remedy = Remedy::new(format!("add `{key}` to `required` of the items")).with(edit);
            out.push(Diagnostic::required(place.child("default").path(), detail).with_help(remedy));
        }
        if property.nullable == Some(true) {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            out.push(Diagnostic::forbidden(place.child("nullable").path(), detail));
        }
    }
}
