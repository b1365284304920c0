//! `preserveUnknownFields`, which must not be `true` in CRDs of `v1`.

use crate::field::{Causes, Diagnostic, Edit, FieldPath, Remedy, Shown};

/// Adds the cause for `preserveUnknownFields: true`. `path` is the path of `spec`.
pub fn preserved(path: &FieldPath, out: &mut Causes) {
    let path = path.child("preserveUnknownFields");
    let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
                  instead";
    let remedy = Remedy::new("remove `preserveUnknownFields`").with(Edit::remove(path.clone()));
    out.push(Diagnostic::invalid(path, true, detail).with_help(remedy));
}

/// Checks that a CRD with `preserveUnknownFields: true` is not converted. `path` is the path of `spec`.
pub fn preserved_and_converted(strategy: &str, path: &FieldPath, out: &mut Causes) {
    if strategy != "None" {
        let shown = Shown::named(strategy, out.version());
        let detail = "must be None if spec.preserveUnknownFields is true";
        out.push(Diagnostic::invalid(path.child("conversion").child("strategy"), shown, detail));
    }
}
