//! Fields of a definition that a server drops before its checks, because it does not have the feature.
//!
//! Source: `dropDisabledFields` in `registry/customresourcedefinition/strategy.go`.

use std::borrow::Cow;

use crd_go::KubeVersion;

use super::features::SELECTABLE_FIELDS;
use crate::CustomResourceDefinition;

/// The definition without the fields that the server of that release drops.
pub(super) fn without_unknown(
    crd: &CustomResourceDefinition,
    version: KubeVersion,
) -> Cow<'_, CustomResourceDefinition> {
    let has_selectable = crd.spec.versions.iter().any(|version| version.selectable_fields.is_some());
    if SELECTABLE_FIELDS.is_in(version) || !has_selectable {
        return Cow::Borrowed(crd);
    }
    let mut crd = crd.clone();
    crd.spec.versions.iter_mut().for_each(|version| version.selectable_fields = None);
    Cow::Owned(crd)
}
