//! Generates `CrdSchema::SHAPE`, which describes a type's values, and assertions that use the `SHAPE` of list items and
//! map keys.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Data, Ident, Type};

use super::assertion::{assertion, names_parameter, shown};
use super::names;
use crate::attrs::serde::Words;
use crate::model::list::ListType;
use crate::model::shape::Shape;
use crate::model::{Schema, SchemaField};

/// Returns the constant `SHAPE`.
pub(super) fn shape(schema: &Schema<'_>) -> TokenStream {
    let private = &schema.paths.short;
    let shape = known(schema).unwrap_or_else(|| quote!(#private::Shape::Unknown));
    // The shapes of other types are in scope where a shape asks for them.
    quote! {
        const SHAPE: #private::Shape = {
            #[allow(unused_imports, reason = "a type with a shape does not use it")]
            use #private::Unshaped as _;
            #shape
        };
    }
}

fn known(schema: &Schema<'_>) -> Option<TokenStream> {
    let private = &schema.paths.short;
    let words = Words::from_attributes(&schema.original.attrs);
    let foreign = ["from", "try_from", "into", "transparent", "remote", "with", "extend", "transform"];
    if schema.attrs.is_patched() || foreign.iter().any(|key| words.has(key)) {
        return None;
    }
    match &schema.original.data {
        Data::Enum(_) => Some(names::of_enum(schema, &words)),
        Data::Struct(_) if schema.wire_fields.is_none() => names::of_struct(schema),
        Data::Struct(_) => {
            let tag = words.value("tag").map(|tag| names::expand_name(&tag, private));
            let fields = schema.wire_fields.as_ref()?.iter().map(|(name, i)| {
                let field = &schema.fields[*i];
                let (is_optional, shape) = (may_be_absent(field, &words), expand_field(field, private));
                quote!(#private::FieldShape { name: #name, is_optional: #is_optional, shape: #shape })
            });
            let fields = tag.into_iter().chain(fields);
            Some(quote!(#private::Shape::Object(&[#(#fields),*])))
        }
        Data::Union(_) => None,
    }
}

/// Returns `true` if a field may be absent and has no default.
fn may_be_absent(field: &SchemaField<'_>, container: &Words) -> bool {
    let is_given = ["default", "required"].iter().any(|key| field.words.has(key))
        || field.bounds.default.is_some()
        || container.has("default");
    matches!(Shape::from_type(&field.original.ty), Shape::Option(_)) && !is_given && !field.is_foreign()
}

fn expand_field(field: &SchemaField<'_>, private: &Ident) -> TokenStream {
    if field.is_foreign() {
        return quote!(#private::Shape::Unknown);
    }
    match Shape::from_type(&field.original.ty).unwrapped() {
        Shape::Bool | Shape::Int(..) | Shape::Float | Shape::Text => quote!(#private::Shape::Scalar),
        Shape::List(_) | Shape::Map(_) => quote!(#private::Shape::Collection),
        // Shapes of other types are not asked for: two types may hold each other.
        Shape::Option(_) | Shape::Unknown => quote!(#private::Shape::Unknown),
    }
}

/// Returns an assertion that the type derives `CustomResource`, if it has attributes for a resource. The error points at the first
/// of these attributes.
pub(super) fn expand_resource(schema: &Schema<'_>) -> Option<TokenStream> {
    let private = &schema.paths.short;
    let (_, span) = schema.first_of_resource.as_ref()?;
    let (mut ident, generics) = (schema.original.ident.clone(), &schema.original.generics);
    ident.set_span(ident.span().located_at(*span));
    let (parameters, arguments, where_clause) = generics.split_for_impl();
    Some(quote! {
        #[allow(dead_code, reason = "it is there to compile")]
        fn is_spec #parameters () #where_clause {
            #private::assert_resource_spec::<#ident #arguments>()
        }
    })
}

/// Returns assertions about the types of list items and map keys. Types that the macro knows are already checked.
pub(super) fn assertions(schema: &Schema<'_>) -> TokenStream {
    let mut assertions = TokenStream::new();
    for field in &schema.fields {
        assertions.extend(expand_list(field, schema));
        assertions.extend(expand_keys(field, schema));
    }
    assertions.extend(names::assertions(schema));
    assertions
}

/// Returns assertions that map keys in a field can be written as strings, as JSON requires.
fn expand_keys(field: &SchemaField<'_>, schema: &Schema<'_>) -> Vec<TokenStream> {
    let private = &schema.paths.short;
    if field.is_foreign() || field.words.is_skipped() || schema.attrs.is_patched() {
        return Vec::new();
    }
    let is_unknown = |key: &&Type| {
        matches!(key, Type::Path(_))
            && matches!(Shape::from_type(key), Shape::Unknown)
            && !names_parameter(key.to_token_stream(), schema)
    };
    let assertion = |key: &Type| {
        let (shown, span) = (shown(key), syn::spanned::Spanned::span(key));
        let error = format!(
            "`{shown}` cannot be the key of a map in JSON: use strings, numbers, booleans or an enum of unit variants"
        );
        let call = quote_spanned!(span=> assert_map_key(#private::Shaped::<#key>::SHAPE, #error));
        assertion(span, &call, private)
    };
    let keys = Shape::keys(&field.original.ty).into_iter().map(|(_, key)| key);
    keys.filter(is_unknown).map(assertion).collect()
}

fn expand_list(field: &SchemaField<'_>, schema: &Schema<'_>) -> Option<TokenStream> {
    let private = &schema.paths.short;
    let Shape::List(item) = Shape::from_type(&field.original.ty).unwrapped() else { return None };
    // A constant outside the type's functions cannot name its parameters, and patches are applied last.
    let is_open = field.is_foreign()
        || field.attrs.is_patched()
        || schema.attrs.is_patched()
        || !matches!(Shape::from_type(item), Shape::Unknown)
        || names_parameter(item.to_token_stream(), schema);
    let list_type = field.list_type().filter(|_| !is_open)?;
    let shown = shown(item);
    let place = match &field.original.ident {
        Some(name) => format!("{}.{name}", schema.original.ident),
        None => schema.original.ident.to_string(),
    };
    let assert = |span: Span, call: TokenStream| assertion(span, &call, private);
    match list_type {
        ListType::Set(span) => {
            let error = format!(
                "`{place}` is a set of `{shown}`, and the API server cannot compare objects: use `list_type = \"map\"` with \
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

/// Returns the errors for a list map key of the field `place` with items of type `shown`.
fn key_errors(place: &str, key: &str, shown: &str, private: &Ident) -> TokenStream {
    let error = |problem: String, help: &str| {
        format!("`{place}` has the list map key `{key}`, which {problem}: {help}")
    };
    let unknown = error(
        format!("is not a field of `{shown}`"),
        "name a field that identifies an item; use the name that serde writes",
    );
    let optional = error(
        format!("may be absent in `{shown}`"),
        "make the field required by removing `Option`, or give it a `#[serde(default = ...)]`",
    );
    let composite = error(
        format!("is not a scalar in `{shown}`"),
        "name a field that is a string, a number or a boolean",
    );
    let no_object = error(
        format!("`{shown}` does not have"),
        "the items of a list of type map must be objects: use `list_type = \"set\"`",
    );
    quote! {
        #private::KeyErrors {
            unknown: #unknown,
            optional: #optional,
            composite: #composite,
            no_object: #no_object,
        }
    }
}
