//! Replaces `Self` in attributes and field types with the user's type. The mirror, the copy of the type for schemars, lacks
//! the type's functions.

use std::borrow::Cow;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, Expr, ExprLit, GenericArgument, Lit, LitStr, Meta, MetaList, PathArguments};

use super::mirror::change;
use crate::model::Schema;

/// Replaces `Self` in an attribute.
pub(super) fn spelled_out<'a>(attr: &'a Attribute, schema: &Schema<'_>) -> Cow<'a, Attribute> {
    // Most attributes are seen to be without it in one step.
    let may_be = |list: &MetaList| list.tokens.to_string().contains("Self");
    if !matches!(&attr.meta, Meta::List(list) if may_be(list) && mentions_self(&list.tokens)) {
        return Cow::Borrowed(attr);
    }
    let mut attr = attr.clone();
    let ident = &schema.original.ident;
    let (_, ty_generics, _) = schema.original.generics.split_for_impl();
    let this = quote!(#ident #ty_generics).to_string();
    change(&mut attr, |meta| {
        if let Meta::NameValue(pair) = meta
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &mut pair.value
            && let Some(rest) = text.value().strip_prefix("Self::")
        {
            *text = LitStr::new(&format!("<{this}>::{rest}"), text.span());
        }
    });
    if let Meta::List(list) = &mut attr.meta {
        list.tokens = without_self(std::mem::take(&mut list.tokens), schema);
    }
    Cow::Owned(attr)
}

/// Returns `false` for a path that does not mention `Self`. All other types may mention `Self`.
pub(super) fn may_be_self(type_: &syn::Type) -> bool {
    let syn::Type::Path(path) = type_ else { return true };
    path.qself.is_some()
        || path.path.segments.iter().any(|segment| {
            segment.ident == "Self"
                || match &segment.arguments {
                    PathArguments::None => false,
                    PathArguments::AngleBracketed(list) => list.args.iter().any(|argument| match argument {
                        GenericArgument::Type(type_) => may_be_self(type_),
                        _ => true,
                    }),
                    PathArguments::Parenthesized(_) => true,
                }
        })
}

/// Returns `true` if tokens, or strings among them, mention `Self`.
fn mentions_self(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => word == "Self",
        TokenTree::Group(group) => mentions_self(&group.stream()),
        TokenTree::Literal(literal) => literal.to_string().starts_with("\"Self::"),
        TokenTree::Punct(_) => false,
    })
}

/// Replaces `Self` in tokens.
pub(super) fn without_self(tokens: TokenStream, schema: &Schema<'_>) -> TokenStream {
    if !mentions_self(&tokens) {
        return tokens;
    }
    let ident = &schema.original.ident;
    let (_, ty_generics, _) = schema.original.generics.split_for_impl();
    let trees = tokens.into_iter().flat_map(|tree| match tree {
        TokenTree::Ident(word) if word == "Self" => quote!(#ident #ty_generics),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), without_self(group.stream(), schema));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        other => other.into(),
    });
    trees.collect()
}
