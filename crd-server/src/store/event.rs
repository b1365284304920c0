//! The log of changes of a resource, from which watches and lists of the past are answered.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::object::{Key, Stored};

/// A change of an object.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) revision: u64,
    /// The object before the change; absent where it was created.
    pub(crate) before: Option<Arc<Stored>>,
    /// The object after the change. Where it was removed, this is its last state with the revision of the removal.
    pub(crate) after: Arc<Stored>,
    pub(crate) is_removal: bool,
}

/// The last events of a resource.
#[derive(Debug)]
pub(crate) struct Log {
    events: VecDeque<Arc<Event>>,
    most: usize,
    /// All events after this revision are there.
    complete_after: u64,
    /// No event was ever dropped.
    is_whole: bool,
}

impl Log {
    pub(super) fn new(most: usize, revision: u64) -> Self {
        Self { events: VecDeque::new(), most, complete_after: revision, is_whole: true }
    }

    /// Returns `true` if no event was ever dropped.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(super) fn push(&mut self, event: Event) {
        self.events.push_back(Arc::new(event));
        while self.events.len() > self.most {
            if let Some(event) = self.events.pop_front() {
                self.complete_after = event.revision;
                self.is_whole = false;
            }
        }
    }

    /// All events after this revision are there.
    pub(crate) fn complete_after(&self) -> u64 {
        self.complete_after
    }

    /// The events after a revision, the oldest first.
    pub(crate) fn after(&self, revision: u64) -> impl DoubleEndedIterator<Item = &Arc<Event>> {
        let start = self.events.partition_point(|event| event.revision <= revision);
        self.events.range(start..)
    }

    /// The objects as they were at a revision, made of those that there are now.
    pub(super) fn rewind(
        &self,
        objects: &BTreeMap<Key, Arc<Stored>>,
        revision: u64,
    ) -> BTreeMap<Key, Arc<Stored>> {
        let mut objects = objects.clone();
        for event in self.after(revision).rev() {
            let key = event.after.key.clone();
            match &event.before {
                Some(before) => objects.insert(key, Arc::clone(before)),
                None => objects.remove(&key),
            };
        }
        objects
    }
}
