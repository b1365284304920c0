//! Explanations in objects of known kinds.

use std::fmt::Write as _;

use crd_core::Structural;
use crd_core::schema::ValueValidation;
use crd_input::{Limits, Source};

use super::{KnownKind, schema_at};
use crate::cursor::{Cursor, CursorStep};
use crate::document::EditorDocument;
use crate::hover::about_node;

/// Maximum length of an object in a hover, in bytes.
const SHOWN: usize = 20_000;

impl EditorDocument {
    /// Returns the description and constraints of the field at a cursor. At `kind`, returns the object as the API server would store it.
    pub(crate) fn about_resource(
        &self,
        (kind, root): (&KnownKind, &Structural),
        cursor: &Cursor,
        number: usize,
    ) -> Option<String> {
        let path = self.path_of_field(cursor);
        if path == [CursorStep::Key("kind".to_owned())] {
            return self.stored(kind, number);
        }
        let (node, parent) = schema_at(root, &path)?;
        let name = match path.last()? {
            CursorStep::Key(name) => name,
            CursorStep::Item(_) => return None,
        };
        let mut markdown = about_node(&spelled(&path), name, node, parent?);
        if let Some(constraints) = node.value_validation.as_deref().and_then(constraints) {
            let _ = write!(markdown, "\n\n{constraints}");
        }
        for rule in &node.validations {
            let _ = write!(markdown, "\n\nRule: `{}`", rule.rule);
        }
        Some(markdown)
    }

    /// Returns an object as the API server would store it.
    fn stored(&self, kind: &KnownKind, number: usize) -> Option<String> {
        let source = Source::from_string("", self.text.body());
        let (documents, _) = crd_input::documents(&source, &Limits::default());
        let document = documents.into_iter().find(|document| document.origin.document == number)?;
        let stored = kind.validator.create(document.value).result.ok()?;
        let yaml = crd_core::yaml::to_yaml(&stored);
        (yaml.len() <= SHOWN).then(|| format!("As stored:\n\n```yaml\n{yaml}```"))
    }
}

fn spelled(path: &[CursorStep]) -> String {
    let step = |step: &CursorStep| match step {
        CursorStep::Key(name) => format!(".{name}"),
        CursorStep::Item(_) => "[*]".to_owned(),
    };
    path.iter().map(step).collect()
}

/// Returns the constraints on one line.
fn constraints(validation: &ValueValidation) -> Option<String> {
    let mut parts = Vec::new();
    let mut add =
        |name: &str, value: Option<String>| parts.extend(value.map(|value| format!("{name}: {value}")));
    add("format", validation.format.clone());
    add("minimum", validation.minimum.as_ref().map(ToString::to_string));
    add("maximum", validation.maximum.as_ref().map(ToString::to_string));
    add("minLength", validation.min_length.map(|length| length.to_string()));
    add("maxLength", validation.max_length.map(|length| length.to_string()));
    add("pattern", validation.pattern.as_ref().map(|pattern| format!("`{pattern}`")));
    add("minItems", validation.min_items.map(|count| count.to_string()));
    add("maxItems", validation.max_items.map(|count| count.to_string()));
    let values = validation
        .enum_
        .as_ref()
        .map(|values| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    add("one of", values);
    (!parts.is_empty()).then(|| parts.join("; "))
}
