//! Places in a schema or a value during a traversal. Their paths are built only for causes.

use std::cell::OnceCell;

use crate::FieldPath;
use crate::crd::Child;

/// A [`FieldPath`] that borrows its steps from the schema and its beginning from the caller.
///
/// ```
/// use crd_core::FieldPath;
/// use crd_core::place::Place;
///
/// let base = FieldPath::new("spec");
/// let root = Place::new(&base);
/// let sizes = root.child("sizes");
/// assert_eq!(sizes.index(3).path().to_string(), "spec.sizes[3]");
/// ```
#[derive(Clone, Debug)]
pub struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: PlaceStep<'a>,
    /// The path, built for the first cause at this place or below, and shared by later ones.
    path: OnceCell<FieldPath>,
}

#[derive(Clone, Copy, Debug)]
enum PlaceStep<'a> {
    Base(&'a FieldPath),
    Child(&'a str),
    Index(usize),
    Key(&'a str),
    Schema(Child<'a>),
}

impl<'a> Place<'a> {
    /// The place at which a walk begins.
    #[must_use]
    pub fn new(base: &'a FieldPath) -> Self {
        Self { parent: None, step: PlaceStep::Base(base), path: OnceCell::new() }
    }

    /// The place of a field.
    #[must_use]
    pub fn child(&'a self, name: &'a str) -> Self {
        self.join(PlaceStep::Child(name))
    }

    /// The place of an item.
    #[must_use]
    pub fn index(&'a self, index: usize) -> Self {
        self.join(PlaceStep::Index(index))
    }

    /// The place of a value in a map.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> Self {
        self.join(PlaceStep::Key(key))
    }

    /// The place of a schema directly below the one at this place.
    #[must_use]
    pub fn schema(&'a self, child: Child<'a>) -> Self {
        self.join(PlaceStep::Schema(child))
    }

    /// Returns the path. It is built once, and shared by all places below.
    #[must_use]
    pub fn path(&self) -> FieldPath {
        let path = self.path.get_or_init(|| {
            let parent = self.parent.map_or_else(FieldPath::root, Self::path);
            match self.step {
                PlaceStep::Base(base) => base.clone(),
                PlaceStep::Child(name) => parent.child(name),
                PlaceStep::Index(index) => parent.index(index),
                PlaceStep::Key(key) => parent.key(key),
                PlaceStep::Schema(child) => child.below(&parent),
            }
        });
        path.clone()
    }

    fn join(&'a self, step: PlaceStep<'a>) -> Self {
        Self { parent: Some(self), step, path: OnceCell::new() }
    }
}
