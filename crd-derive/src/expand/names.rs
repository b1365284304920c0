//! Handles names that tags, variants and flattened types add to an object. Generates parts of `CrdSchema::SHAPE` with these
//! names, and assertions that no name occurs twice.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Fields, Ident, Type, Variant};

use super::assertion::{assertion, names_parameter, shown};
use crate::attrs::serde::{Words, renamed, renamed_variant};
use crate::model::shape::Shape;
use crate::model::{Schema, SchemaField, variants};

/// Returns an enum's `Shape`: a string, or an object with the names of the variants.
pub(super) fn of_enum(schema: &Schema<'_>, container: &Words) -> TokenStream {
    let private = &schema.paths.short;
    let (tag, content) = (container.value("tag"), container.value("content"));
    if let (Some(tag), Some(content)) = (&tag, content) {
        let names = [tag, &content].map(|name| expand_name(name, private));
        return quote!(#private::Shape::Parts(&[#private::Shape::Object(&[#(#names),*])]));
    }
    let is_untagged = container.has("untagged");
    let (mut names, mut inner, mut is_unit) = (Vec::new(), Vec::new(), tag.is_none() && !is_untagged);
    for part in parts(schema) {
        let words = part.words();
        is_unit &= matches!(part.fields(), Fields::Unit) && !words.has("untagged");
        if words.is_skipped() || ["with", "schema_with"].iter().any(|key| words.has(key)) {
            continue;
        }
        if tag.is_some() || is_untagged || words.has("untagged") {
            inner.extend(part.shapes(schema));
        } else {
            names.extend(part.name(container));
        }
    }
    if is_unit {
        return quote!(#private::Shape::Unit(&[#(#names),*]));
    }
    let names = names.iter().chain(&tag).map(|name| expand_name(name, private));
    quote!(#private::Shape::Parts(&[#private::Shape::Object(&[#(#names),*]), #(#inner),*]))
}

/// Returns the `Shape` of a struct that flattens other types.
pub(super) fn of_struct(schema: &Schema<'_>) -> Option<TokenStream> {
    let private = &schema.paths.short;
    let part = parts(schema).into_iter().next()?;
    let shapes = part.shapes(schema);
    Some(quote!(#private::Shape::Parts(&[#(#shapes),*])))
}

/// Returns a `FieldShape` in which only the name is known.
pub(super) fn expand_name(name: &str, private: &Ident) -> TokenStream {
    quote!(#private::FieldShape { name: #name, is_optional: true, shape: #private::Shape::Unknown })
}

/// Returns assertions that flattened types, and types inside tagged variants, do not use a name that is already taken.
pub(super) fn assertions(schema: &Schema<'_>) -> Vec<TokenStream> {
    if schema.attrs.is_patched() {
        return Vec::new();
    }
    let container = Words::from_attributes(&schema.original.attrs);
    let tag = container.value("tag").filter(|_| !container.has("content"));
    let mut tokens = Vec::new();
    for part in parts(schema).iter().filter(|part| !part.words().is_skipped()) {
        let own: Vec<String> = part.own_names(&container).into_iter().chain(tag.clone()).collect();
        let within: Vec<_> = part.within(schema).collect();
        for (i, (type_, span)) in within.iter().enumerate() {
            tokens.extend(expand_own(&part.place, &own, (type_, *span), schema));
            for (other, _) in &within[..i] {
                tokens.push(expand_disjoint(&part.place, other, (type_, *span), schema));
            }
        }
    }
    tokens
}

/// Returns an assertion that a type in `place` has none of the fields `own` next to it.
fn expand_own(
    place: &str,
    own: &[String],
    (type_, span): (&Type, Span),
    schema: &Schema<'_>,
) -> Option<TokenStream> {
    if own.is_empty() {
        return None;
    }
    let (private, shown) = (&schema.paths.short, shown(type_));
    let pairs = own.iter().map(|name| {
        let error = format!(
            "both `{place}` and `{shown}`, which is flattened into it, have a field `{name}`: rename one"
        );
        quote!((#name, #error))
    });
    let call = quote_spanned!(span=> assert_other_names(#private::Shaped::<#type_>::SHAPE, &[#(#pairs),*]));
    Some(assertion(span, &call, private))
}

/// Returns an assertion that two types in `place` have no field in common.
fn expand_disjoint(
    place: &str,
    other: &Type,
    (type_, span): (&Type, Span),
    schema: &Schema<'_>,
) -> TokenStream {
    let private = &schema.paths.short;
    let error = format!(
        "`{}` and `{}`, which are flattened into `{place}`, have fields with the same name: rename one",
        shown(other),
        shown(type_)
    );
    let call = quote_spanned! {span=>
        assert_disjoint(#private::Shaped::<#other>::SHAPE, #private::Shaped::<#type_>::SHAPE, #error)
    };
    assertion(span, &call, private)
}

/// The fields of a struct, or of one variant of an enum.
struct NamedPart<'s, 'a> {
    /// The name in error messages.
    place: String,
    variant: Option<&'a Variant>,
    of_struct: Option<&'a Fields>,
    of_schema: &'s [SchemaField<'a>],
}

fn parts<'s, 'a>(schema: &'s Schema<'a>) -> Vec<NamedPart<'s, 'a>> {
    let ident = &schema.original.ident;
    if let syn::Data::Struct(data) = &schema.original.data {
        let of_struct = Some(&data.fields);
        return vec![NamedPart {
            place: ident.to_string(),
            variant: None,
            of_struct,
            of_schema: &schema.fields,
        }];
    }
    let mut rest = schema.fields.as_slice();
    let part = |variant: &'a Variant| {
        let (own, others) = rest.split_at(variant.fields.len().min(rest.len()));
        rest = others;
        let place = format!("{ident}::{}", variant.ident);
        NamedPart { place, variant: Some(variant), of_struct: None, of_schema: own }
    };
    variants(schema.original).into_iter().map(part).collect()
}

impl NamedPart<'_, '_> {
    fn fields(&self) -> &Fields {
        self.variant.map(|variant| &variant.fields).or(self.of_struct).unwrap_or(&Fields::Unit)
    }

    fn words(&self) -> Words {
        Words::from_attributes(self.variant.map_or(&[], |variant| &variant.attrs))
    }

    /// Returns the name of the variant.
    fn name(&self, container: &Words) -> Option<String> {
        let ident = syn::ext::IdentExt::unraw(&self.variant?.ident).to_string();
        let rule = container.value_for("rename_all", "deserialize");
        let renamed = || rule.map_or(Some(ident.clone()), |rule| renamed_variant(&ident, &rule));
        self.words().value_for("rename", "deserialize").or_else(renamed)
    }

    /// Returns the names of the fields that are not flattened.
    fn own_names(&self, container: &Words) -> Vec<String> {
        let rule = match self.variant {
            None => container.value_for("rename_all", "deserialize"),
            Some(_) => {
                let own = self.words().value_for("rename_all", "deserialize");
                own.or_else(|| container.value_for("rename_all_fields", "deserialize"))
            }
        };
        let skipped = ["flatten", "skip", "skip_deserializing"];
        let own = self.of_schema.iter().filter(|field| !skipped.iter().any(|key| field.words.has(key)));
        own.filter_map(|field| {
            let ident = syn::ext::IdentExt::unraw(field.original.ident.as_ref()?).to_string();
            let name = field.words.value_for("rename", "deserialize");
            name.or_else(|| rule.as_deref().map_or(Some(ident.clone()), |rule| renamed(&ident, rule)))
        })
        .collect()
    }

    /// Returns the types whose fields appear next to the fields of this part: flattened types, and the type in a variant such as `A(T)`.
    fn within<'p>(&'p self, schema: &'p Schema<'_>) -> impl Iterator<Item = (Type, Span)> + 'p {
        let is_newtype =
            self.variant.is_some() && matches!(self.fields(), Fields::Unnamed(all) if all.unnamed.len() == 1);
        let container = Words::from_attributes(&schema.original.attrs);
        let is_beside = is_newtype
            && !container.has("content")
            && (["tag", "untagged"].iter().any(|key| container.has(key)) || self.words().has("untagged"));
        self.of_schema.iter().filter_map(move |field| {
            let type_ = match Shape::from_type(&field.original.ty) {
                Shape::Option(inner) if field.words.has("flatten") => inner.clone(),
                Shape::Unknown => field.original.ty.clone(),
                _ => return None,
            };
            let is_plain = (field.words.has("flatten") || is_beside)
                && !field.words.is_skipped()
                && !field.is_foreign()
                && matches!(type_, Type::Path(_))
                && !names_parameter(type_.to_token_stream(), schema);
            is_plain.then(|| (type_, field.span()))
        })
    }

    /// Returns the `Shape` values for this part: one for its own fields, and one for each type with fields next to them.
    fn shapes(&self, schema: &Schema<'_>) -> Vec<TokenStream> {
        let private = &schema.paths.short;
        let container = Words::from_attributes(&schema.original.attrs);
        let of_struct = container.value("tag").filter(|_| self.variant.is_none());
        let own = self.own_names(&container).into_iter().chain(of_struct);
        let own: Vec<_> = own.map(|name| expand_name(&name, private)).collect();
        let own = (!own.is_empty()).then(|| quote!(#private::Shape::Object(&[#(#own),*])));
        let within = self.within(schema).map(|(type_, _)| quote!(#private::Shaped::<#type_>::SHAPE));
        own.into_iter().chain(within).collect()
    }
}
