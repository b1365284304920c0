//! Logs changes to a resource's objects, for watches and for lists at earlier revisions.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::object::{Key, Stored};

/// A change to an object.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) revision: u64,
    /// The object before the change; `None` if the change created the object.
    pub(crate) before: Option<Arc<Stored>>,
    /// The object after the change. If the object was removed, this is its last state with the revision of the
    /// removal.
    pub(crate) after: Arc<Stored>,
    pub(crate) is_removal: bool,
    /// The event as serialized for the first watch. Other watches reuse the result.
    print: OnceLock<Box<EventPrint>>,
}

/// A serialized event, and the parameters on which the result depends.
#[derive(Debug)]
struct EventPrint {
    epoch: u64,
    version: Box<str>,
    event_type: &'static str,
    json: Bytes,
}

impl Event {
    pub(super) fn new(
        revision: u64,
        before: Option<Arc<Stored>>,
        after: Arc<Stored>,
        is_removal: bool,
    ) -> Self {
        Self { revision, before, after, is_removal, print: OnceLock::new() }
    }

    /// Returns the number of bytes that the log needs for this event. Usually, only one of the object's states counts, because the other
    /// state is stored or belongs to another event. Both states count if the object was removed.
    fn size(&self) -> usize {
        let before = self.before.as_ref().filter(|_| self.is_removal);
        size_of::<Self>() + self.after.memory() + before.map_or(0, |before| before.memory())
    }

    /// Returns the serialized event. Calls `print` if the event has not been serialized yet.
    pub(crate) fn printed<E>(
        &self,
        epoch: u64,
        version: &str,
        event_type: &'static str,
        print: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Bytes, E> {
        if let Some(printed) = self.print.get() {
            if (printed.epoch, &*printed.version, printed.event_type) == (epoch, version, event_type) {
                return Ok(printed.json.clone());
            }
            return print();
        }
        let json = print()?;
        let printed = EventPrint { epoch, version: version.into(), event_type, json: json.clone() };
        // Another thread may have been faster; then its print stays.
        _ = self.print.set(Box::new(printed));
        Ok(json)
    }
}

/// Maximum size of a log's events in bytes, without the serialized events that watches share. Beyond this size, the log drops older events,
/// even if only a few events are left.
const MOST_BYTES: usize = 64 << 20;

/// A resource's latest events.
#[derive(Debug)]
pub(crate) struct Log {
    events: VecDeque<Arc<Event>>,
    /// The size of all events, in bytes.
    bytes: usize,
    most: usize,
    /// The log contains all events after this revision.
    complete_after: u64,
    /// `true` if no event was ever dropped.
    is_whole: bool,
}

impl Log {
    pub(super) fn new(most: usize, revision: u64) -> Self {
        Self { events: VecDeque::new(), bytes: 0, most, complete_after: revision, is_whole: true }
    }

    /// Returns `true` if no event was ever dropped.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(super) fn push(&mut self, event: Event) {
        self.bytes += event.size();
        self.events.push_back(Arc::new(event));
        while self.events.len() > self.most || self.bytes > MOST_BYTES {
            let Some(event) = self.events.pop_front() else { break };
            self.bytes -= event.size();
            self.complete_after = event.revision;
            self.is_whole = false;
        }
    }

    /// Returns the revision since which the log is complete.
    pub(crate) fn complete_after(&self) -> u64 {
        self.complete_after
    }

    /// Returns the events after a revision, oldest first.
    pub(crate) fn after(&self, revision: u64) -> impl DoubleEndedIterator<Item = &Arc<Event>> {
        let start = self.events.partition_point(|event| event.revision <= revision);
        self.events.range(start..)
    }

    /// Returns the objects that have changed since a revision, in their state at this revision. Objects that did not exist then are `None`.
    pub(super) fn others_at(&self, revision: u64) -> BTreeMap<Key, Option<&Arc<Stored>>> {
        // The first change after the revision says what there was before.
        self.after(revision).rev().map(|event| (event.after.key.clone(), event.before.as_ref())).collect()
    }
}
