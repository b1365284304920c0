//! The form `derive`: attributes of crdkit's derives, schemars and serde for everything in a CRD that Rust types alone cannot express.

mod attribute;
mod description;
mod parts;
pub(super) mod resource;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::attributes::{self, TypeKind};
use super::declarations::declarations;
use super::resource::Resource;
use super::scope::Scope;
use super::types::Boxes;
use super::uses::imports;
use super::{builders, constructors, fields};
use crate::ir::attributes::SpecForm;
use crate::ir::name::fields_of;
use crate::ir::traits::Traits;
use crate::ir::{Field, Struct, Type, TypeId};

pub(super) use parts::{DERIVES, derives, field_attributes, field_docs, type_attributes, type_docs};

/// Returns a file's items: the type with the derive, and all other types.
pub(super) fn items(scope: &Scope<'_>, resource: &Resource<'_>) -> TokenStream {
    let root = &scope.model.root;
    let mut items = quote!(
        use crdkit::{CrdSchema, CustomResource};
    );
    items.extend(imports(scope, root));
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
    items.extend(declarations(scope, on_spec));
    items
}

/// Returns a wrapper type for a spec that is not an object with fields.
pub(super) fn newtype(scope: &Scope<'_>, spec: TypeId, attributes: &TokenStream) -> TokenStream {
    let name = format_ident!("{}", resource::type_name(scope, &["Spec", "Object"]));
    let inner = super::types::held(scope, spec);
    let traits =
        scope.known.traits(spec) & (Traits::CLONE | Traits::DEBUG | Traits::DEFAULT | Traits::PARTIAL_EQ);
    let derives = attributes::attributes(
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

/// Returns a struct that has the derive, with all properties of the object except `status`.
pub(super) fn fields_attributes(
    scope: &Scope<'_>,
    resource: &Resource<'_>,
    attributes: &TokenStream,
) -> TokenStream {
    let root = &scope.model.root;
    let name = format_ident!("{}", resource::type_name(scope, &["Spec", "Fields", "Object"]));
    let own: Vec<Field> = root.fields.iter().filter(|field| &*field.property != "status").cloned().collect();
    let own = Struct { fields: own, keeps_rest: root.keeps_rest, ..Struct::default() };
    let names = fields_of(&own);
    let tokens = fields::fields(scope, &own, &names, Boxes::Allowed);
    let mut derives = derives_of_resource(scope);
    derives.extend(builders::derive(scope));
    let is_called = |wanted: &str| name == wanted;
    let derives = attributes::attributes(scope, TypeKind::Struct, is_called, resource.traits, &derives);
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

/// Returns the derives for the type with `#[derive(CustomResource)]`.
fn derives_of_resource(scope: &Scope<'_>) -> Vec<&'static str> {
    let mut derives = derives(scope, &["Serialize", "Deserialize"]);
    derives.insert(0, "CustomResource");
    derives
}
