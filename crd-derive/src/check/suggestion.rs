//! Suggests known names in errors about misspelled names.

use crd_go::nearest::nearest;

/// Suggests the value that was meant, or lists all allowed values.
pub(super) fn choice(found: &str, known: &[&str]) -> String {
    match known.iter().find(|known| known.eq_ignore_ascii_case(found)) {
        Some(known) => format!(": did you mean `{known}`?"),
        None => format!(": use one of `{}`", known.join("`, `")),
    }
}

/// Suggests the field that was meant, or lists all existing fields.
pub(super) fn suggestion(found: &str, names: &[String]) -> String {
    match nearest(found, names.iter().map(String::as_str)) {
        Some(name) => format!(": did you mean `{name}`?"),
        None if names.is_empty() => ": there are no fields".to_owned(),
        None => format!(": the fields are `{}`", names.join("`, `")),
    }
}
