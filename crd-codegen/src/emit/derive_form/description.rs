//! Descriptions as documentation, from which schemars makes descriptions again.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::{docs, literal};

/// The documentation of a description.
pub(super) fn docs(description: Option<&str>, has_docs: bool) -> TokenStream {
    let Some(text) = description.filter(|_| has_docs) else { return quote!() };
    if survives(text) {
        let lines = text.split('\n').map(|line| {
            let line = if line.is_empty() { String::new() } else { format!(" {line}") };
            let line = literal::string(&line);
            quote!(#[doc = #line])
        });
        return lines.collect();
    }
    docs::attributes(Some(text))
}

/// The description as a text of an attribute, where documentation does not keep every character.
pub(super) fn attribute(description: Option<&str>, has_docs: bool) -> TokenStream {
    let Some(text) = description.filter(|text| !has_docs || !survives(text)) else { return quote!() };
    let text = super::text(text);
    quote!(#[schemars(description = #text)])
}

/// Whether a text comes back from documentation as it was: schemars trims it, and takes a first heading for a title;
/// formatters cut blanks at the ends of lines. Code would be run as a test.
fn survives(text: &str) -> bool {
    let is_plain = |line: &str| {
        !line.ends_with(char::is_whitespace)
            && !line.contains('\t')
            && !line.chars().any(literal::is_hidden)
            && !line.starts_with("    ")
            && !["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence))
    };
    text.trim_ascii() == text
        && !text.starts_with('#')
        && text.split('\n').all(|line| line.is_empty() || is_plain(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_back_is_documentation() {
        for text in
            ["One line.", "Two\n\nparagraphs, and <b> [c] `d`", "  a".trim(), "- a\n  - b", "a # b\n# c"]
        {
            assert!(survives(text), "{text:?}");
        }
        for text in
            [" a", "a\n", "# a", "a \nb", "a\tb", "a\n    let b;", "a\n```\nb\n```", "a\u{202e}b", "a\r\nb"]
        {
            assert!(!survives(text), "{text:?}");
        }
    }
}
