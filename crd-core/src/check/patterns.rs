//! Checks `pattern`: it must be a regular expression that Go can read.

use crd_go::re2;

use crate::lazy_path::LazyPath;
use crate::schema::ValueValidation;
use crate::{Causes, Diagnostic};

/// Checks the `pattern` keyword, if there is one.
pub(super) fn pattern(validation: &ValueValidation, place: &LazyPath<'_>, out: &mut Causes) {
    let Some(pattern) = validation.pattern.as_deref().filter(|pattern| !pattern.is_empty()) else { return };
    if let Err(error) = re2::check(pattern) {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        let mut diagnostic = Diagnostic::invalid(place.child("pattern").path(), pattern, &detail);
        if let Some(help) = error.help() {
            diagnostic = diagnostic.with_help(help);
        }
        out.push(diagnostic);
    }
}
