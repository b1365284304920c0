//! `status`. The API server fills it in before it checks it: it contains only the stored version.

use super::effective::Effective;
use crate::causes::Causes;
use crate::diagnostic::Shown;
use crate::{Diagnostic, FieldPath};

/// Checks that the stored versions are those with `storage: true`. The server fills in the first one.
pub(super) fn stored_versions(effective: &Effective<'_>, out: &mut Causes) {
    let path = FieldPath::new("status").child("storedVersions");
    let versions = &effective.spec.versions;
    let Some(stored) = versions.iter().find(|version| version.storage) else {
        // A nil slice.
        let shown = Shown::texts(None, out.version());
        out.push(Diagnostic::invalid(path, shown, "must have at least one stored version"));
        return;
    };
    // The name is removed at the first version with that name, whether it is stored or not.
    let mut is_listed = true;
    for version in versions {
        let is_stored = is_listed && version.name == stored.name;
        if version.storage && !is_stored {
            let detail = format!("must have the storage version {}", version.name);
            let stored = std::slice::from_ref(&stored.name);
            let shown = Shown::texts(Some(stored), out.version());
            out.push(Diagnostic::invalid(path.clone(), shown, &detail));
        }
        is_listed &= !is_stored;
    }
}
