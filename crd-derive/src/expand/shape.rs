//! The tokens of a type -> `CrdSchema::SHAPE`, and the assertions of lists about the shapes of their items.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Data, Fields, Ident, Type};

use crate::attrs::serde::{Words, renamed};
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
    let words = Words::from_attributes(&schema.original.attrs);
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
                let (is_optional, shape) = (may_be_absent(field, &words), expand_field(field, private));
                quote!(#private::FieldShape { name: #name, is_optional: #is_optional, shape: #shape })
            });
            Some(quote!(#private::Shape::Object(&[#(#fields),*])))
        }
        Data::Union(_) => None,
    }
}

/// Returns `true` if a field may be absent and has no default either.
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

/// The requirement of attributes for a resource: the type derives `CustomResource`. An error points at the first attribute.
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

/// The assertions of a type's lists about the shapes of their items. Items that the macro sees itself have been checked.
pub(super) fn assertions(schema: &Schema<'_>) -> TokenStream {
    let mut assertions = TokenStream::new();
    for field in &schema.fields {
        assertions.extend(expand_list(field, schema));
        assertions.extend(expand_keys(field, schema));
    }
    assertions.extend(expand_flattened(schema));
    assertions
}

/// Keys that are structs: keys in JSON are strings.
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
    Shape::keys(&field.original.ty).into_iter().filter(is_unknown).map(assertion).collect()
}

/// Names of a flattened type's fields that the type has already.
fn expand_flattened(schema: &Schema<'_>) -> Vec<TokenStream> {
    let private = &schema.paths.short;
    let Data::Struct(data) = &schema.original.data else { return Vec::new() };
    let Fields::Named(_) = &data.fields else { return Vec::new() };
    let container = Words::from_attributes(&schema.original.attrs);
    let inner = |field: &SchemaField<'_>| {
        let type_ = match Shape::from_type(&field.original.ty) {
            Shape::Option(inner) => inner.clone(),
            Shape::Unknown => field.original.ty.clone(),
            _ => return None,
        };
        let is_plain = field.words.has("flatten")
            && !field.words.is_skipped()
            && !field.is_foreign()
            && matches!(type_, Type::Path(_))
            && !names_parameter(type_.to_token_stream(), schema);
        is_plain.then(|| (type_, field.span()))
    };
    let flattened: Vec<(Type, Span)> = schema.fields.iter().filter_map(inner).collect();
    if flattened.is_empty() || schema.attrs.is_patched() {
        return Vec::new();
    }
    let place = &schema.original.ident;
    let rule = container.value_for("rename_all", "deserialize");
    let own = schema
        .fields
        .iter()
        .filter(|field| !["flatten", "skip", "skip_deserializing"].iter().any(|key| field.words.has(key)));
    let own: Vec<String> = own
        .filter_map(|field| {
            let ident = syn::ext::IdentExt::unraw(field.original.ident.as_ref()?).to_string();
            let name = field.words.value_for("rename", "deserialize");
            name.or_else(|| rule.as_deref().map_or(Some(ident.clone()), |rule| renamed(&ident, rule)))
        })
        .collect();
    let mut tokens = Vec::new();
    for (i, (type_, span)) in flattened.iter().enumerate() {
        let shown = shown(type_);
        let pairs = own.iter().map(|name| {
            let error = format!(
                "`{place}` has a field `{name}`, and so has `{shown}`, which is flattened into it: rename one"
            );
            quote!((#name, #error))
        });
        let call =
            quote_spanned!(*span=> assert_other_names(#private::Shaped::<#type_>::SHAPE, &[#(#pairs),*]));
        tokens.push(assertion(*span, &call, private));
        for (other, _) in &flattened[..i] {
            let error = format!(
                "`{}` and `{shown}`, which are flattened into `{place}`, have fields with the same name: rename one",
                self::shown(other)
            );
            let call = quote_spanned! {*span=>
                assert_disjoint(#private::Shaped::<#other>::SHAPE, #private::Shaped::<#type_>::SHAPE, #error)
            };
            tokens.push(assertion(*span, &call, private));
        }
    }
    tokens
}

/// A constant that is evaluated while the user's crate compiles. All of its call has `span`, because an error points at the call.
fn assertion(span: Span, call: &TokenStream, private: &Ident) -> TokenStream {
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

fn expand_list(field: &SchemaField<'_>, schema: &Schema<'_>) -> Option<TokenStream> {
    let private = &schema.paths.short;
    let Shape::List(item) = Shape::from_type(&field.original.ty).unwrapped() else { return None };
    // A constant outside of the type's functions cannot name its parameters, and patches are applied last.
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

/// The errors for a key of the list `place`, whose items are `shown`.
fn key_errors(place: &str, key: &str, shown: &str, private: &Ident) -> TokenStream {
    let error = |problem: String, help: &str| {
        format!("`{place}` has the list map key `{key}`, which {problem}: {help}")
    };
    let unknown = error(
        format!("is not a field of `{shown}`"),
        "name a field that identifies an item, as serde writes it",
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
        "the items of a list of type map are objects: use `list_type = \"set\"`",
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

/// A type as its user writes it.
fn shown(type_: &Type) -> String {
    type_.to_token_stream().to_string().replace(" :: ", "::").replace(" < ", "<").replace(" >", ">")
}

/// Returns `true` if tokens name a parameter of the type, or the type as `Self`.
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
