//! `impl JsonSchema`, by a mirror of the type that schemars' derive reads: it keeps the user's serde, schemars and doc
//! attributes, and leaves our marks where schemars puts the schemas of the type and of its fields.

use std::borrow::Cow;
use std::slice::Iter;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, Expr, ExprLit, Fields, GenericArgument, Ident, Lit, LitStr, Meta, MetaList,
    PathArguments, Token, Variant, parse_quote,
};

use crate::attrs::bounds::Bounds;
use crate::attrs::descriptions::Part;
use crate::attrs::text::{Pair, Text, Texts};
use crate::attrs::{is_one_of, serde};
use crate::model::shape::Shape;
use crate::model::{Schema, SchemaField};

pub(super) fn schema(schema: &Schema<'_>) -> TokenStream {
    let (private, short) = (&schema.paths.private, &schema.paths.short);
    let schemars = quote!(#short::schemars);
    let ident = &schema.original.ident;
    // No name that a type would have: the mirror hides others of its name.
    let mirror = format_ident!("{ident}__Mirror");
    let item = item(schema, &mirror);
    let (shape, assertions) = (super::shape::shape(schema), super::shape::assertions(schema));
    let of_resource = super::shape::of_resource(schema);
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

/// The mirror: a struct or an enum of the same shape.
fn item(schema: &Schema<'_>, mirror: &Ident) -> TokenStream {
    let (original, private) = (schema.original, &schema.paths.short);
    // schemars' derive says it where the short name is not known.
    let schemars = schema.paths.private.to_token_stream();
    let schemars = quote!(#schemars::schemars).to_string();
    let attrs = container_attrs(schema);
    let (_, _, where_clause) = original.generics.split_for_impl();
    let generics = &original.generics;
    let name = original.ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let rename =
        (!serde::Words::of(&original.attrs).has("rename")).then(|| quote!(#[schemars(rename = #name)]));
    // The marks of a newtype's field are the type's own: both speak of one schema.
    let mut mark = type_mark(schema);
    if let Some(field) = newtype(schema) {
        mark.extend(field_mark(field, private));
    }
    let head = quote! {
        #[allow(dead_code, deprecated, non_camel_case_types, reason = "only its schema is of use")]
        #[derive(#private::schemars::JsonSchema)]
        #(#attrs)*
        #[schemars(crate = #schemars)]
        #rename
        #[schemars(transform = #private::Mark::new() #(#mark)*)]
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

/// A variant, whose fields are the next of those that are known.
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
    // A variant with a transform keeps its place: schemars gathers those without a word of their own in front.
    quote! {
        #(#attrs)*
        #[schemars(transform = #private::mark_variant(#name))]
        #rules
        #ident #fields
    }
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
        let marks = are_marked.then(|| marks(known, private));
        let mut type_ = super::has_schema::of_field(schema, known);
        if may_be_self(&field.ty) {
            type_ = without_self(type_, schema);
        }
        if known.has_schema() {
            type_ = field.ty.to_token_stream();
            replace_type(&mut attrs, &mut type_, is_option(&field.ty), private);
        }
        match &field.ident {
            Some(ident) => quote! { #(#attrs)* #marks #ident: #type_ },
            None => quote! { #(#attrs)* #marks #type_ },
        }
    };
    let all = known.by_ref().take(fields.len()).map(field);
    match fields {
        Fields::Named(_) => quote! { { #(#all),* } },
        Fields::Unnamed(_) => quote! { ( #(#all),* ) },
        Fields::Unit => TokenStream::new(),
    }
}

/// What a field says beside schemars' words.
fn marks(field: &SchemaField<'_>, private: &Ident) -> TokenStream {
    let mark = field_mark(field, private);
    let mut marks = TokenStream::new();
    if !mark.is_empty() {
        marks = quote! { #[schemars(transform = #private::Mark::new() #(#mark)*)] };
    }
    if let Some(strategy) = &field.attrs.merge_strategy {
        let code = &strategy.0;
        marks.extend(quote! {
            #[schemars(transform = {
                #[allow(unused_imports, reason = "the expression may need one of them only")]
                use #private::{ListMerge, MapMerge};
                #private::merge_strategy(&#code)
            })]
        });
    }
    marks
}

/// A field whose schema is given needs none of its type, which may be anyone's; its default stays the type's.
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

/// The only field of a struct in parentheses.
fn newtype<'a, 'b>(schema: &'b Schema<'a>) -> Option<&'b SchemaField<'a>> {
    let Data::Struct(data) = &schema.original.data else { return None };
    match (&data.fields, schema.fields.as_slice()) {
        (Fields::Unnamed(_), [only]) => Some(only),
        _ => None,
    }
}

/// The members of a type's mark.
fn type_mark(schema: &Schema<'_>) -> Vec<TokenStream> {
    let attrs = &schema.attrs;
    let private = &schema.paths.short;
    let name = schema.original.ident.to_string();
    let fields = schema.wire_fields.iter().flatten();
    let fields = fields.map(|(name, i)| (name.clone(), span(schema.fields[*i].original)));
    let lines = super::lines::lines(schema.original, fields);
    let mut members = vec![quote!(.with("type", #name).with("file", ::core::file!()).with("lines", #lines))];
    let rules = attrs.validations.iter().chain(&attrs.spec_validations);
    let rules: Vec<_> = rules.map(|rule| super::rule::rule(rule, private)).collect();
    if !rules.is_empty() {
        members.push(quote!(.with("validations", [#(#rules),*])));
    }
    if attrs.preserve_unknown_fields.is_present() {
        members.push(quote!(.with("preserveUnknownFields", true)));
    }
    members.extend(schemas_at(&attrs.schemas_at, private));
    members.extend(patches(&attrs.schema_patches));
    members.extend(descriptions(attrs.descriptions, attrs.max_description, private));
    let groups = [
        ("exactlyOneOf", &attrs.exactly_one_of),
        ("atMostOneOf", &attrs.at_most_one_of),
        ("atLeastOneOf", &attrs.at_least_one_of),
    ];
    for (name, groups) in groups {
        let groups: Vec<_> = groups.iter().map(|group| texts(group, private)).collect();
        if !groups.is_empty() {
            members.push(quote!(.with(#name, [#(#groups),*])));
        }
    }
    members
}

/// The place of a field.
fn span(field: &syn::Field) -> proc_macro2::Span {
    field.ident.as_ref().map_or_else(|| field.ty.span(), Ident::span)
}

/// The members of a field's mark.
fn field_mark(field: &SchemaField<'_>, private: &Ident) -> Vec<TokenStream> {
    let attrs = &field.attrs;
    let mut members = Vec::new();
    let mut rules: Vec<_> = attrs.validations.iter().map(|rule| super::rule::rule(rule, private)).collect();
    if attrs.immutable.is_present() {
        rules.push(
            quote!(#private::Mark::new().with("rule", "self == oldSelf").with("message", "is immutable")),
        );
        members.push(quote!(.with("immutable", true)));
    }
    if !rules.is_empty() {
        members.push(quote!(.with("validations", [#(#rules),*])));
    }
    for (name, rules) in
        [("itemValidations", &attrs.item_validations), ("valueValidations", &attrs.value_validations)]
    {
        if !rules.is_empty() {
            let rules = rules.iter().map(|rule| super::rule::rule(rule, private));
            members.push(quote!(.with(#name, [#(#rules),*])));
        }
    }
    members.extend(bound_words(field, private));
    members.extend(shown(field, private));
    members.extend(descriptions(attrs.descriptions, attrs.max_description, private));
    for (name, text) in
        [("listType", &attrs.list_type), ("mapType", &attrs.map_type), ("format", &attrs.format)]
    {
        if let Some(text) = text {
            members.push(quote!(.with(#name, #text)));
        }
    }
    if let Some(keys) = &attrs.list_map_keys {
        let keys = texts(keys, private);
        members.push(quote!(.with("listMapKeys", #keys)));
    }
    let flags = [
        ("preserveUnknownFields", &attrs.preserve_unknown_fields),
        ("embeddedResource", &attrs.embedded_resource),
        ("intOrString", &attrs.int_or_string),
        ("schemaless", &attrs.schemaless),
    ];
    for (name, flag) in flags {
        if flag.is_present() {
            members.push(quote!(.with(#name, true)));
        }
    }
    if let Some(schema) = &attrs.schema {
        members.push(quote!(.with("schema", #schema)));
    }
    if let Some(function) = &attrs.schema_with {
        let function = &function.0;
        members.push(quote!(.with("schema", #private::schema_of(#function))));
    }
    members.extend(schemas_at(&attrs.schemas_at, private));
    members.extend(patches(&attrs.schema_patches));
    if let Some(nullable) = attrs.nullable {
        members.push(quote!(.with("nullable", #nullable)));
    }
    if field.words.has("skip_serializing_if") {
        members.push(quote!(.with("nullIsSkipped", true)));
    } else if is_option(&field.original.ty) {
        // schemars adds null to types and enums; int-or-string has neither.
        members.push(quote!(.with("isOption", true)));
    }
    members
}

/// The bounds of a field whose type the macro does not see: schemars leaves them out where the type is none of its own.
fn bound_words(field: &SchemaField<'_>, private: &Ident) -> Option<TokenStream> {
    let shape = Shape::of(&field.original.ty).unwrapped();
    let is_known = !field.attrs.int_or_string.is_present()
        && (shape.cel_type().is_some()
            || matches!(shape, Shape::List(item) if Shape::of(item).unwrapped().cel_type().is_some()));
    if is_known {
        return None;
    }
    let words: Vec<TokenStream> = words_of(&field.bounds, private).collect();
    let inner = field.bounds.inner.as_ref().map(|inner| words_of(inner, private).collect::<Vec<_>>());
    let inner = inner.filter(|inner| !inner.is_empty()).map(|inner| quote!(.with("inner", [#(#inner),*])));
    let own = (!words.is_empty()).then(|| quote!(.with("own", [#(#words),*])));
    (own.is_some() || inner.is_some()).then(|| quote!(.with("boundWords", #private::Mark::new() #own #inner)))
}

fn words_of(bounds: &Bounds, private: &Ident) -> impl Iterator<Item = TokenStream> {
    bounds.words.iter().map(move |word| {
        let (kind, is_schemars) = (word.kind.name(), word.is_schemars);
        let name = word.name.to_string();
        let min = word.min.as_ref().map(|min| quote!(.with("min", #min)));
        let max = word.max.as_ref().map(|max| quote!(.with("max", #max)));
        let pattern = word.pattern.as_ref().map(|pattern| quote!(.with("pattern", (#pattern).to_string())));
        quote!(#private::Mark::new().with("kind", #kind).with("name", #name).with("strict", #is_schemars) #min #max #pattern)
    })
}

/// What a field says for the definition: columns, whether it is selectable, paths of the scale subresource.
fn shown(field: &SchemaField<'_>, private: &Ident) -> Option<TokenStream> {
    let attrs = &field.attrs;
    let mut shown = Vec::new();
    for column in &attrs.columns {
        let texts = [
            ("name", &column.name),
            ("type", &column.type_),
            ("description", &column.description),
            ("format", &column.format),
        ];
        let texts = texts
            .into_iter()
            .filter_map(|(name, text)| text.as_ref().map(|text| quote!(.with(#name, #text))));
        let priority = column.priority.map(|priority| quote!(.with("priority", #priority)));
        let members = texts.chain(priority);
        shown.push(quote!(#private::Mark::new().with("column", #private::Mark::new() #(#members)*)));
    }
    if attrs.selectable.is_present() {
        shown.push(quote!(#private::Mark::new().with("selectable", true)));
    }
    let paths = [
        (&attrs.spec_replicas, "specReplicasPath"),
        (&attrs.status_replicas, "statusReplicasPath"),
        (&attrs.label_selector, "labelSelectorPath"),
    ];
    let paths = paths.into_iter().filter(|(flag, _)| flag.is_present());
    shown.extend(paths.map(|(_, path)| quote!(#private::Mark::new().with("scale", #path))));
    (!shown.is_empty()).then(|| quote!(.with("shown", [#(#shown),*])))
}

fn descriptions(part: Option<Part>, max_length: Option<u32>, private: &Ident) -> Option<TokenStream> {
    let part = part.map(|part| {
        let word = part.word();
        quote!(.with("part", #word))
    });
    let max_length = max_length.map(|most| quote!(.with("maxLength", #most)));
    let members: Vec<_> = part.into_iter().chain(max_length).collect();
    (!members.is_empty()).then(|| quote!(.with("descriptions", #private::Mark::new() #(#members)*)))
}

fn schemas_at(schemas: &[Pair], private: &Ident) -> Option<TokenStream> {
    let pairs = schemas.iter().map(|Pair(path, schema)| quote!(#private::texts(&[#path, #schema])));
    (!schemas.is_empty()).then(|| quote!(.with("schemasAt", [#(#pairs),*])))
}

fn patches(patches: &[Text]) -> Option<TokenStream> {
    (!patches.is_empty()).then(|| quote!(.with("schemaPatches", [#(#patches),*])))
}

/// Whether a type is written as an `Option`, from whatever path.
fn is_option(type_: &syn::Type) -> bool {
    match type_ {
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Option"),
        syn::Type::Group(group) => is_option(&group.elem),
        _ => false,
    }
}

fn texts(texts: &Texts, private: &Ident) -> TokenStream {
    let texts = &texts.0;
    quote!(#private::texts(&[#(#texts),*]))
}

/// The container's attributes, with a default that the mirror has not.
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

/// The attributes that schemars reads, with `Self` spelled out: the mirror has none of the type's functions.
fn kept<'a>(attrs: &'a [Attribute], schema: &Schema<'_>) -> Vec<Cow<'a, Attribute>> {
    let names = ["serde", "schemars", "doc", "validate", "garde", "deprecated"];
    attrs.iter().filter(|attr| is_one_of(attr, &names)).map(|attr| spelled_out(attr, schema)).collect()
}

fn spelled_out<'a>(attr: &'a Attribute, schema: &Schema<'_>) -> Cow<'a, Attribute> {
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

/// Whether a type may speak of `Self`: of paths it is seen.
fn may_be_self(type_: &syn::Type) -> bool {
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

/// Whether tokens, or texts among them, speak of `Self`.
fn mentions_self(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => word == "Self",
        TokenTree::Group(group) => mentions_self(&group.stream()),
        TokenTree::Literal(literal) => literal.to_string().starts_with("\"Self::"),
        TokenTree::Punct(_) => false,
    })
}

/// Changes the items of `#[serde(...)]`, whatever else stands in it.
fn change(attr: &mut Attribute, mut change: impl FnMut(&mut Meta)) {
    if !attr.path().is_ident("serde") {
        return;
    }
    let Ok(mut metas) = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { return };
    metas.iter_mut().for_each(&mut change);
    if let Meta::List(list) = &mut attr.meta {
        list.tokens = metas.to_token_stream();
    }
}

/// The same tokens, with the type in place of `Self`.
fn without_self(tokens: TokenStream, schema: &Schema<'_>) -> TokenStream {
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
