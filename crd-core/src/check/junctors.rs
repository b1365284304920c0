//! Checks `allOf`, `anyOf`, `oneOf` and `not`: their schemas may only restrict values. These schemas must not declare types, and their
//! properties and items must also be declared outside these keywords.
//!
//! Source: `pkg/apiserver/schema/{validation,complete}.go`.

use super::patterns;
use crate::lazy_path::LazyPath;
use crate::schema::{
    Forbidden, Generic, NestedAdditionalProperties, NestedValidation, SchemaType, Structural, ValueValidation,
};
use crate::{Causes, Diagnostic, FieldPath};

/// The two ways to allow an integer or a string explicitly: `anyOf`, and `anyOf` inside the first schema of `allOf`. In these schemas,
/// `type` is allowed.
#[derive(Clone, Copy, Default)]
pub(super) struct IntOrString {
    any_of: bool,
    first_all_of: bool,
}

impl IntOrString {
    /// Finds out which of the two ways a node uses. The node must not itself be inside `allOf` or a similar keyword.
    pub(super) fn find(validation: &ValueValidation) -> Self {
        let all_of = validation.all_of.as_deref().unwrap_or_default();
        Self {
            any_of: is_int_or_string(validation.any_of.as_deref()),
            first_all_of: all_of
                .first()
                .is_some_and(|first| is_int_or_string(first.value_validation.any_of.as_deref())),
        }
    }
}

/// Returns `true` for `[{type: integer}, {type: string}]`, in that order, without other keywords.
fn is_int_or_string(any_of: Option<&[NestedValidation]>) -> bool {
    let is = |nested: &NestedValidation, wanted: SchemaType| {
        let Some(forbidden) = &nested.forbidden else { return false };
        forbidden.type_ == Some(wanted)
            && is_plain(&forbidden.generic)
            && has_no_extensions(forbidden)
            && forbidden.validations.is_empty()
            && nested.properties.is_empty()
            && nested.items.is_none()
            && !is_restricting_additional(nested)
            && says_nothing(&nested.value_validation)
    };
    matches!(any_of, Some([first, second]) if is(first, SchemaType::Integer) && is(second, SchemaType::String))
}

fn is_plain(generic: &Generic) -> bool {
    let has_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    !has_text(&generic.description)
        && !has_text(&generic.title)
        && generic.default.is_none()
        && generic.nullable != Some(true)
        && generic.external_docs.is_none()
        && generic.example.is_none()
}

fn has_no_extensions(forbidden: &Forbidden) -> bool {
    let extensions = &forbidden.extensions;
    !extensions.preserve_unknown_fields
        && extensions.embedded_resource != Some(true)
        && extensions.int_or_string != Some(true)
        && extensions.list_type.is_none()
        && extensions.list_map_keys.is_none()
        && extensions.map_type.is_none()
}

/// Returns `true` if the schema has `additionalProperties`, with a value other than `false`: the keyword has no effect here.
fn is_restricting_additional(nested: &NestedValidation) -> bool {
    !matches!(nested.additional_properties, None | Some(NestedAdditionalProperties::Allowed(false)))
}

/// Returns `true` if Go's `reflect.DeepEqual` considers these restrictions empty. An empty `required` is not considered empty.
pub(super) fn says_nothing(validation: &ValueValidation) -> bool {
    let is = |flag: Option<bool>| flag == Some(true);
    let has_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let is_filled = |list: &Option<Vec<NestedValidation>>| list.as_ref().is_some_and(|list| !list.is_empty());
    !has_text(&validation.format)
        && !has_text(&validation.pattern)
        && validation.maximum.is_none()
        && validation.minimum.is_none()
        && validation.multiple_of.is_none()
        && !is(validation.exclusive_maximum)
        && !is(validation.exclusive_minimum)
        && !is(validation.unique_items)
        && (validation.max_length, validation.min_length) == (None, None)
        && (validation.max_items, validation.min_items) == (None, None)
        && (validation.max_properties, validation.min_properties) == (None, None)
        && validation.enum_.as_ref().is_none_or(Vec::is_empty)
        && validation.required.is_none()
        && validation.not.is_none()
        && !is_filled(&validation.all_of)
        && !is_filled(&validation.any_of)
        && !is_filled(&validation.one_of)
}

/// Checks the `allOf`, `anyOf`, `oneOf` and `not` of these restrictions.
pub(super) fn junctors(
    validation: &ValueValidation,
    skipped: IntOrString,
    place: &LazyPath<'_>,
    out: &mut Causes,
) {
    let mut list = |name: &'static str, schemas: &Option<Vec<NestedValidation>>, skip_first_any_of: bool| {
        let place = place.child(name);
        for (i, schema) in schemas.iter().flatten().enumerate() {
            let skipped = IntOrString { any_of: skip_first_any_of && i == 0, first_all_of: false };
            nested(schema, skipped, &place.index(i), out);
        }
    };
    if !skipped.any_of {
        list("anyOf", &validation.any_of, false);
    }
    list("allOf", &validation.all_of, skipped.first_all_of);
    list("oneOf", &validation.one_of, false);
    if let Some(not) = &validation.not {
        nested(not, IntOrString::default(), &place.child("not"), out);
    }
}

fn nested(schema: &NestedValidation, skipped: IntOrString, place: &LazyPath<'_>, out: &mut Causes) {
    junctors(&schema.value_validation, skipped, place, out);
    patterns::pattern(&schema.value_validation, place, out);
    if let Some(items) = &schema.items {
        nested(items, IntOrString::default(), &place.child("items"), out);
    }
    let properties = place.child("properties");
    for (name, property) in schema.properties.iter() {
        nested(property, IntOrString::default(), &properties.key(name), out);
    }
    // Up to 1.30, `false` was something, too.
    let is_written = schema.additional_properties.is_some() && !out.version().is_at_least(31);
    if is_restricting_additional(schema) || is_written {
        let path = place.child("additionalProperties").path();
        out.push(Diagnostic::forbidden(path, "must be undefined to be structural"));
    }
    if let Some(said) = &schema.forbidden {
        forbidden(said, place, out);
    }
    if schema.properties.contains("metadata") {
        let path = properties.key("metadata").path();
        out.push(Diagnostic::forbidden(path, "must not be specified in a nested context"));
    }
}

fn forbidden(said: &Forbidden, place: &LazyPath<'_>, out: &mut Causes) {
    let Forbidden { type_, generic, extensions, validations } = said;
    let has_text = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let (empty, undefined, no) = (
        "must be empty to be structural",
        "must be undefined to be structural",
        "must be false to be structural",
    );
    let found = [
        (type_.is_some(), "type", empty),
        (generic.default.is_some(), "default", undefined),
        (has_text(&generic.title), "title", empty),
        (has_text(&generic.description), "description", empty),
        (generic.nullable == Some(true), "nullable", no),
        (extensions.preserve_unknown_fields, "x-kubernetes-preserve-unknown-fields", no),
        (extensions.embedded_resource == Some(true), "x-kubernetes-embedded-resource", no),
        (extensions.int_or_string == Some(true), "x-kubernetes-int-or-string", no),
        (
            extensions.list_map_keys.as_ref().is_some_and(|keys| !keys.is_empty()),
            "x-kubernetes-list-map-keys",
            empty,
        ),
        (extensions.list_type.is_some(), "x-kubernetes-list-type", undefined),
        (extensions.map_type.is_some(), "x-kubernetes-map-type", undefined),
        (!validations.is_empty(), "x-kubernetes-validations", empty),
    ];
    for (_, keyword, detail) in found.into_iter().filter(|(found, ..)| *found) {
        let help = match keyword {
            "type" => "move the type out of allOf, anyOf, oneOf and not",
            _ => "move it out of allOf, anyOf, oneOf and not",
        };
        out.push(Diagnostic::forbidden(place.child(keyword).path(), detail).with_help(help));
    }
}

/// Checks the schemas in the root's `allOf`, `anyOf`, `oneOf` and `not`: their properties and items must also be declared outside these
/// keywords. The API server checks these keywords only at the root.
pub(super) fn completeness(schema: &Structural, base: &FieldPath, out: &mut Causes) {
    if let Some(validation) = &schema.value_validation {
        let place = LazyPath::new(base);
        complete(validation, schema, &place, &place, out);
    }
}

fn complete(
    validation: &ValueValidation,
    spine: &Structural,
    spine_place: &LazyPath<'_>,
    place: &LazyPath<'_>,
    out: &mut Causes,
) {
    if let Some(not) = &validation.not {
        complete_nested(not, spine, spine_place, &place.child("not"), out);
    }
    for (name, schemas) in
        [("allOf", &validation.all_of), ("anyOf", &validation.any_of), ("oneOf", &validation.one_of)]
    {
        let place = place.child(name);
        for (i, schema) in schemas.iter().flatten().enumerate() {
            complete_nested(schema, spine, spine_place, &place.index(i), out);
        }
    }
}

fn complete_nested(
    nested: &NestedValidation,
    spine: &Structural,
    spine_place: &LazyPath<'_>,
    place: &LazyPath<'_>,
    out: &mut Causes,
) {
    let mut missing = |spine_place: &LazyPath<'_>, place: &LazyPath<'_>| {
        let detail = format!("because it is defined in {}", place.path());
        out.push(Diagnostic::required(spine_place.path(), &detail).with_help("add it with its type"));
    };
    if let (Some(_), None) = (&nested.items, &spine.items) {
        missing(&spine_place.child("items"), &place.child("items"));
    }
    let (spine_properties, properties) = (spine_place.child("properties"), place.child("properties"));
    for name in nested.properties.keys().filter(|name| !spine.properties.contains(name)) {
        missing(&spine_properties.key(name), &properties.key(name));
    }
    complete(&nested.value_validation, spine, spine_place, place, out);
    if let (Some(items), Some(spine)) = (&nested.items, &spine.items) {
        complete_nested(items, spine, &spine_place.child("items"), &place.child("items"), out);
    }
    for (name, property) in nested.properties.iter() {
        if let Some(spine) = spine.properties.get(name) {
            complete_nested(property, spine, &spine_properties.key(name), &properties.key(name), out);
        }
    }
}
