//! The paths of the scale subresource.

use super::json_path;
use crate::field::{Causes, Diagnostic, FieldPath, Shown};

/// The paths of `scale`. Empty strings count as absent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scale<'a> {
    /// The path of the desired number of replicas.
    pub spec_replicas_path: &'a str,
    /// The path of the observed number of replicas.
    pub status_replicas_path: &'a str,
    /// The path of the label selector.
    pub label_selector_path: Option<&'a str>,
}

/// Checks the paths of `scale`. `path` is the path of the subresources.
pub fn scale(scale: &Scale<'_>, path: &FieldPath, out: &mut Causes) {
    for (field, text, prefix, under) in [
        ("scale.specReplicasPath", scale.spec_replicas_path, ".spec.", ".spec"),
        ("scale.statusReplicasPath", scale.status_replicas_path, ".status.", ".status"),
    ] {
        if text.is_empty() {
            let help = format!("add a path such as `{prefix}replicas`");
            out.push(Diagnostic::required(path.child(field), "").with_help(help));
        } else {
            let detail = format!("should be a json path under {under}");
            below(text, &[prefix], &path.child(field), &detail, text.into(), out);
        }
    }
    if let Some(text) = scale.label_selector_path.filter(|text| !text.is_empty()) {
        let detail = "should be a json path under either .spec or .status";
        let path = path.child("scale.labelSelectorPath");
        below(text, &[".spec.", ".status."], &path, detail, Shown::pointer(Some(text), out.version()), out);
    }
}

fn below(text: &str, prefixes: &[&str], path: &FieldPath, detail: &str, shown: Shown, out: &mut Causes) {
    if let Some(diagnostic) = json_path::simple(text, path) {
        out.push(diagnostic);
    } else if !prefixes.iter().any(|prefix| text.starts_with(prefix)) {
        out.push(Diagnostic::invalid(path.clone(), shown, detail));
    }
}
