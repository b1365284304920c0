//! Generates the expressions that convert a type between two neighboring versions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Fields, GenericArgument, Ident, Item, PathArguments, Type as RustType};

use super::history::{History, Type};
use super::variants::VariantHistory;
use crate::errors::Errors;

/// Rejects fields whose types the macro cannot convert because they contain types of the module.
pub(super) fn check(type_: &Type, names: &[String], versions: usize) -> syn::Result<()> {
    let mut errors = Errors::default();
    let mut check = |type_: &RustType| {
        if value(type_, quote!(value), names).is_none() {
            let help = "this type contains a type that has versions, and is not an `Option`, `Vec`, `Box`, set or map: add `changed(since \
                        = \"...\", from = \"...\", up = path, down = path)`, or declare the inner type outside the module";
            errors.push(syn::Error::new(type_.span(), help));
        }
    };
    match type_.item() {
        Item::Struct(item) if matches!(item.fields, Fields::Named(_)) => {
            for field in &type_.fields {
                // Between versions with different types the functions of `changed` are asked.
                for version in (0..versions).filter(|version| field.change(version + 1).is_none()) {
                    if field.is_in(version) && field.is_in(version + 1) {
                        check(field.type_(version));
                    }
                }
            }
        }
        Item::Struct(item) => item.fields.iter().for_each(|field| check(&field.ty)),
        Item::Enum(item) => {
            item.variants.iter().flat_map(|variant| &variant.fields).for_each(|field| check(&field.ty));
        }
        _ => {}
    }
    errors.finish()
}

/// Returns the body of `From` for two neighboring versions of a type.
pub(super) fn body(type_: &Type, from: usize, to: usize, old: &TokenStream, names: &[String]) -> TokenStream {
    match type_.item() {
        Item::Struct(item) => match &item.fields {
            Fields::Named(_) => {
                let fields = type_.fields.iter().filter(|field| field.is_in(to));
                let fields = fields.filter_map(|field| self::field(field, from, to, names));
                quote!(Self { #(#fields),* })
            }
            Fields::Unnamed(fields) => {
                let fields = fields.unnamed.iter().enumerate().map(|(i, field)| {
                    let i = syn::Index::from(i);
                    value(&field.ty, quote!(old.#i), names)
                });
                quote!(Self(#(#fields),*))
            }
            Fields::Unit => quote!(Self),
        },
        Item::Enum(_) => {
            let variants = type_.variants.iter().filter(|variant| variant.presence.is_in(from));
            let arms = variants.map(|variant| arm(variant, from, to, old, type_, names));
            let arms: Vec<_> = arms.collect();
            // An enum without variants has no values to match.
            if arms.is_empty() { quote!(match old {}) } else { quote!(match old { #(#arms),* }) }
        }
        _ => TokenStream::new(),
    }
}

fn field(field: &History, from: usize, to: usize, names: &[String]) -> Option<TokenStream> {
    let name = field.name(to)?;
    if !field.is_in(from) {
        return Some(match &field.default {
            Some(default) => quote!(#name: #default()),
            None => quote!(#name: ::core::default::Default::default()),
        });
    }
    let old = field.name(from)?;
    let (change, function) = if from < to {
        let change = field.change(to);
        (change, change.and_then(|change| change.up.as_ref()))
    } else {
        let change = field.change(from);
        (change, change.and_then(|change| change.down.as_ref()))
    };
    let value = match (change, function) {
        (Some(_), Some(function)) => quote!(#function(old.#old)),
        (Some(_), None) => quote!(::core::convert::Into::into(old.#old)),
        (None, _) => value(field.type_(to), quote!(old.#old), names)?,
    };
    Some(quote!(#name: #value))
}

/// Returns the `match` arm for a variant. If the new version lacks the variant, it is converted to another variant.
fn arm(
    variant: &VariantHistory,
    from: usize,
    to: usize,
    old: &TokenStream,
    type_: &Type,
    names: &[String],
) -> TokenStream {
    let ident = variant.name(from);
    if variant.presence.is_in(to) {
        let new = variant.name(to);
        let (pattern, values) = variant_parts(&variant.variant.fields, names);
        return quote!(#old::#ident #pattern => Self::#new #values);
    }
    let new = variant.substitute(&type_.variants, to).map(|other| other.name(to));
    quote!(#old::#ident { .. } => Self::#new)
}

fn variant_parts(fields: &Fields, names: &[String]) -> (TokenStream, TokenStream) {
    let name = |i: usize, field: &syn::Field| {
        field
            .ident
            .clone()
            .unwrap_or_else(|| Ident::new(&format!("field_{i}"), proc_macro2::Span::call_site()))
    };
    let idents: Vec<Ident> = fields.iter().enumerate().map(|(i, field)| name(i, field)).collect();
    let values: Vec<_> =
        fields.iter().zip(&idents).map(|(field, ident)| value(&field.ty, quote!(#ident), names)).collect();
    match fields {
        Fields::Named(_) => (quote!({ #(#idents),* }), quote!({ #(#idents: #values),* })),
        Fields::Unnamed(_) => (quote!((#(#idents),*)), quote!((#(#values),*))),
        Fields::Unit => (TokenStream::new(), TokenStream::new()),
    }
}

/// Returns an expression that converts a value, or `None` if the macro cannot convert the type.
pub(super) fn value(type_: &RustType, value: TokenStream, names: &[String]) -> Option<TokenStream> {
    if !mentions(&type_.to_token_stream(), names) {
        return Some(value);
    }
    let RustType::Path(path) = type_ else { return None };
    let last = path.path.segments.last()?;
    if path.path.get_ident().is_some_and(|ident| names.iter().any(|name| ident == name)) {
        return Some(quote!(::core::convert::Into::into(#value)));
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let types: Vec<&RustType> = arguments
        .args
        .iter()
        .filter_map(|argument| match argument {
            GenericArgument::Type(type_) => Some(type_),
            _ => None,
        })
        .collect();
    let inner = |type_: &RustType| self::value(type_, quote!(value), names);
    match (last.ident.to_string().as_str(), types.as_slice()) {
        ("Option", [type_]) => {
            let inner = inner(type_)?;
            Some(quote!(#value.map(|value| #inner)))
        }
        ("Box", [type_]) => {
            let inner = self::value(type_, quote!(*#value), names)?;
            Some(quote!(::std::boxed::Box::new(#inner)))
        }
        ("Vec" | "VecDeque" | "BTreeSet" | "HashSet", [type_]) => {
            let inner = inner(type_)?;
            Some(quote!(#value.into_iter().map(|value| #inner).collect()))
        }
        ("BTreeMap" | "HashMap" | "IndexMap", [key, type_]) if !mentions(&key.to_token_stream(), names) => {
            let inner = inner(type_)?;
            Some(quote!(#value.into_iter().map(|(key, value)| (key, #inner)).collect()))
        }
        _ => None,
    }
}

/// Returns `true` if the tokens contain the name of a type that has versions.
fn mentions(tokens: &TokenStream, names: &[String]) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        proc_macro2::TokenTree::Ident(word) => names.iter().any(|name| word == name),
        proc_macro2::TokenTree::Group(group) => mentions(&group.stream(), names),
        _ => false,
    })
}
