//! The form `derive`: parts of a definition that Rust types do not express, as attributes of crdkit's derives, schemars and serde.

mod attribute;
mod description;
pub(super) mod resource;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::docs::Documentation;
use super::fields::{self, Boxes};
use super::root::Resource;
use super::structs::{self, TypeKind};
use super::{Scope, builders, constructors, literal};
use crate::config::Form;
use crate::ir::attributes::{Description, SpecForm, TypeAttributes};
use crate::ir::traits::Traits;
use crate::ir::{About, Field, Struct, Type, TypeId};
pub(crate) use resource::OwnedDefinition;

/// The derives of crdkit.
pub(super) const DERIVES: &[&str] = &["CustomResource", "CrdSchema"];

/// The attributes of a field; none in the other form.
pub(super) fn field_attributes(scope: &Scope<'_>, field: &Field) -> TokenStream {
    let Some(attributes) = field.attributes.as_deref() else { return quote!() };
    let description = description::attribute(attributes.description.as_deref(), scope.settings.docs);
    let schema = attribute::field(attributes);
    quote!(#description #schema)
}

/// The documentation of a field; `None` in the other form.
pub(super) fn field_docs(scope: &Scope<'_>, field: &Field) -> Option<Documentation> {
    let attributes = field.attributes.as_deref()?;
    Some(description::docs(attributes.description.as_deref(), scope.settings.docs))
}

/// The attributes of a type; none in the other form. `rules` is the name of the attribute for its rules.
pub(super) fn type_attributes(scope: &Scope<'_>, about: &About, rules: &str) -> TokenStream {
    let Some(TypeAttributes { rules: own, patch, .. }) = about.attributes.as_deref() else { return quote!() };
    let description = description::attribute(type_description(about), scope.settings.docs);
    let rules = own.iter().map(|rule| attribute::rule(rules, rule));
    let patch = patch.as_ref().map(attribute::schema_patch);
    quote!(#description #(#[crd(#rules)])* #patch)
}

/// The documentation of a type; `None` in the other form.
pub(super) fn type_docs(scope: &Scope<'_>, about: &About) -> Option<Documentation> {
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

/// The derives of a type beside the standard ones.
pub(super) fn derives(scope: &Scope<'_>, serde: &[&'static str]) -> Vec<&'static str> {
    let mut derives = serde.to_vec();
    if scope.settings.form == Form::Derive {
        derives.insert(0, "CrdSchema");
    }
    derives
}

/// The items of a file: the type on which the derive stands, and all others.
pub(super) fn items(scope: &Scope<'_>, resource: &Resource<'_>) -> TokenStream {
    let root = &scope.model.root;
    let mut items = quote!(
        use crdkit::{CrdSchema, CustomResource};
    );
    items.extend(super::imports(scope, root));
    let spec = root.fields.iter().find(|field| &*field.property == "spec").map(|field| field.type_);
    let form = scope.model.object.as_ref().map(|object| object.spec).unwrap_or_default();
    let on_spec =
        spec.filter(|id| form != SpecForm::Fields && matches!(scope.model.graph[*id], Type::Struct(_)));
    let attributes = resource::attributes(scope, resource);
    match (on_spec, spec) {
        (Some(_), _) => {}
        (None, Some(spec)) if form != SpecForm::Fields => items.extend(newtype(scope, spec, &attributes)),
        _ => items.extend(fields_attributes(scope, resource, &attributes)),
    }
    let on_spec = on_spec.map(|spec| (spec, &attributes));
    items.extend(super::types(scope, on_spec));
    items
}

/// A type around a spec that is not an object with fields.
pub(super) fn newtype(scope: &Scope<'_>, spec: TypeId, attributes: &TokenStream) -> TokenStream {
    let name = format_ident!("{}", resource::type_name(scope, &["Spec", "Object"]));
    let inner = super::types::held(scope, spec);
    let traits =
        scope.known.traits(spec) & (Traits::CLONE | Traits::DEBUG | Traits::DEFAULT | Traits::PARTIAL_EQ);
    let derives = structs::attributes(
        scope,
        TypeKind::Struct,
        |wanted| name == wanted,
        traits,
        &derives_of_resource(scope),
    );
    quote! {
        #derives
        #attributes
        pub struct #name(pub #inner);
    }
}

/// A type of the object's own fields but `status`.
pub(super) fn fields_attributes(
    scope: &Scope<'_>,
    resource: &Resource<'_>,
    attributes: &TokenStream,
) -> TokenStream {
    let root = &scope.model.root;
    let name = format_ident!("{}", resource::type_name(scope, &["Spec", "Fields", "Object"]));
    let own: Vec<Field> = root.fields.iter().filter(|field| &*field.property != "status").cloned().collect();
    let own = Struct { fields: own, keeps_rest: root.keeps_rest, ..Struct::default() };
    let names = fields::names(&own);
    let tokens = fields::fields(scope, &own, &names, Boxes::Allowed);
    let mut derives = derives_of_resource(scope);
    derives.extend(builders::derive(scope));
    let is_called = |wanted: &str| name == wanted;
    let derives = structs::attributes(scope, TypeKind::Struct, is_called, resource.traits, &derives);
    let builder = builders::struct_builder(scope, &name.to_string(), &own, &tokens.names());
    let functions = constructors::struct_constructor(scope, &name, &own, &names, resource.traits);
    let rename_all = tokens.attributes;
    let fields = tokens.fields.iter().map(|field| {
        let fields::FieldTokens { docs, serde, schema, builder, name, type_, .. } = field;
        quote!(#docs #serde #schema #builder pub #name: #type_)
    });
    quote! {
        #derives
        #builder
        #rename_all
        #attributes
        pub struct #name { #(#fields),* }
        #functions
    }
}

/// The derives of a type that stands for the spec.
fn derives_of_resource(scope: &Scope<'_>) -> Vec<&'static str> {
    let mut derives = derives(scope, &["Serialize", "Deserialize"]);
    derives.insert(0, "CustomResource");
    derives
}

/// A literal of a text, with the usual escapes of lines and tabs.
pub(super) fn text(text: &str) -> Literal {
    let is_hidden = |c: char| literal::is_hidden(c) && !matches!(c, '\n' | '\t');
    if text.chars().any(is_hidden) { literal::string(text) } else { Literal::string(text) }
}
