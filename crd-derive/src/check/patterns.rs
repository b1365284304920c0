//! Rejects patterns that Go, and therefore the API server, cannot compile.

use crd_go::json_text::JsonText;
use crd_go::re2;
use proc_macro2::Span;

use super::wrong;
use crate::attrs::bounds::Bounds;
use crate::attrs::text::{Pair, Text};
use crate::errors::Errors;
use crate::model::{Resource, Schema};

pub(super) fn resource(resource: &Resource<'_>, errors: &mut Errors) {
    if let Some(text) = resource.attrs.object_name.as_ref().and_then(|name| name.pattern.as_ref())
        && let Some(literal) = text.literal()
    {
        pattern(&literal, text.span(), errors);
    }
}

pub(super) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    let attrs = &schema.attrs;
    given(&attrs.schemas_at, &attrs.schema_patches).for_each(|text| json(text, errors));
    for field in &schema.fields {
        let mut bounds = Some(&field.bounds);
        while let Some(Bounds { patterns, inner, .. }) = bounds {
            for (text, span) in patterns {
                pattern(text, *span, errors);
            }
            bounds = inner.as_deref();
        }
        let attrs = &field.attrs;
        let given = given(&attrs.schemas_at, &attrs.schema_patches);
        given.chain(&attrs.schema).for_each(|text| json(text, errors));
    }
}

/// Returns the schemas in `schema_at`, and patches for schemas.
fn given<'a>(schemas: &'a [Pair], patches: &'a [Text]) -> impl Iterator<Item = &'a Text> {
    schemas.iter().map(|Pair(_, schema)| schema).chain(patches)
}

/// Checks the patterns in a JSON schema. Invalid JSON is already reported.
fn json(text: &Text, errors: &mut Errors) {
    let literal = text.literal().unwrap_or_default();
    if let Ok(JsonText::Object(schema)) = JsonText::parse(&literal) {
        within(&schema, text.span(), errors);
    }
}

fn within(schema: &[(String, JsonText)], span: Span, errors: &mut Errors) {
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("pattern", JsonText::String(text)) => pattern(text, span, errors),
            ("properties", JsonText::Object(properties)) => {
                let parts = properties.iter().filter_map(|(_, part)| part.as_object());
                parts.for_each(|part| within(part, span, errors));
            }
            ("allOf" | "anyOf" | "oneOf", JsonText::Array(parts)) => {
                parts.iter().filter_map(JsonText::as_object).for_each(|part| within(part, span, errors));
            }
            ("items" | "additionalProperties" | "not", JsonText::Object(part)) => within(part, span, errors),
            _ => {}
        }
    }
}

fn pattern(text: &str, span: Span, errors: &mut Errors) {
    if let Err(error) = re2::check(text) {
        let help = error.help().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        wrong(errors, span, format!("the API server cannot compile this pattern: {error}{help}"));
    }
}
