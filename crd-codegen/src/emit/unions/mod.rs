//! Generates enums for unions, which are mutually exclusive properties. A union is serialized as an object with one of the properties.
//! Structs with a union among their fields also need their own serialization.

mod discriminated;
mod object;

use std::borrow::Borrow;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::attributes::{TypeKind, attributes, type_docs};
use super::fields::{self, FieldTokens};
use super::scope::Scope;
use super::types::{self, Boxes};
use super::{derive_form, literal};
use crate::config::Form;
use crate::ir::name::{FieldNames, fields_of};
use crate::ir::{Presence, Struct, Type, TypeId, Union};
use object::{Implementations, members, reader};

pub(super) use discriminated::by_member;
pub(super) use object::variant_names;

/// Returns the enum for a union, with its implementations of serde's traits.
pub(super) fn items(scope: &Scope<'_>, id: TypeId, union: &Union) -> TokenStream {
    if let Some(discriminator) = &union.discriminator {
        return discriminated::items(scope, id, union, discriminator);
    }
    let is_called = |name: &str| scope.names.is_called(id, name);
    let name = literal::ident(scope.names.type_name(id));
    let docs = type_docs(scope, id, &union.about);
    let derives = derive_form::derives(scope, &["Serialize"]);
    let attributes = attributes(scope, TypeKind::Union, is_called, scope.known.traits(id), &derives);
    let schema = derive_form::type_attributes(scope, &union.about, "validation");
    let variants = variant_names(union);
    let tokens = union.fields.iter().zip(&variants).map(|(field, variant)| {
        let type_ = types::held(scope, field.type_);
        let docs = fields::docs(scope, field);
        let schema = derive_form::field_attributes(scope, field);
        let property = literal::string(&field.property);
        let number =
            scope.known.has_number(field.type_).then(|| quote!(, serialize_with = "number::serialize"));
        quote!(#docs #[serde(rename = #property #number)] #schema #variant(#type_))
    });
    let flat = Struct { fields: members(union), ..Struct::default() };
    let names = fields_of(&flat);
    let wire = fields::fields(scope, &flat, &names, Boxes::Allowed);
    let reader = reader(&wire);
    let found = found(&name, union, &wire.fields);
    quote! {
        #docs
        #attributes
        #schema
        pub enum #name { #(#tokens),* }

        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #reader
                let wire = Wire::deserialize(deserializer)?;
                one_of::exactly(#found)
            }
        }
    }
}

/// Returns implementations of serde's traits for a struct with unions. They use a struct `Wire`, whose fields are the properties in JSON.
pub(super) fn wire(scope: &Scope<'_>, name: &Ident, struct_: &Struct) -> TokenStream {
    let own_names = fields_of(struct_);
    let flat = flat(scope, struct_);
    let names = fields_of(&flat);
    let tokens = fields::fields(scope, &flat, &names, Boxes::Allowed);
    let reader = reader(&tokens);
    let WireFields { declared, written, read } = wire_fields(scope, struct_, &own_names, &tokens.fields);
    let wire = Implementations { reader, rename_all: &tokens.attributes, declared, written };
    wire.implement(name, &quote!(Self { #(#read),* }))
}

/// The code for a struct `Wire`: the declarations of its fields, the fields' values for serialization, and the fields of the generated
/// struct after deserialization.
#[derive(Default)]
struct WireFields {
    declared: Vec<TokenStream>,
    written: Vec<TokenStream>,
    read: Vec<TokenStream>,
}

/// Returns the code for the struct `Wire`. `tokens` are the fields of the struct that [`flat`] returns.
fn wire_fields(
    scope: &Scope<'_>,
    struct_: &Struct,
    own_names: &FieldNames,
    tokens: &[FieldTokens],
) -> WireFields {
    let mut wire = tokens.iter();
    let WireFields { mut declared, mut written, mut read } = WireFields::default();
    let own_fields =
        struct_.fields.iter().zip(&own_names.fields).map(|(field, own)| (Some(field), &*own.name));
    let rest = struct_.keeps_rest.then_some((None, &*own_names.rest));
    for (field, own) in own_fields.chain(rest) {
        let own = literal::ident(own);
        let flattened = field.filter(|field| field.is_flattened);
        let Some((field, Type::Union(union))) =
            flattened.map(|field| (field, &scope.model.graph[field.type_]))
        else {
            let Some(FieldTokens { serde, name, type_, .. }) = wire.next() else { continue };
            let serde = serde.written();
            declared.push(quote!(#serde #name: &'a #type_));
            written.push(quote!(#name: &self.#own));
            read.push(quote!(#own: wire.#name));
            continue;
        };
        let union_name = literal::ident(scope.names.type_name(field.type_));
        if let Some(discriminator) = &union.discriminator {
            let tokens: Vec<&FieldTokens> = wire.by_ref().take(1 + union.fields.len()).collect();
            let union =
                discriminated::Wire { scope, name: &union_name, union, discriminator, tokens: &tokens };
            declared.extend(union.declared());
            written.extend(union.written(&quote!(self.#own), &quote!(&self.#own)));
            let value = match discriminator.wire {
                Some(struct_) => union.converted(&literal::ident(scope.names.type_name(struct_))),
                None => union.read(),
            };
            read.push(quote!(#own: #value));
            continue;
        }
        let members: Vec<&FieldTokens> = wire.by_ref().take(union.fields.len()).collect();
        for ((member, variant), tokens) in union.fields.iter().zip(variant_names(union)).zip(&members) {
            let (FieldTokens { serde, name, .. }, held) = (tokens, types::held(scope, member.type_));
            let serde = serde.written();
            declared.push(quote!(#serde #name: Option<&'a #held>));
            let pattern = quote!(#union_name::#variant(value));
            let pattern = if field.presence == Presence::Required { pattern } else { quote!(Some(#pattern)) };
            written.push(quote!(#name: if let #pattern = &self.#own { Some(value) } else { None }));
        }
        let found = found(&union_name, union, &members);
        let function = if field.presence == Presence::Required { quote!(exactly) } else { quote!(at_most) };
        read.push(quote!(#own: one_of::#function(#found)?));
    }
    WireFields { declared, written, read }
}

/// Returns the struct with each union replaced by fields for its members, like the object in JSON.
fn flat(scope: &Scope<'_>, struct_: &Struct) -> Struct {
    let fields = struct_.fields.iter().flat_map(|field| match &scope.model.graph[field.type_] {
        Type::Union(union) if field.is_flattened => members(union),
        _ => vec![field.clone()],
    });
    Struct { fields: fields.collect(), ..struct_.clone() }
}

/// Returns an array with each member of a union: its property, and its value in `wire` if it is present.
fn found<T: Borrow<FieldTokens>>(name: &Ident, union: &Union, wire: &[T]) -> TokenStream {
    let fields = union.fields.iter().zip(variant_names(union)).zip(wire);
    let found = fields.map(|((field, variant), tokens)| {
        let (property, own) = (literal::string(&field.property), &tokens.borrow().name);
        quote!((#property, wire.#own.map(#name::#variant)))
    });
    quote!([#(#found),*])
}

/// Returns `true` if structs with their own implementations of serde's traits need `#[serde(...)]` nevertheless, because crdkit's derives
/// read it.
pub(super) fn says_serde(scope: &Scope<'_>) -> bool {
    scope.settings.form == Form::Derive
}
