//! Paths in a schema, and the corresponding values in objects. Such a path is also called a place.

use std::fmt;
use std::rc::Rc;

use crd_core::FieldPath;

/// The path from an object's schema to a nested schema. Clones share the elements, and are therefore cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct SchemaPath(Rc<[Step]>);

/// An element of a [`SchemaPath`], which leads from a schema to a schema directly inside it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// The property with this name.
    Property(Rc<str>),
    /// The items of a list.
    Items,
    /// The values of a map.
    Values,
}

/// The key of map entries in generated objects.
pub(crate) const KEY: &str = "key";

impl SchemaPath {
    /// Returns the path extended by one element.
    pub(crate) fn below(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// Returns the path to the property with this name.
    pub(crate) fn property(&self, name: &str) -> Self {
        self.below(Step::Property(name.into()))
    }

    /// Returns the path to the schema for the value that `steps` lead to. Numeric steps are list indexes.
    pub(crate) fn of_steps(steps: &[String]) -> Self {
        let step = |step: &String| match step.parse::<usize>() {
            Ok(_) => Step::Items,
            Err(_) => Step::Property(step.as_str().into()),
        };
        Self(steps.iter().map(step).collect())
    }

    /// Returns the path without the last element. The root's parent is the root.
    pub(crate) fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].into())
    }

    /// Returns `true` for the path of the whole object.
    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the elements, from the root downwards.
    pub(crate) fn walk(&self) -> &[Step] {
        &self.0
    }

    /// Returns the steps to a value at this path, with the index `0` in lists and the key `key` in maps.
    pub(crate) fn steps(&self) -> Vec<String> {
        let step = |step: &Step| match step {
            Step::Property(name) => name.to_string(),
            Step::Items => "0".to_owned(),
            Step::Values => KEY.to_owned(),
        };
        self.0.iter().map(step).collect()
    }

    /// Returns the position of the value that `steps` lead to, relative to the values at this path.
    pub(crate) fn relation(&self, steps: &[String]) -> Relation {
        let is_met = |(step, text): (&Step, &String)| match step {
            Step::Property(name) => **name == **text,
            Step::Items => text.parse::<usize>().is_ok(),
            Step::Values => true,
        };
        if !self.0.iter().zip(steps).all(is_met) {
            return Relation::Elsewhere;
        }
        match steps.len().cmp(&self.0.len()) {
            std::cmp::Ordering::Less => Relation::Above,
            std::cmp::Ordering::Equal => Relation::Same,
            std::cmp::Ordering::Greater => Relation::Below,
        }
    }
}

impl Step {
    /// Returns the path of the schema to which this element leads from the schema at `path`.
    pub(crate) fn below(&self, path: &FieldPath) -> FieldPath {
        match self {
            Self::Property(name) => path.child("properties").key(&**name),
            Self::Items => path.child("items"),
            Self::Values => path.child("additionalProperties"),
        }
    }
}

/// The position of a value relative to a [`SchemaPath`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Same,
    Below,
    Above,
    Elsewhere,
}

impl fmt::Display for SchemaPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Property(name) if i == 0 => f.write_str(name)?,
                Step::Property(name) => write!(f, ".{name}")?,
                Step::Items => f.write_str("[]")?,
                Step::Values => f.write_str(".*")?,
            }
        }
        Ok(())
    }
}
