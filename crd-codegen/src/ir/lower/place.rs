//! The position in an object for which a type is being created. Only warnings convert positions to paths.

use crd_core::FieldPath;

use crate::config;

/// A position in an object, linked to the enclosing position.
pub(super) struct Position<'a> {
    above: Option<(&'a Position<'a>, Step<'a>)>,
}

/// A step from a position to a position directly inside it: to a property, for example.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Property(&'a str),
    Items,
    Values,
}

impl Position<'_> {
    /// Returns the position of the object itself.
    pub(super) fn root() -> Self {
        Self { above: None }
    }

    /// Returns the position that this step leads to.
    pub(super) fn step<'b>(&'b self, step: Step<'b>) -> Position<'b> {
        Position { above: Some((self, step)) }
    }

    /// Returns the enclosing position, and the step from there to this position.
    pub(super) fn above(&self) -> Option<(&Position<'_>, Step<'_>)> {
        self.above
    }

    /// Returns the path of the schema for this position. `root` is the path of the object's schema.
    pub(super) fn path(&self, root: &FieldPath) -> FieldPath {
        match self.above {
            None => root.clone(),
            Some((above, step)) => {
                let above = above.path(root);
                match step {
                    Step::Property(name) => above.child("properties").key(name),
                    Step::Items => above.child("items"),
                    Step::Values => above.child("additionalProperties"),
                }
            }
        }
    }

    /// Returns `true` if these steps lead from the object to this position.
    pub(super) fn is(&self, steps: &[config::KindPathStep]) -> bool {
        match (self.above, steps.split_last()) {
            (None, None) => true,
            (Some((above, step)), Some((last, before))) => {
                let is_same = match (step, last) {
                    (Step::Property(name), config::KindPathStep::Property(other)) => name == other,
                    (Step::Items, config::KindPathStep::Items)
                    | (Step::Values, config::KindPathStep::Values) => true,
                    _ => false,
                };
                is_same && above.is(before)
            }
            _ => false,
        }
    }
}
