//! Explains the keyword, field or expression under a cursor, in Markdown.

use std::ops::Range;

use crd_core::schema::Generic;
use crd_core::{CustomResourceDefinition, Structural};

use crate::cursor::{Cursor, CursorPart, CursorStep};
use crate::document::{CursorIn, EditorDocument};
use crate::expression::Expression;
use crate::keywords::{PlaceKind, Values};
use crate::placed::is_crd;
use crate::schemas::SchemaAt;
use crate::text::{Position, TextRange};

/// A hover: a text that explains a part of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditorHover {
    /// The part.
    pub range: TextRange,
    /// The text, in Markdown.
    pub markdown: String,
}

impl EditorDocument {
    /// Explains a keyword, a field or an expression at a position.
    pub fn hover(&mut self, position: Position) -> Option<EditorHover> {
        self.refresh();
        let at = self.text.offset(position);
        let text = self.text.as_str();
        let CursorIn { document, number, cursor } = self.cursor_at(at)?;
        let crd = self.crds.get(&number).map(|known| &*known.crd);
        if crd.is_none() && !is_crd(&text[document.clone()]) {
            let known = self.kinds.of_document(&text[document])?;
            let markdown = self.about_resource(known, &cursor, number)?;
            return Some(EditorHover { range: self.text.range(cursor.bytes), markdown });
        }
        let (bytes, markdown) = match cursor.part {
            CursorPart::Key => about_key(crd, &cursor, text)?,
            CursorPart::Value => self.about_value(crd, &cursor, at)?,
        };
        Some(EditorHover { range: self.text.range(bytes), markdown })
    }

    fn about_value(
        &self,
        crd: Option<&CustomResourceDefinition>,
        cursor: &Cursor,
        at: usize,
    ) -> Option<(Range<usize>, String)> {
        let text = self.text.as_str();
        if let Some(PlaceKind::Values(Values::Cel)) = PlaceKind::at(&cursor.path) {
            let expression = Expression::find(crd?, self.options.server.kube_version, text, cursor, at)?;
            let (bytes, markdown) = expression.about()?;
            return Some((expression.read.bytes(bytes), markdown));
        }
        let (CursorStep::Key(name), above) = cursor.path.split_last()? else { return None };
        let Some(PlaceKind::Fields(owner)) = PlaceKind::at(above) else { return None };
        Some((cursor.bytes.clone(), owner.keyword(name)?.about(owner)))
    }
}

fn about_key(
    crd: Option<&CustomResourceDefinition>,
    cursor: &Cursor,
    text: &str,
) -> Option<(Range<usize>, String)> {
    let name = text[cursor.bytes.clone()].trim_matches(['"', '\'']);
    let markdown = match PlaceKind::at(&cursor.path)? {
        PlaceKind::Fields(owner) => owner.keyword(name)?.about(owner),
        PlaceKind::Values(Values::Map("JSONSchemaProps")) => about_field(crd?, cursor, name)?,
        PlaceKind::Values(_) => return None,
    };
    Some((cursor.bytes.clone(), markdown))
}

/// Explains a field: its path, its type, and the way in which the API server treats it.
fn about_field(crd: &CustomResourceDefinition, cursor: &Cursor, name: &str) -> Option<String> {
    let schema = SchemaAt::find(crd, &cursor.path)?;
    let steps = [schema.steps(), &[CursorStep::Key(name.to_owned())]].concat();
    let node = schema.node(&steps)?.node;
    let parent = schema.node(&steps[..steps.len() - 2])?.node;
    Some(about_node(&path(&steps), name, node, parent))
}

/// Explains a schema node: the path, the type, and the way in which the API server treats the field.
pub(crate) fn about_node(path: &str, name: &str, node: &Structural, parent: &Structural) -> String {
    let mut lines = vec![format!("`{path}`: {}", type_of(node))];
    let Generic { description, default, .. } = &node.generic;
    lines.extend(description.clone());
    lines.push(match (default, parent.is_required(name)) {
        (Some(default), _) => format!("If it is absent, the API server fills in `{default}`."),
        (None, true) => "It is required.".to_owned(),
        (None, false) => "It is optional.".to_owned(),
    });
    lines.extend(merged(node).map(str::to_owned));
    lines.join("\n\n")
}

fn path(steps: &[CursorStep]) -> String {
    let mut path = String::new();
    let mut steps = steps.iter();
    while let Some(CursorStep::Key(keyword)) = steps.next() {
        match (keyword.as_str(), steps.as_slice().first()) {
            ("properties", Some(CursorStep::Key(name))) => {
                path += &format!(".{name}");
                steps.next();
            }
            ("items", _) => path += "[*]",
            ("additionalProperties", _) => path += ".*",
            _ => {}
        }
    }
    path
}

fn type_of(node: &Structural) -> String {
    match &node.type_ {
        _ if node.is_int_or_string() => "integer or string".to_owned(),
        Some(own) if node.additional_properties.is_some() => format!("{} (a map)", own.as_str()),
        Some(own) => own.as_str().to_owned(),
        None => "any value".to_owned(),
    }
}

/// Explains how server-side apply merges a list or an object.
fn merged(node: &Structural) -> Option<&'static str> {
    let list = node.extensions.list_type.as_deref();
    let map = node.extensions.map_type.as_deref();
    match (node.type_.as_ref()?.as_str(), list, map) {
        ("array", Some("map"), _) => Some("Server-side apply merges its items by their keys."),
        ("array", Some("set"), _) => Some("Server-side apply merges it as a set of values."),
        ("array", ..) => Some("Server-side apply replaces it as a whole: one field manager owns all of it."),
        ("object", _, Some("atomic")) => {
            Some("Server-side apply replaces it as a whole: one field manager owns all of it.")
        }
        _ => None,
    }
}
