//! Warnings of the API server as diagnostics.

use crd_core::admit::Warning;
use crd_core::{CauseReason, Diagnostic, FieldPath};

/// Returns the diagnostic for a warning, at the path of its field if it has one.
pub(crate) fn diagnostic(warning: &Warning) -> Diagnostic {
    match warning.field() {
        Some((problem, field)) => Diagnostic::new(field.clone(), CauseReason::Invalid, problem.as_str()),
        None => Diagnostic::new(FieldPath::root(), CauseReason::Invalid, warning.as_str()),
    }
}
