//! The requirements for structural schemas: each node has a type, and schemas under `allOf`, `anyOf`, `oneOf` and `not`
//! only restrict values.
//!
//! Source: `pkg/apiserver/schema/validation.go`.

use super::{junctors, patterns};
use crate::lazy_path::LazyPath;
use crate::schema::{Extensions, Generic, SchemaType, Structural, ValueValidation};
use crate::{Causes, Diagnostic, Edit, EditValue, FieldPath, Remedy};

/// Checks the requirements for a structural schema. Causes are sorted by their texts, as the API server sorts them.
pub(super) fn structural(schema: &Structural, base: &FieldPath, out: &mut Causes) {
    let mut found = Causes::for_version(out.version());
    node(schema, Level::Root, &LazyPath::new(base), &mut found);
    junctors::completeness(schema, base, &mut found);
    // Two causes at one place keep the order in which Go's sort, which is not stable, mostly leaves them.
    found.sort_by_cached_key(ToString::to_string);
    out.append(&mut found);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

fn node(schema: &Structural, level: Level, place: &LazyPath<'_>, out: &mut Causes) {
    if schema.type_ == Some(SchemaType::Array) && schema.items.is_none() {
        let help = "add the schema of the items";
        out.push(Diagnostic::required(place.child("items").path(), "must be specified").with_help(help));
    }
    if let Some(items) = &schema.items {
        node(items, Level::Item, &place.child("items"), out);
    }
    if !schema.properties.is_empty() {
        let properties = place.child("properties");
        for (name, property) in schema.properties.iter() {
            node(property, Level::Field, &properties.key(name), out);
        }
    }
    if let Some(values) = schema.map_values() {
        node(values, Level::Field, &place.child("additionalProperties"), out);
    }
    if let Some(validation) = &schema.value_validation {
        value_validation(validation, place, out);
    }
    types(schema, level, place, out);
    if schema.additional_properties.is_some() {
        additional_properties(schema, level, place, out);
    }
    if level == Level::Root || schema.is_embedded_resource() {
        type_meta(schema, place, out);
    }
    if let Some(metadata) = schema.properties.get("metadata") {
        let properties = place.child("properties");
        object_meta(schema, metadata, level, &properties.key("metadata"), out);
    }
    if schema.is_embedded_resource()
        && !schema.extensions.preserve_unknown_fields
        && schema.properties.is_empty()
    {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        let flag = place.child("x-kubernetes-preserve-unknown-fields").path();
        let remedy =
            Remedy::new("add `x-kubernetes-preserve-unknown-fields: true`").with(Edit::add(flag, true));
        out.push(Diagnostic::required(place.child("properties").path(), detail).with_help(remedy));
    }
}

fn value_validation(validation: &ValueValidation, place: &LazyPath<'_>, out: &mut Causes) {
    let skipped = junctors::IntOrString::find(validation);
    junctors::junctors(validation, skipped, place, out);
    patterns::pattern(validation, place, out);
}

fn types(schema: &Structural, level: Level, place: &LazyPath<'_>, out: &mut Causes) {
    let path = || place.child("type").path();
    let Extensions { preserve_unknown_fields, .. } = schema.extensions;
    if schema.is_int_or_string() && preserve_unknown_fields {
        let detail = "must be false if x-kubernetes-int-or-string is true";
        let field = place.child("x-kubernetes-preserve-unknown-fields").path();
        out.push(Diagnostic::invalid(field, true, detail));
    }
    if schema.is_int_or_string() && schema.is_embedded_resource() {
        let detail = "must be false if x-kubernetes-int-or-string is true";
        let field = place.child("x-kubernetes-embedded-resource").path();
        out.push(Diagnostic::invalid(field, true, detail));
    }
    match &schema.type_ {
        None if schema.is_embedded_resource() => {
            let detail = "must be object if x-kubernetes-embedded-resource is true";
            let remedy = Remedy::new("add `type: object`").with(Edit::add(path(), "object"));
            out.push(Diagnostic::required(path(), detail).with_help(remedy));
        }
        Some(type_) if schema.is_embedded_resource() && *type_ != SchemaType::Object => {
            let detail = "must be object if x-kubernetes-embedded-resource is true";
            out.push(Diagnostic::invalid(path(), type_.as_str(), detail).with_help(write_object(path())));
        }
        None if !schema.is_int_or_string() && !preserve_unknown_fields => {
            let detail = match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            };
            out.push(Diagnostic::required(path(), detail).with_help(missing_type(schema, path())));
        }
        _ => {}
    }
    if let (Level::Root, Some(type_)) = (level, &schema.type_)
        && *type_ != SchemaType::Object
    {
        let remedy = write_object(path());
        out.push(Diagnostic::invalid(path(), type_.as_str(), "must be object at the root").with_help(remedy));
    }
}

fn write_object(path: FieldPath) -> Remedy {
    Remedy::new("write `type: object`").with(Edit::replace(path, "object"))
}

fn missing_type(schema: &Structural, path: FieldPath) -> Remedy {
    let type_ = if !schema.properties.is_empty() || schema.additional_properties.is_some() {
        "object"
    } else if schema.items.is_some() {
        "array"
    } else {
        return "add a `type`, or `x-kubernetes-preserve-unknown-fields: true` for any value".into();
    };
    Remedy::new(format!("add `type: {type_}`")).with(Edit::add(path, type_))
}

fn additional_properties(schema: &Structural, level: Level, place: &LazyPath<'_>, out: &mut Causes) {
    let path = || place.child("additionalProperties").path();
    if level == Level::Root {
        out.push(Diagnostic::forbidden(path(), "must not be used at the root"));
    }
    if schema.is_embedded_resource() {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        out.push(Diagnostic::forbidden(path(), detail));
    }
}

fn type_meta(schema: &Structural, place: &LazyPath<'_>, out: &mut Causes) {
    for name in ["kind", "apiVersion"] {
        if let Some(property) = schema.properties.get(name)
            && property.type_ != Some(SchemaType::String)
        {
            let properties = place.child("properties");
            let path = properties.key(name).child("type").path();
            out.push(Diagnostic::invalid(path, type_name(property), "must be string"));
        }
    }
}

fn type_name(schema: &Structural) -> &str {
    schema.type_.as_ref().map_or("", SchemaType::as_str)
}

fn object_meta(
    owner: &Structural,
    metadata: &Structural,
    level: Level,
    place: &LazyPath<'_>,
    out: &mut Causes,
) {
    let is_checked = level == Level::Root || owner.is_embedded_resource();
    if is_checked && metadata.type_ != Some(SchemaType::Object) {
        let path = place.child("type").path();
        out.push(Diagnostic::invalid(path, type_name(metadata), "must be object"));
    }
    if level == Level::Root && !says_names_only(metadata) {
        let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        let remedy = Remedy::new("write `metadata: {type: object}`; the API server checks metadata itself");
        let remedy = remedy.with(Edit::replace(place.path(), EditValue::object_schema()));
        out.push(Diagnostic::forbidden(place.path(), detail).with_help(remedy));
    }
}

/// Returns `true` if the metadata's schema has only a type, a default, and restrictions on `name` and `generateName`.
fn says_names_only(metadata: &Structural) -> bool {
    let Structural { properties, additional_properties, items, generic, extensions, validations, .. } =
        metadata;
    let Generic { description, title, default: _, nullable, external_docs, example } = generic;
    let has_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let Extensions {
        preserve_unknown_fields,
        embedded_resource,
        int_or_string,
        list_type,
        list_map_keys,
        map_type,
        no_validations,
    } = extensions;
    properties.keys().all(|name| name == "name" || name == "generateName")
        && additional_properties.is_none()
        && items.is_none()
        && validations.is_empty()
        && !no_validations
        && !has_text(description)
        && !has_text(title)
        && *nullable != Some(true)
        && external_docs.is_none()
        && example.is_none()
        && !preserve_unknown_fields
        && *embedded_resource != Some(true)
        && *int_or_string != Some(true)
        && list_type.is_none()
        && list_map_keys.is_none()
        && map_type.is_none()
        && metadata.value_validation.as_ref().is_none_or(|validation| junctors::says_nothing(validation))
}
