//! Checks of `status.storedVersions`. The API server sets all other fields of the status itself before its checks.

use super::effective::Effective;
use crate::{Causes, Diagnostic, FieldPath, Shown};

/// Checks the stored versions in the status of a CRD. The server adds the storage version to the stored versions of the CRD that is
/// replaced.
pub(super) fn stored_versions(effective: &Effective<'_>, out: &mut Causes) {
    let path = FieldPath::new("status").child("storedVersions");
    let versions = &effective.spec.versions;
    let mut stored = effective.before.map(super::Before::stored_versions).unwrap_or_default();
    if let Some(version) = versions.iter().find(|version| version.storage)
        && !stored.contains(&version.name)
    {
        stored.push(version.name.clone());
    }
    if stored.is_empty() {
        // A list that was never made.
        let shown = Shown::strings(None, out.version());
        out.push(Diagnostic::invalid(path, shown, "must have at least one stored version"));
        return;
    }
    // A name is struck off at the first version that bears it, stored or not.
    let mut listed: Vec<Option<&str>> = stored.iter().map(|name| Some(name.as_str())).collect();
    for version in versions {
        let found = listed.iter_mut().rfind(|name| **name == Some(version.name.as_str()));
        if version.storage && found.is_none() {
            let detail = format!("must have the storage version {}", version.name);
            let shown = Shown::strings(Some(&stored), out.version());
            out.push(Diagnostic::invalid(path.clone(), shown, &detail));
        }
        if let Some(name) = found {
            *name = None;
        }
    }
    for (i, name) in listed.iter().enumerate().filter_map(|(i, name)| Some((i, (*name)?))) {
        let detail = format!(
            "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until \
             a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
        );
        out.push(Diagnostic::invalid(path.index(i), name, &detail));
    }
}
