//! Generates structs for objects.

use proc_macro2::TokenStream;
use quote::quote;

use super::attributes::{TypeKind, attributes, type_docs};
use super::docs::Documentation;
use super::fields;
use super::scope::Scope;
use super::types::Boxes;
use super::{builders, constructors, defaults, derive_form, literal, unions};
use crate::config::Defaults;
use crate::ir::name::fields_of;
use crate::ir::traits::Traits;
use crate::ir::{Struct, TypeId};

/// Returns a struct and its implementations.
///
/// `resource` contains the attributes that describe the custom resource, if a derive on this struct generates the root type.
pub(super) fn items(
    scope: &Scope<'_>,
    id: TypeId,
    struct_: &Struct,
    resource: Option<&TokenStream>,
) -> TokenStream {
    declared(scope, id, struct_, resource, &type_docs(scope, id, &struct_.about))
}

/// Returns the same code as [`items`], but with the documentation `docs`.
pub(super) fn declared(
    scope: &Scope<'_>,
    id: TypeId,
    struct_: &Struct,
    resource: Option<&TokenStream>,
    docs: &Documentation,
) -> TokenStream {
    let name = literal::ident(scope.names.type_name(id));
    let names = fields_of(struct_);
    let tokens = fields::fields(scope, struct_, &names, Boxes::Allowed);
    let mut traits = scope.known.traits(id);
    let mut default = None;
    if traits.has(Traits::DEFAULT) && scope.settings.defaults == Defaults::Schema {
        default = defaults::implementation(scope, &name, struct_, &names);
        if default.is_some() {
            traits = traits.without(Traits::DEFAULT);
        }
    }
    let functions = constructors::struct_constructor(scope, &name, struct_, &names, scope.known.traits(id));
    let has_unions = struct_.has_unions();
    let wire = has_unions.then(|| unions::wire(scope, &name, struct_));
    let serde: &[&str] = if has_unions { &[] } else { &["Serialize", "Deserialize"] };
    let says_serde = !has_unions || unions::says_serde(scope);
    let mut derives = derive_form::derives(scope, serde);
    if resource.is_some() {
        derives.insert(0, "CustomResource");
    }
    derives.extend(builders::derive(scope));
    let attributes =
        attributes(scope, TypeKind::Struct, |name| scope.names.is_called(id, name), traits, &derives);
    let rules = if resource.is_some() { "spec_validation" } else { "validation" };
    let schema = derive_form::type_attributes(scope, &struct_.about, rules);
    let builder = builders::struct_builder(scope, scope.names.type_name(id), struct_, &tokens.names());
    let rename_all = says_serde.then_some(tokens.attributes);
    let fields = tokens.fields.iter().map(|field| {
        let fields::FieldTokens { docs, serde, schema, builder, name, type_, .. } = field;
        let serde = says_serde.then_some(serde);
        quote!(#docs #serde #schema #builder pub #name: #type_)
    });
    quote! {
        #docs
        #attributes
        #builder
        #rename_all
        #resource
        #schema
        pub struct #name { #(#fields),* }
        #functions
        #wire
        #default
    }
}
