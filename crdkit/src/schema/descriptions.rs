//! Shortens or removes descriptions.

use serde_json::{Value, json};

use super::kept::Kept;
use super::walk::{Node, SchemaLocation};
use crate::Error;
use crate::marks::Mark;
use crate::marks::stored::stored;

/// The keyword that holds the settings for descriptions at a node and below it. The last of several settings applies.
pub(super) const DESCRIPTIONS: Kept<Descriptions> = Kept::new("x-crdkit-descriptions");

/// Limits for descriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptions {
    /// The part of each description that is kept.
    pub part: Part,
    /// Maximum number of characters of a description.
    pub max_length: Option<u32>,
    /// The number of levels of fields that keep their descriptions.
    pub depth: Option<u32>,
}

/// The part of a description that is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The whole description.
    #[default]
    Full,
    /// The text before the first empty line.
    FirstParagraph,
    /// The first sentence.
    FirstSentence,
    /// No part: descriptions are removed.
    None,
}

stored!(struct Descriptions { part, max_length, depth });
stored!(
    enum Part {
        Full,
        FirstParagraph,
        FirstSentence,
        None,
    }
);

impl Descriptions {
    /// Shortens a description.
    pub(crate) fn shorten(self, text: &str) -> Option<String> {
        let text = match self.part {
            Part::None => return None,
            Part::Full => text,
            Part::FirstParagraph => first_paragraph(text)?,
            Part::FirstSentence => first_sentence(first_paragraph(text)?),
        };
        Some(match self.max_length.and_then(|most| usize::try_from(most).ok()) {
            Some(most) if text.chars().count() > most => shortened(text, most),
            _ => text.to_owned(),
        })
    }

    /// Returns the settings for the descriptions one level below.
    pub(super) fn below(self) -> Self {
        match self.depth {
            Some(0) => Self { part: Part::None, ..self },
            Some(levels) => Self { depth: Some(levels - 1), ..self },
            None => self,
        }
    }

    /// Shortens the descriptions in a schema and in all nested schemas.
    pub(crate) fn apply(self, schema: &mut Value) {
        if self == Self::default() {
            return;
        }
        self.node(schema);
    }

    fn node(self, schema: &mut Value) {
        let Value::Object(node) = schema else { return };
        if let Some(Value::String(text)) = node.get("description") {
            match self.shorten(text) {
                Some(text) => node.insert("description".to_owned(), json!(text)),
                None => node.remove("description"),
            };
        }
        for (keyword, value) in node.iter_mut() {
            match (keyword.as_str(), value) {
                // Names of fields are not keywords.
                ("properties", Value::Object(properties)) => {
                    properties.values_mut().for_each(|property| self.below().node(property));
                }
                ("items" | "additionalProperties" | "not", inner) => self.node(inner),
                ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                    branches.iter_mut().for_each(|branch| self.node(branch));
                }
                _ => {}
            }
        }
    }
}

/// Returns the text before the first empty line.
fn first_paragraph(text: &str) -> Option<&str> {
    Some(text.split("\n\n").find(|part| !part.trim().is_empty())?.trim())
}

/// Returns the text up to the first full stop followed by a space. Dots of abbreviations, or before a lower-case letter, do not end a
/// sentence.
fn first_sentence(text: &str) -> &str {
    let stops = text.match_indices(['.', '!', '?']).map(|(at, _)| text.split_at(at + 1));
    let mut ends = stops.filter(|(sentence, rest)| {
        let last = sentence.rsplit(char::is_whitespace).next().unwrap_or_default();
        let is_abbreviated = ["e.g.", "i.e.", "etc.", "vs.", "cf."].contains(&last.trim_start_matches('('));
        rest.starts_with(char::is_whitespace)
            && !rest.trim_start().starts_with(|c: char| c.is_lowercase())
            && !is_abbreviated
    });
    ends.next().map_or(text, |(sentence, _)| sentence)
}

/// Returns the first words that fit into `most` characters, followed by dots.
fn shortened(text: &str, most: usize) -> String {
    let fitting: String = text.chars().take(most.saturating_sub(3)).collect();
    let end = fitting.rfind(char::is_whitespace).unwrap_or(fitting.len());
    let mut short = fitting[..end].trim_end().to_owned();
    short.extend(std::iter::repeat_n('.', most.min(3)));
    short
}

/// Stores a mark's settings for descriptions until the schema is complete.
pub(super) fn keep(node: &mut Node, mark: &Mark) {
    DESCRIPTIONS.add(node, mark.descriptions.as_slice());
}

/// Shortens the descriptions of a node and of all nodes inside it.
pub(super) fn shorten(node: &mut Node, _: &SchemaLocation) -> Result<(), Error> {
    let Some(wanted) = DESCRIPTIONS.take(node).pop() else { return Ok(()) };
    let mut schema = Value::Object(std::mem::take(node));
    wanted.apply(&mut schema);
    if let Value::Object(shortened) = schema {
        *node = shortened;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_words() {
        let text = "One two.\n\nThree.";
        let of = |part, max_length| Descriptions { part, max_length, depth: None }.shorten(text);
        assert_eq!(of(Part::None, None), None);
        assert_eq!(of(Part::FirstParagraph, None).as_deref(), Some("One two."));
        assert_eq!(of(Part::FirstParagraph, Some(7)).as_deref(), Some("One..."));
        assert_eq!(of(Part::FirstSentence, None).as_deref(), Some("One two."));
        assert_eq!(of(Part::Full, Some(5)).as_deref(), Some("On..."));
        assert_eq!(of(Part::Full, Some(99)).as_deref(), Some(text));
    }

    #[test]
    fn fields_below_the_depth_have_no_descriptions() {
        let field = |inner: Value| json!({"description": "b", "type": "array", "items": inner});
        let inner = json!({"description": "i", "properties": {"c": {"description": "c"}}});
        let mut schema = json!({"description": "a", "properties": {"b": field(inner)}});
        Descriptions { depth: Some(1), ..Descriptions::default() }.apply(&mut schema);
        let inner = json!({"description": "i", "properties": {"c": {}}});
        assert_eq!(schema, json!({"description": "a", "properties": {"b": field(inner)}}));
        Descriptions { depth: Some(0), ..Descriptions::default() }.apply(&mut schema);
        let inner = json!({"properties": {"c": {}}});
        assert_eq!(
            schema,
            json!({"description": "a", "properties": {"b": {"type": "array", "items": inner}}})
        );
    }

    #[test]
    fn a_sentence_ends_at_a_full_stop_with_a_blank_behind_it() {
        for (text, sentence) in [
            (
                "A name, e.g. Foo or a.b.c, etc. and others. More.",
                "A name, e.g. Foo or a.b.c, etc. and others.",
            ),
            ("Is it set? Yes.", "Is it set?"),
            ("Port (i.e. A). B", "Port (i.e. A)."),
            ("no end", "no end"),
            ("Since v1.2\nof it. B", "Since v1.2\nof it."),
            ("One.\nTwo.", "One."),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }
}
