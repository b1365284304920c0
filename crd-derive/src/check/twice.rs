//! Rejects duplicate names: serde must not read or write two fields of a struct, or two variants, under the same name. Aliases do
//! not count.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Data, Field, Fields, Token, Variant};

use super::wrong;
use crate::attrs::serde::{Words, renamed};
use crate::errors::Errors;
use crate::model::Schema;

/// Reading and writing: the word for each in `rename` attributes, and the attribute that skips a field.
const DIRECTIONS: [(&str, &str); 2] =
    [("deserialize", "skip_deserializing"), ("serialize", "skip_serializing")];

pub(super) fn schema(schema: &Schema<'_>, errors: &mut Errors) {
    let container = Words::from_attributes(&schema.original.attrs);
    match &schema.original.data {
        Data::Struct(data) => {
            let tag = container.value("tag").zip(container.span("tag"));
            check_fields(&data.fields, tag, &[(&container, "rename_all")], errors);
        }
        Data::Enum(data) => {
            for variant in &data.variants {
                let own = Words::from_attributes(&variant.attrs);
                check_fields(
                    &variant.fields,
                    None,
                    &[(&own, "rename_all"), (&container, "rename_all_fields")],
                    errors,
                );
            }
            if !container.has("untagged") {
                check_variants(&data.variants, &container, errors);
            }
        }
        Data::Union(_) => {}
    }
}

/// Checks the names of fields, and of the struct's tag.
fn check_fields(fields: &Fields, tag: Option<(String, Span)>, rules: &[(&Words, &str)], errors: &mut Errors) {
    let Fields::Named(named) = fields else { return };
    let fields: Vec<(&Field, Words)> =
        named.named.iter().map(|field| (field, Words::from_attributes(&field.attrs))).collect();
    let name = |(field, words): &(&Field, Words), direction: &str| {
        let ident = field.ident.as_ref()?;
        let rule = || rules.iter().find_map(|(words, key)| words.value_for(key, direction));
        let place = words.span("rename").unwrap_or_else(|| ident.span());
        let name = match (words.value_for("rename", direction), rule()) {
            (Some(name), _) => name,
            (None, Some(rule)) => renamed(&ident.unraw().to_string(), &rule)?,
            (None, None) => ident.unraw().to_string(),
        };
        Some((name, place))
    };
    let is_there = |(_, words): &&(&Field, Words), skip: &str| {
        !(words.has("skip") || words.has(skip) || words.has("flatten"))
    };
    report("fields", errors, |direction, skip| {
        let named = fields.iter().filter(|field| is_there(field, skip));
        named.filter_map(|field| name(field, direction)).chain(tag.clone()).collect()
    });
}

fn check_variants(variants: &Punctuated<Variant, Token![,]>, container: &Words, errors: &mut Errors) {
    let variants: Vec<(&Variant, Words)> =
        variants.iter().map(|variant| (variant, Words::from_attributes(&variant.attrs))).collect();
    report("variants", errors, |direction, skip| {
        // With a `rename_all` of serde, only names that are given are compared.
        let has_rule = container.has("rename_all");
        let name = |(variant, words): &(&Variant, Words)| {
            if words.has("skip") || words.has(skip) || words.has("untagged") {
                return None;
            }
            let given = words.value_for("rename", direction);
            let name = given.or_else(|| (!has_rule).then(|| variant.ident.unraw().to_string()))?;
            Some((name, words.span("rename").unwrap_or_else(|| variant.ident.span())))
        };
        variants.iter().filter_map(name).collect()
    });
}

/// Reports each duplicate name once, even if serde would both read and write two fields or variants under this name.
fn report(what: &str, errors: &mut Errors, names: impl Fn(&str, &str) -> Vec<(String, Span)>) {
    let mut reported: Vec<String> = Vec::new();
    for (direction, skip) in DIRECTIONS {
        let mut seen: Vec<String> = Vec::new();
        for (name, span) in names(direction, skip) {
            if seen.contains(&name) && !reported.contains(&name) {
                wrong(errors, span, format!("serde has two {what} with the name `{name}`: rename one"));
                reported.push(name.clone());
            }
            seen.push(name);
        }
    }
}
