//! Finds short names that an update adds although the CRD already has them.
//!
//! Source: `calculateNamesAndConditions` and `getAcceptedNamesForGroup` in `pkg/controller/status/naming_controller.go`. The group's
//! accepted names include the CRD's own names, so a new short name that equals the CRD's plural counts as in use.

use super::kinds::{CrdAdvice, NAMES_NOT_ACCEPTED};
use crate::{CustomResourceDefinition, FieldPath};

/// Finds new short names that the stored CRD already has as another name.
pub(super) fn names(
    old: &CustomResourceDefinition,
    new: &CustomResourceDefinition,
    out: &mut Vec<CrdAdvice>,
) {
    let kind = old.spec.names.kind.to_lowercase();
    let singular = if old.spec.names.singular.is_empty() { &kind } else { &old.spec.names.singular };
    let known = |name: &String| old.spec.names.short_names.iter().flatten().any(|other| other == name);
    let own = [("plural", &old.spec.names.plural), ("singular", singular)];
    let path = FieldPath::new("spec").child("names").child("shortNames");
    for (i, name) in new.spec.names.short_names.iter().flatten().enumerate().filter(|(_, name)| !known(name))
    {
        let Some((which, _)) = own.iter().find(|(_, other)| *other == name) else { continue };
        let message = format!(
            "`{name}` is already in use as the {which} name: the API server never accepts the new names (`NamesAccepted` becomes false with the reason `ShortNamesConflict`)"
        );
        let remedy = Some("remove the short name: the CRD already has this name".into());
        out.push(CrdAdvice { name: NAMES_NOT_ACCEPTED, field: path.index(i), message, remedy });
    }
}
