//! Checks list types, map types, and groups of fields.

use syn::{Data, Fields};

use super::suggestion::{choice, suggestion};
use super::wrong;
use crate::errors::Errors;
use crate::model::list::ListType;
use crate::model::shape::Shape;
use crate::model::{Schema, SchemaField};

const LIST_TYPES: &[&str] = &["atomic", "set", "map"];
const MAP_TYPES: &[&str] = &["atomic", "granular"];

pub(super) fn field(field: &SchemaField<'_>, errors: &mut Errors) {
    let attrs = &field.attrs;
    let list_type = attrs.list_type.as_ref().and_then(|text| Some((text.literal()?, text.span())));
    if let Some((list_type, span)) = &list_type {
        if !LIST_TYPES.contains(&&**list_type) {
            wrong(
                errors,
                *span,
                format!("`{list_type}` is not a list type{}", choice(list_type, LIST_TYPES)),
            );
        } else if list_type == "map" && attrs.list_map_keys.is_none() {
            let help = "`list_type = \"map\"` needs `list_map_keys`: add `list_map_keys = [\"name\"]`";
            wrong(errors, *span, help.to_owned());
        }
    }
    list_map_keys(field, list_type.as_ref().map(|(name, _)| &**name), errors);
    if let Some(text) = &attrs.map_type
        && let Some(map_type) = text.literal()
        && !MAP_TYPES.contains(&&*map_type)
    {
        wrong(errors, text.span(), format!("`{map_type}` is not a map type{}", choice(&map_type, MAP_TYPES)));
    }
    if let Some(strategy) = &attrs.merge_strategy
        && (attrs.list_type.is_some() || attrs.map_type.is_some())
    {
        let span = syn::spanned::Spanned::span(&strategy.0);
        wrong(errors, span, "`merge_strategy` already sets the list or map type: remove one".to_owned());
    }
    owner(field, errors);
    let shapes = [
        (attrs.schema.is_some(), "schema"),
        (attrs.schema_with.is_some(), "schema_with"),
        (attrs.schemaless.is_present(), "schemaless"),
        (attrs.int_or_string.is_present(), "int_or_string"),
        (attrs.embedded_resource.is_present(), "embedded_resource"),
    ];
    let given: Vec<&str> = shapes.iter().filter(|(is_given, _)| *is_given).map(|(_, name)| *name).collect();
    if let [first, second, ..] = given.as_slice() {
        wrong(errors, field.span(), format!("`{first}` and `{second}` are mutually exclusive: keep one"));
    }
}

/// Checks `list_map_keys`. `list_type` is the value of the attribute `list_type`, if it is a literal.
fn list_map_keys(field: &SchemaField<'_>, list_type: Option<&str>, errors: &mut Errors) {
    let Some(keys) = &field.attrs.list_map_keys else { return };
    if field.attrs.list_type.is_none() || matches!(list_type, Some("atomic" | "set")) {
        wrong(errors, keys.span(), "`list_map_keys` requires `list_type = \"map\"`".to_owned());
    } else if keys.0.is_empty() {
        wrong(
            errors,
            keys.span(),
            "`list_map_keys` is empty: name a field that identifies an item".to_owned(),
        );
    }
    let mut seen = Vec::new();
    for key in &keys.0 {
        let Some(name) = key.literal() else { continue };
        if seen.contains(&name) {
            wrong(errors, key.span(), format!("duplicate key `{name}`: remove one"));
        }
        seen.push(name);
    }
}

/// Checks that only lists have a list type and only maps have a map type, if the macro recognizes the Rust type.
fn owner(field: &SchemaField<'_>, errors: &mut Errors) {
    let (attrs, shape) = (&field.attrs, Shape::from_type(&field.original.ty).unwrapped());
    if field.is_foreign() {
        return;
    }
    let is_scalar = shape.cel_type().is_some();
    if let Some(text) = &attrs.list_type
        && (is_scalar || matches!(shape, Shape::Map(_)))
    {
        wrong(errors, text.span(), "`list_type` is for lists: put it on a `Vec`, or remove it".to_owned());
        return;
    }
    if let Some(text) = &attrs.map_type
        && (is_scalar || matches!(shape, Shape::List(_)))
    {
        let help = "`map_type` is for maps and objects: remove it";
        wrong(errors, text.span(), help.to_owned());
    }
    let Shape::List(item) = shape else { return };
    match (field.list_type(), Shape::from_type(item).unwrapped()) {
        (Some(ListType::Set(span)), Shape::Map(_)) => {
            let help = "maps cannot be compared: use `list_type = \"atomic\"`";
            wrong(errors, span, help.to_owned());
        }
        (Some(ListType::Map(keys)), of) if !matches!(of, Shape::Unknown | Shape::Option(_)) => {
            if let Some((key, span)) = keys.first() {
                let help = "the items of a list of type map must be objects: use `list_type = \"set\"` or `\"atomic\"`";
                wrong(errors, *span, format!("items without fields have no key `{key}`: {help}"));
            }
        }
        _ => {}
    }
}

/// Checks that each group has at least two fields of a struct. A group contains the names that serde writes.
pub(super) fn groups(schema: &Schema<'_>, errors: &mut Errors) {
    let attrs = &schema.attrs;
    let is_struct =
        matches!(&schema.original.data, Data::Struct(data) if matches!(data.fields, Fields::Named(_)));
    let names = schema.wire_fields.as_ref();
    let names: Option<Vec<String>> =
        names.map(|fields| fields.iter().map(|(name, _)| name.clone()).collect());
    for group in attrs.exactly_one_of.iter().chain(&attrs.at_most_one_of).chain(&attrs.at_least_one_of) {
        let Some(first) = group.0.first() else {
            wrong(
                errors,
                schema.original.ident.span(),
                "a group of fields is empty: name its fields".to_owned(),
            );
            continue;
        };
        if !is_struct {
            wrong(errors, first.span(), "a group can only name fields of a struct".to_owned());
        } else if group.0.len() < 2 {
            wrong(errors, first.span(), "a group needs at least two fields: name another field".to_owned());
        }
        for text in &group.0 {
            if let (Some(name), Some(names)) = (text.literal(), &names)
                && !names.contains(&name)
            {
                let help = suggestion(&name, names);
                wrong(errors, text.span(), format!("serde writes no field as `{name}`{help}"));
            }
        }
    }
}
