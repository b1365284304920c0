//! Reports all mistakes that a macro can see. Each error points at the literal and contains a remedy.

mod bounds;
mod cel;
mod columns;
mod flattened;
mod json;
mod known;
mod limits;
mod lists;
mod names;
mod outline;
mod paths;
mod patterns;
mod root;
mod rules;
mod suggestion;
mod twice;
mod typed;
mod unread;
mod variants;

use proc_macro2::Span;

use crate::errors::Errors;
use crate::model::{Resource, Schema};
pub(crate) use outline::lacks_approval;

/// Checks the attributes of a resource.
pub(crate) fn resource(resource: &Resource<'_>, errors: &mut Errors) {
    outline::resource(resource, errors);
    names::names(resource, errors);
    root::root(resource, errors);
    unread::resource(resource, errors);
    columns::columns(resource, errors);
    paths::paths(resource, errors);
    json::resource(resource, errors);
    patterns::resource(resource, errors);
    bounds::resource(resource, errors);
    rules::rules(&resource.attrs.validations, &known::object(resource), resource.attrs.kube_version, errors);
}

/// Checks the attributes of a type.
pub(crate) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    let (this, server) = (known::value(schema), schema.attrs.kube_version);
    rules::rules(&schema.attrs.validations, &this, server, errors);
    rules::rules(&schema.attrs.spec_validations, &this, server, errors);
    for field in &schema.fields {
        rules::rules(&field.attrs.validations, &known::field(schema, field), server, errors);
        for rules in [&field.attrs.item_validations, &field.attrs.value_validations] {
            rules::rules(rules, &known::part(schema, field), server, errors);
        }
        columns::field(field, errors);
        lists::field(field, errors);
        limits::field(field, schema, errors);
    }
    variants::variants(schema, errors);
    unread::schema(schema, errors);
    twice::schema(schema, errors);
    flattened::schema(schema, errors);
    lists::groups(schema, errors);
    json::schema(schema, errors);
    patterns::schema(schema, errors);
    bounds::schema(schema, errors);
}

/// Records an error at `span`.
fn wrong(errors: &mut Errors, span: Span, message: String) {
    errors.push(syn::Error::new(span, message));
}
