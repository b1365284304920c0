//! Types whose schemas are needed, named so that the compiler's error for a missing schema has the remedy.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

use crate::model::shape::Shape;
use crate::model::{Resource, Schema, SchemaField};

/// Types of the standard library of which schemars knows a schema if it knows that of their parts.
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

/// The type of a field, as the mirror has it.
pub(super) fn of_field(schema: &Schema<'_>, field: &SchemaField<'_>) -> TokenStream {
    let words = ["with", "schema_with", "skip", "skip_serializing", "skip_deserializing"];
    if field.has_schema() || words.iter().any(|word| field.words.has(word)) || schema.has_other_type() {
        return field.original.ty.to_token_stream();
    }
    let private = &schema.paths.short;
    named(&field.original.ty, &quote!(#private), &|tokens| super::shape::names_parameter(tokens, schema))
}

/// The type of a status; with the parameters of the spec it has what the bounds say.
pub(super) fn of_status(resource: &Resource<'_>, type_: &Type) -> TokenStream {
    if !resource.original.generics.params.is_empty() {
        return type_.to_token_stream();
    }
    named(type_, &resource.paths.private.to_token_stream(), &|_| false)
}

/// `Vec<Inner>` as `Vec<<Inner as HasSchema>::Type>`, which is the same type.
fn named(type_: &Type, private: &TokenStream, is_open: &dyn Fn(TokenStream) -> bool) -> TokenStream {
    let Type::Path(path) = type_ else { return type_.to_token_stream() };
    let Some(last) = path.path.segments.last() else { return type_.to_token_stream() };
    if path.qself.is_some() || Shape::of(type_).cel_type().is_some() || is_open(type_.to_token_stream()) {
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
