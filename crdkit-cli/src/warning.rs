//! Warnings of the API server about fields, with their paths.

use crd_core::{Diagnostic, FieldPath, Reason};

/// A warning; one about a field that is unknown or there twice has the path of the field.
pub(crate) fn diagnostic(text: &str) -> Diagnostic {
    let of_field =
        |what: &str| text.strip_prefix(what)?.strip_prefix(" \"")?.strip_suffix('"').map(field_path);
    let found =
        ["unknown field", "duplicate field"].into_iter().find_map(|what| Some((what, of_field(what)?)));
    match found {
        Some((what, field)) => Diagnostic::new(field, Reason::Invalid, what),
        None => Diagnostic::new(FieldPath::root(), Reason::Invalid, text),
    }
}

/// Reads `spec.items[1].name`. Keys that have dots or brackets themselves cannot be told from steps.
pub(crate) fn field_path(text: &str) -> FieldPath {
    text.split('.').fold(FieldPath::root(), |path, step| {
        let (name, indexes) = step.split_once('[').unwrap_or((step, ""));
        let indexes = indexes.split('[').filter_map(|index| index.strip_suffix(']')?.parse().ok());
        indexes.fold(path.child(name), |path, index| path.index(index))
    })
}
