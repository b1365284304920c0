//! Rejects attributes that have no effect, such as attributes on skipped fields.

use proc_macro2::Span;
use syn::Variant;

use super::wrong;
use crate::attrs::places;
use crate::attrs::serde::Words;
use crate::errors::Errors;
use crate::model::{Resource, Schema, SchemaField, fields, variants};

/// Rejects attributes for the schema of the whole object, if there is no such schema or it is written by hand.
pub(super) fn resource(resource: &Resource<'_>, errors: &mut Errors) {
    let attrs = &resource.attrs;
    let (mode, has_rules) = match (resource.is_schemaless(), resource.is_manual()) {
        (true, _) => ("disabled", false),
        (_, true) => ("manual", true),
        _ => return,
    };
    let mut lost: Vec<(&str, Span)> = Vec::new();
    let texts = [("spec_default", &attrs.spec_default), ("status_default", &attrs.status_default)];
    lost.extend(texts.iter().filter_map(|(name, text)| Some((*name, text.as_ref()?.span()))));
    if attrs.object_name.is_some() {
        lost.push(("object_name", attrs.kind.span()));
    }
    if !has_rules {
        lost.extend(attrs.validations.iter().map(|rule| ("validation", rule.span())));
        lost.extend(resource.of_schema.iter().map(|(name, span)| (name.as_str(), *span)));
    }
    for (name, span) in lost {
        let help = format!("`schema = \"{mode}\"` cannot be combined with `{name}`: remove one of them");
        wrong(errors, span, help);
    }
}

pub(super) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    let container = Words::from_attributes(&schema.original.attrs);
    let foreign = ["from", "try_from", "remote"].iter().find(|key| container.has(key)).copied();
    let foreign = foreign.or_else(|| has_other_schema(&container));
    let all = fields(schema.original).into_iter().zip(&schema.fields);
    for ((original, variant), field) in all {
        let of_variant = variant.and_then(not_read);
        let reason = if field.words.is_skipped() {
            Some("serde skips this field, so it has no schema".to_owned())
        } else if field.words.has("flatten") {
            let help = "a flattened field has no separate schema: put the attribute on the type of the field, or on the fields of this type";
            Some(help.to_owned())
        } else if let Some(key) = foreign {
            Some(format!("`{key}` gives the type another schema, which does not contain this field"))
        } else {
            of_variant
        };
        if let Some(reason) = reason {
            for (name, span) in places(&original.attrs) {
                wrong(errors, span, format!("`{name}` has no effect here: {reason}"));
            }
            for word in
                field.bounds.words.iter().filter(|word| word.is_schemars && field.words.has("flatten"))
            {
                let name = &word.name;
                wrong(errors, name.span(), format!("`{name}` has no effect here: {reason}"));
            }
        }
        beside_other_schema(field, errors);
    }
    for variant in variants(schema.original) {
        let reason = match foreign {
            Some(key) => {
                Some(format!("`{key}` gives the type another schema, which does not contain this variant"))
            }
            None => not_read(variant),
        };
        for (name, span) in reason.iter().flat_map(|_| places(&variant.attrs)) {
            let reason = reason.as_deref().unwrap_or_default();
            wrong(errors, span, format!("`{name}` has no effect here: {reason}"));
        }
    }
}

/// Returns the schemars attribute that replaces the item's schema, if there is one.
fn has_other_schema(words: &Words) -> Option<&'static str> {
    ["with", "schema_with"].into_iter().find(|key| words.has(key))
}

/// Returns the reason why a variant's attributes are ignored, if there is one.
fn not_read(variant: &Variant) -> Option<String> {
    let words = Words::from_attributes(&variant.attrs);
    if words.is_skipped() {
        return Some("serde skips this variant, so it has no schema".to_owned());
    }
    has_other_schema(&words).map(|key| format!("`{key}` gives the variant another schema"))
}

/// Rejects attributes that have no effect because the field is `schemaless` or its schema is given.
fn beside_other_schema(field: &SchemaField<'_>, errors: &mut Errors) {
    let is_schemaless = field.attrs.schemaless.is_present();
    if is_schemaless {
        const BESIDE: &[&str] = &[
            "schemaless",
            "schema",
            "schema_with",
            "int_or_string",
            "embedded_resource",
            "printcolumn",
            "selectable",
            "spec_replicas",
            "status_replicas",
            "label_selector",
            "descriptions",
            "max_description",
            "description_depth",
            "preserve_unknown_fields",
        ];
        for (name, span) in places(&field.original.attrs) {
            if !BESIDE.contains(&name.as_str()) {
                let help = "`schemaless` keeps everything and checks nothing";
                wrong(errors, span, format!("`{name}` has no effect here: {help}"));
            }
        }
    }
    for word in field.bounds.words.iter().filter(|word| word.is_schemars) {
        let name = &word.name;
        let help = match (is_schemaless, field.has_schema()) {
            (true, _) => "`schemaless` keeps everything and checks nothing",
            (_, true) => "an attribute gives the schema of this value: write the bound in that schema",
            _ => continue,
        };
        wrong(errors, name.span(), format!("`{name}` has no effect here: {help}"));
    }
}
