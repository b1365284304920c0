//! Duplicate keys, with paths as the API server prints them: `spec.items[1].name`.

use crd_core::{FieldPath, PathString};

/// The treatment of duplicate keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    /// A duplicate is a fault.
    Once,
    /// Duplicates are recorded, and the last value is used.
    Noted,
}

/// The paths of duplicate keys, each path once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Duplicates(Vec<PathString>);

/// Maximum number of duplicates that the API server's decoder records.
pub(super) const MOST: usize = 100;

impl Duplicates {
    pub(super) fn add(&mut self, place: &KeyPath) {
        if self.0.len() < MOST && !self.0.contains(&place.0) {
            self.0.push(place.0.clone());
        }
    }

    /// Returns the paths that begin with `prefix`, without this prefix.
    pub(super) fn below(&self, prefix: &str) -> Vec<FieldPath> {
        self.0.iter().filter_map(|place| place.below(prefix)).collect()
    }
}

/// The path of the current value while a text is read.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyPath(PathString);

/// The length of the path before a key or an index was added.
#[derive(Clone, Copy)]
pub(super) struct PathLength(usize);

impl KeyPath {
    /// Adds a key. The path is built only if duplicates are recorded.
    pub(super) fn key(&mut self, keys: Keys, key: &str) -> PathLength {
        let outer = PathLength(self.0.depth());
        if keys == Keys::Noted {
            self.0.push_child(key);
        }
        outer
    }

    /// Adds an index.
    pub(super) fn index(&mut self, keys: Keys, index: usize) -> PathLength {
        let outer = PathLength(self.0.depth());
        if keys == Keys::Noted {
            self.0.push_index(index);
        }
        outer
    }

    /// Removes the last key or index.
    pub(super) fn leave(&mut self, outer: PathLength) {
        self.0.truncate(outer.0);
    }
}
