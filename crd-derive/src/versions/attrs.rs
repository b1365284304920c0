//! Parses `#[versions(v1alpha1, v1(storage))]`, and `#[version(...)]` on fields.

use crd_go::compare_versions;
use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Meta, Path, Token};

use crate::attrs::item::AttributeItem;
use crate::attrs::read::{Attributes, attributes, read};
use crate::attrs::text::{Parsed, Text};

/// The versions, the oldest first.
pub(crate) struct VersionList(pub(super) Vec<Version>);

/// A version, with its own `#[crd(...)]` attributes.
pub(super) struct Version {
    pub(super) name: Ident,
    pub(super) is_stored: bool,
    /// Additional items for `#[crd(...)]`, such as `deprecated` or `served = false`.
    pub(super) items: Vec<TokenStream>,
}

impl Parse for VersionList {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let versions: Vec<Version> =
            Punctuated::<Version, Token![,]>::parse_terminated(input)?.into_iter().collect();
        for (i, version) in versions.iter().enumerate() {
            if versions[..i].iter().any(|other| other.name == version.name) {
                let message = format!("the version `{}` is given twice: remove one", version.name);
                return Err(syn::Error::new(version.name.span(), message));
            }
        }
        if versions.is_empty() {
            let message = "name the versions, the oldest first: `#[versions(v1alpha1, v1)]`";
            return Err(syn::Error::new(proc_macro2::Span::call_site(), message));
        }
        Ok(Self(versions))
    }
}

impl Parse for Version {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let mut version = Self { name, is_stored: false, items: Vec::new() };
        if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            for item in Punctuated::<Meta, Token![,]>::parse_terminated(&content)? {
                if matches!(&item, Meta::Path(word) if word.is_ident("storage")) {
                    version.is_stored = true;
                } else if item.path().is_ident("storage") {
                    let message =
                        "write `storage` alone, on the version in which objects are stored: `v1(storage)`";
                    return Err(syn::Error::new_spanned(item, message));
                } else {
                    version.items.push(quote::ToTokens::to_token_stream(&item));
                }
            }
        }
        Ok(version)
    }
}

impl VersionList {
    /// Returns the index of the storage version. By default, this is the last version, which is the newest.
    pub(super) fn stored(&self) -> syn::Result<usize> {
        let mut stored = self.0.iter().enumerate().filter(|(_, version)| version.is_stored);
        match (stored.next(), stored.next()) {
            (None, _) => self.last(),
            (Some((i, _)), None) => Ok(i),
            (_, Some((_, second))) => {
                let help = "objects are stored in one version: remove `storage` from the others";
                Err(syn::Error::new(second.name.span(), help))
            }
        }
    }
}

impl VersionList {
    /// Returns the index of the last version, or an error if Kubernetes prefers another version.
    fn last(&self) -> syn::Result<usize> {
        let Some((last, others)) = self.0.split_last() else { return Ok(0) };
        let name = |version: &Version| version.name.to_string();
        // Names of no order, such as `next`, say nothing.
        let is_ordered =
            |version: &&Version| name(version).starts_with('v') && name(version).contains(char::is_numeric);
        let better = others
            .iter()
            .filter(is_ordered)
            .find(|other| compare_versions(&name(other), &name(last)).is_gt());
        match better {
            None => Ok(others.len()),
            Some(better) => {
                let message = format!(
                    "objects would be stored in `{}`, which is named last, but Kubernetes prefers `{}`: name the versions from the oldest to the newest, or write `(storage)` after one",
                    last.name, better.name
                );
                Err(syn::Error::new(last.name.span(), message))
            }
        }
    }
}

attributes! {
    /// The attribute `#[version(...)]` of a field.
    #[derive(Default)]
    pub(crate) struct FieldVersions {
        /// The first version with the field.
        pub(super) since: Option<Text>,
        /// The first version without the field.
        pub(super) until: Option<Text>,
        /// The field's value in objects from versions without the field. By default, this is the `Default` of the field's type.
        pub(super) default: Option<Parsed<Path>>,
        pub(super) renamed: Vec<Renamed>,
        pub(super) changed: Vec<Changed>,
    }
}

attributes! {
    /// The attribute `#[version(...)]` of a variant.
    #[derive(Default)]
    pub(crate) struct VariantVersions {
        /// The first version with the variant.
        pub(super) since: Option<Text>,
        /// The first version without the variant.
        pub(super) until: Option<Text>,
        /// The variant that replaces this variant in versions that lack it. By default, this is the enum's default variant.
        pub(super) instead: Option<Parsed<Ident>>,
        pub(super) renamed: Vec<Renamed>,
    }
}

attributes! {
    /// `renamed(since = "v1", from = "old_name")`
    pub(crate) struct Renamed {
        pub(super) since: Text,
        pub(super) from: Parsed<Ident>,
    }
}

attributes! {
    /// `changed(since = "v1", from = "OldType", up = path, down = path)`
    pub(crate) struct Changed {
        pub(super) since: Text,
        pub(super) from: Parsed<syn::Type>,
        pub(super) up: Option<Parsed<Path>>,
        pub(super) down: Option<Parsed<Path>>,
    }
}

/// Removes `#[version(v1alpha1(...), v1(...))]` from a type's attributes. Returns, for each version, the items for `#[crd(...)]` that apply
/// only to it.
pub(super) fn take_of_type(
    attrs: &mut Vec<Attribute>,
    versions: &[Version],
) -> syn::Result<Vec<Vec<TokenStream>>> {
    let mut items = vec![Vec::new(); versions.len()];
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("version")) {
        for of_version in attr.parse_args_with(Punctuated::<Version, Token![,]>::parse_terminated)? {
            let name = &of_version.name;
            let Some(at) = versions.iter().position(|version| version.name == *name) else {
                return Err(unknown(&name.to_string(), name.span(), versions));
            };
            if of_version.is_stored || of_version.items.is_empty() {
                let help = format!(
                    "on a type, write the attributes for one version: `#[version({name}(validation = \"...\"))]`"
                );
                return Err(syn::Error::new(name.span(), help));
            }
            items[at].extend(of_version.items);
        }
    }
    attrs.retain(|attr| !attr.path().is_ident("version"));
    Ok(items)
}

/// Returns the error for an unknown version.
pub(super) fn unknown(name: &str, span: proc_macro2::Span, versions: &[Version]) -> syn::Error {
    let names: Vec<String> = versions.iter().map(|version| version.name.to_string()).collect();
    syn::Error::new(span, format!("unknown version `{name}`: expected one of `{}`", names.join("`, `")))
}

/// Removes `#[version(...)]` from the attributes, and parses it.
pub(super) fn take<T: Attributes>(attrs: &mut Vec<Attribute>) -> syn::Result<T> {
    let mut items = Vec::new();
    let mut span = proc_macro2::Span::call_site();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("version")) {
        span = syn::spanned::Spanned::span(attr);
        let parser = Punctuated::<AttributeItem, Token![,]>::parse_terminated;
        items.extend(attr.parse_args_with(parser)?);
    }
    attrs.retain(|attr| !attr.path().is_ident("version"));
    read(&items, span)
}
