//! What is emitted beside errors, so that one mistake gives one error.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_quote};

use crate::attrs;
use crate::attrs::resource::Crates;
use crate::attrs::text::{CratePath, Parsed};

/// The errors, and that there is a spec: without a kind there is no type to emit.
pub(crate) fn resource(input: &DeriveInput, error: darling::Error) -> TokenStream {
    let errors = error.write_errors();
    let (ident, private) = (&input.ident, private(input));
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #errors
        #[automatically_derived]
        impl #impl_generics #private::ResourceSpec for #ident #ty_generics #where_clause {}
    }
}

/// What emitted code names of crdkit, as far as the attributes that name the crate are right.
fn private(input: &DeriveInput) -> syn::Path {
    let items = attrs::of_container(&input.attrs).unwrap_or_default().type_;
    let named = items.iter().find_map(|item| match item {
        NestedMeta::Meta(meta) if meta.path().is_ident("crate_path") => {
            Parsed::<CratePath>::from_meta(meta).ok()
        }
        NestedMeta::Meta(meta) if meta.path().is_ident("crates") => Crates::from_meta(meta).ok()?.crdkit,
        _ => None,
    });
    let named = named.map_or_else(|| parse_quote!(::crdkit), |path| path.0.0);
    parse_quote!(#named::__private)
}

/// The errors, and a schema that says nothing.
pub(crate) fn schema(input: &DeriveInput, error: darling::Error) -> TokenStream {
    let errors = error.write_errors();
    let ident = &input.ident;
    let private = private(input);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #errors
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
