//! Warnings of the API server about fields, with their paths.

use crd_core::{Diagnostic, FieldPath, Reason};

/// The diagnostic for a warning. Warnings about unknown and duplicate fields get the path of the field.
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

/// Parses `spec.items[1].name`. Keys that contain dots or brackets cannot be distinguished from steps.
pub(crate) fn field_path(text: &str) -> FieldPath {
    text.split('.').fold(FieldPath::root(), |path, step| {
        let (name, indexes) = step.split_once('[').unwrap_or((step, ""));
        let indexes = indexes.split('[').filter_map(|index| index.strip_suffix(']')?.parse().ok());
        indexes.fold(path.child(name), |path, index| path.index(index))
    })
}
