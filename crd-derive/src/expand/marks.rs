//! Generates calls to the methods of crdkit's `Mark` from attributes. schemars applies a mark to the schema as a
//! transform, and crdkit later turns it into keywords.
//!
//! In emitted code, each attribute is a method or a variant in crdkit, so a misspelled name does not compile.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Ident;

use crate::attrs::allow::Allow;
use crate::attrs::bounds::{BoundKind, BoundWord};
use crate::attrs::descriptions::Part;
use crate::attrs::field::FieldColumn;
use crate::attrs::rule::Rule;
use crate::attrs::serde::Words;
use crate::attrs::text::{Pair, Text, Texts};
use crate::model::shape::Shape;
use crate::model::{Schema, SchemaField};

/// Returns the schemars transforms for a field.
pub(super) fn transforms(field: &SchemaField<'_>, private: &Ident) -> TokenStream {
    let statements = field_marks(field, private);
    let mut transforms = TokenStream::new();
    if !statements.is_empty() {
        transforms = quote! { #[schemars(transform = #private::Mark::new() #(#statements)*)] };
    }
    if let Some(strategy) = &field.attrs.merge_strategy {
        let code = &strategy.0;
        transforms.extend(quote! {
            #[schemars(transform = {
                #[allow(unused_imports, reason = "the expression may need one of them only")]
                use #private::{ListMerge, MapMerge};
                #private::merge_strategy(&#code)
            })]
        });
    }
    transforms.extend(keys(field, private));
    transforms
}

/// Returns the transforms that store the schemas of map keys. `String` keys have no constraints and need no transform.
pub(super) fn keys(field: &SchemaField<'_>, private: &Ident) -> TokenStream {
    if field.is_replaced() {
        return TokenStream::new();
    }
    let maps = Shape::keys(&field.original.ty).into_iter();
    let maps = maps.filter(|(_, key)| matches!(key, syn::Type::Path(path) if !path.path.is_ident("String")));
    maps.map(|(path, key)| quote!(#[schemars(transform = #private::mark_keys::<#key>(#path))])).collect()
}

/// Returns the mark for a type. A newtype and its field share one schema, so the newtype's mark includes the field's attributes.
pub(super) fn type_mark(schema: &Schema<'_>, newtype: Option<&SchemaField<'_>>) -> TokenStream {
    let attrs = &schema.attrs;
    let private = &schema.paths.short;
    let name = schema.original.ident.to_string();
    let lines = super::lines::lines(schema.original);
    // expands to: Mark::for_type("ShirtSpec").located_at(file!(), "[...]").validation(...)
    let mut statements = vec![quote!(.located_at(::core::file!(), #lines))];
    statements.extend(validations(&attrs.validations, "validation", private));
    statements.extend(validations(&attrs.spec_validations, "validation", private));
    if attrs.preserve_unknown_fields.is_present() {
        statements.push(quote!(.preserve_unknown_fields()));
    }
    if attrs.kubernetes_enums.is_present() {
        statements.push(quote!(.kubernetes_enums()));
    }
    statements.extend(schemas_at(&attrs.schemas_at));
    statements.extend(patches(&attrs.schema_patches));
    statements.extend(descriptions_mark(
        attrs.descriptions,
        attrs.max_description,
        attrs.description_depth,
        private,
    ));
    statements.extend(allowed(&attrs.allowed));
    let groups = [
        (quote!(ExactlyOne), &attrs.exactly_one_of),
        (quote!(AtMostOne), &attrs.at_most_one_of),
        (quote!(AtLeastOne), &attrs.at_least_one_of),
    ];
    for (count, groups) in groups {
        statements.extend(
            groups.iter().map(|Texts(fields)| quote!(.group(#private::GroupCount::#count, &[#(#fields),*]))),
        );
    }
    if let Some(field) = newtype {
        statements.extend(field_marks(field, private));
    }
    if Words::from_attributes(&schema.original.attrs).has("deny_unknown_fields") {
        statements.push(quote!(.deny_unknown_fields()));
    }
    quote!(#private::Mark::for_type(#name) #(#statements)*)
}

/// Returns the method calls for a field's attributes.
fn field_marks(field: &SchemaField<'_>, private: &Ident) -> Vec<TokenStream> {
    let attrs = &field.attrs;
    let mut statements = validations(&attrs.validations, "validation", private);
    if attrs.immutable.is_present() {
        statements.push(quote!(.immutable()));
    }
    statements.extend(validations(&attrs.item_validations, "item_validation", private));
    statements.extend(validations(&attrs.value_validations, "value_validation", private));
    statements.extend(bounds(field, private));
    statements.extend(definition_marks(field, private));
    statements.extend(allowed(&attrs.allowed));
    statements.extend(descriptions_mark(
        attrs.descriptions,
        attrs.max_description,
        attrs.description_depth,
        private,
    ));
    statements.extend(attrs.list_type.as_ref().map(|text| quote!(.list_type(#text))));
    statements.extend(attrs.map_type.as_ref().map(|text| quote!(.map_type(#text))));
    statements.extend(attrs.format.as_ref().map(|text| quote!(.format(#text))));
    if let Some(keys) = &attrs.list_map_keys {
        let keys = &keys.0;
        statements.push(quote!(.list_map_keys(&[#(#keys),*])));
    }
    let flags = [
        (&attrs.preserve_unknown_fields, quote!(.preserve_unknown_fields())),
        (&attrs.embedded_resource, quote!(.embedded_resource())),
        (&attrs.int_or_string, quote!(.int_or_string())),
        (&attrs.schemaless, quote!(.schemaless())),
        (&attrs.kubernetes_enums, quote!(.kubernetes_enums())),
    ];
    statements.extend(flags.into_iter().filter(|(flag, _)| flag.is_present()).map(|(_, call)| call));
    statements
        .extend(attrs.recursion.as_ref().map(|levels| **levels).map(|levels| quote!(.recursion(#levels))));
    statements.extend(attrs.schema.as_ref().map(|schema| quote!(.schema(#schema))));
    if let Some(function) = &attrs.schema_with {
        let function = &function.0;
        statements.push(quote!(.schema(#private::schema_of(#function))));
    }
    statements.extend(schemas_at(&attrs.schemas_at));
    statements.extend(patches(&attrs.schema_patches));
    statements.extend(attrs.nullable.map(|nullable| quote!(.nullable(#nullable))));
    if field.words.has("skip_serializing_if") {
        statements.push(quote!(.null_is_skipped()));
    } else if is_option(&field.original.ty) {
        // schemars adds null to types and enums; int-or-string has neither.
        statements.push(quote!(.nullable_option()));
    }
    if let Shape::Option(inner) = Shape::from_type(&field.original.ty)
        && is_option(inner)
        && !field.is_foreign()
    {
        statements.push(quote!(.nested_option()));
    }
    statements
}

/// Returns a method call for each rule.
fn validations(rules: &[Rule], method: &str, private: &Ident) -> Vec<TokenStream> {
    let method = Ident::new(method, Span::call_site());
    let call = |rule| {
        let rule = super::rule::rule(rule, private);
        quote!(.#method(#rule))
    };
    rules.iter().map(call).collect()
}

/// Returns the method calls for the bounds of a field whose type the macro does not know. schemars may drop these bounds.
fn bounds(field: &SchemaField<'_>, private: &Ident) -> Vec<TokenStream> {
    let shape = Shape::from_type(&field.original.ty).unwrapped();
    let is_known = !field.attrs.int_or_string.is_present()
        && (shape.cel_type().is_some()
            || matches!(shape, Shape::List(item) if Shape::from_type(item).unwrapped().cel_type().is_some()));
    if is_known {
        return Vec::new();
    }
    let own = field.bounds.words.iter().map(|word| {
        let bound = bound(word, private);
        quote!(.bound(#bound))
    });
    let inner = field.bounds.inner.as_ref().map_or(&[][..], |inner| &inner.words);
    let inner = inner.iter().map(|word| {
        let bound = bound(word, private);
        quote!(.inner_bound(#bound))
    });
    own.chain(inner).collect()
}

fn bound(word: &BoundWord, private: &Ident) -> TokenStream {
    let kind = match word.kind {
        BoundKind::Range => quote!(Range),
        BoundKind::Length => quote!(Length),
        BoundKind::Pattern => quote!(Pattern),
        BoundKind::Format => quote!(Format),
    };
    let (name, is_schemars) = (word.name.to_string(), word.is_schemars);
    let min = word.min.as_ref().map(|min| quote!(.min(#min)));
    let max = word.max.as_ref().map(|max| quote!(.max(#max)));
    let pattern = word.pattern.as_ref().map(|pattern| quote!(.pattern(#pattern)));
    quote!(#private::BoundMark::new(#private::BoundKind::#kind, #name, #is_schemars) #min #max #pattern)
}

/// Returns the method calls for a field's attributes that affect the CRD outside the schema: printer columns, `selectable`
/// and the scale subresource.
fn definition_marks(field: &SchemaField<'_>, private: &Ident) -> Vec<TokenStream> {
    let attrs = &field.attrs;
    let mut statements: Vec<_> = attrs.columns.iter().map(|column| self::column(column, private)).collect();
    if attrs.selectable.is_present() {
        statements.push(quote!(.selectable()));
    }
    let paths = [
        (&attrs.spec_replicas, quote!(SpecReplicas)),
        (&attrs.status_replicas, quote!(StatusReplicas)),
        (&attrs.label_selector, quote!(LabelSelector)),
    ];
    let paths = paths.into_iter().filter(|(flag, _)| flag.is_present());
    statements.extend(paths.map(|(_, path)| quote!(.scale(#private::ScalePath::#path))));
    statements
}

fn column(column: &FieldColumn, private: &Ident) -> TokenStream {
    let name = column.name.as_ref().map(|text| quote!(.name(#text)));
    let type_ = column.type_.as_ref().map(|text| quote!(.type_(#text)));
    let description = column.description.as_ref().map(|text| quote!(.description(#text)));
    let format = column.format.as_ref().map(|text| quote!(.format(#text)));
    let priority = column.priority.map(|priority| quote!(.priority(#priority)));
    quote!(.column(#private::ColumnMark::new() #name #type_ #description #format #priority))
}

fn descriptions_mark(
    part: Option<Part>,
    max_length: Option<u32>,
    depth: Option<u32>,
    private: &Ident,
) -> Option<TokenStream> {
    if part.is_none() && max_length.is_none() && depth.is_none() {
        return None;
    }
    let descriptions = descriptions(part, max_length, depth, private);
    Some(quote!(.descriptions(#descriptions)))
}

/// Returns an expression for crdkit's `Descriptions`.
pub(super) fn descriptions(
    part: Option<Part>,
    max_length: Option<u32>,
    depth: Option<u32>,
    private: &impl ToTokens,
) -> TokenStream {
    let part = match part {
        None | Some(Part::Full) => quote!(Full),
        Some(Part::FirstParagraph) => quote!(FirstParagraph),
        Some(Part::FirstSentence) => quote!(FirstSentence),
        Some(Part::None) => quote!(None),
    };
    let max_length = super::definition::number(max_length);
    let depth = super::definition::number(depth);
    quote!(#private::Descriptions { part: #private::Part::#part, max_length: #max_length, depth: #depth })
}

fn schemas_at(schemas: &[Pair]) -> impl Iterator<Item = TokenStream> {
    schemas.iter().map(|Pair(path, schema)| quote!(.schema_at(#path, #schema)))
}

fn allowed(allowed: &[Allow]) -> impl Iterator<Item = TokenStream> {
    allowed.iter().map(|Allow { rule, reason }| quote!(.allow(#rule, #reason)))
}

fn patches(patches: &[Text]) -> impl Iterator<Item = TokenStream> {
    patches.iter().map(|patch| quote!(.schema_patch(#patch)))
}

/// Returns `true` if a type is written as `Option<...>`, with any path.
pub(super) fn is_option(type_: &syn::Type) -> bool {
    match type_ {
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Option"),
        syn::Type::Group(group) => is_option(&group.elem),
        _ => false,
    }
}
