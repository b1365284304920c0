//! Paths as text, together with their steps.

use std::fmt::{self, Write as _};

use super::{FieldPath, Segment};

/// The path of the current value in a traversal, as text: `spec.items[1].name`.
///
/// Steps are added and removed in place. The boundaries of the steps are kept, so a key with dots or brackets in it stays
/// one step: [`to_field_path`](Self::to_field_path) never parses the text.
///
/// ```
/// use crd_go::field::{FieldPath, PathString};
///
/// let mut path = PathString::default();
/// path.push_child("spec");
/// path.push_child("a.b");
/// path.push_index(1);
/// assert_eq!(path.as_str(), "spec.a.b[1]");
/// assert_eq!(path.to_field_path(), FieldPath::new("spec").child("a.b").index(1));
/// path.pop();
/// assert_eq!(path.as_str(), "spec.a.b");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathString {
    text: String,
    steps: Vec<Step>,
}

/// A step of a path. A step takes only eight bytes, because paths in an input of a few MiB can have a million steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// The length of the text before the step.
    before: u32,
    kind: StepKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepKind {
    /// The first field: `name`.
    First,
    /// A field: `.name`.
    Child,
    /// An item of a list: `[3]`.
    Index,
    /// An entry of a map: `[name]`.
    Key,
}

impl PathString {
    /// Appends the field `name` to the path. No dot is written before the first name.
    pub fn push_child(&mut self, name: &str) {
        let is_first = self.text.is_empty();
        self.step(if is_first { StepKind::First } else { StepKind::Child });
        if !is_first {
            self.text.push('.');
        }
        self.text.push_str(name);
    }

    /// Adds a step to the item at `index`.
    pub fn push_index(&mut self, index: usize) {
        self.step(StepKind::Index);
        self.text.push('[');
        // Most lists are short, and `fmt` takes long for a digit.
        match u8::try_from(index) {
            Ok(digit @ 0..=9) => self.text.push(char::from(b'0' + digit)),
            _ => {
                let _ = write!(self.text, "{index}");
            }
        }
        self.text.push(']');
    }

    /// Adds all steps of another path.
    pub fn push_path(&mut self, path: &FieldPath) {
        for segment in path.segments() {
            match segment {
                Segment::Child(name) => self.push_child(name),
                Segment::Index(index) => self.push_index(*index),
                Segment::Key(key) => {
                    self.step(StepKind::Key);
                    let _ = write!(self.text, "[{key}]");
                }
            }
        }
    }

    /// Removes the last step.
    pub fn pop(&mut self) {
        self.truncate(self.depth().saturating_sub(1));
    }

    /// Returns the number of steps, for [`truncate`](Self::truncate).
    #[must_use]
    pub fn depth(&self) -> usize {
        self.steps.len()
    }

    /// Removes all steps except the first `depth`.
    pub fn truncate(&mut self, depth: usize) {
        if let Some(step) = self.steps.get(depth) {
            self.text.truncate(step.before as usize);
            self.steps.truncate(depth);
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the path as a [`FieldPath`].
    #[must_use]
    pub fn to_field_path(&self) -> FieldPath {
        self.steps_from(0)
    }

    /// Returns the steps after the text `above`, which contains the first steps and the separator after them, such as `items[1].`.
    #[must_use]
    pub fn below(&self, above: &str) -> Option<FieldPath> {
        self.text.strip_prefix(above).map(|_| self.steps_from(above.len()))
    }

    /// Returns the steps whose names begin at or after this byte.
    fn steps_from(&self, from: usize) -> FieldPath {
        let ends = self.steps.iter().skip(1).map(|step| step.before as usize).chain([self.text.len()]);
        let steps = self.steps.iter().zip(ends).map(|(step, end)| (step.kind, step.name_start(), end));
        let steps = steps.filter(|(_, start, _)| *start >= from);
        steps.fold(FieldPath::root(), |path, (kind, start, end)| {
            let text = self.text.get(start..end).unwrap_or_default();
            match kind {
                StepKind::First | StepKind::Child => path.child(text),
                StepKind::Index => path.index(inner(text).parse().unwrap_or_default()),
                StepKind::Key => path.key(inner(text)),
            }
        })
    }

    fn step(&mut self, kind: StepKind) {
        if self.steps.capacity() == 0 {
            // Enough for most paths, so that they do not grow bit by bit.
            self.text.reserve(120);
            self.steps.reserve(15);
        }
        // Inputs are far smaller than 4 GiB.
        let before = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.steps.push(Step { before, kind });
    }
}

impl Step {
    /// Returns the byte offset at which the step's name or bracket begins.
    fn name_start(self) -> usize {
        self.before as usize + usize::from(self.kind == StepKind::Child)
    }
}

/// Returns the text between the brackets of a step.
fn inner(text: &str) -> &str {
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}

impl fmt::Display for PathString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_kept_apart_whatever_keys_contain() {
        let path = FieldPath::new("a.b").index(2).child("[3]").key("k.l").child("");
        let mut text = PathString::default();
        text.push_path(&path);
        assert_eq!(text.as_str(), path.to_string());
        assert_eq!(text.to_field_path(), path);
        text.pop();
        assert_eq!(text.to_field_path(), FieldPath::new("a.b").index(2).child("[3]").key("k.l"));
        (0..4).for_each(|_| text.pop());
        assert_eq!(text, PathString::default());
    }

    #[test]
    fn paths_of_items_begin_below_their_list() {
        let mut text = PathString::default();
        text.push_path(&FieldPath::new("items").index(1).child("spec").child("a.b"));
        assert_eq!(text.below("items[1]."), Some(FieldPath::new("spec").child("a.b")));
        assert_eq!(text.below("items[2]."), None);
        assert_eq!(text.below(""), Some(text.to_field_path()));
    }
}
