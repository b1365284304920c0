//! Remembers the index at which a field was last found, as a hint for the next lookup.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The positions at which a field was last found. Readers must check whether the field is still there.
#[derive(Clone, Debug, Default)]
pub(super) struct Hint {
    /// The position of the field among the fields of the type.
    pub(super) of_type: Index,
    /// The position of the field among the members of the object.
    pub(super) of_member: Index,
}

/// An index that concurrent runs of a program share. Any value is valid, because readers check the index before they use it.
#[derive(Debug, Default)]
pub(super) struct Index(AtomicUsize);

impl Index {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, index: usize) {
        self.0.store(index, Ordering::Relaxed);
    }
}

impl Clone for Index {
    fn clone(&self) -> Self {
        Self(AtomicUsize::new(self.get()))
    }
}
