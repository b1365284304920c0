//! The attribute `descriptions`, which sets the part of each description to keep.

use syn::Meta;

use super::text::Text;
use crate::attrs::value::FromMeta;

/// `descriptions = "full"`, `"first_paragraph"`, `"first_sentence"` or `"none"`.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// The whole description.
    Full,
    /// The text before the first empty line.
    FirstParagraph,
    /// The first sentence.
    FirstSentence,
    /// No part: descriptions are removed.
    None,
}

impl Part {
    /// Returns the attribute's value for this part.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::FirstParagraph => "first_paragraph",
            Self::FirstSentence => "first_sentence",
            Self::None => "none",
        }
    }
}

impl FromMeta for Part {
    fn from_meta(item: &Meta) -> syn::Result<Self> {
        let text = Text::from_meta(item)?;
        let word = text.literal().unwrap_or_default();
        [Self::Full, Self::FirstParagraph, Self::FirstSentence, Self::None]
            .into_iter()
            .find(|part| part.word() == word)
            .ok_or_else(|| {
                let help = "expected `\"full\"`, `\"first_paragraph\"`, `\"first_sentence\"` or `\"none\"`";
                syn::Error::new(text.span(), help)
            })
    }
}
