//! Inlay hints: the costs of rules, and default values that the API server fills in.

use std::ops::Range;
use std::sync::Arc;

use crd_core::cel::{Environment, Rules, SCHEMA_COST_LIMIT, SchemaTypes, max_children};
use crd_core::{CustomResourceDefinition, FieldPath, Structural};
use crd_input::{Document, Limits, Source, SourceMap};
use serde_json::Value;

use crate::document::EditorDocument;
use crate::price::{Price, percent};
use crate::properties::{schema_field, structural};
use crate::text::{Position, TextRange};

/// A short text that an editor shows after a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditorHint {
    /// The place.
    pub position: Position,
    /// The text.
    pub label: String,
}

/// Maximum number of hints per request.
const MOST_HINTS: usize = 1_000;

/// Maximum length of a label, in characters.
const LONGEST: usize = 60;

impl EditorDocument {
    /// Returns the hints in a part of the text. In a CRD, each rule has a hint with its cost, and the share of the cost budget. In a custom
    /// resource, an object has a hint with the defaults for missing fields. There are no hints where the text cannot be parsed.
    pub fn hints(&mut self, range: TextRange) -> Vec<EditorHint> {
        self.refresh();
        if self.crds.is_empty() && self.kinds.is_empty() {
            return Vec::new();
        }
        let (body, mark) = (self.text.shared_body(), self.text.mark());
        let bytes = self.text.bytes(range);
        let map = SourceMap::from_shared(Arc::clone(&body));
        let part = bytes.start.saturating_sub(mark)..bytes.end.saturating_sub(mark);
        let mut finder = HintFinder { map: &map, number: 0, part, found: Vec::new() };
        let (documents, _) = crd_input::documents(&Source::from_string("", body), &Limits::default());
        for Document { value, origin } in documents {
            finder.number = origin.document;
            match self.crds.get(&origin.document) {
                Some(known) if known.is_current => finder.crd(&known.crd, self.options.server.kube_version),
                _ => {
                    if let Some(root) = self.kinds.of_object(&value) {
                        finder.defaults(&value, root, &FieldPath::root());
                    }
                }
            }
        }
        let hint = |(at, label): (usize, String)| {
            let label = match label.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}…", &label[..end]),
                None => label,
            };
            EditorHint { position: self.text.range_in_body(at..at).start, label }
        };
        finder.found.into_iter().map(hint).collect()
    }
}

struct HintFinder<'m> {
    map: &'m SourceMap,
    number: usize,
    /// The byte range for which hints are wanted.
    part: Range<usize>,
    found: Vec<(usize, String)>,
}

impl HintFinder<'_> {
    /// Returns a field's byte range, if the field is in the text and overlaps `part`.
    fn place(&self, field: &FieldPath) -> Option<Range<usize>> {
        let place = self.map.locate(self.number, field).filter(|place| place.exact)?;
        let start = place.key.map_or(place.value.start, |key| key.start);
        let bytes = start..place.value.end.max(start);
        let is_near = bytes.start <= self.part.end && self.part.start <= bytes.end;
        (is_near && self.found.len() < MOST_HINTS).then_some(bytes)
    }

    fn add(&mut self, at: usize, label: String) {
        if (self.part.start..=self.part.end).contains(&at) {
            self.found.push((at, label));
        }
    }

    fn crd(&mut self, crd: &CustomResourceDefinition, release: crd_core::KubeVersion) {
        for version in 0..crd.spec.versions.len() {
            let field = schema_field(version);
            if self.place(&field).is_none() {
                continue;
            }
            let Some(root) = structural(crd, version) else { continue };
            if !root.any(&|node| !node.validations.is_empty()) {
                continue;
            }
            let types = SchemaTypes::for_version(&root, true, release);
            let rules = Rules::new(&types, Environment::for_server(release));
            self.prices(&rules, &root, &field, Some(1));
        }
    }

    /// Adds the costs of a schema's rules. `times` is the maximum number of values for this schema in one object.
    fn prices(&mut self, rules: &Rules<'_, '_>, node: &Structural, at: &FieldPath, times: Option<u64>) {
        if self.place(at).is_none() {
            return;
        }
        for (i, rule) in node.validations.iter().enumerate() {
            let at = at.child("x-kubernetes-validations").index(i);
            let optional = rule.optional_old_self == Some(true);
            for (key, text, is_message) in
                [("rule", &rule.rule, false), ("messageExpression", &rule.message_expression, true)]
            {
                let Some(bytes) = self.place(&at.child(key)) else { continue };
                if let Some(price) = Price::of(rules, node, (text, is_message, optional), times) {
                    let share = percent(price.total, SCHEMA_COST_LIMIT);
                    let end = self.map.text()[..bytes.end].trim_end().len();
                    self.add(end, format!("cost {}, {share} of the budget", price.total));
                }
            }
        }
        let below = max_children(node);
        for (child, schema) in node.children() {
            let times = times.zip(below).map(|(times, below)| times.saturating_mul(below));
            self.prices(rules, schema, &child.below(at), times);
        }
    }

    /// Adds the defaults for fields that are missing in an object, or in objects inside it.
    fn defaults(&mut self, value: &Value, node: &Structural, at: &FieldPath) {
        let Some(bytes) = self.place(at) else { return };
        match value {
            Value::Object(fields) => {
                let absent = node.properties.iter().filter(|(name, _)| !fields.contains_key(*name));
                let filled: Vec<String> = absent
                    .filter_map(|(name, field)| {
                        Some(format!("{name}: {}", field.generic.default.as_deref()?))
                    })
                    .collect();
                if !filled.is_empty() && !at.segments().is_empty() {
                    self.add(self.end_of_head(bytes), filled.join(", "));
                }
                for (name, below) in fields {
                    if let Some(schema) = node.field(name) {
                        self.defaults(below, schema, &at.key(name.as_str()));
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = node.items.as_deref() {
                    for (i, item) in items.iter().enumerate() {
                        self.defaults(item, schema, &at.index(i));
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the end of a field's first line.
    fn end_of_head(&self, bytes: Range<usize>) -> usize {
        let rest = &self.map.text()[bytes.start..];
        bytes.start + rest.find(['\r', '\n']).unwrap_or(rest.len())
    }
}
