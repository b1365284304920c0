//! Determines which versions have a field or a variant, and under which name.

use syn::Ident;

use super::attrs::{self, Renamed, Version};
use crate::attrs::text::Text;
use crate::errors::Errors;

/// The versions that have a field or a variant, and the names in earlier versions.
pub(super) struct Presence {
    /// The first version with the field or variant.
    first: usize,
    /// The first version without the field or variant.
    end: usize,
    /// Earlier names in order, each with the first version that no longer uses the name.
    renamed: Vec<(usize, Ident)>,
}

impl Presence {
    pub(super) fn new(
        since: Option<&Text>,
        until: Option<&Text>,
        renamed: Vec<Renamed>,
        versions: &[Version],
        errors: &mut Errors,
    ) -> Self {
        let mut index = |text: &Text| errors.handle(index(text, versions));
        let first = since.and_then(&mut index).unwrap_or_default();
        let end = until.and_then(&mut index).unwrap_or(versions.len());
        let mut names = Vec::new();
        for Renamed { since, from } in renamed {
            let Some(since) = index(&since) else { continue };
            names.insert(names.partition_point(|(other, _)| *other <= since), (since, from.0));
        }
        if let Some(until) = until.filter(|_| end <= first) {
            let help = "`until` is not later than `since`: `until` names the first version that does not have the item";
            errors.push(syn::Error::new(until.span(), help));
        }
        Self { first, end, renamed: names }
    }

    /// Returns `true` if a version has the field or variant.
    pub(super) fn is_in(&self, version: usize) -> bool {
        (self.first..self.end).contains(&version)
    }

    /// Returns the name in a version, if it differs from the current name.
    pub(super) fn old_name(&self, version: usize) -> Option<&Ident> {
        self.renamed.iter().find(|(since, _)| version < *since).map(|(_, name)| name)
    }

    /// Returns `true` if some versions lack the field or variant, or have another name for it.
    pub(super) fn differs(&self, versions: usize) -> bool {
        self.first > 0 || self.end < versions || !self.renamed.is_empty()
    }
}

/// Returns the index of a version.
pub(super) fn index(text: &Text, versions: &[Version]) -> syn::Result<usize> {
    let name = text.literal().unwrap_or_default();
    let found = versions.iter().position(|version| version.name == name);
    found.ok_or_else(|| attrs::unknown(&name, text.span(), versions))
}
