//! The outline of a text. It consists of CRDs with versions and fields, and of custom resources with fields.

use std::ops::Range;

use crd_core::{CustomResourceDefinition, FieldPath, Structural};
use crd_input::{Document, Limits, Location, Source, SourceMap};
use serde_json::Value;

use crate::document::EditorDocument;
use crate::properties::{schema_field, structural};
use crate::text::{Text, TextRange};

/// An entry in an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditorSymbol {
    /// Its name.
    pub name: String,
    /// A type, a value, or another detail to show after the name.
    pub detail: String,
    /// The kind of entry.
    pub kind: SymbolKind,
    /// The range of the whole entry in the text.
    pub range: TextRange,
    /// The range of the name, inside `range`.
    pub name_range: TextRange,
    /// The entries inside this entry, in the order of the text.
    pub children: Vec<EditorSymbol>,
}

/// The kinds of entries in an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SymbolKind {
    /// A CRD or a custom resource.
    Object,
    /// A version of a CRD.
    Version,
    /// A field.
    Field,
    /// An item of a list.
    Item,
}

/// Maximum number of entries in an outline.
const MOST_SYMBOLS: usize = 20_000;

/// Maximum depth of an outline. Schemas cannot be recursive, but generated schemas can be deep.
const MOST_LEVELS: usize = 64;

/// Maximum length of a displayed value, in characters.
const LONGEST: usize = 60;

impl EditorDocument {
    /// Returns the outline of all CRDs and custom resources in the text, except where the text cannot be parsed.
    pub fn outline(&mut self) -> Vec<EditorSymbol> {
        self.refresh();
        if self.crds.is_empty() && self.kinds.is_empty() {
            return Vec::new();
        }
        let body = self.text.shared_body();
        let map = SourceMap::from_shared(std::sync::Arc::clone(&body));
        let (documents, _) = crd_input::documents(&Source::from_string("", body), &Limits::default());
        let mut outline = Outline { text: &self.text, map: &map, number: 0, left: MOST_SYMBOLS };
        let mut symbols = Vec::new();
        for Document { value, origin } in documents {
            outline.number = origin.document;
            symbols.extend(match self.crds.get(&origin.document) {
                Some(known) if known.is_current => outline.crd(&known.crd),
                _ if self.kinds.of_object(&value).is_some() => outline.resource(&value),
                _ => None,
            });
        }
        symbols
    }
}

struct Outline<'t> {
    text: &'t Text,
    map: &'t SourceMap,
    number: usize,
    /// The number of entries that can still be added.
    left: usize,
}

impl Outline<'_> {
    /// Creates an entry. Returns `None` if the text is outside the parent, which happens if the parent contains only an alias.
    fn symbol(
        &mut self,
        name: &str,
        detail: String,
        kind: SymbolKind,
        (field, around): (&FieldPath, &Range<usize>),
    ) -> Option<(EditorSymbol, Range<usize>)> {
        let Location { key, value, exact, .. } = self.map.locate(self.number, field)?;
        let own = key.clone().unwrap_or(value.start..value.start);
        let bytes = own.start..self.end(value.end.max(own.end));
        if !exact || bytes.start < around.start || bytes.end > around.end || self.left == 0 {
            return None;
        }
        self.left -= 1;
        let symbol = EditorSymbol {
            name: if name.is_empty() { "\"\"".to_owned() } else { name.to_owned() },
            detail,
            kind,
            range: self.text.range_in_body(bytes.clone()),
            name_range: self.text.range_in_body(own),
            children: Vec::new(),
        };
        Some((symbol, bytes))
    }

    /// Returns the end of an entry, without trailing line breaks.
    fn end(&self, end: usize) -> usize {
        self.map.text()[..end].trim_end_matches(['\n', '\r']).len()
    }

    /// Creates the entry for a whole object.
    fn object(&mut self, name: &str, kind: &str) -> Option<(EditorSymbol, Range<usize>)> {
        let everywhere = 0..self.map.text().len();
        self.symbol(name, kind.to_owned(), SymbolKind::Object, (&FieldPath::root(), &everywhere))
    }

    fn crd(&mut self, crd: &CustomResourceDefinition) -> Option<EditorSymbol> {
        let name = crd.metadata.name.as_str();
        let (mut whole, around) = self.object(name, "CustomResourceDefinition")?;
        for (i, version) in crd.spec.versions.iter().enumerate() {
            let field = FieldPath::new("spec").child("versions").index(i);
            let marks = [(version.served, "served"), (version.storage, "storage")];
            let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
            let detail = marks.join(", ");
            let found = self.symbol(&version.name, detail, SymbolKind::Version, (&field, &around));
            let Some((mut symbol, around)) = found else { continue };
            if let Some(schema) = structural(crd, i) {
                symbol.children = self.properties(&schema, &schema_field(i), &around, 0);
            }
            whole.children.push(symbol);
        }
        Some(whole)
    }

    /// Returns the entries for an object's properties, or for the properties of a list's items.
    fn properties(
        &mut self,
        node: &Structural,
        at: &FieldPath,
        around: &Range<usize>,
        level: usize,
    ) -> Vec<EditorSymbol> {
        let mut symbols = Vec::new();
        if level > MOST_LEVELS {
            return symbols;
        }
        for (name, child) in node.properties.iter() {
            let field = at.child("properties").key(name);
            let detail = child.type_.as_ref().map_or_else(String::new, |own| own.as_str().to_owned());
            let found = self.symbol(name, detail, SymbolKind::Field, (&field, around));
            let Some((mut symbol, around)) = found else { continue };
            symbol.children = self.properties(child, &field, &around, level + 1);
            symbols.push(symbol);
        }
        for (keyword, child) in
            [("items", node.items.as_deref()), ("additionalProperties", node.map_values())]
        {
            if let Some(child) = child {
                symbols.extend(self.properties(child, &at.child(keyword), around, level + 1));
            }
        }
        symbols.sort_by_key(|symbol| symbol.range.start);
        symbols
    }

    fn resource(&mut self, value: &Value) -> Option<EditorSymbol> {
        let name = value["metadata"]["name"].as_str().unwrap_or_default();
        let kind = value["kind"].as_str().unwrap_or_default();
        let (mut whole, around) = self.object(if name.is_empty() { kind } else { name }, kind)?;
        whole.children = self.fields(value, &FieldPath::root(), &around, 0);
        Some(whole)
    }

    fn fields(
        &mut self,
        value: &Value,
        at: &FieldPath,
        around: &Range<usize>,
        level: usize,
    ) -> Vec<EditorSymbol> {
        let mut parts: Vec<(String, SymbolKind, FieldPath, &Value)> = Vec::new();
        match value {
            Value::Object(fields) => parts.extend(
                fields
                    .iter()
                    .map(|(name, below)| (name.clone(), SymbolKind::Field, at.key(name.as_str()), below)),
            ),
            Value::Array(items) => parts.extend(
                items
                    .iter()
                    .enumerate()
                    .map(|(i, below)| (format!("[{i}]"), SymbolKind::Item, at.index(i), below)),
            ),
            _ => {}
        }
        let mut symbols = Vec::new();
        for (name, kind, field, below) in parts.into_iter().filter(|_| level <= MOST_LEVELS) {
            let found = self.symbol(&name, shown(below), kind, (&field, around));
            let Some((mut symbol, around)) = found else { continue };
            symbol.children = self.fields(below, &field, &around, level + 1);
            symbols.push(symbol);
        }
        symbols.sort_by_key(|symbol| symbol.range.start);
        symbols
    }
}

/// Returns a scalar on one line.
pub(crate) fn shown(value: &Value) -> String {
    let text = match value {
        Value::Object(_) | Value::Array(_) => return String::new(),
        Value::String(text) => text.lines().next().unwrap_or_default().to_owned(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
