//! Requires that types have a schema. If a schema is missing, the compiler's error contains the remedy.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

use crate::model::shape::Shape;
use crate::model::{Resource, Schema, SchemaField};

/// Types of the standard library that have a schema if their parts have schemas.
const CONTAINERS: &[&str] = &[
    "Arc",
    "BTreeMap",
    "BTreeSet",
    "Box",
    "HashMap",
    "HashSet",
    "LinkedList",
    "Option",
    "Rc",
    "Vec",
    "VecDeque",
];

/// Returns a field's type in a form that requires a schema, and the position of the part that may lack a schema.
/// `None` if the type can stay unchanged.
///
/// The result belongs in an attribute of the field in the mirror, the copy of the type for schemars. As the field's type, it
/// would cause an error at each use of the mirror.
pub(super) fn check_field(schema: &Schema<'_>, field: &SchemaField<'_>) -> Option<(TokenStream, Span)> {
    let words = ["with", "schema_with", "skip", "skip_serializing", "skip_deserializing"];
    if field.has_schema() || words.iter().any(|word| field.words.has(word)) || schema.has_other_type() {
        return None;
    }
    let type_ = &field.original.ty;
    let private = &schema.paths.short;
    let named = named(type_, &quote!(#private), &|tokens| super::assertion::names_parameter(tokens, schema));
    let place = leaf_span(type_)?;
    (!has_macro_tokens(&named)).then(|| (within(type_, &named), place))
}

/// Returns the position of the last type in `type_` that is not a container. `None` if the whole type certainly has a schema.
fn leaf_span(type_: &Type) -> Option<Span> {
    let Type::Path(path) = type_ else { return None };
    let last = path.path.segments.last()?;
    if path.qself.is_some() || Shape::from_type(type_).cel_type().is_some() {
        return None;
    }
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if CONTAINERS.contains(&&*last.ident.to_string()) => {
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(inner) => Some(inner),
                _ => None,
            });
            types.filter_map(leaf_span).last()
        }
        _ => Some(type_.span()),
    }
}

/// Returns `true` if tokens come from a `macro_rules!` macro. Such tokens cannot be converted to a string.
fn has_macro_tokens(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Punct(punct) => punct.as_char() == '$',
        TokenTree::Group(group) => group.delimiter() == Delimiter::None || has_macro_tokens(&group.stream()),
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

/// Returns the type of the status in a form that requires a schema. If the object has type parameters, bounds already require
/// it, and the type is unchanged.
pub(super) fn check_status(resource: &Resource<'_>, type_: &Type) -> TokenStream {
    if !resource.original.generics.params.is_empty() {
        return type_.to_token_stream();
    }
    within(type_, &named(type_, &resource.paths.private.to_token_stream(), &|_| false))
}

/// Puts a type into a `Box`, which has the same schema. Otherwise, the compiler's error for a type without a schema would be about
/// schemars' trait `JsonSchema`.
fn within(type_: &Type, named: &TokenStream) -> TokenStream {
    let is_container = matches!(type_, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| CONTAINERS.contains(&&*last.ident.to_string())));
    if is_container { named.clone() } else { quote_spanned!(type_.span()=> ::std::boxed::Box<#named>) }
}

/// Changes `Vec<Inner>` to `Vec<<Inner as HasSchema>::Type>`, which is the same type.
fn named(type_: &Type, private: &TokenStream, is_open: &dyn Fn(TokenStream) -> bool) -> TokenStream {
    let Type::Path(path) = type_ else { return type_.to_token_stream() };
    let Some(last) = path.path.segments.last() else { return type_.to_token_stream() };
    if path.qself.is_some()
        || Shape::from_type(type_).cel_type().is_some()
        || is_open(type_.to_token_stream())
    {
        return type_.to_token_stream();
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return leaf(type_, private);
    };
    if !CONTAINERS.contains(&last.ident.to_string().as_str()) {
        return leaf(type_, private);
    }
    // The schema of a map is that of its values.
    let is_map = last.ident == "BTreeMap" || last.ident == "HashMap";
    let mut known = path.path.clone();
    if let Some(last) = known.segments.last_mut() {
        let mut arguments = arguments.clone();
        for argument in arguments.args.iter_mut().skip(usize::from(is_map)) {
            if let GenericArgument::Type(inner) = argument {
                *inner = Type::Verbatim(named(inner, private, is_open));
            }
        }
        last.arguments = PathArguments::AngleBracketed(arguments);
    }
    known.to_token_stream()
}

fn leaf(type_: &Type, private: &TokenStream) -> TokenStream {
    // A lifetime that is left out cannot stand in a projection.
    let has_hole =
        type_.to_token_stream().into_iter().any(|tree| matches!(tree, TokenTree::Ident(name) if name == "_"));
    if has_hole {
        return type_.to_token_stream();
    }
    quote_spanned!(type_.span()=> <#type_ as #private::HasSchema>::Type)
}
