//! Changes values in a text, and leaves all other bytes unchanged.

use std::fmt;
use std::ops::Range;

use crd_core::check::written_path;
use crd_core::yaml::{write_key, write_leaf};
use crd_core::{Edit, EditValue, FieldPath, Segment};
use serde_json::Value;

use super::{Content, SourceMap};
use crate::{Document, Limits, Source, documents};

/// The error for a change that would also change other values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotEdited;

impl fmt::Display for NotEdited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this change would also change other parts of the text")
    }
}

impl std::error::Error for NotEdited {}

/// Applies edits to one object in a YAML or JSON text, and returns the new text. Objects are numbered as in [`Origin`](crate::Origin).
/// Everything outside the changes is kept byte for byte: comments, anchors, quotes, line breaks, other documents.
///
/// The result is parsed again, and each object must equal the changed original.
///
/// ```
/// use crd_core::{Edit, FieldPath};
///
/// let text = "spec: # what is wanted\n  size: 5\n";
/// let edit = Edit::add(FieldPath::new("spec").child("color"), "blue");
/// assert_eq!(crd_input::edited(text, 0, &[edit])?, "spec: # what is wanted\n  size: 5\n  color: blue\n");
/// # Ok::<(), crd_input::NotEdited>(())
/// ```
///
/// # Errors
/// - The text has no value at an edit's path, or the value is shared through an alias or a merge.
/// - The change cannot be made in the text without changing other values.
pub fn edited(text: &str, document: usize, edits: &[Edit]) -> Result<String, NotEdited> {
    let read = |text: &str| documents(&Source::from_string("", text), &Limits::default());
    let (before, faults) = read(text);
    let mut expected: Vec<Value> = before.into_iter().map(|Document { value, .. }| value).collect();
    let mut new = text.to_owned();
    for edit in edits {
        new = SourceMap::new(&new).with_edit(document, edit).ok_or(NotEdited)?;
        apply(expected.get_mut(document).ok_or(NotEdited)?, edit).ok_or(NotEdited)?;
    }
    let (after, new_faults) = read(&new);
    let is_meant =
        after.iter().map(|document| &document.value).eq(&expected) && faults.len() == new_faults.len();
    if is_meant { Ok(new) } else { Err(NotEdited) }
}

fn json(value: &EditValue) -> Value {
    serde_json::from_str(value.json()).unwrap_or_default()
}

/// Changes a value.
fn apply(object: &mut Value, edit: &Edit) -> Option<()> {
    let at = edit.at();
    let at = if exists(object, at) { at.clone() } else { written_path(at) };
    let segments = at.segments();
    let (last, above) = segments.split_last()?;
    let parent = above.iter().try_fold(object, |value, segment| child_mut(value, segment))?;
    match (edit, last) {
        (Edit::Replace { value, .. }, last) => *child_mut(parent, last)? = json(value),
        (Edit::Add { value, .. }, Segment::Index(index)) => {
            let items = parent.as_array_mut().filter(|items| *index <= items.len())?;
            items.insert(*index, json(value));
        }
        (Edit::Remove { .. }, Segment::Index(index)) => {
            let items = parent.as_array_mut().filter(|items| *index < items.len())?;
            items.remove(*index);
        }
        (edit, Segment::Child(name) | Segment::Key(name)) => {
            let fields = parent.as_object_mut()?;
            match edit {
                Edit::Add { value, .. } => {
                    fields.insert(name.to_string(), json(value));
                }
                Edit::Rename { name: new, .. } => {
                    let value = fields.remove(&**name)?;
                    fields.insert(new.clone(), value);
                }
                _ => {
                    fields.remove(&**name)?;
                }
            }
        }
        _ => return None,
    }
    Some(())
}

/// Returns `true` if an object contains the map or list in which the path `at` ends.
fn exists(object: &Value, at: &FieldPath) -> bool {
    let segments = at.segments();
    let above = segments.split_last().map_or(&[][..], |(_, above)| above);
    above
        .iter()
        .try_fold(object, |value, segment| match segment {
            Segment::Index(index) => value.get(index),
            Segment::Child(name) | Segment::Key(name) => value.get(&**name),
        })
        .is_some()
}

fn child_mut<'v>(value: &'v mut Value, segment: &Segment) -> Option<&'v mut Value> {
    match segment {
        Segment::Index(index) => value.get_mut(index),
        Segment::Child(name) | Segment::Key(name) => value.get_mut(&**name),
    }
}

/// An entry of a map or an item of a list, with the text that precedes its value.
struct TextPart {
    key: Option<Range<usize>>,
    value: Range<usize>,
}

impl TextPart {
    fn start(&self) -> usize {
        self.key.as_ref().map_or(self.value.start, |key| key.start)
    }

    fn end(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.end + 1).max(self.value.end)
    }
}

impl SourceMap {
    /// Returns the text with an edit. The caller must parse the text again, because the result can be wrong.
    fn with_edit(&self, document: usize, edit: &Edit) -> Option<String> {
        let root = (*self.documents.get(document)?)?;
        let written = written_path(edit.at());
        let (parent, at) =
            [edit.at(), &written].into_iter().find_map(|at| Some((self.own_parent(root, at)?, at)))?;
        let last = at.last()?;
        match edit {
            Edit::Add { value, .. } => self.with_part(parent, last, &json(value)),
            Edit::Replace { value, .. } => {
                let node = self.own_child(parent, last)?;
                let span = Range::from(self.nodes[node].value);
                let old = &self.text[span.clone()];
                let end = if old.ends_with('\n') { self.line_break() } else { "" };
                let blank = if self.text[..span.start].ends_with([':', '-']) { " " } else { "" };
                let new = self.scalar(&json(value), self.is_in_flow(parent));
                Some(self.replaced(span, &format!("{blank}{new}{end}")))
            }
            Edit::Remove { .. } => self.without(parent, self.own_child(parent, last)?),
            Edit::Rename { name, .. } => {
                let key = self.nodes[self.own_child(parent, last)?].key;
                Some(self.replaced(key.into(), &self.key_text(name)))
            }
            _ => None,
        }
    }

    /// Returns the parent node of the value at a path, if no alias or merge is on the path.
    fn own_parent(&self, root: usize, path: &FieldPath) -> Option<usize> {
        let segments = path.segments();
        let (_, above) = segments.split_last()?;
        above.iter().try_fold(root, |node, segment| self.own_child(node, segment))
    }

    fn own_child(&self, node: usize, segment: &Segment) -> Option<usize> {
        let child = match (self.nodes[node].content, segment) {
            (Content::Sequence(items), Segment::Index(index)) => {
                self.nodes.items(items).get(*index).map(|item| *item as usize)?
            }
            (Content::Mapping(entries), Segment::Child(name) | Segment::Key(name)) => {
                self.nodes.entry(entries, super::hash(name))?
            }
            _ => return None,
        };
        (!matches!(self.nodes[child].content, Content::Alias(_))).then_some(child)
    }

    /// Returns the entries of a map, or the items of a list, in the order of the text.
    fn parts(&self, node: usize) -> Vec<TextPart> {
        let nodes: Vec<usize> = match self.nodes[node].content {
            Content::Sequence(items) => self.nodes.items(items).iter().map(|item| *item as usize).collect(),
            Content::Mapping(entries) => self.nodes.values(entries).chain(self.nodes.merged(node)).collect(),
            _ => Vec::new(),
        };
        let part = |node: usize| {
            let node = &self.nodes[node];
            TextPart { key: (node.key.end > 0).then(|| node.key.into()), value: node.value.into() }
        };
        let mut parts: Vec<TextPart> = nodes.into_iter().map(part).collect();
        parts.sort_by_key(TextPart::start);
        parts
    }

    fn is_in_flow(&self, node: usize) -> bool {
        self.text[self.nodes[node].value.start as usize..].starts_with(['{', '['])
    }

    /// Returns `true` for a text in JSON. Such a text must remain JSON.
    fn is_json(&self) -> bool {
        self.text.trim_start().starts_with('{')
    }

    fn line_break(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn replaced(&self, span: Range<usize>, new: &str) -> String {
        format!("{}{new}{}", &self.text[..span.start], &self.text[span.end..])
    }

    /// Returns the start of the next line, and `false` if the text ends without a line break before it.
    fn next_line(&self, at: usize) -> (usize, bool) {
        if at > 0 && self.text[..at].ends_with('\n') {
            return (at, true);
        }
        self.text[at..].find('\n').map_or((self.text.len(), false), |end| (at + end + 1, true))
    }

    /// Returns the text with an additional map entry or list item.
    fn with_part(&self, parent: usize, at: &Segment, value: &Value) -> Option<String> {
        let parts = self.parts(parent);
        let key = match (&self.nodes[parent].content, at) {
            (Content::Mapping(_), Segment::Child(name) | Segment::Key(name)) => Some(self.key_text(name)),
            (Content::Sequence(_), Segment::Index(_)) => None,
            _ => return None,
        };
        let is_flow = self.is_in_flow(parent);
        let value = self.scalar(value, is_flow);
        let index = if let Segment::Index(index) = at { *index } else { parts.len() };
        let part = key.as_ref().map_or(value.clone(), |key| format!("{key}: {value}"));
        if is_flow {
            let (at, new) = match (parts.get(index), parts.last()) {
                (Some(next), _) => (next.start(), format!("{part}, ")),
                (None, Some(last)) => {
                    (last.end().min(self.nodes[parent].value.end as usize - 1), format!(", {part}"))
                }
                (None, None) => (self.nodes[parent].value.start as usize + 1, part),
            };
            return Some(self.replaced(at..at, &new));
        }
        let first = parts.first()?;
        let start = self.text[..first.start()].rfind('\n').map_or(0, |end| end + 1);
        let before = &self.text[start..first.start()];
        let indent = match key {
            Some(_) => " ".repeat(before.chars().count()),
            None => format!("{}- ", &before[..before.rfind('-')?].replace(|c| c != ' ', " ")),
        };
        if let Some(next) = parts.get(index) {
            let at = self.text[..next.start()].rfind('\n').map_or(0, |end| end + 1);
            // The first item can stand behind a dash of a list around it.
            return (index > 0 || self.text[at..next.start()].trim() == "-")
                .then(|| self.replaced(at..at, &format!("{indent}{part}{}", self.line_break())));
        }
        let (at, has_end) = self.next_line(parts.last()?.end());
        let line = format!("{indent}{part}");
        let end = self.line_break();
        Some(self.replaced(at..at, &if has_end { format!("{line}{end}") } else { format!("{end}{line}") }))
    }

    /// Returns the text without a map entry or list item.
    fn without(&self, parent: usize, node: usize) -> Option<String> {
        let parts = self.parts(parent);
        let (key, value) = (self.nodes[node].key, self.nodes[node].value);
        let start = if key.end > 0 { key.start } else { value.start } as usize;
        let index = parts.iter().position(|part| part.start() == start)?;
        let (part, next) = (&parts[index], parts.get(index + 1));
        if self.is_in_flow(parent) {
            let span = match (next, index) {
                (Some(next), _) => start..next.start(),
                (None, 0) => start..part.end().min(self.nodes[parent].value.end as usize - 1),
                (None, _) => {
                    parts[index - 1].end()..part.end().min(self.nodes[parent].value.end as usize - 1)
                }
            };
            return Some(self.replaced(span, ""));
        }
        if parts.len() == 1 {
            let empty = if key.end > 0 { " {}" } else { " []" };
            let (key, whole) = (self.nodes[parent].key, self.nodes[parent].value);
            let colon = self.text[key.end as usize..].find(':')? + key.end as usize + 1;
            let end = if self.text[..whole.end as usize].ends_with('\n') { self.line_break() } else { "" };
            return (key.end > 0).then(|| self.replaced(colon..whole.end as usize, &format!("{empty}{end}")));
        }
        let line = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
        let before = self.text[line..start].trim();
        let is_alone = if key.end > 0 { before.is_empty() } else { before == "-" };
        match next {
            // The first key behind a dash: the next one takes its place.
            Some(next) if !is_alone => {
                let between = &self.text[part.end()..next.start()];
                between.trim().is_empty().then(|| self.replaced(start..next.start(), ""))
            }
            _ if is_alone => Some(self.replaced(line..self.next_line(part.end()).0, "")),
            _ => None,
        }
    }

    fn key_text(&self, name: &str) -> String {
        if self.is_json() {
            return Value::from(name).to_string();
        }
        let mut out = String::new();
        write_key(name, 0, &mut out);
        out
    }

    /// Returns a value on one line.
    fn scalar(&self, value: &Value, is_flow: bool) -> String {
        let json = || value.to_string();
        match value {
            Value::String(text)
                if text.contains(['\n', '\r']) || is_flow && text.contains([',', '[', ']', '{', '}']) =>
            {
                json()
            }
            Value::Array(_) | Value::Object(_) => json(),
            _ if self.is_json() => json(),
            value => {
                let mut out = String::new();
                write_leaf(value, 0, &mut out);
                out.trim().to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &[&str]) -> FieldPath {
        path.iter().fold(FieldPath::root(), |path, step| match step.parse() {
            Ok(index) => path.index(index),
            Err(_) => path.child(*step),
        })
    }

    #[track_caller]
    fn check(text: &str, edit: Edit, expected: &str) {
        assert_eq!(edited(text, 0, &[edit]).as_deref(), Ok(expected));
    }

    #[test]
    fn fields_are_added_behind_the_others() {
        let add = |path: &[&str], value: EditValue| Edit::add(at(path), value);
        check(
            "a:\n  b: 1 # one\n\n# c\nc: 2\n",
            add(&["a", "d"], "x: y".into()),
            "a:\n  b: 1 # one\n  d: \"x: y\"\n\n# c\nc: 2\n",
        );
        check("a: {b: 1}\n", add(&["a", "d"], true.into()), "a: {b: 1, d: true}\n");
        check("a: {}\n", add(&["a", "d"], vec!["x"].into()), "a: {d: [\"x\"]}\n");
        check("a:\r\n  b: 1\r\n", add(&["a", "d"], 2_u64.into()), "a:\r\n  b: 1\r\n  d: 2\r\n");
        check("a:\n  b: 1", add(&["a", "d"], 2_u64.into()), "a:\n  b: 1\n  d: 2");
        check(
            "a:\n- b: 1\n  c: 2\n- b: 3\n",
            add(&["a", "0", "d"], 2_u64.into()),
            "a:\n- b: 1\n  c: 2\n  d: 2\n- b: 3\n",
        );
        check(
            "a:\n  b: |\n    x\n    y\nc: 1\n",
            add(&["a", "d"], 2_u64.into()),
            "a:\n  b: |\n    x\n    y\n  d: 2\nc: 1\n",
        );
        check("{\"a\": {\"b\": 1}}", add(&["a", "d"], "e".into()), "{\"a\": {\"b\": 1, \"d\": \"e\"}}");
        check("a:\n  - 1\n  - 2\n", add(&["a", "2"], 3_u64.into()), "a:\n  - 1\n  - 2\n  - 3\n");
        check("a: [1, 2]\n", add(&["a", "0"], 0_u64.into()), "a: [0, 1, 2]\n");
    }

    #[test]
    fn values_are_replaced_in_any_style() {
        let replace = |path: &[&str], value: EditValue| Edit::replace(at(path), value);
        check("a: 'x' # y\n", replace(&["a"], "z".into()), "a: z # y\n");
        check(
            "a: \"x\"\n",
            replace(&["a"], "!has(self.a) || self.a > 0".into()),
            "a: \"!has(self.a) || self.a > 0\"\n",
        );
        check("a: >-\n  x\n  y\nb: 1\n", replace(&["a"], "z".into()), "a: z\nb: 1\n");
        check(
            "r: {rule: self.a > 0, m: x}\n",
            replace(&["r", "rule"], "has(self.a)".into()),
            "r: {rule: has(self.a), m: x}\n",
        );
        check("a:\nb: 1\n", replace(&["a"], 2_u64.into()), "a: 2\nb: 1\n");
        check("\u{1f600}: 1\na: 2\n", replace(&["a"], 3_u64.into()), "\u{1f600}: 1\na: 3\n");
    }

    #[test]
    fn parts_are_removed_with_their_lines() {
        let remove = |path: &[&str]| Edit::remove(at(path));
        check("a:\n  b: 1 # one\n  c: 2\n", remove(&["a", "b"]), "a:\n  c: 2\n");
        check("a:\n  b:\n    x: 1\n    y: 2\n  c: 2\n", remove(&["a", "b"]), "a:\n  c: 2\n");
        check("a:\n- b: 1\n  c: 2\n", remove(&["a", "0", "b"]), "a:\n- c: 2\n");
        check("a: {b: 1, c: 2}\n", remove(&["a", "b"]), "a: {c: 2}\n");
        check("a: {b: 1, c: 2}\n", remove(&["a", "c"]), "a: {b: 1}\n");
        check("a: {b: 1}\n", remove(&["a", "b"]), "a: {}\n");
        check("a:\n  b: 1\nc: 2\n", remove(&["a", "b"]), "a: {}\nc: 2\n");
        check("a: [x, y]\n", remove(&["a", "1"]), "a: [x]\n");
        check("a:\n- x\n- y # y\n- z\n", remove(&["a", "1"]), "a:\n- x\n- z\n");
        check("a: 1\nb: 2\n---\na: 2\n", Edit::remove(at(&["a"])), "b: 2\n---\na: 2\n");
    }

    #[test]
    fn keys_are_renamed() {
        check("a:\n  \"b\": 1\n", Edit::rename(at(&["a", "b"]), "c d"), "a:\n  c d: 1\n");
        check("a:\n  b: 1\n", Edit::rename(at(&["a", "b"]), "on"), "a:\n  \"on\": 1\n");
    }

    #[test]
    fn a_shared_place_is_not_changed() {
        let shared = "x: &x {a: 1}\ny: *x\nz: {<<: *x, b: 2}\n";
        for path in [&["x", "a"][..], &["y", "a"], &["z", "a"]] {
            assert_eq!(edited(shared, 0, &[Edit::replace(at(path), 2)]), Err(NotEdited), "{path:?}");
        }
        assert!(edited(shared, 0, &[Edit::replace(at(&["z", "b"]), 3)]).is_ok());
        assert_eq!(edited("a: 1\n", 0, &[Edit::remove(at(&["b"]))]), Err(NotEdited));
    }

    /// Removes every field of a CRD, replaces every scalar, and checks that other lines stay unchanged.
    #[test]
    fn other_lines_stay() {
        let text = include_str!("../../../examples/derive/crds/stable.example.com_crontabs.yaml");
        let (read, _) = documents(&Source::from_string("", text), &Limits::default());
        let (mut open, mut count) = (vec![(FieldPath::root(), read[0].value.clone())], 0);
        while let Some((path, value)) = open.pop() {
            let below: Vec<(FieldPath, Value)> = match &value {
                Value::Object(fields) => {
                    fields.iter().map(|(name, value)| (path.key(name.as_str()), value.clone())).collect()
                }
                Value::Array(items) => {
                    items.iter().enumerate().map(|(i, value)| (path.index(i), value.clone())).collect()
                }
                _ => {
                    let new = edited(text, 0, &[Edit::replace(path.clone(), "another")]).unwrap();
                    let changed = text.lines().zip(new.lines()).filter(|(old, new)| old != new).count();
                    let lines = value.as_str().map_or(1, |text| text.split('\n').count());
                    assert!(changed == 1 || lines > 1, "{path}: {new}");
                    Vec::new()
                }
            };
            if !path.is_root() && path.segments().len() > 1 {
                let new = edited(text, 0, &[Edit::remove(path.clone())]);
                let new = new.unwrap_or_else(|_| panic!("{path} cannot be removed"));
                let kept = new
                    .lines()
                    .filter(|line| {
                        text.contains(
                            line.trim()
                                .trim_start_matches("- ")
                                .trim_end_matches("{}")
                                .trim_end_matches("[]")
                                .trim_end(),
                        )
                    })
                    .count();
                assert_eq!(kept, new.lines().count(), "{path}: {new}");
            }
            count += 1;
            open.extend(below);
        }
        assert!(count > 50, "{count}");
    }
}
