//! Generates assertions about types, which the compiler evaluates in the user's crate.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Ident, Type};

use crate::model::Schema;

/// Returns a constant that is evaluated while the user's crate compiles. If the assertion fails, the error points at `span`.
pub(super) fn assertion(span: Span, call: &TokenStream, private: &Ident) -> TokenStream {
    let mut private = private.clone();
    private.set_span(span);
    quote_spanned! {span=>
        const _: () = {
            #[allow(unused_imports, reason = "a type with a shape does not use it")]
            use #private::Unshaped as _;
            #private::#call;
        };
    }
}

/// Returns a type as text for messages.
pub(super) fn shown(type_: &Type) -> String {
    type_.to_token_stream().to_string().replace(" :: ", "::").replace(" < ", "<").replace(" >", ">")
}

/// Returns `true` if the tokens contain a parameter of the type, or `Self`.
pub(super) fn names_parameter(tokens: TokenStream, schema: &Schema<'_>) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => {
            word == "Self"
                || schema.original.generics.params.iter().any(|param| match param {
                    syn::GenericParam::Type(param) => param.ident == word,
                    syn::GenericParam::Const(param) => param.ident == word,
                    syn::GenericParam::Lifetime(param) => param.lifetime.ident == word,
                })
        }
        TokenTree::Group(group) => names_parameter(group.stream(), schema),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
