//! The stored CRD that a new CRD replaces.
//!
//! Source: `ValidateCustomResourceDefinitionUpdate` and `PrepareForUpdate`.

use crate::CustomResourceDefinition;
use crate::crd::Version;

/// The stored CRD that a new CRD replaces.
#[derive(Clone, Copy)]
pub(crate) struct Before<'a>(pub(crate) &'a CustomResourceDefinition);

impl Before<'_> {
    /// Returns `true` if the CRD is served. A CRD without conditions comes from a file, and counts as served.
    pub(super) fn is_established(self) -> bool {
        let conditions = self.0.status.as_ref().and_then(|status| status.conditions.as_deref());
        conditions.is_none_or(|all| {
            // A status can have several conditions of a type, of which the first counts.
            all.iter().find(|c| c.type_ == "Established").is_some_and(|c| c.status == "True")
        })
    }

    /// Returns the versions in which objects may be stored. If the CRD has no status, this is only the storage version.
    pub(super) fn stored_versions(self) -> Vec<String> {
        let listed = self.0.status.as_ref().and_then(|status| status.stored_versions.clone());
        listed.unwrap_or_else(|| {
            let stored = self.0.storage_version();
            stored.map(|version| version.name.clone()).into_iter().collect()
        })
    }

    /// Returns `true` if the CRD already preserved unknown fields, as CRDs from before `v1` can.
    pub(super) fn preserves_unknown_fields(self) -> bool {
        self.0.spec.preserve_unknown_fields == Some(true)
    }

    /// Returns `true` if a version has no schema.
    pub(super) fn lacks_schema(self) -> bool {
        self.0.spec.versions.iter().any(|version| version.open_api_v3_schema().is_none())
    }

    /// Returns `true` if the conversion webhook supports only versions of `ConversionReview` that the API server does not know.
    pub(super) fn has_unknown_review_versions(self) -> bool {
        let webhook = self.0.spec.conversion.as_ref().and_then(|conversion| conversion.webhook.as_ref());
        let versions = webhook.and_then(|webhook| webhook.conversion_review_versions.as_deref());
        versions.is_some_and(|all| !all.is_empty() && !all.iter().any(|v| v == "v1" || v == "v1beta1"))
    }
}

impl<'a> Before<'a> {
    /// Returns the first version with this name.
    pub(crate) fn version(self, name: &str) -> Option<&'a Version> {
        self.0.version(name)
    }
}
