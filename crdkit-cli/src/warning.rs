//! Warnings of the API server as diagnostics.

use crd_core::admit::Warning;
use crd_core::{Diagnostic, FieldPath, Reason};

/// The diagnostic for a warning, at the path of its field if it has one.
pub(crate) fn diagnostic(warning: &Warning) -> Diagnostic {
    match warning.field() {
        Some((problem, field)) => Diagnostic::new(field.clone(), Reason::Invalid, problem.as_str()),
        None => Diagnostic::new(FieldPath::root(), Reason::Invalid, warning.text()),
    }
}
