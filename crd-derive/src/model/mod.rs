//! Builds the derives' models. A model contains a Rust item and its parsed attributes.

pub(crate) mod list;
mod plural;
mod resource;
mod schema;
pub(crate) mod shape;

use std::borrow::Cow;

use proc_macro2::Span;
use syn::{Data, DeriveInput, Field, Fields, Ident, Path, Variant, parse_quote};

use crate::attrs::resource::Crates;
use crate::attrs::serde;
use crate::attrs::text::{CratePath, Parsed};
pub(crate) use resource::{Name, Resource, type_name};
pub(crate) use schema::{Schema, SchemaField};

/// The paths of crates in emitted code.
pub(crate) struct Paths {
    pub(crate) private: Path,
    /// A short name for crdkit's path. The code for a schema uses this path often.
    pub(crate) short: Ident,
    pub(crate) kube_core: Path,
    pub(crate) k8s_openapi: Path,
}

impl Paths {
    fn new(crates: Option<&Crates>, crate_path: Option<&Path>) -> Self {
        let default = Crates::default();
        let crates = crates.unwrap_or(&default);
        let path = |path: &Option<Parsed<CratePath>>| path.as_ref().map(|path| path.0.0.clone());
        let crdkit = crate_path.cloned().or(path(&crates.crdkit)).unwrap_or_else(|| parse_quote!(::crdkit));
        let kube = path(&crates.kube).unwrap_or_else(|| parse_quote!(::kube));
        Self {
            private: parse_quote!(#crdkit::__private),
            short: Ident::new("__crdkit", Span::call_site()),
            kube_core: path(&crates.kube_core).unwrap_or_else(|| parse_quote!(#kube::core)),
            k8s_openapi: path(&crates.k8s_openapi).unwrap_or_else(|| parse_quote!(::k8s_openapi)),
        }
    }
}

/// Returns the names that serde gives to a struct's fields, with the indices of the fields. `None` if the macro cannot know all names.
fn wire_fields<'a>(
    input: &'a DeriveInput,
    words: impl Fn(usize, &'a Field) -> Cow<'a, serde::Words>,
) -> Option<Vec<(String, usize)>> {
    let Data::Struct(data) = &input.data else { return None };
    let Fields::Named(fields) = &data.fields else { return None };
    let container = serde::Words::from_attributes(&input.attrs);
    if ["from", "try_from", "transparent", "remote", "with", "extend", "transform"]
        .iter()
        .any(|key| container.has(key))
    {
        return None;
    }
    let rule = container.value("rename_all");
    let mut names = Vec::new();
    for (i, field) in fields.named.iter().enumerate() {
        let words = words(i, field);
        if words.has("flatten") {
            return None;
        }
        if words.has("skip") || words.has("skip_deserializing") {
            continue;
        }
        let ident = field.ident.as_ref()?.to_string();
        let ident = ident.strip_prefix("r#").unwrap_or(&ident);
        let name = match (words.value("rename"), &rule) {
            (Some(name), _) => name,
            (None, Some(rule)) => serde::renamed(ident, rule)?,
            (None, None) => ident.to_owned(),
        };
        names.push((name, i));
    }
    Some(names)
}

/// Returns all fields of a struct or an enum, each with its variant in an enum.
pub(crate) fn fields(input: &DeriveInput) -> Vec<(&Field, Option<&Variant>)> {
    match &input.data {
        Data::Struct(data) => data.fields.iter().map(|field| (field, None)).collect(),
        Data::Enum(data) => {
            let of = |variant| move |field| (field, Some(variant));
            data.variants.iter().flat_map(|variant| variant.fields.iter().map(of(variant))).collect()
        }
        Data::Union(_) => Vec::new(),
    }
}

pub(crate) fn variants(input: &DeriveInput) -> Vec<&Variant> {
    match &input.data {
        Data::Enum(data) => data.variants.iter().collect(),
        Data::Struct(_) | Data::Union(_) => Vec::new(),
    }
}

/// Returns mistakes in serde's attributes for which serde's derives emit only errors.
pub(crate) fn rejected_by_serde(input: &DeriveInput) -> Vec<syn::Error> {
    let container = serde::rejected(&input.attrs, serde::Level::Container).into_iter();
    let variants = variants(input).into_iter();
    let variants = variants.flat_map(|variant| serde::rejected(&variant.attrs, serde::Level::Variant));
    let fields = fields(input).into_iter();
    let fields = fields.flat_map(|(field, _)| serde::rejected(&field.attrs, serde::Level::Field));
    container.chain(variants).chain(fields).collect()
}

/// Returns the error for a union, which has no schema.
fn union_error(input: &DeriveInput) -> Option<syn::Error> {
    let Data::Union(data) = &input.data else { return None };
    Some(syn::Error::new(data.union_token.span, "a union has no schema: use a struct or an enum"))
}
