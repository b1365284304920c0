//! Generates implementations of serde's traits for types whose fields differ from the properties in JSON.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::emit::fields::{FieldTokens, Fields};
use crate::emit::literal;
use crate::ir::name::variants;
use crate::ir::{About, Discriminator, Enum, Field, Presence, Union, Values};

/// The implementations of serde's traits for a type whose fields differ from the properties in JSON.
pub(super) struct Implementations<'a> {
    /// The struct `Wire`, which is deserialized first.
    pub(super) reader: TokenStream,
    pub(super) rename_all: &'a TokenStream,
    /// The fields of the struct that is serialized, followed by their values.
    pub(super) declared: Vec<TokenStream>,
    pub(super) written: Vec<TokenStream>,
}

impl Implementations<'_> {
    /// Returns the implementations of serde's traits for the type `name`. `value` is an expression that creates a value of this type from
    /// `wire`.
    pub(super) fn implement(&self, name: &Ident, value: &TokenStream) -> TokenStream {
        let Self { reader, rename_all, declared, written } = self;
        quote! {
            impl Serialize for #name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    #[derive(Serialize)]
                    #rename_all
                    struct Wire<'a> { #(#declared),* }
                    let wire = Wire { #(#written),* };
                    wire.serialize(serializer)
                }
            }

            impl<'de> Deserialize<'de> for #name {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    #reader
                    let wire = Wire::deserialize(deserializer)?;
                    Ok(#value)
                }
            }
        }
    }
}

/// Returns the struct `Wire`, which is deserialized first.
pub(super) fn reader(tokens: &Fields) -> TokenStream {
    let rename_all = &tokens.attributes;
    let fields = tokens.fields.iter().map(|FieldTokens { serde, name, type_, .. }| {
        let serde = serde.read();
        quote!(#serde #name: #type_)
    });
    quote! {
        #[derive(Deserialize)]
        #rename_all
        struct Wire { #(#fields),* }
    }
}

/// Returns a union's discriminator, if it has one, and its members as optional fields.
pub(super) fn members(union: &Union) -> Vec<Field> {
    let optional = |field: &Field| Field { presence: Presence::Optional, attributes: None, ..field.clone() };
    let discriminator = union.discriminator.as_ref().map(Discriminator::field);
    discriminator.into_iter().chain(union.fields.iter().map(optional)).collect()
}

/// Returns the names of a union's variants. They are derived from the property names by the same rules as an enum's variants from its
/// values.
pub(in crate::emit) fn variant_names(union: &Union) -> Vec<Ident> {
    names_of_values(union.fields.iter().map(|field| field.property.clone()), false)
}

/// Returns the variant names for an enum with these values.
pub(super) fn names_of_values(values: impl Iterator<Item = Box<str>>, is_open: bool) -> Vec<Ident> {
    let values = Values::Strings(values.collect());
    let names = variants(&Enum { about: About::default(), values, is_open });
    names.iter().map(|name| literal::ident(name)).collect()
}
