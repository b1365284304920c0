//! The paths of fields that were removed from an object. Too many are only counted.

use std::collections::BinaryHeap;

use crate::FieldPath;
use crate::causes::Causes;

/// The paths that come first in the order of their texts.
///
/// The API server names all of them. An object of 3 MiB can have a hundred thousand, with a key of a megabyte in each.
#[derive(Debug, Default)]
pub struct Removed {
    /// The last one in order stands on top.
    kept: BinaryHeap<String>,
    kept_bytes: usize,
    /// The bytes of all paths that were compared with those that are kept.
    compared_bytes: usize,
    left_out: u64,
}

impl Removed {
    /// The bytes of paths beyond which the rest is only counted: the first paths in order may be among the rest then.
    const MOST_COMPARED: usize = 64 << 20;

    /// Adds a path, or counts it.
    pub fn push(&mut self, path: &str) {
        self.compared_bytes = self.compared_bytes.saturating_add(path.len());
        let is_last = || self.kept.peek().is_some_and(|last| last.as_str() <= path);
        if self.compared_bytes > Self::MOST_COMPARED || self.is_full() && is_last() {
            self.left_out += 1;
            return;
        }
        self.kept_bytes += path.len();
        self.kept.push(path.to_owned());
        while self.has_too_much() {
            let last = self.kept.pop().unwrap_or_default();
            self.kept_bytes -= last.len();
            self.left_out += 1;
        }
    }

    /// Adds the path of a field of what stands at `place`.
    pub fn push_below(&mut self, place: &FieldPath, field: &str) {
        if self.compared_bytes.saturating_add(place.text_bytes()) > Self::MOST_COMPARED {
            self.left_out += 1;
        } else {
            self.push(&format!("{place}.{field}"));
        }
    }

    /// Returns `true` if a field was removed.
    #[must_use]
    pub fn has_any(&self) -> bool {
        self.left_out > 0 || !self.kept.is_empty()
    }

    /// Returns the paths that are kept, in order, and the number of the others.
    #[must_use]
    pub fn into_sorted(self) -> (Vec<String>, u64) {
        (self.kept.into_sorted_vec(), self.left_out)
    }

    fn is_full(&self) -> bool {
        self.kept.len() >= Causes::MOST || self.kept_bytes >= Causes::MOST_BYTES
    }

    /// The last of them may go beyond the limit of bytes.
    fn has_too_much(&self) -> bool {
        let last = self.kept.peek().map_or(0, String::len);
        self.kept.len() > Causes::MOST || self.kept_bytes - last >= Causes::MOST_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paths_are_kept() {
        let mut removed = Removed::default();
        (0..Causes::MOST + 2).rev().for_each(|i| removed.push(&format!("spec.f{i:05}")));
        let (kept, left_out) = removed.into_sorted();
        assert_eq!((kept.len(), left_out), (Causes::MOST, 2));
        assert_eq!((kept[0].as_str(), kept[9_999].as_str()), ("spec.f00000", "spec.f09999"));
    }

    #[test]
    fn long_paths_are_counted() {
        let mut removed = Removed::default();
        let long = "x".repeat(1 << 20);
        (0..1_000).for_each(|i| removed.push(&format!("{long}.f{i}")));
        let (kept, left_out) = removed.into_sorted();
        assert_eq!((kept.len(), left_out), (4, 996));
        assert!(kept[0].ends_with(".f0"));
    }
}
