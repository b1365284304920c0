//! Generates the attributes and the documentation of types and fields.

use proc_macro2::TokenStream;
use quote::quote;

use super::{attribute, description};
use crate::config::Form;
use crate::emit::docs::Documentation;
use crate::emit::scope::Scope;
use crate::ir::attributes::{Description, TypeAttributes};
use crate::ir::{About, Field};

/// The names of crdkit's derives.
pub(in crate::emit) const DERIVES: &[&str] = &["CustomResource", "CrdSchema"];

/// Returns the attributes of a field; empty in all forms except `derive`.
pub(in crate::emit) fn field_attributes(scope: &Scope<'_>, field: &Field) -> TokenStream {
    let Some(attributes) = field.attributes.as_deref() else { return quote!() };
    let description = description::attribute(attributes.description.as_deref(), scope.settings.docs);
    let schema = attribute::field(attributes);
    quote!(#description #schema)
}

/// Returns the documentation of a field; `None` in all forms except `derive`.
pub(in crate::emit) fn field_docs(scope: &Scope<'_>, field: &Field) -> Option<Documentation> {
    let attributes = field.attributes.as_deref()?;
    Some(description::docs(attributes.description.as_deref(), scope.settings.docs))
}

/// Returns the attributes of a type; empty in all forms except `derive`. `rules` is the attribute name for validation rules.
pub(in crate::emit) fn type_attributes(scope: &Scope<'_>, about: &About, rules: &str) -> TokenStream {
    let Some(TypeAttributes { rules: own, patch, .. }) = about.attributes.as_deref() else { return quote!() };
    let description = description::attribute(type_description(about), scope.settings.docs);
    let rules = own.iter().map(|rule| attribute::rule(rules, rule));
    let patch = patch.as_ref().map(attribute::schema_patch);
    quote!(#description #(#[crd(#rules)])* #patch)
}

/// Returns the documentation of a type; `None` in all forms except `derive`.
pub(in crate::emit) fn type_docs(scope: &Scope<'_>, about: &About) -> Option<Documentation> {
    about.attributes.as_deref()?;
    Some(description::docs(type_description(about), scope.settings.docs))
}

fn type_description(about: &About) -> Option<&str> {
    match &about.attributes.as_deref()?.description {
        // Every field has a description of its own, which goes before this one.
        Description::Any => about.doc.as_deref().filter(|_| about.one_doc),
        Description::Exactly(text) => text.as_deref(),
    }
}

/// Adds crdkit's derive to serde's derives, for the form `derive`.
pub(in crate::emit) fn derives(scope: &Scope<'_>, serde: &[&'static str]) -> Vec<&'static str> {
    let mut derives = serde.to_vec();
    if scope.settings.form == Form::Derive {
        derives.insert(0, "CrdSchema");
    }
    derives
}
