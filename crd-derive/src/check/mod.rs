//! What a macro can see to be wrong in a model: all of it, at the literal, with the remedy.

mod columns;
mod json;
mod lists;
mod names;
mod paths;
mod root;
mod rules;

use darling::error::Accumulator;
use proc_macro2::Span;

use crate::model::{Resource, Schema};

/// Checks what a resource says of itself.
pub(crate) fn resource(resource: &Resource<'_>, errors: &mut Accumulator) {
    names::names(resource, errors);
    root::root(resource, errors);
    columns::columns(resource, errors);
    paths::paths(resource, errors);
    json::resource(resource, errors);
    for rule in &resource.attrs.validations {
        rules::rule(rule, errors);
    }
}

/// Checks what a type says of its schema.
pub(crate) fn schema(schema: &Schema<'_>, errors: &mut Accumulator) {
    for rule in schema.attrs.validations.iter().chain(&schema.attrs.spec_validations) {
        rules::rule(rule, errors);
    }
    for field in &schema.fields {
        for rule in &field.attrs.validations {
            rules::rule(rule, errors);
        }
        lists::field(field, errors);
    }
    lists::groups(schema, errors);
    json::schema(schema, errors);
}

/// Records what is wrong at `span`.
fn wrong(errors: &mut Accumulator, span: Span, message: String) {
    errors.push(darling::Error::custom(message).with_span(&span));
}
