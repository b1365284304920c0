//! Parts of versions that `crd_go::outline` checks.

use crd_go::outline::{Column, Scale, column, scale};

use crate::crd::{PrinterColumn, Subresources};
use crate::{Causes, FieldPath};

/// Checks every printer column. `path` is the path of the list.
pub(super) fn columns(columns: &[PrinterColumn], path: &FieldPath, out: &mut Causes) {
    for (i, PrinterColumn { name, type_, format, json_path, .. }) in columns.iter().enumerate() {
        column(&Column { name, type_, format, json_path }, &path.index(i), out);
    }
}

/// Checks the paths of `scale`; `status` has no fields.
pub(super) fn subresources(subresources: &Subresources, path: &FieldPath, out: &mut Causes) {
    if let Some(paths) = &subresources.scale {
        let paths = Scale {
            spec_replicas_path: &paths.spec_replicas_path,
            status_replicas_path: &paths.status_replicas_path,
            label_selector_path: paths.label_selector_path.as_deref(),
        };
        scale(&paths, path, out);
    }
}
