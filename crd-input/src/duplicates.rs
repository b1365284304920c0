//! Keys that a map has twice, named as the API server names them: `spec.items[1].name`.

use crd_core::{FieldPath, PathText};

/// What becomes of a key that a map has twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    /// It is a fault.
    Once,
    /// It is noted, and the last value stands.
    Noted,
}

/// The places of such keys, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Duplicates(Vec<PathText>);

/// The API server's decoder notes no more.
const MOST: usize = 100;

impl Duplicates {
    pub(super) fn add(&mut self, place: &Place) {
        if self.0.len() < MOST && !self.0.contains(&place.0) {
            self.0.push(place.0.clone());
        }
    }

    /// Those below `prefix`, named from there.
    pub(super) fn below(&self, prefix: &str) -> Vec<FieldPath> {
        self.0.iter().filter_map(|place| place.below(prefix)).collect()
    }
}

/// A place while a text is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Place(PathText);

/// The depth of a place before a step.
#[derive(Clone, Copy)]
pub(super) struct Outer(usize);

impl Place {
    /// Goes to a key. Places are made only where keys are noted.
    pub(super) fn key(&mut self, keys: Keys, key: &str) -> Outer {
        let outer = Outer(self.0.depth());
        if keys == Keys::Noted {
            self.0.push_child(key);
        }
        outer
    }

    /// Goes to an item.
    pub(super) fn index(&mut self, keys: Keys, index: usize) -> Outer {
        let outer = Outer(self.0.depth());
        if keys == Keys::Noted {
            self.0.push_index(index);
        }
        outer
    }

    /// Goes back.
    pub(super) fn leave(&mut self, outer: Outer) {
        self.0.truncate(outer.0);
    }
}
