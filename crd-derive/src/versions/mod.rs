//! Implements `#[versions(...)]`. From a module with a resource and its types, it generates a module for each version and the
//! conversions between them.

pub(crate) mod attrs;
mod convert;
mod expand;
mod history;
mod presence;
mod variants;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::spanned::Spanned;
use syn::{Attribute, Item, ItemMod};

use crate::attrs::text::{Parsed, literal};
use crate::attrs::value::FromMeta;
use crate::check;
use crate::errors::Errors;
use crate::model::{Resource, Schema, type_name};
pub(crate) use attrs::VersionList;
use history::Type;

/// The content of a module with `#[versions(...)]`.
struct Declaration {
    module: ItemMod,
    versions: Vec<attrs::Version>,
    /// The index of the storage version.
    stored: usize,
    /// The types that exist in every version.
    types: Vec<Type>,
    /// The items that all versions share.
    others: Vec<Item>,
    resource: VersionedResource,
}

/// The types of the resource.
struct VersionedResource {
    root: syn::Ident,
    spec: syn::Ident,
    status: Option<syn::Type>,
    /// Set if the tests are emitted.
    is_tested: bool,
}

/// Generates the module with all versions.
pub(crate) fn versions(list: VersionList, module: ItemMod) -> syn::Result<TokenStream> {
    let declaration = Declaration::new(list, module)?;
    Ok(expand::module(&declaration))
}

impl Declaration {
    fn new(list: VersionList, mut module: ItemMod) -> syn::Result<Self> {
        let Some((_, items)) = module.content.take() else {
            let help = "`versions` must be on a module with its content: `mod shirts { ... }`";
            return Err(syn::Error::new(module.ident.span(), help));
        };
        let mut errors = Errors::default();
        let stored = errors.handle(list.stored()).unwrap_or_default();
        let (mut types, mut others) = (Vec::new(), Vec::new());
        for item in items {
            match item {
                Item::Struct(_) | Item::Enum(_) => {
                    types.extend(errors.handle(Type::new(item, &list.0)));
                }
                other => others.push(other),
            }
        }
        errors.finish()?;
        types.iter_mut().for_each(|type_| type_.name_versions(&list.0, mistakes));
        let mut errors = Errors::default();
        let resource = errors.handle(Self::resource(&types, &module));
        let names: Vec<String> = types.iter().map(|type_| type_.ident().to_string()).collect();
        for type_ in &types {
            errors.handle(convert::check(type_, &names, list.0.len()));
        }
        if let Some(status) = resource.as_ref().and_then(|resource| resource.status.as_ref())
            && convert::value(status, quote::quote!(status), &names).is_none()
        {
            let help = "the status holds a type that has versions: name that type itself, or declare it outside the module";
            errors.push(syn::Error::new(status.span(), help));
        }
        let Some(resource) = resource else {
            errors.finish()?;
            return Err(syn::Error::new(Span::call_site(), "the module has no resource"));
        };
        errors.finish_with(Self { module, versions: list.0, stored, types, others, resource })
    }

    /// Returns the only resource of the module.
    fn resource(types: &[Type], module: &ItemMod) -> syn::Result<VersionedResource> {
        let mut resources = types.iter().filter(|type_| value(type_.attrs(), "kind").is_some());
        let (Some(type_), None) = (resources.next(), resources.next()) else {
            let help = "a module with `versions` has one resource: one type with `#[crd(group = \"...\", kind = \"...\")]`";
            return Err(syn::Error::new(module.ident.span(), help));
        };
        if let Some(version) = value(type_.attrs(), "version") {
            let help = "`versions` sets the version: remove it here";
            return Err(syn::Error::new(version.span(), help));
        }
        let text =
            |key: &str| value(type_.attrs(), key).and_then(|value| Some((literal(&value)?, value.span())));
        let has_root = metas(type_.attrs()).iter().any(|meta| meta.path().is_ident("root"));
        let (name, span) = text("kind").unwrap_or_else(|| (String::new(), type_.ident().span()));
        if name.is_empty() && !has_root {
            let help = "the kind is not a literal: name the type with `root = \"...\"`";
            return Err(syn::Error::new(type_.ident().span(), help));
        };
        // `root` may be written as a raw identifier, and bare; a kind is the name itself.
        let root = match metas(type_.attrs()).into_iter().find(|meta| meta.path().is_ident("root")) {
            Some(meta) => Parsed::<syn::Ident>::from_meta(&meta)?.0,
            None => type_name(&name, span)?,
        };
        let status = metas(type_.attrs()).into_iter().find(|meta| meta.path().is_ident("status"));
        let status = status.map(|meta| Parsed::<syn::Type>::from_meta(&meta));
        let is_tested = !metas(type_.attrs())
            .iter()
            .any(|meta| ["no_test", "unchecked"].iter().any(|key| meta.path().is_ident(key)));
        Ok(VersionedResource {
            root,
            spec: type_.ident().clone(),
            status: status.transpose()?.map(|status| status.0),
            is_tested,
        })
    }
}

/// Returns the mistakes that the derives would report in a type.
fn mistakes(item: &Item) -> Vec<String> {
    let Ok(input) = syn::parse2::<syn::DeriveInput>(item.to_token_stream()) else { return Vec::new() };
    let mut errors = Errors::default();
    if let Some(schema) = errors.handle(Schema::from_input(&input)) {
        check::schema(&schema, &mut errors);
    }
    if value(&input.attrs, "kind").is_some() {
        let mut input = input.clone();
        input.attrs.push(syn::parse_quote!(#[crd(version = "v1")]));
        let resource = Resource::from_input(&input);
        if let Some(resource) = errors.handle(resource) {
            check::resource(&resource, &mut errors);
        }
    }
    let found = errors.finish().err();
    found.into_iter().flatten().map(|error| error.to_string()).collect()
}

/// Returns the value of `key` in `#[crd(...)]` or `#[kube(...)]`.
fn value(attrs: &[Attribute], key: &str) -> Option<syn::Expr> {
    metas(attrs).into_iter().find_map(|meta| match meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident(key) => Some(pair.value),
        _ => None,
    })
}

/// Returns the items in `#[crd(...)]` and `#[kube(...)]`.
fn metas(attrs: &[Attribute]) -> Vec<syn::Meta> {
    let ours = attrs.iter().filter(|attr| attr.path().is_ident("crd") || attr.path().is_ident("kube"));
    ours.flat_map(|attr| crate::attrs::metas(&attr.meta)).collect()
}
