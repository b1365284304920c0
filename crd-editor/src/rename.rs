//! Renames a property, and all references to it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crd_core::check::Verdict;
use crd_core::yaml::write_key;
use crd_core::{FieldPath, Segment};
use crd_input::{Document, Limits, Source, SourceMap};
use serde_json::Value;

use crate::document::EditorDocument;
use crate::properties::{
    NamedProperty, Property, PropertyUse, SchemaStep, UseChange, follow, structural, uses,
};
use crate::scalar::ReadScalar;
use crate::text::{Position, TextEdit, TextRange};

/// The reason why nothing is renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRenamed(String);

impl fmt::Display for NotRenamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotRenamed {}

impl From<String> for NotRenamed {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

impl From<&str> for NotRenamed {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

/// Fields with a meaning for the API server in every object.
const KNOWN: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Fields with a meaning for subresources, at the root of an object.
const ROOT: [&str; 2] = ["spec", "status"];

impl EditorDocument {
    /// Returns the range and the text of the property name at a position.
    ///
    /// # Errors
    /// - There is no property name at the position, or the property cannot be renamed.
    pub fn renamed_range(&mut self, position: Position) -> Result<(TextRange, String), NotRenamed> {
        let (_, found) = self.renamed(position)?;
        Ok((self.text.range(found.bytes), found.property.name))
    }

    /// Returns the edits that rename the property at a position. They change the version's schema, and all rules, paths, columns, defaults
    /// and lists of names that refer to the property. The API server accepts the edited CRD if it accepted the original.
    ///
    /// # Errors
    /// - There is no property name at the position, or the property cannot have the new name.
    /// - It is unclear whether a name refers to the property.
    /// - The text cannot be parsed, or a name is shared through a YAML alias.
    pub fn rename(&mut self, position: Position, new: &str) -> Result<Vec<TextEdit>, NotRenamed> {
        let (number, found) = self.renamed(position)?;
        let property = found.property;
        if new == property.name {
            return Ok(Vec::new());
        }
        check_name(new)?;
        if property.above.is_empty() && (KNOWN.contains(&new) || ROOT.contains(&new)) {
            return Err(format!("`{new}` has a special meaning for the API server").into());
        }
        let body = self.text.shared_body();
        let before = read(&body).ok_or("the text cannot be read")?;
        let object = before.get(number).ok_or("the text cannot be read")?;
        let crd = self.crds.get(&number).ok_or("the CRD cannot be read")?;
        let root = structural(&crd.crd, property.version).ok_or("the schema cannot be read")?;
        let owner = follow(&root, &property.above).ok_or("the schema has no such property")?;
        if owner.properties.get(new).is_some() {
            return Err(format!("the property `{new}` already exists").into());
        }
        let places = uses(object, &root, &property, new, self.options.server.kube_version)?;
        let changes = changes(&body, number, object, &places, new)?;
        let mut after = before.clone();
        places.iter().try_for_each(|place| apply(after.get_mut(number)?, place, new));
        let text = replaced(&body, &changes);
        if read(&text).as_ref() != Some(&after) {
            return Err(
                "the text is shared through a YAML alias, so another property would change, too".into()
            );
        }
        let verdict = |crd: &Value| {
            let (verdict, _) = Verdict::with_definition_at(crd.clone(), self.options.server);
            (verdict.accepted, verdict.errors.len(), verdict.warnings.len())
        };
        if verdict(&before[number]) != verdict(&after[number]) {
            return Err(format!("the API server would treat the CRD differently with `{new}`").into());
        }
        let edit = |(bytes, new_text)| TextEdit { range: self.text.range_in_body(bytes), new_text };
        Ok(changes.into_iter().map(edit).collect())
    }

    /// Returns the property at a position, and the CRD's index.
    fn renamed(&mut self, position: Position) -> Result<(usize, NamedProperty), NotRenamed> {
        let at = self.text.offset(position);
        let (number, found) =
            self.property_at(at).ok_or("there is no name of a property at this position")?;
        let Property { above, name, .. } = &found.property;
        let is_of_metadata = above.last() == Some(&SchemaStep::Property("metadata".to_owned()));
        if KNOWN.contains(&name.as_str())
            || is_of_metadata
            || above.is_empty() && ROOT.contains(&name.as_str())
        {
            return Err(format!("`{name}` has a special meaning for the API server").into());
        }
        Ok((number, found))
    }

    /// Returns the property that the name at a byte refers to, and the CRD's index.
    pub(crate) fn property_at(&mut self, at: usize) -> Option<(usize, NamedProperty)> {
        self.refresh();
        let place = self.cursor_at(at)?;
        let crd = &self.crds.get(&place.number)?.crd;
        let release = self.options.server.kube_version;
        let found = NamedProperty::find(crd, release, self.text.as_str(), &place.cursor, at)?;
        Some((place.number, found))
    }
}

/// Checks that a name needs no quotes in rules and paths.
fn check_name(new: &str) -> Result<(), NotRenamed> {
    let begins = new.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_plain = new.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    match begins && is_plain {
        true => Ok(()),
        false => Err("a name has letters, digits, `_` and `-`, and begins with a letter or `_`".into()),
    }
}

/// Parses the objects in a text. Returns `None` if a part cannot be parsed.
fn read(text: &Arc<str>) -> Option<Vec<Value>> {
    let source = Source::from_string("", Arc::clone(text));
    let (documents, faults) = crd_input::documents(&source, &Limits::default());
    faults.is_empty().then(|| documents.into_iter().map(|Document { value, .. }| value).collect())
}

/// Returns the byte ranges to change, in order, with their replacements.
fn changes(
    text: &Arc<str>,
    number: usize,
    object: &Value,
    places: &[PropertyUse],
    new: &str,
) -> Result<Vec<(Range<usize>, String)>, NotRenamed> {
    let map = SourceMap::from_shared(Arc::clone(text));
    let mut all = Vec::new();
    for PropertyUse { field, change } in places {
        let unplaced = || NotRenamed(format!("the name at {field} cannot be edited in the text"));
        let place = map.locate(number, field).filter(|place| place.exact).ok_or_else(unplaced)?;
        match change {
            UseChange::Key => {
                let bytes = place.key.ok_or_else(unplaced)?;
                let new = match text[bytes.clone()].chars().next() {
                    Some(quote @ ('"' | '\'')) => format!("{quote}{new}{quote}"),
                    _ => key(new),
                };
                all.push((bytes, new));
            }
            UseChange::Parts(parts) => {
                let read = ReadScalar::read(text, place.value).ok_or_else(unplaced)?;
                let value = at(object, field).and_then(Value::as_str).ok_or_else(unplaced)?;
                if read.value.trim_end() != value.trim_end() {
                    return Err(unplaced());
                }
                let part = |(bytes, new): &(Range<usize>, String)| {
                    let is_whole = *bytes == (0..read.value.len());
                    let new = if is_whole && read.is_plain() { key(new) } else { read.escaped(new) };
                    (read.bytes(bytes.clone()), new)
                };
                all.extend(parts.iter().map(part));
            }
        }
    }
    all.sort_by_key(|(bytes, _)| bytes.start);
    all.dedup();
    Ok(all)
}

/// Returns a name as YAML, with quotes if YAML would otherwise not parse it as a string.
fn key(name: &str) -> String {
    let mut written = String::new();
    write_key(name, 0, &mut written);
    written
}

fn replaced(text: &str, changes: &[(Range<usize>, String)]) -> Arc<str> {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for (bytes, new) in changes {
        out.push_str(text.get(end..bytes.start).unwrap_or_default());
        out.push_str(new);
        end = bytes.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Arc::from(out)
}

fn at<'v>(object: &'v Value, field: &FieldPath) -> Option<&'v Value> {
    field.segments().iter().try_fold(object, |value, segment| match segment {
        Segment::Index(index) => value.get(index),
        Segment::Child(name) | Segment::Key(name) => value.get(&**name),
    })
}

/// Changes the name in one field of an object.
fn apply(object: &mut Value, place: &PropertyUse, new: &str) -> Option<()> {
    let segments = place.field.segments();
    let (last, above) = segments.split_last()?;
    let parent = above.iter().try_fold(object, |value, segment| match segment {
        Segment::Index(index) => value.get_mut(index),
        Segment::Child(name) | Segment::Key(name) => value.get_mut(&**name),
    })?;
    match (&place.change, last) {
        (UseChange::Key, Segment::Child(name) | Segment::Key(name)) => {
            let fields = parent.as_object_mut()?;
            let value = fields.remove(&**name)?;
            fields.insert(new.to_owned(), value);
        }
        (UseChange::Parts(parts), last) => {
            let value = match last {
                Segment::Index(index) => parent.get_mut(index)?,
                Segment::Child(name) | Segment::Key(name) => parent.get_mut(&**name)?,
            };
            let changed = replaced(value.as_str()?, parts);
            *value = Value::from(&*changed);
        }
        _ => return None,
    }
    Some(())
}
