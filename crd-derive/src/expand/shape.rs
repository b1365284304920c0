//! What a macro saw of a type -> `CrdSchema::SHAPE`, and what lists ask of the shapes of their items.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Data, Fields, Ident, Type};

use crate::attrs::serde::Words;
use crate::model::list::ListType;
use crate::model::shape::Shape;
use crate::model::{Schema, SchemaField};

/// The shape of the type, as far as it is known.
pub(super) fn shape(schema: &Schema<'_>) -> TokenStream {
    let private = &schema.paths.short;
    let shape = known(schema).unwrap_or_else(|| quote!(#private::Shape::Unknown));
    quote! { const SHAPE: #private::Shape = #shape; }
}

fn known(schema: &Schema<'_>) -> Option<TokenStream> {
    let private = &schema.paths.short;
    let words = Words::of(&schema.original.attrs);
    let foreign = ["from", "try_from", "into", "transparent", "remote", "with", "extend", "transform"];
    if schema.attrs.is_patched() || foreign.iter().any(|key| words.has(key)) {
        return None;
    }
    match &schema.original.data {
        Data::Enum(data) => {
            let is_plain = !["tag", "untagged"].iter().any(|key| words.has(key))
                && data.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit));
            is_plain.then(|| quote!(#private::Shape::Scalar))
        }
        Data::Struct(_) => {
            let fields = schema.wire_fields.as_ref()?.iter().map(|(name, i)| {
                let field = &schema.fields[*i];
                let (is_optional, shape) = (may_be_absent(field, &words), of_field(field, private));
                quote!(#private::FieldShape { name: #name, is_optional: #is_optional, shape: #shape })
            });
            Some(quote!(#private::Shape::Object(&[#(#fields),*])))
        }
        Data::Union(_) => None,
    }
}

/// Whether a field may be absent and has no default either.
fn may_be_absent(field: &SchemaField<'_>, container: &Words) -> bool {
    let is_given = ["default", "required"].iter().any(|key| field.words.has(key))
        || field.bounds.default.is_some()
        || container.has("default");
    matches!(Shape::of(&field.original.ty), Shape::Option(_)) && !is_given && !field.is_foreign()
}

fn of_field(field: &SchemaField<'_>, private: &Ident) -> TokenStream {
    if field.is_foreign() {
        return quote!(#private::Shape::Unknown);
    }
    match Shape::of(&field.original.ty).unwrapped() {
        Shape::Bool | Shape::Int(..) | Shape::Float | Shape::Text => quote!(#private::Shape::Scalar),
        Shape::List(_) | Shape::Map(_) => quote!(#private::Shape::Collection),
        // Shapes of other types are not asked for: two types may hold each other.
        Shape::Option(_) | Shape::Unknown => quote!(#private::Shape::Unknown),
    }
}

/// What the lists of a type ask of the shapes of their items. What the macro sees itself has been checked.
pub(super) fn assertions(schema: &Schema<'_>) -> TokenStream {
    schema.fields.iter().filter_map(|field| of_list(field, schema)).collect()
}

fn of_list(field: &SchemaField<'_>, schema: &Schema<'_>) -> Option<TokenStream> {
    let private = &schema.paths.short;
    let Shape::List(item) = Shape::of(&field.original.ty).unwrapped() else { return None };
    // A constant outside of the type's functions knows none of its parameters, and patches have the last word.
    let is_open = field.is_foreign()
        || field.attrs.is_patched()
        || schema.attrs.is_patched()
        || !matches!(Shape::of(item), Shape::Unknown)
        || names_parameter(item.to_token_stream(), schema);
    let list_type = field.list_type().filter(|_| !is_open)?;
    let shown = shown(item);
    let place = match &field.original.ident {
        Some(name) => format!("{}.{name}", schema.original.ident),
        None => schema.original.ident.to_string(),
    };
    let assert = |span: Span, call: TokenStream| {
        // An error points at a whole call, and it is to be the literal's place.
        let mut private = private.clone();
        private.set_span(span);
        quote_spanned! {span=>
            const _: () = {
                #[allow(unused_imports, reason = "a type that has a shape needs it not")]
                use #private::Unshaped as _;
                #private::#call;
            };
        }
    };
    match list_type {
        ListType::Set(span) => {
            let error = format!(
                "`{place}` is a set of `{shown}`, and objects cannot be compared: use `list_type = \"map\"` with \
                 `list_map_keys`, or `list_type = \"atomic\"`"
            );
            let call = quote_spanned!(span=> assert_set_items(#private::Shaped::<#item>::SHAPE, #error));
            Some(assert(span, call))
        }
        ListType::Map(keys) => {
            let key = |(key, span): (String, Span)| {
                let errors = key_errors(&place, &key, &shown, private);
                let call = quote_spanned! {span=>
                    assert_list_map_key(#private::Shaped::<#item>::SHAPE, #key, &#errors)
                };
                assert(span, call)
            };
            Some(keys.into_iter().map(key).collect())
        }
    }
}

/// The words for what may be wrong with a key of the list `place`, whose items are `shown`.
fn key_errors(place: &str, key: &str, shown: &str, private: &Ident) -> TokenStream {
    let said =
        |what: String, help: &str| format!("`{place}` has the list map key `{key}`, which {what}: {help}");
    let unknown =
        said(format!("is no field of `{shown}`"), "name a field that tells items apart, as serde writes it");
    let optional = said(
        format!("may be absent in `{shown}`"),
        "make that field no `Option`, or give it a `#[serde(default = ...)]`",
    );
    let composite =
        said(format!("is no scalar in `{shown}`"), "name a field that is a text, a number or a truth value");
    let no_object =
        said(format!("`{shown}` has not"), "a list of type map has objects: use `list_type = \"set\"`");
    quote! {
        #private::KeyErrors {
            unknown: #unknown,
            optional: #optional,
            composite: #composite,
            no_object: #no_object,
        }
    }
}

/// A type as its user writes it.
fn shown(type_: &Type) -> String {
    type_.to_token_stream().to_string().replace(" :: ", "::").replace(" < ", "<").replace(" >", ">")
}

/// Whether tokens name a parameter of the type, or the type as `Self`.
fn names_parameter(tokens: TokenStream, schema: &Schema<'_>) -> bool {
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
