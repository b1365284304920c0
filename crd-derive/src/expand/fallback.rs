//! Generates code in addition to errors, so that one mistake causes only one error.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_quote};

use crate::attrs;
use crate::attrs::item::AttributeItem;
use crate::attrs::resource::Crates;
use crate::attrs::text::{CratePath, Parsed};
use crate::attrs::value::FromMeta;
use crate::model::{Resource, rejected_by_serde};

/// Returns the errors, and the code for all valid attributes. If too few are valid, the spec itself implements
/// `CustomResource`.
pub(crate) fn resource(input: &DeriveInput, error: syn::Error) -> TokenStream {
    let errors = error.into_compile_error();
    if let Some(resource) = Resource::from_valid_attributes(input) {
        let code = super::resource(&resource);
        return quote!(#errors #code);
    }
    let (ident, private) = (&input.ident, private(input));
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #errors
        #[automatically_derived]
        impl #impl_generics #private::ResourceSpec for #ident #ty_generics #where_clause {}

        #[automatically_derived]
        impl #impl_generics #private::CustomResource for #ident #ty_generics #where_clause {
            type Spec = Self;
            const GROUP: &'static str = "";
            const VERSION: &'static str = "";
            const API_VERSION: &'static str = "";
            const KIND: &'static str = "";
            const LIST_KIND: &'static str = "";
            const PLURAL: &'static str = "";
            const SINGULAR: &'static str = "";
            const CRD_NAME: &'static str = "";
            const SHORT_NAMES: &'static [&'static str] = &[];
            const CATEGORIES: &'static [&'static str] = &[];
            const SCOPE: #private::Scope = #private::Scope::Cluster;

            fn unchecked() -> ::core::result::Result<#private::UncheckedCrd, #private::Error> {
                ::core::unreachable!()
            }
        }
    }
}

/// Returns the path of crdkit's private module. Invalid attributes with the crate's path are ignored.
fn private(input: &DeriveInput) -> syn::Path {
    let items = attrs::parse_container(&input.attrs).unwrap_or_default().type_;
    let named = items.iter().find_map(|item| match item {
        AttributeItem::Meta(meta) if meta.path().is_ident("crate_path") => {
            Parsed::<CratePath>::from_meta(meta).ok()
        }
        AttributeItem::Meta(meta) if meta.path().is_ident("crates") => Crates::from_meta(meta).ok()?.crdkit,
        _ => None,
    });
    let named = named.map_or_else(|| parse_quote!(::crdkit), |path| path.0.0);
    parse_quote!(#named::__private)
}

/// Returns the errors, and an empty schema.
pub(crate) fn schema(input: &DeriveInput, error: syn::Error) -> TokenStream {
    let errors = error.into_compile_error();
    let ident = &input.ident;
    let private = private(input);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let serde = serde(input, &private);
    quote! {
        #errors
        #serde
        #[automatically_derived]
        impl #impl_generics #private::schemars::JsonSchema for #ident #ty_generics #where_clause {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(::core::stringify!(#ident))
            }
            fn json_schema(_: &mut #private::schemars::SchemaGenerator) -> #private::schemars::Schema {
                ::core::default::Default::default()
            }
        }
        #[automatically_derived]
        impl #impl_generics #private::CrdSchema for #ident #ty_generics #where_clause {}
    }
}

/// Returns implementations of serde's traits, if serde's derives emit only errors.
fn serde(input: &DeriveInput, private: &syn::Path) -> Option<TokenStream> {
    if rejected_by_serde(input).is_empty() {
        return None;
    }
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let mut with_lifetime = input.generics.clone();
    with_lifetime.params.insert(0, parse_quote!('__de));
    let (impl_with_lifetime, _, _) = with_lifetime.split_for_impl();
    Some(quote! {
        #[automatically_derived]
        impl #impl_generics #private::serde::Serialize for #ident #ty_generics #where_clause {
            fn serialize<__S: #private::serde::Serializer>(&self, _: __S) -> ::core::result::Result<__S::Ok, __S::Error> {
                ::core::unreachable!()
            }
        }
        #[automatically_derived]
        impl #impl_with_lifetime #private::serde::Deserialize<'__de> for #ident #ty_generics #where_clause {
            fn deserialize<__D: #private::serde::Deserializer<'__de>>(_: __D) -> ::core::result::Result<Self, __D::Error> {
                ::core::unreachable!()
            }
        }
    })
}
