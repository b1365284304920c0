//! Writes descriptions as doc comments, such that schemars generates the same descriptions from them.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::docs::Documentation;
use crate::emit::literal;

/// Returns a description as documentation.
pub(super) fn docs(description: Option<&str>, has_docs: bool) -> Documentation {
    let Some(text) = description.filter(|_| has_docs) else { return Documentation::default() };
    surviving(text).unwrap_or_else(|| Documentation::from_description(Some(text)))
}

/// Returns the description as an attribute's string, if a doc comment would lose some of its characters.
pub(super) fn attribute(description: Option<&str>, has_docs: bool) -> TokenStream {
    let Some(text) = description.filter(|text| !has_docs || surviving(text).is_none()) else {
        return quote!();
    };
    let text = literal::text(text);
    quote!(#[schemars(description = #text)])
}

/// Returns documentation from which schemars generates the same text, or `None` if no documentation does that. schemars trims
/// documentation, and uses a heading at its beginning as the title; formatters remove spaces at the ends of lines. Descriptions with code
/// are excluded too, because rustdoc would run the code as a test.
fn surviving(text: &str) -> Option<Documentation> {
    let is_plain = |line: &str| {
        !line.ends_with(char::is_whitespace)
            && !line.contains('\t')
            && !line.chars().any(literal::is_hidden)
            && !line.starts_with("    ")
            && !["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence))
    };
    let comes_back = text.trim_ascii() == text
        && !text.starts_with('#')
        && text.split('\n').all(|line| line.is_empty() || is_plain(line));
    comes_back.then(|| Documentation::unchanged(text)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_back_is_documentation() {
        for text in
            ["One line.", "Two\n\nparagraphs, and a < b [c] `<d>`", "  a".trim(), "- a\n  - b", "a # b\n# c"]
        {
            assert!(surviving(text).is_some(), "{text:?}");
        }
        for text in
            [" a", "a\n", "# a", "a \nb", "a\tb", "a\n    let b;", "a\n```\nb\n```", "a\u{202e}b", "a\r\nb"]
        {
            assert!(surviving(text).is_none(), "{text:?}");
        }
    }
}
