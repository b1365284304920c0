//! Paths of columns and of the scale subresource. The API server checks only their first byte.

use crate::field::{Diagnostic, FieldPath, Remedy};

/// Checks a path that is not empty.
pub(super) fn simple(text: &str, path: &FieldPath) -> Option<Diagnostic> {
    if text.starts_with('.') {
        return None;
    }
    // kubectl writes `{.spec.x}`, and other tools `$.spec.x`.
    let bare = text.trim_matches(['{', '}']).trim_start_matches('$').trim_start_matches('.');
    let detail = "must be a simple json path starting with .";
    let remedy = Remedy::meant(&format!(".{bare}"), path.clone());
    Some(Diagnostic::invalid(path.clone(), text, detail).with_help(remedy))
}
