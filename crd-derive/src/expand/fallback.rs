//! What is emitted beside errors, so that one mistake gives one error.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_quote};

/// The errors alone: without a kind there is no type to emit.
pub(crate) fn resource(_: &DeriveInput, error: darling::Error) -> TokenStream {
    error.write_errors()
}

/// The errors, and a schema that says nothing.
pub(crate) fn schema(input: &DeriveInput, error: darling::Error) -> TokenStream {
    let errors = error.write_errors();
    let ident = &input.ident;
    let private: syn::Path = parse_quote!(::crdkit::__private);
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
