//! Go to definition: finds the property that a name refers to.

use crd_core::FieldPath;

use crate::cursor::{Cursor, CursorPart, CursorStep};
use crate::document::EditorDocument;
use crate::placed::is_crd;
use crate::properties::{Property, SchemaStep, steps_of_object};
use crate::resources::KindPlace;
use crate::text::{Position, TextRange};

/// A property in a CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditorTarget {
    /// The file with the CRD, or `None` if the CRD is in the same text.
    pub file: Option<String>,
    /// The CRD's index among the objects in the text.
    number: usize,
    field: FieldPath,
}

impl EditorDocument {
    /// Returns the property that the name at a position refers to. The name can be a key in a custom resource. In a CRD, it can be in a
    /// rule, in a path, or in a list such as `required`.
    pub fn definition(&mut self, position: Position) -> Option<EditorTarget> {
        let at = self.text.offset(position);
        if let Some((number, found)) = self.property_at(at) {
            return Some(EditorTarget { file: None, number, field: found.property.field() });
        }
        let place = self.cursor_at(at)?;
        let document = &self.text.as_str()[place.document];
        if self.crds.contains_key(&place.number) || is_crd(document) {
            return None;
        }
        let (kind, version, root) = self.kinds.version_of_document(document)?;
        let KindPlace { file, number } = kind.place.clone()?;
        let mut above = steps_of_object(root, &self.path_of_field(&place.cursor))?;
        // An item and a value of a map stand for the property around them.
        let name = loop {
            if let SchemaStep::Property(name) = above.pop()? {
                break name;
            }
        };
        let field = Property { version, above, name }.field();
        Some(EditorTarget { file: Some(file), number, field })
    }

    /// Returns the range of a property's name, if the property is in this text.
    #[must_use]
    pub fn target_range(&self, target: &EditorTarget) -> Option<TextRange> {
        let map = crd_input::SourceMap::from_shared(self.text.shared_body());
        let place = map.locate(target.number, &target.field).filter(|place| place.exact)?;
        Some(self.text.range_in_body(place.key.unwrap_or(place.value)))
    }

    /// Returns the path to the field whose key or value contains a cursor.
    pub(crate) fn path_of_field(&self, cursor: &Cursor) -> Vec<CursorStep> {
        let mut path = cursor.path.clone();
        if cursor.part == CursorPart::Key {
            let name = self.text.as_str()[cursor.bytes.clone()].trim_matches(['"', '\'']);
            path.push(CursorStep::Key(name.to_owned()));
        }
        path
    }
}
