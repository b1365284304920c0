//! The variants of an enum, each with its `#[version(...)]`.

use syn::{Fields, Ident, ItemEnum, Variant};

use super::attrs::{self, VariantVersions, Version};
use super::presence::Presence;
use crate::errors::Errors;

/// A variant, and the versions that have it.
pub(super) struct VariantHistory {
    pub(super) variant: Variant,
    pub(super) presence: Presence,
    /// The variant that replaces this variant in versions that lack it. By default, this is the enum's default variant.
    instead: Option<Ident>,
}

/// Returns the histories of all variants of an enum.
pub(super) fn histories(item: &ItemEnum, versions: &[Version], errors: &mut Errors) -> Vec<VariantHistory> {
    let mut wrong = Errors::default();
    let variants = item.variants.iter().filter_map(|variant| {
        for attr in variant.fields.iter().flat_map(|field| &field.attrs) {
            if attr.path().is_ident("version") {
                let help = "the fields of a variant are the same in all versions: put `changed(...)` on the field with the enum";
                wrong.push(syn::Error::new(syn::spanned::Spanned::span(attr), help));
            }
        }
        let mut variant = variant.clone();
        let VariantVersions { since, until, instead, renamed } =
            wrong.handle(attrs::take(&mut variant.attrs))?;
        let presence = Presence::new(since.as_ref(), until.as_ref(), renamed, versions, &mut wrong);
        Some(VariantHistory { variant, presence, instead: instead.map(|instead| instead.0) })
    });
    let variants: Vec<_> = variants.collect();
    if errors.handle(wrong.finish()).is_some() {
        for variant in &variants {
            errors.handle(variant.check(&variants, versions));
        }
    }
    variants
}

impl VariantHistory {
    /// Returns the name of the variant in a version.
    pub(super) fn name(&self, version: usize) -> &Ident {
        self.presence.old_name(version).unwrap_or(&self.variant.ident)
    }

    /// Returns the variant as a version defines it, or `None` if the version lacks it.
    pub(super) fn variant_in(&self, version: usize) -> Option<Variant> {
        let variant = Variant { ident: self.name(version).clone(), ..self.variant.clone() };
        self.presence.is_in(version).then_some(variant)
    }

    /// Returns the variant that replaces this variant in a version that lacks it.
    pub(super) fn substitute<'a>(&self, variants: &'a [Self], version: usize) -> Option<&'a Self> {
        variants.iter().find(|other| {
            let is_named = match &self.instead {
                Some(name) => other.variant.ident == *name,
                None => other.variant.attrs.iter().any(|attr| attr.path().is_ident("default")),
            };
            is_named && other.presence.is_in(version) && matches!(other.variant.fields, Fields::Unit)
        })
    }

    /// Checks that each version without the variant has a replacement for it. A version needs one only if
    /// the version before it or after it has the variant.
    fn check(&self, variants: &[Self], versions: &[Version]) -> syn::Result<()> {
        let has = |version: usize| self.presence.is_in(version);
        let neighbours =
            (1..versions.len()).flat_map(|version| [(version, version - 1), (version - 1, version)]);
        let mut missing =
            neighbours.filter(|(from, to)| has(*from) && !has(*to)).map(|(_, to)| to).peekable();
        match (&self.instead, missing.peek()) {
            (Some(instead), None) => {
                let help = "all versions have this variant: remove `instead`, or name the versions that have it with `since` or `until`";
                return Err(syn::Error::new(instead.span(), help));
            }
            (None, None) => return Ok(()),
            _ => {}
        }
        let Some(version) = missing.find(|version| self.substitute(variants, *version).is_none()) else {
            return Ok(());
        };
        let (name, version) = (&self.variant.ident, &versions[version].name);
        Err(match &self.instead {
            Some(instead) => {
                let help = format!("`{version}` has no unit variant `{instead}` to replace `{name}`");
                syn::Error::new(instead.span(), help)
            }
            None => {
                let help = format!(
                    "`{version}` has no `{name}`, so objects need another value there: name a variant without content, `instead = \
                     ...`, or mark one with `#[default]`"
                );
                syn::Error::new(name.span(), help)
            }
        })
    }
}
