//! Finds the position of a field in the text from which its object was read.

mod builder;
mod edit;
mod nodes;

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use crd_core::check::written_path;
use crd_core::{FieldPath, Segment};
use foldhash::fast::FixedState;
use serde_json::Value;

use crate::lines::Lines;
use crate::recording::Recording;
use crate::yaml::{Event, Events, Tag};
use crate::{Limits, REQUEST, scalar};
use builder::Builder;
pub use edit::{NotEdited, edited};
use nodes::{Content, Node, Nodes, Span};

/// The positions of all values in a text.
///
/// The map is built only when a message must be shown.
///
/// ```
/// use crd_input::SourceMap;
/// use crd_core::FieldPath;
///
/// let map = SourceMap::new("spec:\n  names:\n    kind: Foo\n");
/// let kind = map.locate(0, &FieldPath::new("spec").child("names").child("kind")).unwrap();
/// assert_eq!((kind.line, kind.column, kind.exact), (3, 5, true));
///
/// let scope = map.locate(0, &FieldPath::new("spec").child("scope")).unwrap();
/// assert_eq!((scope.line, scope.column, scope.exact), (1, 1, false));
/// ```
#[derive(Clone, Debug)]
pub struct SourceMap {
    text: Arc<str>,
    lines: Lines,
    nodes: Nodes,
    /// The root of every object, numbered as in [`Origin`](crate::Origin). Documents with errors have no root.
    documents: Vec<Option<usize>>,
}

/// Maximum number of nodes that a search visits, because aliases can multiply the nodes.
const MAX_STEPS: usize = 100_000;

/// The position of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The line of the key, or of the value if there is no key, from 1.
    pub line: usize,
    /// The column of the key, or of the value if there is no key, in characters from 1.
    pub column: usize,
    /// The range of bytes of the key.
    pub key: Option<Range<usize>>,
    /// The range of bytes of the value.
    pub value: Range<usize>,
    /// `true` for the field itself, `false` for its nearest existing ancestor.
    pub exact: bool,
}

/// Returns the hash of a key. Collisions of 64-bit hashes are ignored, because they would only lead to a wrong position.
fn hash(name: &str) -> u64 {
    FixedState::default().hash_one(name)
}

/// Returns the maximum number of nodes for a text of this many bytes. Further values have no position. There is no limit for texts up to
/// the size of a request.
fn most_nodes(bytes: usize) -> usize {
    if bytes <= REQUEST { usize::MAX } else { (REQUEST / 8).max(bytes / 16) }
}

impl SourceMap {
    /// Finds the positions of all values in a text. Unreadable parts have no positions.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::from_shared(Arc::from(text))
    }

    /// Finds the positions of all values in a shared text.
    #[must_use]
    pub fn from_shared(text: Arc<str>) -> Self {
        let mut builder = Builder::new(&text);
        let mut events = Events::new(&text, Limits::default().depth);
        let most = most_nodes(text.len());
        while let Some(next) = events.next() {
            match next {
                Ok((event, bytes)) => builder.take(event, bytes),
                Err(_) => builder.fault(),
            }
            if builder.len() >= most {
                builder.take(Event::DocumentEnd, 0..0);
                break;
            }
        }
        let (nodes, roots) = builder.finish();
        Self::with_nodes(text, nodes, roots)
    }

    /// Returns the map that [`SourceMap::from_shared`] would build for a recorded text; `None` if the recording lacks the text of a key.
    pub(crate) fn from_recording(recording: &Recording) -> Option<Self> {
        let text = Arc::clone(recording.text());
        let mut builder = Builder::new(&text);
        for (event, bytes) in recording.events() {
            let event = match event {
                Some(event) => event,
                None if builder.expects_key() => return None,
                // Its text counts only for a key.
                None => Event::Scalar { text: Cow::Borrowed(""), plain: false, tag: Tag::Str, anchor: 0 },
            };
            builder.take(event, bytes);
        }
        let (nodes, roots) = builder.finish();
        Some(Self::with_nodes(text, nodes, roots))
    }

    fn with_nodes(text: Arc<str>, nodes: Nodes, roots: Vec<Option<usize>>) -> Self {
        let lines = Lines::new(&text);
        let mut map = Self { text, lines, nodes, documents: Vec::new() };
        for root in roots {
            map.add_document(root);
        }
        map
    }

    /// Returns the position of a field in the object with this number; `None` if the text has no such object.
    #[must_use]
    pub fn locate(&self, document: usize, path: &FieldPath) -> Option<Location> {
        let root = (*self.documents.get(document)?)?;
        let (mut node, mut exact) = self.follow(root, path);
        if !exact {
            // The API server names some fields as in its internal form.
            (node, exact) = self.follow(root, &written_path(path));
        }
        let Node { key, value, .. } = &self.nodes[node];
        let key = (key.end > 0).then(|| Range::from(*key));
        let value = Range::from(*value);
        let (line, column) = self.lines.position(&self.text, key.as_ref().unwrap_or(&value).start);
        Some(Location { line, column, key, value, exact })
    }

    /// Returns the number of objects that begin before a byte.
    ///
    /// ```
    /// let map = crd_input::SourceMap::new("kind: List\nitems:\n- a: 1\n- b: 2\n---\nc: 3\n");
    /// assert_eq!([0, 23, 35].map(|byte| map.objects_before(byte)), [0, 1, 2]);
    /// ```
    #[must_use]
    pub fn objects_before(&self, byte: usize) -> usize {
        let begins =
            |root: &Option<usize>| root.is_some_and(|root| (self.nodes[root].value.start as usize) < byte);
        self.documents.iter().rposition(begins).map_or(0, |last| last + 1)
    }

    /// Returns the text's lines and columns.
    #[must_use]
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Returns the node at a path, or the last existing node on the path.
    fn follow(&self, root: usize, path: &FieldPath) -> (usize, bool) {
        let mut node = root;
        for segment in path.segments() {
            match self.step(node, segment) {
                Some(next) => node = next,
                None => return (node, false),
            }
        }
        (node, true)
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Numbers the objects in the same way as [`documents`](crate::documents): empty documents do not count, but items of lists
    /// do.
    fn add_document(&mut self, root: Option<usize>) {
        if root.is_some_and(|root| matches!(self.nodes[root].content, Content::Null)) {
            return;
        }
        let mut found = vec![root];
        // Every object is a node or a fault, so aliases cannot add more objects than that.
        for _ in 0..self.nodes.len().max(MAX_STEPS) {
            let Some(object) = found.pop() else { return };
            match object.and_then(|object| self.items_of_list(object)) {
                Some(items) => found.extend(items.iter().rev().map(|item| Some(*item as usize))),
                None => self.documents.push(object),
            }
        }
    }

    fn items_of_list(&self, object: usize) -> Option<&[u32]> {
        let child = |name| self.child(object, name).map(|child| self.target(child));
        let Content::Sequence(items) = self.nodes[child("items")?].content else { return None };
        let kind = &self.nodes[child("kind")?];
        let kind = matches!(kind.content, Content::Scalar).then(|| scalar_at(&self.text, kind.value))??;
        kind.as_str().is_some_and(|kind| kind.ends_with("List")).then(|| self.nodes.items(items))
    }

    fn step(&self, node: usize, segment: &Segment) -> Option<usize> {
        match segment {
            Segment::Index(index) => self.item(node, *index),
            Segment::Key(key) => self.child(node, key),
            Segment::Child(name) => self
                .child(node, name)
                // The API server joins several fields to one step, sometimes with a leading dot.
                .or_else(|| {
                    let names = name.strip_prefix('.').unwrap_or(name).split('.');
                    names.into_iter().try_fold(node, |node, name| self.child(node, name))
                }),
        }
    }

    fn item(&self, node: usize, index: usize) -> Option<usize> {
        match self.nodes[self.target(node)].content {
            Content::Sequence(items) => self.nodes.items(items).get(index).map(|item| *item as usize),
            _ => None,
        }
    }

    fn child(&self, node: usize, name: &str) -> Option<usize> {
        let hash = hash(name);
        let mut maps = vec![node];
        // Hostile texts have long chains of maps that merge maps.
        for _ in 0..MAX_STEPS {
            let map = maps.pop()?;
            let target = self.target(map);
            match self.nodes[target].content {
                Content::Mapping(entries) => match self.nodes.entry(entries, hash) {
                    Some(child) => return Some(child),
                    None => maps.extend(self.nodes.merged(target)),
                },
                Content::Sequence(merged) if map != node => {
                    maps.extend(self.nodes.items(merged).iter().rev().map(|map| *map as usize));
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the node that an alias refers to, or the given node itself. An alias never refers to another alias.
    fn target(&self, node: usize) -> usize {
        if let Content::Alias(target) = self.nodes[node].content { target as usize } else { node }
    }
}

/// Returns the value of the scalar at a range of bytes.
fn scalar_at(text: &str, span: Span) -> Option<Value> {
    let mut events = Events::new(text.get(Range::from(span))?, 1);
    loop {
        match events.next()?.ok()? {
            (Event::DocumentStart, _) => {}
            (Event::Scalar { text, plain, tag, .. }, _) => return scalar::value(text, plain, tag).ok(),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> FieldPath {
        let mut path = FieldPath::root();
        for part in text.split_inclusive(['.', '[', ']']).map(|part| part.trim_end_matches(['.', '['])) {
            path = match part.strip_suffix(']') {
                Some(inside) => match inside.parse() {
                    Ok(index) => path.index(index),
                    Err(_) => path.key(inside),
                },
                None if part.is_empty() => path,
                None => path.child(part),
            };
        }
        path
    }

    #[track_caller]
    fn check(text: &str, document: usize, field: &str, expected: &str) {
        let map = SourceMap::new(text);
        let found = map.locate(document, &path(field)).map(|location| {
            let shown = location.key.clone().unwrap_or(location.value.clone());
            let mark = if location.exact { "" } else { "~" };
            let text = text[shown].lines().next().unwrap_or_default().to_owned();
            format!("{mark}{}:{} {text}", location.line, location.column)
        });
        assert_eq!(found.unwrap_or_default(), expected, "{field}");
    }

    const CRD: &str = "kind: X\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          'a.b': {type: string}\n    subresources: {status: {}, scale: {specReplicasPath: .x}}\n";

    #[test]
    fn fields_are_found() {
        check(CRD, 0, "spec.versions[0].name", "4:5 name");
        check(CRD, 0, "spec.versions[0]", "4:5 name: v1");
        check(CRD, 0, "spec.versions", "3:3 versions");
        check(CRD, 0, "spec.versions[1].name", "~3:3 versions");
        check(CRD, 0, "spec.versions[0].schema.openAPIV3Schema.properties[a", "~7:9 properties");
        check(CRD, 1, "spec", "");
    }

    #[test]
    fn collapsed_fields_are_found_in_the_first_version() {
        let schema = SourceMap::new(CRD);
        let path = path("spec.validation.openAPIV3Schema.properties").key("a.b").child("type");
        let location = schema.locate(0, &path).unwrap();
        assert_eq!((location.line, location.column, location.exact), (8, 19, true));
        check(CRD, 0, "spec.subresources.status", "9:20 status");
        let path = FieldPath::new("spec").child("subresources").child("scale.specReplicasPath");
        assert_eq!(schema.locate(0, &path).unwrap().line, 9);
    }

    #[test]
    fn objects_are_numbered_as_they_are_read() {
        let text = "# c\n---\na: 1\n---\n---\nkind: List\nitems:\n- b: 2\n- {kind: XList, items: [{c: 3}]}\n---\n[\n---\nd: 4\n";
        check(text, 0, "a", "3:1 a");
        check(text, 1, "b", "8:3 b");
        check(text, 2, "c", "9:26 c");
        check(text, 3, "d", "");
        check(text, 4, "d", "13:1 d");
    }

    #[test]
    fn aliases_and_merges_lead_to_their_anchor() {
        let text = "x: &x {p: {q: 1}}\na: *x\nb:\n  <<: *x\n  w: 2\n";
        check(text, 0, "a.p.q", "1:12 q");
        check(text, 0, "b.p", "1:8 p");
        check(text, 0, "b.w", "5:3 w");
        check(text, 0, "a", "2:1 a");
    }

    #[test]
    fn values_end_where_they_end() {
        let text = "a:\n  b: 1\n  c: [1, 2]\n\n# c\nd: |\n  x\n";
        let map = SourceMap::new(text);
        assert_eq!(&text[map.locate(0, &path("a")).unwrap().value], "b: 1\n  c: [1, 2]");
        assert_eq!(&text[map.locate(0, &path("a.c")).unwrap().value], "[1, 2]");
        assert_eq!(&text[map.locate(0, &path("d")).unwrap().value], "|\n  x\n");
    }
}
