//! Checks that literal defaults are within their literal bounds.

use crd_go::json_text::JsonText;
use proc_macro2::Span;

use super::suggestion::suggestion;
use super::wrong;
use crate::attrs::bounds::{Bounds, Limits, Number};
use crate::errors::Errors;
use crate::model::shape::Shape;
use crate::model::{Resource, Schema, SchemaField};

/// Checks that the spec's default is within the bounds of the fields.
pub(super) fn resource(resource: &Resource<'_>, errors: &mut Errors) {
    let attrs = &resource.attrs;
    let Some(text) = &attrs.spec_default else { return };
    let json = text.literal().and_then(|text| JsonText::parse(&text).ok());
    let (Some(JsonText::Object(default)), Some(names)) = (json, &resource.field_names) else { return };
    if resource.has_type_patch || !attrs.patches.is_empty() || !attrs.version_patches.is_empty() {
        return;
    }
    for (name, value) in &default {
        let Some(i) = names.iter().position(|known| known == name) else {
            if !resource.keeps_unknown_fields {
                let help = suggestion(name, names);
                wrong(errors, text.span(), format!("`{name}` is not a field of the spec{help}"));
            }
            continue;
        };
        let field = resource.fields.get(i).and_then(Option::as_ref);
        if let Some(field) = field.filter(|field| !field.is_foreign())
            && let Some(what) = outside(value, Shape::from_type(&field.original.ty), &field.bounds)
        {
            wrong(errors, text.span(), format!("the default of `{name}` {what}"));
        }
    }
}

pub(super) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    for field in &schema.fields {
        // Patches have the last word.
        if field.is_foreign() || schema.attrs.is_patched() {
            continue;
        }
        let Some((value, span)) = default(field) else { continue };
        if value == JsonText::Null && field.attrs.nullable == Some(true) {
            continue;
        }
        if let Some(what) = outside(&value, Shape::from_type(&field.original.ty), &field.bounds) {
            let help = match field.bounds.default {
                Some(_) => "give another",
                None => "name a function that returns another default with `default = \"...\"`",
            };
            wrong(errors, span, format!("the default {what}: {help}, or change the bounds"));
        }
    }
}

/// Returns a field's default if the macro knows it: the value in `extend`, or the default of a standard type.
fn default(field: &SchemaField<'_>) -> Option<(JsonText, Span)> {
    if let Some(default) = &field.bounds.default {
        return Some(default.clone());
    }
    // schemars leaves a default out that serde would not write.
    if field.words.has("skip_serializing_if") {
        return None;
    }
    let span = field.words.bare("default")?;
    let value = match Shape::from_type(&field.original.ty) {
        Shape::Bool => JsonText::Bool(false),
        Shape::Int(..) => JsonText::Number("0".to_owned()),
        Shape::Float => JsonText::Number("0.0".to_owned()),
        // The default of `char` is a letter.
        Shape::Text if matches!(&field.original.ty, syn::Type::Path(path) if path.path.is_ident("String")) => {
            JsonText::String(String::new())
        }
        Shape::List(_) if matches!(field.original.ty, syn::Type::Path(_)) => JsonText::Array(Vec::new()),
        Shape::Text | Shape::List(_) | Shape::Map(_) | Shape::Option(_) | Shape::Unknown => return None,
    };
    Some((value, span))
}

/// Returns the reason to reject a value for a field, if there is one.
fn outside(value: &JsonText, shape: Shape<'_>, bounds: &Bounds) -> Option<String> {
    let other = |expected: &str| Some(format!("is `{value}`, which is not {expected}"));
    match (shape, value) {
        (Shape::Unknown, _) | (Shape::Option(_), JsonText::Null) | (Shape::Bool, JsonText::Bool(_)) => None,
        (Shape::Option(inner), _) => outside(value, Shape::from_type(inner), bounds),
        (Shape::Int(..) | Shape::Float, JsonText::Number(number)) => {
            let found = Number::from_json(number)?;
            if matches!(shape, Shape::Int(..)) && !found.is_whole() {
                return other("an integer");
            }
            let limits = |(min, max)| Limits {
                min: Some((min, Span::call_site())),
                max: Some((max, Span::call_site())),
            };
            let of_type = shape.range().map(limits).unwrap_or_default();
            beyond(found, bounds.range, "the range").or_else(|| beyond(found, of_type, "the type"))
        }
        (Shape::Text, JsonText::String(text)) => {
            count(text.chars().count(), bounds.length, "the length", &format!("{text:?}"))
        }
        (Shape::List(item), JsonText::Array(items)) => {
            let inner = bounds.inner.as_deref().cloned().unwrap_or_default();
            count(items.len(), bounds.length, "the length", &value.to_string())
                .or_else(|| items.iter().find_map(|value| outside(value, Shape::from_type(item), &inner)))
        }
        (Shape::Map(of), JsonText::Object(values)) => {
            values.iter().find_map(|(_, value)| outside(value, Shape::from_type(of), &Bounds::default()))
        }
        (Shape::Bool, _) => other("a boolean"),
        (Shape::Int(..), _) => other("an integer"),
        (Shape::Float, _) => other("a number"),
        (Shape::Text, _) => other("a string"),
        (Shape::List(_), _) => other("a list"),
        (Shape::Map(_), _) => other("a map"),
    }
}

fn count(count: usize, limits: Limits, what: &str, shown: &str) -> Option<String> {
    let found = Number::Int(i128::try_from(count).ok()?);
    limit(found, limits).map(|limit| format!("is `{shown}`, and {what} {limit}"))
}

fn beyond(found: Number, limits: Limits, what: &str) -> Option<String> {
    limit(found, limits).map(|limit| format!("is `{found}`, and {what} {limit}"))
}

/// Returns the end of a message about the limit that a number violates.
fn limit(found: Number, limits: Limits) -> Option<String> {
    match limits {
        Limits { min: Some((min, _)), .. } if found.is_below(min) => Some(format!("begins at {min}")),
        Limits { max: Some((max, _)), .. } if max.is_below(found) => Some(format!("ends at {max}")),
        _ => None,
    }
}
