//! Completions in objects of known kinds.

use crd_core::Structural;
use crd_sample::{Allowance, Sampler};

use super::{Head, KnownKind, schema_at};
use crate::complete::{CompletionKind, EditorCompletion};
use crate::cursor::{Cursor, CursorPart};
use crate::document::EditorDocument;

/// Maximum number of steps for generating a sample. They take a fraction of a second.
const STEPS_OF_SAMPLE: u64 = 1_000_000;

impl EditorDocument {
    /// Returns the missing fields at a cursor, required fields first. At a value, returns the possible values.
    pub(crate) fn resource_completions(
        &self,
        root: &Structural,
        cursor: &Cursor,
    ) -> Option<Vec<EditorCompletion>> {
        let (node, _) = schema_at(root, &cursor.path)?;
        if cursor.part == CursorPart::Value || node.properties.is_empty() {
            return Some(self.resource_values(node, cursor));
        }
        let text = self.text.as_str();
        let (present, own) = (cursor.siblings(text), &text[cursor.bytes.clone()]);
        let has_colon = text[cursor.bytes.end..].trim_start_matches(' ').starts_with(':');
        let mut fields: Vec<(&str, &Structural)> = node
            .properties
            .iter()
            .filter(|(name, _)| *name == own || !present.iter().any(|known| known == name))
            .collect();
        fields.sort_by_key(|(name, _)| !node.is_required(name));
        let completion = |(name, field): (&str, &Structural)| {
            let kind = field.type_.as_ref().map_or("any", |own| own.as_str());
            let end = match kind {
                _ if has_colon => "",
                "object" | "array" => ":",
                _ => ": ",
            };
            let needed = if node.is_required(name) { ", required" } else { "" };
            EditorCompletion {
                label: name.to_owned(),
                kind: CompletionKind::Field,
                detail: format!("{kind}{needed}"),
                documentation: field.generic.description.clone(),
                edit: self.replacing(cursor.bytes.clone(), format!("{}{end}", written(name))),
            }
        };
        Some(fields.into_iter().map(completion).collect())
    }

    /// Returns a completion that adds the rest of a minimal accepted object, if the document does not have a `spec` yet.
    pub(crate) fn sample(
        &self,
        kind: &KnownKind,
        document: &str,
        cursor: &Cursor,
    ) -> Option<EditorCompletion> {
        let present = cursor.siblings(self.text.as_str());
        if !cursor.path.is_empty()
            || cursor.part == CursorPart::Value
            || present.iter().any(|name| name == "spec")
        {
            return None;
        }
        let version = Head::in_document(document)?.version;
        let sampler = Sampler::with_validator(&kind.crd, &version, &kind.validator).ok()?;
        let mut object = sampler.with_allowance(&Allowance::new(STEPS_OF_SAMPLE)).minimal().ok()?;
        let fields = object.as_object_mut()?;
        fields.retain(|name, _| !present.iter().any(|known| known == name));
        if fields.is_empty() {
            return None;
        }
        let text = crd_core::yaml::to_yaml(&object);
        Some(EditorCompletion {
            label: "sample".to_owned(),
            kind: CompletionKind::Sample,
            detail: "a minimal object that the API server accepts".to_owned(),
            documentation: Some(format!("```yaml\n{text}```")),
            edit: self.replacing(cursor.bytes.clone(), text.trim_end().to_owned()),
        })
    }

    /// Returns an enum's or a boolean's values. For another type, returns the default.
    fn resource_values(&self, node: &Structural, cursor: &Cursor) -> Vec<EditorCompletion> {
        let allowed =
            node.value_validation.iter().filter_map(|validation| validation.enum_.as_ref()).flatten();
        let mut values: Vec<serde_json::Value> = allowed.cloned().collect();
        if values.is_empty() && node.type_.as_ref().is_some_and(|own| own.as_str() == "boolean") {
            values = vec![true.into(), false.into()];
        }
        if values.is_empty() {
            values.extend(
                node.generic
                    .default
                    .as_deref()
                    .filter(|value| !value.is_object() && !value.is_array())
                    .cloned(),
            );
        }
        let default = node.generic.default.as_deref();
        let completion = |value: serde_json::Value| {
            let text = value.as_str().map_or_else(|| value.to_string(), written);
            EditorCompletion {
                edit: self.replacing(cursor.bytes.clone(), text.clone()),
                label: value.as_str().map_or(text, str::to_owned),
                kind: CompletionKind::Value,
                detail: if default == Some(&value) { "the default".to_owned() } else { String::new() },
                documentation: None,
            }
        };
        values.into_iter().map(completion).collect()
    }
}

/// Returns a string as YAML, with quotes if YAML would otherwise not parse it as a string.
fn written(text: &str) -> String {
    let mut out = String::new();
    crd_core::yaml::write_key(text, 0, &mut out);
    out
}
