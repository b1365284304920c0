//! The paths of fields that were removed from an object. Only a limited number of paths is kept; the others are counted.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::{Causes, FieldPath, PathString};

/// The first paths of removed fields in alphabetical order, and the number of further removed fields.
///
/// The API server lists all paths. An object of 3 MiB can have a hundred thousand paths, each with a key of a megabyte.
#[derive(Debug, Default)]
pub struct Removed {
    /// A heap with the alphabetically last path on top.
    kept: BinaryHeap<RemovedField>,
    kept_bytes: usize,
    /// The number of bytes in all paths that were compared with kept paths.
    compared_bytes: usize,
    left_out: u64,
}

/// A removed field; fields are ordered by the text of their paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedField(PathString);

impl RemovedField {
    /// Returns the path as the API server prints it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the path of the removed field.
    #[must_use]
    pub fn path(&self) -> FieldPath {
        self.0.to_field_path()
    }

    /// Returns the path, as text with its steps.
    #[must_use]
    pub fn into_path_string(self) -> PathString {
        self.0
    }
}

impl Ord for RemovedField {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for RemovedField {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Removed {
    /// The limit for the size of compared paths, in bytes. Beyond this limit, paths are only counted, even if they
    /// come first in order.
    const MOST_COMPARED: usize = 64 << 20;

    /// Adds a path, or only counts it if a limit is reached.
    pub fn push(&mut self, path: &PathString) {
        let text = path.as_str();
        self.compared_bytes = self.compared_bytes.saturating_add(text.len());
        let is_last = || self.kept.peek().is_some_and(|last| last.as_str() <= text);
        if self.compared_bytes > Self::MOST_COMPARED || self.is_full() && is_last() {
            self.left_out += 1;
            return;
        }
        self.kept_bytes += text.len();
        self.kept.push(RemovedField(path.clone()));
        while self.has_too_much() {
            self.kept_bytes -= self.kept.pop().map_or(0, |last| last.as_str().len());
            self.left_out += 1;
        }
    }

    /// Adds the path `field` below `place`.
    pub fn push_below(&mut self, place: &FieldPath, field: &FieldPath) {
        if self.compared_bytes.saturating_add(place.text_bytes()) > Self::MOST_COMPARED {
            self.left_out += 1;
        } else {
            let mut path = PathString::default();
            path.push_path(place);
            path.push_path(field);
            self.push(&path);
        }
    }

    /// Returns `true` if a field was removed.
    #[must_use]
    pub fn has_any(&self) -> bool {
        self.left_out > 0 || !self.kept.is_empty()
    }

    /// Returns the fields whose paths are kept, in order, and the number of the other fields.
    #[must_use]
    pub fn into_sorted(self) -> (Vec<RemovedField>, u64) {
        (self.kept.into_sorted_vec(), self.left_out)
    }

    fn is_full(&self) -> bool {
        self.kept.len() >= Causes::MOST || self.kept_bytes >= Causes::MOST_BYTES
    }

    /// Returns `true` if a limit is reached, so that the last path can be dropped.
    fn has_too_much(&self) -> bool {
        let last = self.kept.peek().map_or(0, |last| last.as_str().len());
        self.kept.len() > Causes::MOST || self.kept_bytes - last >= Causes::MOST_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PathString {
        let mut path = PathString::default();
        text.split('.').for_each(|name| path.push_child(name));
        path
    }

    #[test]
    fn the_first_paths_are_kept() {
        let mut removed = Removed::default();
        (0..Causes::MOST + 2).rev().for_each(|i| removed.push(&path(&format!("spec.f{i:05}"))));
        let (kept, left_out) = removed.into_sorted();
        assert_eq!((kept.len(), left_out), (Causes::MOST, 2));
        assert_eq!((kept[0].as_str(), kept[9_999].as_str()), ("spec.f00000", "spec.f09999"));
    }

    #[test]
    fn long_paths_are_counted() {
        let mut removed = Removed::default();
        let long = "x".repeat(1 << 20);
        (0..1_000).for_each(|i| removed.push(&path(&format!("{long}.f{i}"))));
        let (kept, left_out) = removed.into_sorted();
        assert_eq!((kept.len(), left_out), (4, 996));
        assert!(kept[0].as_str().ends_with(".f0"));
    }
}
