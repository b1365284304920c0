//! The parts of an object's metadata that the rules read.

use crate::Structural;

/// The parts of an object's metadata that the rules read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MetadataUse {
    /// The rules read no metadata.
    None,
    /// The rules read only `name` or `generateName`.
    Names,
    /// The rules can read the metadata as a whole, including the number of its fields.
    Whole,
}

impl MetadataUse {
    /// Returns the parts of the metadata that the rules in a whole object's schema read.
    pub(super) fn from_schema(schema: &Structural) -> Self {
        if schema.properties.get("metadata").is_some_and(Structural::has_rules) {
            return Self::Whole;
        }
        // Rules further down do not see it.
        let texts = schema.validations.iter().flat_map(|rule| [&rule.rule, &rule.message_expression]);
        texts.map(|text| Self::by(text)).max().unwrap_or(Self::None)
    }

    /// Returns the parts of the metadata that an expression reads. If a `self` is not followed by the name of a field, the expression may
    /// read everything. The text is searched instead of parsed: strings and comments count as parts of the expression.
    fn by(expression: &str) -> Self {
        let mut found = Self::None;
        let mut rest = expression;
        while let Some((name, after)) = next_identifier(rest) {
            rest = after;
            if !matches!(name, "self" | "oldSelf") {
                continue;
            }
            found = found.max(match field(after) {
                Some(("metadata", after)) => match field(after) {
                    Some(("name" | "generateName", _)) => Self::Names,
                    _ => Self::Whole,
                },
                Some(_) => Self::None,
                None => Self::Whole,
            });
        }
        found
    }
}

/// Returns the first identifier of a text, and the text after it.
fn next_identifier(text: &str) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = &text[text.find(is_part)?..];
    Some(text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len())))
}

/// Splits the text after a value, such as `.name`, into the selected field's name and the remaining text.
fn field(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().strip_prefix('.')?.trim_start();
    next_identifier(text).filter(|(name, _)| text.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::MetadataUse;

    #[test]
    fn names_are_not_the_whole_metadata() {
        for (expression, expected) in [
            ("self.spec.a == 1 && has(self.status)", MetadataUse::None),
            ("self.spec.metadata.labels == {}", MetadataUse::None),
            ("itself == 1 || self_ == 2", MetadataUse::None),
            ("self.metadata.name.size() < 9 && self . metadata\n.generateName == ''", MetadataUse::Names),
            ("has(self.metadata.name)", MetadataUse::Names),
            ("has(self.metadata)", MetadataUse::Whole),
            ("dyn(self).metadata.name == 'a'", MetadataUse::Whole),
            ("self.metadata == oldSelf.metadata", MetadataUse::Whole),
            ("self.metadata.labels.size() == 1", MetadataUse::Whole),
            ("self.?metadata.name == optional.none()", MetadataUse::Whole),
            ("self.metadata[?'name'].hasValue()", MetadataUse::Whole),
            ("[oldSelf] == [self]", MetadataUse::Whole),
            ("self // .spec\n.spec == 1", MetadataUse::Whole),
        ] {
            assert_eq!(MetadataUse::by(expression), expected, "{expression}");
        }
    }
}
