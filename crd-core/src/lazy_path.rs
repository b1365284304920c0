//! Paths during a traversal of a schema or a value. A path is built only if a cause needs the path.

use std::cell::OnceCell;

use crate::FieldPath;
use crate::crd::Child;

/// A [`FieldPath`] that borrows its steps from the schema and its beginning from the caller.
///
/// ```
/// use crd_core::FieldPath;
/// use crd_core::lazy_path::LazyPath;
///
/// let base = FieldPath::new("spec");
/// let root = LazyPath::new(&base);
/// let sizes = root.child("sizes");
/// assert_eq!(sizes.index(3).path().to_string(), "spec.sizes[3]");
/// ```
#[derive(Clone, Debug)]
pub struct LazyPath<'a> {
    parent: Option<&'a LazyPath<'a>>,
    step: LazyStep<'a>,
    /// The path, built for the first cause that needs it, and shared with later causes.
    path: OnceCell<FieldPath>,
}

#[derive(Clone, Copy, Debug)]
enum LazyStep<'a> {
    Base(&'a FieldPath),
    Child(&'a str),
    Index(usize),
    Key(&'a str),
    Schema(Child<'a>),
}

impl<'a> LazyPath<'a> {
    /// Returns the path at which a traversal begins.
    #[must_use]
    pub fn new(base: &'a FieldPath) -> Self {
        Self { parent: None, step: LazyStep::Base(base), path: OnceCell::new() }
    }

    /// Returns the path of a field.
    #[must_use]
    pub fn child(&'a self, name: &'a str) -> Self {
        self.join(LazyStep::Child(name))
    }

    /// Returns the path of an item.
    #[must_use]
    pub fn index(&'a self, index: usize) -> Self {
        self.join(LazyStep::Index(index))
    }

    /// Returns the path of a map value.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> Self {
        self.join(LazyStep::Key(key))
    }

    /// Returns the path of a schema directly below the schema at this path.
    #[must_use]
    pub fn schema(&'a self, child: Child<'a>) -> Self {
        self.join(LazyStep::Schema(child))
    }

    /// Returns the path as a [`FieldPath`]. The path is built once, and shared with all paths below.
    #[must_use]
    pub fn path(&self) -> FieldPath {
        let path = self.path.get_or_init(|| {
            let parent = self.parent.map_or_else(FieldPath::root, Self::path);
            match self.step {
                LazyStep::Base(base) => base.clone(),
                LazyStep::Child(name) => parent.child(name),
                LazyStep::Index(index) => parent.index(index),
                LazyStep::Key(key) => parent.key(key),
                LazyStep::Schema(child) => child.below(&parent),
            }
        });
        path.clone()
    }

    /// Returns the path of this schema's values in an object, such as `.spec.sizes[]`. The traversal must have begun at the object's
    /// schema.
    #[must_use]
    pub fn value_path(&self) -> String {
        let mut path = self.parent.map(Self::value_path).unwrap_or_default();
        match self.step {
            LazyStep::Schema(Child::Property(name)) => path.extend([".", name]),
            LazyStep::Schema(Child::Items) => path.push_str("[]"),
            LazyStep::Schema(Child::Values) => path.push_str("[*]"),
            LazyStep::Base(_) | LazyStep::Child(_) | LazyStep::Index(_) | LazyStep::Key(_) => {}
        }
        path
    }

    fn join(&'a self, step: LazyStep<'a>) -> Self {
        Self { parent: Some(self), step, path: OnceCell::new() }
    }
}
