//! `spec.versions`: checks of each version, and of all versions together.

use std::collections::HashSet;

use crd_go::names::dns_1035_label;
use crd_go::outline;

use super::Owner;
use super::effective::Effective;
use super::{dump, parts};
use crate::{Causes, Diagnostic, FieldPath, Shown};

/// Checks each version, including the parts that are not equal in all versions.
pub(super) fn versions(effective: &Effective<'_>, out: &mut Causes) {
    for (i, version) in effective.spec.versions.iter().enumerate() {
        let path = Effective::versions_path().index(i);
        outline::label(&version.name, &path.child("name"), out);
        if let Some(warning) = &version.deprecation_warning {
            let is_deprecated = version.deprecated == Some(true);
            outline::deprecation_warning(warning, is_deprecated, &path.child("deprecationWarning"), out);
        }
        let parts = effective.version(i);
        if let Some((schemas, validation)) = effective.schemas.zip(parts.schema) {
            let has_status = effective.has_status(&version.name);
            schemas.schema(validation, &version.name, has_status, &path.child("schema"), out);
        }
        if let Some(parts) = parts.subresources {
            parts::subresources(parts, &path.child("subresources"), out);
        }
        parts::columns(parts.columns, &path.child("additionalPrinterColumns"), out);
        if let Some(schemas) = effective.schemas {
            schemas.selectable(parts.selectable, parts.schema, Owner::Version, &path, out);
        }
    }
}

impl Effective<'_> {
    /// Returns `true` if the first version with that name has a status subresource.
    fn has_status(&self, version: &str) -> bool {
        let top = self.top().subresources;
        let is_per_version = !self.shared.subresources
            && self.spec.versions.iter().any(|version| version.subresources.is_some());
        let found = if is_per_version {
            self.spec.version(version).and_then(|v| v.subresources.as_ref())
        } else {
            top
        };
        found.is_some_and(|subresources| subresources.status.is_some())
    }
}

/// Checks that names are unique and that exactly one version is the storage version.
pub(super) fn together(effective: &Effective<'_>, out: &mut Causes) {
    let versions = &effective.spec.versions;
    let path = Effective::versions_path();
    let mut seen = HashSet::new();
    if !versions.iter().all(|version| seen.insert(version.name.as_str())) {
        let shown = Shown(dump::versions(effective));
        out.push(Diagnostic::invalid(path.clone(), shown, "must contain unique version names"));
    }
    let stored = versions.iter().filter(|version| version.storage).count();
    if stored != 1 {
        let detail = "must have exactly one version marked as storage version";
        let help = match stored {
            0 => "set `storage: true` on the version in which objects are to be stored",
            _ => "set `storage: true` on one version only",
        };
        out.push(Diagnostic::invalid(path, Shown(dump::versions(effective)), detail).with_help(help));
    }
    // The internal form copies the first name to `spec.version`.
    if let Some(first) = versions.first().filter(|version| !version.name.is_empty()) {
        let wrong = dns_1035_label(&first.name);
        if !wrong.is_empty() {
            let path = FieldPath::new("spec").child("version");
            out.push(Diagnostic::invalid(path, first.name.as_str(), &wrong.join(",")));
        }
    }
}
