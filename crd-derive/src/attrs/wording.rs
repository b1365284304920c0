//! darling's errors -> errors in lower case, with a place and a remedy.

use proc_macro2::Span;

use super::misspelt;

/// The same mistakes, worded as all errors of the derives; those without a place of their own get `span`.
pub(crate) fn reworded(error: darling::Error, span: Span) -> darling::Error {
    let all: Vec<(String, Span)> = error
        .flatten()
        .into_iter()
        .map(|error| (words(&error.to_string()), error.explicit_span().unwrap_or(span)))
        .collect();
    // An attribute that is there under a misspelled name is not missing.
    let is_misspelled = |text: &str| {
        let name = text.strip_prefix("missing attribute ").and_then(|rest| rest.split(':').next());
        name.is_some_and(|name| {
            let suggestion = format!("did you mean {name}?");
            all.iter().any(|(other, _)| other.ends_with(&suggestion))
        })
    };
    let errors = all.iter().filter(|(text, _)| !is_misspelled(text));
    darling::Error::multiple(
        errors.map(|(text, span)| darling::Error::custom(text).with_span(span)).collect(),
    )
}

fn words(message: &str) -> String {
    // The place is shown by the compiler.
    let message = match message.rsplit_once(" at ") {
        Some((before, path)) if !path.contains([' ', '`']) => before,
        _ => message,
    };
    let message = match message.strip_prefix("Unknown field: ") {
        Some(rest) => {
            let rest = rest.replace(". Did you mean", ": did you mean");
            if let Some(instead) = misspelt::instead_of_keyword(rest.trim_matches('`')) {
                return format!("unknown attribute {rest}: write `{instead}`");
            }
            format!("unknown attribute {}", rest.replace(". Available values: ", ": known are "))
        }
        None => message.to_owned(),
    };
    if let Some(field) = message.strip_prefix("Missing field ") {
        let name = field.trim_matches('`');
        return format!("missing attribute {field}: add `{name} = \"...\"`");
    }
    if let Some(field) = message.strip_prefix("Duplicate field ") {
        return format!("{field} is given twice: remove one");
    }
    let mut letters = message.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => message,
    }
}
