//! Generates the documentation of generated items.
//!
//! rustdoc compiles and runs the code that it finds in documentation, and the descriptions in a CRD are not trusted. Only this module
//! therefore turns texts from a CRD into documentation. When the documentation of an item is complete, this module parses it with
//! rustdoc's parser. If the parser finds code or HTML, the whole text is written as one block of plain text.

mod clean;
mod inline;
mod rustdoc;

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};

use super::literal;

/// The documentation of one item, in which rustdoc finds no test.
#[derive(Clone, Debug, Default)]
pub(super) struct Documentation {
    lines: Vec<String>,
}

impl Documentation {
    /// Returns a description as Markdown that rustdoc and clippy accept without a warning; empty if there is no description.
    pub(super) fn from_description(description: Option<&str>) -> Self {
        let Some(text) = description else { return Self::default() };
        rustdoc::plain_lines(text)
            .map_or_else(|| Self::checked(clean::lines(text), text), |lines| Self { lines })
    }

    /// Returns documentation from Markdown that the generator has written, and that may contain names from the CRD.
    pub(super) fn from_markdown(text: &str) -> Self {
        Self::checked(text.split('\n').map(clean::visible).collect(), text)
    }

    /// Returns the unchanged description, if rustdoc finds only prose in it.
    pub(super) fn unchanged(description: &str) -> Option<Self> {
        let lines = description.split('\n').map(str::to_owned);
        // An attribute of the user may come before it, whose line is not indented: then spaces that all lines share stay.
        let beside_others: Vec<String> =
            ["a".to_owned(), String::new()].into_iter().chain(lines.clone()).collect();
        rustdoc::is_prose(&beside_others).then(|| Self { lines: lines.collect() })
    }

    /// Returns the lines if rustdoc finds only prose in them. Otherwise returns `text` as a block of plain text.
    fn checked(lines: Vec<String>, text: &str) -> Self {
        if rustdoc::is_prose(&lines) { Self { lines } } else { Self { lines: plain_text(text) } }
    }

    /// Adds a heading and a text that is shown verbatim. Returns the documentation unchanged if rustdoc would not show the text verbatim.
    pub(super) fn with_text(self, heading: &str, text: &str) -> Self {
        let mut lines = self.lines.clone();
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend([format!("# {heading}"), String::new()]);
        lines.extend(plain_text(text));
        if rustdoc::is_prose(&lines) { Self { lines } } else { self }
    }

    /// Returns all lines as one string, for an attribute that a derive turns into documentation.
    pub(super) fn text(&self) -> String {
        self.lines.join("\n")
    }
}

/// One attribute with all lines. `print` writes them as separate lines.
impl ToTokens for Documentation {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if self.lines.is_empty() {
            return;
        }
        let mut text = String::with_capacity(self.lines.iter().map(|line| line.len() + 2).sum());
        for (i, line) in self.lines.iter().enumerate() {
            if i > 0 {
                text.push('\n');
            }
            if !line.is_empty() {
                text.push(' ');
                text.push_str(line);
            }
        }
        if text.contains('\r') {
            // No literal that is written line by line can hold it.
            return tokens.append_all(text.split('\n').flat_map(attribute));
        }
        tokens.append_all(attribute(&text));
    }
}

/// Returns a doc comment as an attribute such as `#[doc = r" a"]`, which `print` splits into lines.
pub(super) fn attribute(text: &str) -> [TokenTree; 2] {
    let (name, equals) = (Ident::new("doc", Span::call_site()), Punct::new('=', Spacing::Alone));
    let attribute: [TokenTree; 3] = [name.into(), equals.into(), literal::raw_string(text).into()];
    let attribute = Group::new(Delimiter::Bracket, attribute.into_iter().collect());
    [Punct::new('#', Spacing::Alone).into(), attribute.into()]
}

/// Returns the text as a fenced block. The fence is longer than any run of backticks in the text, so the text cannot end the block.
fn plain_text(text: &str) -> Vec<String> {
    let longest = clean::longest_run(text, '`');
    let fence = "`".repeat(longest.max(2) + 1);
    let mut lines = vec![format!("{fence}text")];
    lines.extend(text.split('\n').map(clean::visible));
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.push(fence);
    lines
}

#[cfg(test)]
mod tests;
