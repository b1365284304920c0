//! Paths of fields in objects, printed as the API server prints them.

mod text;

use std::fmt;
use std::sync::Arc;

pub use text::PathString;

/// The path of a value in an object, printed as the API server prints it: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`.
///
/// Paths are immutable: extending a path creates a new path. Clones are cheap, and paths share their common steps. The printed form
/// follows `k8s.io/apimachinery/pkg/util/validation/field/path.go`.
///
/// ```
/// use crd_go::field::FieldPath;
///
/// let version = FieldPath::new("spec").child("versions").index(0);
/// assert_eq!(version.child("name").to_string(), "spec.versions[0].name");
/// assert_eq!(version.key("a.b").to_string(), "spec.versions[0][a.b]");
/// assert_eq!(FieldPath::root().to_string(), "<nil>");
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct FieldPath(Option<Arc<PathNode>>);

#[derive(PartialEq, Eq, Hash)]
struct PathNode {
    parent: FieldPath,
    segment: Segment,
}

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A field of an object, printed `.name`. In some paths, the API server uses one step for several fields
    /// (`scale.specReplicasPath`). The name of such a step is kept unchanged.
    Child(Box<str>),
    /// An item of a list, printed `[3]`.
    Index(usize),
    /// An entry of a map, printed `[name]`, without quotes.
    Key(Box<str>),
}

impl FieldPath {
    /// Returns the path of the whole object, printed `<nil>`.
    #[must_use]
    pub fn root() -> Self {
        Self(None)
    }

    /// Returns the path of a top-level field.
    #[must_use]
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self::root().child(name)
    }

    /// Returns the path of the field `name` in the object at this path.
    #[must_use]
    pub fn child(&self, name: impl Into<Box<str>>) -> Self {
        self.join(Segment::Child(name.into()))
    }

    /// Returns the path of the item at `index` in the list at this path.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.join(Segment::Index(index))
    }

    /// Returns the path of the entry `key` in the map at this path.
    #[must_use]
    pub fn key(&self, key: impl Into<Box<str>>) -> Self {
        self.join(Segment::Key(key.into()))
    }

    /// Returns `true` for the path of the whole object.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the path without its last step, or `None` at the root.
    #[must_use]
    pub fn parent(&self) -> Option<&Self> {
        self.0.as_deref().map(|node| &node.parent)
    }

    /// Returns the last step, or `None` at the root.
    #[must_use]
    pub fn last(&self) -> Option<&Segment> {
        self.0.as_deref().map(|node| &node.segment)
    }

    /// Returns the steps from the outermost inwards.
    #[must_use]
    pub fn segments(&self) -> Vec<&Segment> {
        let mut segments = Vec::new();
        let mut path = self;
        while let Some(node) = path.0.as_deref() {
            segments.push(&node.segment);
            path = &node.parent;
        }
        segments.reverse();
        segments
    }

    /// Returns the steps of this path below `above`, or `None` if the path does not begin with the steps of `above`.
    ///
    /// ```
    /// use crd_go::field::FieldPath;
    ///
    /// let list = FieldPath::new("items").index(1);
    /// let path = list.child("spec").child("size");
    /// assert_eq!(path.below(&list), Some(FieldPath::new("spec").child("size")));
    /// assert_eq!(path.below(&FieldPath::new("spec")), None);
    /// ```
    #[must_use]
    pub fn below(&self, above: &Self) -> Option<Self> {
        let (own, above) = (self.segments(), above.segments());
        let steps = own.strip_prefix(above.as_slice())?;
        Some(steps.iter().fold(Self::root(), |path, segment| path.join((*segment).clone())))
    }

    /// Returns the steps of this path, followed by the steps of `below`.
    #[must_use]
    pub fn followed_by(&self, below: &Self) -> Self {
        below.segments().into_iter().fold(self.clone(), |path, segment| path.join(segment.clone()))
    }

    /// Returns the approximate length of the printed path.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        let (mut bytes, mut path) = (0, self);
        while let Some(node) = path.0.as_deref() {
            bytes += match &node.segment {
                Segment::Child(name) | Segment::Key(name) => name.len() + 2,
                Segment::Index(_) => 8,
            };
            path = &node.parent;
        }
        bytes
    }

    fn join(&self, segment: Segment) -> Self {
        Self(Some(Arc::new(PathNode { parent: self.clone(), segment })))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str("<nil>");
        }
        for (i, segment) in self.segments().into_iter().enumerate() {
            match segment {
                Segment::Child(name) if i == 0 => f.write_str(name)?,
                Segment::Child(name) => write!(f, ".{name}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// Dropping a deep path must not overflow the stack.
impl Drop for FieldPath {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            next = Arc::into_inner(node).and_then(|mut node| node.parent.0.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_upstream() {
        let path = FieldPath::new("spec").child("names").child("shortNames").index(2);
        assert_eq!(path.to_string(), "spec.names.shortNames[2]");
        assert_eq!(FieldPath::root().key("k").to_string(), "[k]");
        assert_eq!(FieldPath::new("a").key("b").child("c").to_string(), "a[b].c");
    }

    #[test]
    fn deep_paths_are_dropped_without_recursion() {
        let mut path = FieldPath::root();
        for _ in 0..1_000_000 {
            path = path.child("properties");
        }
        assert_eq!(path.segments().len(), 1_000_000);
    }
}
