//! Generates `impl JsonSchema` through a mirror type, a copy of the type that derives schemars' trait. The mirror has the
//! user's serde, schemars and doc attributes. It also has transforms that add marks, with the `#[crd(...)]` attributes, to
//! the schemas.

use std::borrow::Cow;
use std::slice::Iter;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, Fields, Ident, LitStr, Meta, Token, Variant, parse_quote};

use super::marks;
use super::self_type::{may_be_self, spelled_out, without_self};
use crate::attrs::{is_one_of, serde};
use crate::model::{Schema, SchemaField};

pub(super) fn schema(schema: &Schema<'_>) -> TokenStream {
    let (private, short) = (&schema.paths.private, &schema.paths.short);
    let schemars = quote!(#short::schemars);
    let ident = &schema.original.ident;
    // The mirror would hide a type with its name.
    let mirror = format_ident!("{ident}__Mirror");
    let item = item(schema, &mirror);
    let (shape, assertions) = (super::shape::shape(schema), super::shape::assertions(schema));
    let of_resource = super::shape::expand_resource(schema);
    let mut generics = schema.original.generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(#schemars::JsonSchema));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        const _: () = {
            use #private as #short;

            #item

            #[automatically_derived]
            impl #impl_generics #schemars::JsonSchema for #ident #ty_generics #where_clause {
                fn schema_name() -> ::std::borrow::Cow<'static, str> {
                    <#mirror #ty_generics as #schemars::JsonSchema>::schema_name()
                }

                fn schema_id() -> ::std::borrow::Cow<'static, str> {
                    <#mirror #ty_generics as #schemars::JsonSchema>::schema_id()
                }

                fn inline_schema() -> bool {
                    <#mirror #ty_generics as #schemars::JsonSchema>::inline_schema()
                }

                fn json_schema(generator: &mut #schemars::SchemaGenerator) -> #schemars::Schema {
                    let schema = <#mirror #ty_generics as #schemars::JsonSchema>::json_schema(generator);
                    #short::schema_for(generator, schema)
                }
            }

            #[automatically_derived]
            impl #impl_generics #short::CrdSchema for #ident #ty_generics #where_clause {
                #shape
            }

            #assertions
            #of_resource
        };
    }
}

/// Returns the mirror: a struct or an enum with the same fields or variants.
fn item(schema: &Schema<'_>, mirror: &Ident) -> TokenStream {
    let (original, private) = (schema.original, &schema.paths.short);
    // schemars' derive also uses the path where the short name is not in scope.
    let schemars = schema.paths.private.to_token_stream();
    let schemars = quote!(#schemars::schemars).to_string();
    let attrs = container_attrs(schema);
    let (_, _, where_clause) = original.generics.split_for_impl();
    let generics = &original.generics;
    let name = original.ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let rename = (!serde::Words::from_attributes(&original.attrs).has("rename"))
        .then(|| quote!(#[schemars(rename = #name)]));
    let mark = marks::type_mark(schema, newtype(schema));
    let keys = newtype(schema).map(|field| marks::keys(field, private));
    let head = quote! {
        #[allow(dead_code, deprecated, non_camel_case_types, reason = "only its schema is used")]
        #[derive(#private::schemars::JsonSchema)]
        #(#attrs)*
        #[schemars(crate = #schemars)]
        #rename
        #[schemars(transform = #mark)]
        #keys
    };
    match &original.data {
        Data::Enum(data) => {
            let mut known = schema.fields.iter();
            let variants = data.variants.iter().map(|variant| self::variant(schema, variant, &mut known));
            quote! { #head enum #mirror #generics #where_clause { #(#variants),* } }
        }
        Data::Struct(data) => {
            let fields = fields(schema, &data.fields, &mut schema.fields.iter(), newtype(schema).is_none());
            match &data.fields {
                Fields::Named(_) => quote! { #head struct #mirror #generics #where_clause #fields },
                _ => quote! { #head struct #mirror #generics #fields #where_clause; },
            }
        }
        // Refused by the model.
        Data::Union(_) => TokenStream::new(),
    }
}

/// Returns a variant of the mirror. Its fields are the next fields in `known`.
fn variant(schema: &Schema<'_>, variant: &Variant, known: &mut Iter<'_, SchemaField<'_>>) -> TokenStream {
    let private = &schema.paths.short;
    let attrs = kept(&variant.attrs, schema);
    let ident = &variant.ident;
    let fields = fields(schema, &variant.fields, known, true);
    let name = schema.original.ident.to_string();
    let rules = schema.variant_rules.iter().find(|(known, _)| std::ptr::eq(*known, variant));
    let rules = rules.filter(|(_, rules)| !rules.is_empty()).map(|(_, rules)| {
        let rules = rules.iter().map(|rule| super::rule::rule(rule, private));
        quote! { #[schemars(transform = #private::mark_rules([#(#rules),*]))] }
    });
    let no_content = content_of_others(schema, variant).map(|content| {
        quote! { #[schemars(transform = #private::mark_no_content(#content))] }
    });
    // A variant with a transform keeps its place: schemars moves those without attributes to the front.
    quote! {
        #(#attrs)*
        #[schemars(transform = #private::mark_variant(#name))]
        #rules
        #no_content
        #ident #fields
    }
}

/// Returns the name of the content field for a variant without content, if other variants have content. serde reads no content for
/// this variant.
fn content_of_others(schema: &Schema<'_>, variant: &Variant) -> Option<String> {
    let Data::Enum(data) = &schema.original.data else { return None };
    let content = serde::Words::from_attributes(&schema.original.attrs).value("content")?;
    let is_unit = |variant: &Variant| matches!(variant.fields, Fields::Unit);
    let is_alone = is_unit(variant) && !data.variants.iter().all(is_unit);
    is_alone.then_some(content)
}

fn fields(
    schema: &Schema<'_>,
    fields: &Fields,
    known: &mut Iter<'_, SchemaField<'_>>,
    are_marked: bool,
) -> TokenStream {
    let private = &schema.paths.short;
    let field = |known: &SchemaField<'_>| {
        let field = known.original;
        let mut attrs = kept(&field.attrs, schema);
        let marks = are_marked.then(|| marks::transforms(known, private));
        let resolved = |type_| if may_be_self(&field.ty) { without_self(type_, schema) } else { type_ };
        let mut type_ = resolved(field.ty.to_token_stream());
        let with = super::has_schema::check_field(schema, known).map(|(named, place)| {
            let named = LitStr::new(&resolved(named).to_string(), place);
            quote!(#[schemars(with = #named)])
        });
        if known.has_schema() {
            type_ = field.ty.to_token_stream();
            replace_type(&mut attrs, &mut type_, marks::is_option(&field.ty), private);
        }
        match &field.ident {
            Some(ident) => quote! { #(#attrs)* #with #marks #ident: #type_ },
            None => quote! { #(#attrs)* #with #marks #type_ },
        }
    };
    let all = known.by_ref().take(fields.len()).map(field);
    match fields {
        Fields::Named(_) => quote! { { #(#all),* } },
        Fields::Unnamed(_) => quote! { ( #(#all),* ) },
        Fields::Unit => TokenStream::new(),
    }
}

/// Replaces the type of a field whose schema is given, so that the type needs no schema. The type's default still applies.
fn replace_type(attrs: &mut [Cow<'_, Attribute>], type_: &mut TokenStream, is_option: bool, private: &Ident) {
    let anything = quote!(#private::Anything).to_string();
    let default = quote!(<#type_ as ::core::default::Default>::default).to_string();
    for attr in attrs {
        change(attr.to_mut(), |meta| {
            if matches!(meta, Meta::Path(word) if word.is_ident("default")) {
                let path = LitStr::new(&default, proc_macro2::Span::call_site());
                *meta = parse_quote!(default = #path);
            } else if matches!(meta, Meta::NameValue(pair) if pair.path.is_ident("with")) {
                // schemars takes it for a type, and it may be a module.
                *meta = parse_quote!(with = #anything);
            }
        });
    }
    *type_ = quote!(#private::Anything);
    if is_option {
        *type_ = quote!(::core::option::Option<#type_>);
    }
}

/// Returns the field of a tuple struct with one field.
fn newtype<'a, 'b>(schema: &'b Schema<'a>) -> Option<&'b SchemaField<'a>> {
    let Data::Struct(data) = &schema.original.data else { return None };
    match (&data.fields, schema.fields.as_slice()) {
        (Fields::Unnamed(_), [only]) => Some(only),
        _ => None,
    }
}

/// Returns the attributes of the struct or enum. `#[serde(default)]` then refers to the user's type, because the mirror has no
/// default.
fn container_attrs<'a>(schema: &Schema<'a>) -> Vec<Cow<'a, Attribute>> {
    let mut attrs = kept(&schema.original.attrs, schema);
    let ident = &schema.original.ident;
    let (_, ty_generics, _) = schema.original.generics.split_for_impl();
    // `#[serde(default)]` on a struct calls `Self::default()`: the mirror's default is the type's.
    let path = quote!(<#ident #ty_generics as ::core::default::Default>::default).to_string();
    for attr in &mut attrs {
        change(attr.to_mut(), |meta| match meta {
            Meta::Path(word) if word.is_ident("default") => {
                let path = LitStr::new(&path, ident.span());
                *meta = parse_quote!(default = #path);
            }
            _ => {}
        });
    }
    attrs
}

/// Returns the attributes that schemars reads. `Self` is replaced with the type's name, because the mirror lacks the type's
/// functions.
fn kept<'a>(attrs: &'a [Attribute], schema: &Schema<'_>) -> Vec<Cow<'a, Attribute>> {
    let names = ["serde", "schemars", "doc", "validate", "garde", "deprecated"];
    attrs.iter().filter(|attr| is_one_of(attr, &names)).map(|attr| spelled_out(attr, schema)).collect()
}

/// Changes the items of `#[serde(...)]`.
pub(super) fn change(attr: &mut Attribute, mut change: impl FnMut(&mut Meta)) {
    if !attr.path().is_ident("serde") {
        return;
    }
    let Ok(mut metas) = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { return };
    metas.iter_mut().for_each(&mut change);
    if let Meta::List(list) = &mut attr.meta {
        list.tokens = metas.to_token_stream();
    }
}
