//! Converts the API server's warnings to diagnostics.

use crd_core::admit::Warning;
use crd_core::{CauseReason, Diagnostic, FieldPath};

/// Returns the diagnostic for a warning, with the path of the warning's field if there is one.
pub(crate) fn diagnostic(warning: &Warning) -> Diagnostic {
    match warning.field() {
        Some((problem, field)) => Diagnostic::new(field.clone(), CauseReason::Invalid, problem.as_str()),
        None => Diagnostic::new(FieldPath::root(), CauseReason::Invalid, warning.as_str()),
    }
}
