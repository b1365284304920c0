//! `spec.versions`: checks of each version, and of all of them together.

use std::collections::HashSet;

use crd_go::names::dns_1035_label;
use crd_go::strings::is_print;

use super::Owner;
use super::effective::Effective;
use super::{columns, dump, names, subresources};
use crate::causes::Causes;
use crate::crd::Version;
use crate::diagnostic::Shown;
use crate::{Diagnostic, FieldPath};

const WARNING_BYTES: usize = 256;

/// Checks each version with the parts that it does not share.
pub(super) fn versions(effective: &Effective<'_>, out: &mut Causes) {
    for (i, version) in effective.spec.versions.iter().enumerate() {
        let path = Effective::versions_path().index(i);
        names::label(&version.name, || path.child("name"), out);
        deprecation_warning(version, &path.child("deprecationWarning"), out);
        let parts = effective.version(i);
        if let Some((schemas, validation)) = effective.schemas.zip(parts.schema) {
            let has_status = effective.has_status(&version.name);
            schemas.schema(validation, &version.name, has_status, &path.child("schema"), out);
        }
        if let Some(parts) = parts.subresources {
            subresources::subresources(parts, &path.child("subresources"), out);
        }
        columns::columns(parts.columns, &path.child("additionalPrinterColumns"), out);
        if let Some(schemas) = effective.schemas {
            schemas.selectable(parts.selectable, parts.schema, Owner::Version, &path, out);
        }
    }
}

impl Effective<'_> {
    /// Returns `true` if the first version of that name has a status subresource.
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

/// Checks that names are unique and that exactly one version is stored.
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

fn deprecation_warning(version: &Version, path: &FieldPath, out: &mut Causes) {
    let Some(warning) = version.deprecation_warning.as_deref() else { return };
    let kube_version = out.version();
    let mut invalid = |detail: &str| {
        let shown = Shown::pointer(Some(warning), kube_version);
        out.push(Diagnostic::invalid(path.clone(), shown, detail));
    };
    if version.deprecated != Some(true) {
        invalid("can only be set for deprecated versions");
        return;
    }
    if warning.len() > WARNING_BYTES {
        invalid("must be <= 256 characters long");
    }
    if warning.is_empty() {
        invalid("must not be an empty string");
    }
    if let Some((at, _)) = warning.char_indices().find(|(_, c)| !is_print(*c)) {
        invalid(&format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {at}"
        ));
    }
}
