//! Checks that bounds fit their type and allow a value, and that map keys can be keys in JSON.

use quote::ToTokens;
use syn::{Data, Type};

use super::wrong;
use crate::attrs::bounds::{BoundKind, BoundWord, Bounds, Limits, Number};
use crate::attrs::serde::Words;
use crate::errors::Errors;
use crate::model::shape::Shape;
use crate::model::{Schema, SchemaField};

/// Maximum number of levels of a recursive type. Each level repeats the type in the CRD.
const LEVELS: u32 = 10;

pub(super) fn field(field: &SchemaField<'_>, schema: &Schema<'_>, errors: &mut Errors) {
    crossing(&field.bounds, errors);
    if let Some(levels) = field.attrs.recursion.as_ref().filter(|levels| !(1..=LEVELS).contains(&***levels)) {
        wrong(errors, levels.span(), format!("expected a number of levels from 1 to {LEVELS}"));
    }
    let has_other_type = field.is_foreign() && !field.attrs.is_patched();
    if has_other_type || field.words.has("flatten") {
        return;
    }
    bounds(&field.original.ty, &field.bounds, errors);
    // The type of a skipped field is nobody's business.
    if !field.words.is_skipped() {
        keys(&field.original.ty, schema, errors);
    }
}

/// Rejects bounds that do not fit a type.
fn bounds(type_: &Type, bounds: &Bounds, errors: &mut Errors) {
    let shape = Shape::from_type(type_).unwrapped();
    for word in &bounds.words {
        if let Some(help) = misfit(word, shape) {
            let (name, shown) = (&word.name, type_.to_token_stream().to_string().replace(' ', ""));
            wrong(errors, name.span(), format!("`{name}` has no effect on a `{shown}`: {help}"));
        }
    }
    if let Some((least, most)) = shape.range() {
        let beyond = |limit: Option<(Number, _)>, is_beyond: fn(Number, Number, Number) -> bool| {
            limit.filter(|(number, _)| is_beyond(*number, least, most))
        };
        let min = beyond(bounds.range.min, |min, _, most| most.is_below(min));
        let max = beyond(bounds.range.max, |max, least, _| max.is_below(least));
        for (number, span) in min.into_iter().chain(max) {
            let help = format!(
                "no value of the type is within the range: the type holds numbers from {least} to {most}, not {number}"
            );
            wrong(errors, span, help);
        }
    }
    if let (Some(inner), Shape::List(item)) = (&bounds.inner, shape) {
        self::bounds(item, inner, errors);
    }
}

/// Returns the remedy for an attribute that has no effect on the given kind of values.
fn misfit(word: &BoundWord, shape: Shape<'_>) -> Option<&'static str> {
    match (word.kind, shape) {
        (BoundKind::Length, Shape::Int(..) | Shape::Float) => Some("bound a number with `range(...)`"),
        (BoundKind::Length | BoundKind::Range | BoundKind::Pattern | BoundKind::Format, Shape::Bool) => {
            Some("remove it")
        }
        (BoundKind::Range, Shape::Text | Shape::List(_) | Shape::Map(_)) => {
            Some("bound a string, a list or a map with `length(...)`")
        }
        (BoundKind::Pattern | BoundKind::Format, Shape::Int(..) | Shape::Float) => {
            Some("it is for strings: bound a number with `range(...)`")
        }
        (BoundKind::Pattern | BoundKind::Format, Shape::List(_)) => {
            Some("it is for strings: bound the items with `inner(...)`")
        }
        (BoundKind::Pattern | BoundKind::Format, Shape::Map(_)) => Some("it is for strings: remove it"),
        _ => None,
    }
}

/// Rejects minimums that exceed the maximum.
fn crossing(bounds: &Bounds, errors: &mut Errors) {
    for (what, limits) in [("range", bounds.range), ("length", bounds.length)] {
        if let Limits { min: Some((min, _)), max: Some((max, span)) } = limits
            && max.is_below(min)
        {
            wrong(
                errors,
                span,
                format!("no value is within the {what}: it begins at {min} and ends at {max}"),
            );
        }
    }
    if let Some(inner) = &bounds.inner {
        crossing(inner, errors);
    }
}

/// Rejects map keys that `serde_json` cannot write as strings. Inside enums with `tag` or `untagged`, integers and booleans are
/// also rejected: there, serde reads keys only as strings.
fn keys(type_: &Type, schema: &Schema<'_>, errors: &mut Errors) {
    let is_parameter =
        |shown: &str| schema.original.generics.type_params().any(|parameter| parameter.ident == shown);
    let container = Words::from_attributes(&schema.original.attrs);
    let is_buffered = matches!(schema.original.data, Data::Enum(_))
        && ["tag", "untagged"].iter().any(|word| container.has(word));
    for (_, key) in Shape::keys(type_) {
        let shape = Shape::from_type(key);
        let is_composite = matches!(shape, Shape::List(_) | Shape::Map(_) | Shape::Option(_))
            || matches!(key, Type::Tuple(_) | Type::Array(_) | Type::Slice(_));
        let shown = key.to_token_stream().to_string().replace(' ', "");
        let message = if is_composite && !is_parameter(&shown) {
            let help = "use strings, numbers, booleans or an enum of unit variants";
            format!("`{shown}` cannot be the key of a map in JSON: {help}")
        } else if is_buffered && matches!(shape, Shape::Int(..) | Shape::Bool) {
            format!(
                "serde cannot read a map with keys of type `{shown}` in an enum with `tag` or `untagged`: use keys of type `String`"
            )
        } else {
            continue;
        };
        wrong(errors, syn::spanned::Spanned::span(key), message);
    }
}
