//! Objects in memory: one map for each resource, one counter of revisions.

mod event;
mod object;

pub(crate) use event::Event;
pub(crate) use object::{Key, Stored};

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::task::Waker;

use event::Log;
use serde_json::Value;

use crate::status::Resource;

/// All objects of a server.
#[derive(Debug)]
pub(crate) struct Store {
    state: RwLock<State>,
    kept_events: usize,
}

#[derive(Debug, Default)]
struct State {
    revision: u64,
    tables: HashMap<Resource, Table>,
}

/// The objects of a resource.
#[derive(Debug)]
struct Table {
    objects: BTreeMap<Key, Arc<Stored>>,
    log: Log,
    /// Watches do not begin before this revision.
    watched_after: u64,
    watches: Mutex<Vec<Waker>>,
}

/// Why an object was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotWritten {
    /// There is an object of that name.
    Exists,
    /// The object is not the one that was read any more.
    Changed,
    /// The resource is not served any more.
    NoResource,
}

/// Why there are no events to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoEvents {
    /// Events after the revision are missing; all after this one are there.
    Expired(u64),
    /// The resource is not served any more.
    NoResource,
}

impl Store {
    pub(crate) fn new(kept_events: usize) -> Self {
        // etcd counts from 1 as well.
        let state = State { revision: 1, tables: HashMap::new() };
        Self { state: RwLock::new(state), kept_events }
    }

    /// The revision of the last change.
    pub(crate) fn revision(&self) -> u64 {
        self.read().revision
    }

    /// Begins to keep objects of a resource.
    pub(crate) fn add_resource(&self, resource: &Resource) {
        let mut state = self.write();
        let revision = state.revision;
        let log = Log::new(self.kept_events, revision);
        let table = || Table { objects: BTreeMap::new(), log, watched_after: 0, watches: Mutex::default() };
        state.tables.entry(resource.clone()).or_insert_with(table);
    }

    /// Forgets the objects of a resource. Its watches end.
    pub(crate) fn remove_resource(&self, resource: &Resource) {
        if let Some(table) = self.write().tables.remove(resource) {
            table.wake();
        }
    }

    /// Lets no watch of a resource begin before the present revision.
    pub(crate) fn expire(&self, resource: &Resource) {
        let mut state = self.write();
        let revision = state.revision;
        if let Some(table) = state.tables.get_mut(resource) {
            table.watched_after = revision;
        }
    }

    /// Lets the watches of a resource look whether they go on.
    pub(crate) fn wake(&self, resource: &Resource) {
        if let Some(table) = self.read().tables.get(resource) {
            table.wake();
        }
    }

    /// Lets all watches look whether they go on.
    pub(crate) fn wake_all(&self) {
        self.read().tables.values().for_each(Table::wake);
    }

    pub(crate) fn get(&self, resource: &Resource, key: &Key) -> Option<Arc<Stored>> {
        self.read().tables.get(resource)?.objects.get(key).cloned()
    }

    /// The objects of a namespace, or all, and the revision of which they are.
    pub(crate) fn list(&self, resource: &Resource, prefix: &str) -> (u64, Vec<Arc<Stored>>) {
        let state = self.read();
        let objects = state.tables.get(resource).map(|table| within(&table.objects, prefix));
        (state.revision, objects.unwrap_or_default())
    }

    /// The objects as they were at a revision, and `None` where that is too long ago.
    pub(crate) fn list_at(
        &self,
        resource: &Resource,
        prefix: &str,
        revision: u64,
    ) -> Option<Vec<Arc<Stored>>> {
        let state = self.read();
        let Some(table) = state.tables.get(resource) else { return Some(Vec::new()) };
        if revision < table.log.complete_after() {
            // Before its first event a resource had no objects, however long ago that is.
            return table.log.is_whole().then(Vec::new);
        }
        Some(within(&table.log.rewind(&table.objects, revision), prefix))
    }

    /// The events after a revision.
    pub(crate) fn events(&self, resource: &Resource, revision: u64) -> Result<Vec<Arc<Event>>, NoEvents> {
        let state = self.read();
        let table = state.tables.get(resource).ok_or(NoEvents::NoResource)?;
        let oldest = table.log.complete_after().max(table.watched_after);
        if revision < oldest {
            return Err(NoEvents::Expired(oldest));
        }
        Ok(table.log.after(revision).cloned().collect())
    }

    /// Has a watch called when the resource changes.
    pub(crate) fn wait(&self, resource: &Resource, waker: &Waker) {
        if let Some(table) = self.read().tables.get(resource) {
            let mut watches = table.watches.lock().unwrap_or_else(PoisonError::into_inner);
            if !watches.iter().any(|other| other.will_wake(waker)) {
                watches.push(waker.clone());
            }
        }
    }

    pub(crate) fn create(
        &self,
        resource: &Resource,
        key: Key,
        value: Value,
    ) -> Result<Arc<Stored>, NotWritten> {
        self.change(resource, key, |_, found| match found {
            Some(_) => Err(NotWritten::Exists),
            None => Ok(value),
        })
    }

    /// Writes an object in the place of one that was read before.
    pub(crate) fn replace(
        &self,
        resource: &Resource,
        old: &Arc<Stored>,
        value: Value,
    ) -> Result<Arc<Stored>, NotWritten> {
        self.change(resource, old.key.clone(), |_, found| match found {
            Some(found) if Arc::ptr_eq(found, old) => Ok(value),
            _ => Err(NotWritten::Changed),
        })
    }

    fn change(
        &self,
        resource: &Resource,
        key: Key,
        value: impl FnOnce(u64, Option<&Arc<Stored>>) -> Result<Value, NotWritten>,
    ) -> Result<Arc<Stored>, NotWritten> {
        let mut state = self.write();
        let State { revision, tables } = &mut *state;
        let table = tables.get_mut(resource).ok_or(NotWritten::NoResource)?;
        let before = table.objects.get(&key);
        let value = value(*revision, before)?;
        *revision += 1;
        let after = Arc::new(Stored::new(key.clone(), *revision, value));
        let before = table.objects.insert(key, Arc::clone(&after));
        let event = Event { revision: *revision, before, after: Arc::clone(&after), is_removal: false };
        table.log.push(event);
        table.wake();
        Ok(after)
    }

    /// Removes an object that was read before. `last` is its last state, which may be one that was never stored.
    pub(crate) fn remove(
        &self,
        resource: &Resource,
        old: &Arc<Stored>,
        last: &Value,
    ) -> Result<(), NotWritten> {
        let mut state = self.write();
        let State { revision, tables } = &mut *state;
        let table = tables.get_mut(resource).ok_or(NotWritten::NoResource)?;
        match table.objects.get(&old.key) {
            Some(found) if Arc::ptr_eq(found, old) => {}
            _ => return Err(NotWritten::Changed),
        }
        table.objects.remove(&old.key);
        *revision += 1;
        let after = Arc::new(Stored::new(old.key.clone(), *revision, last.clone()));
        let before = Some(Arc::clone(old));
        table.log.push(Event { revision: *revision, before, after, is_removal: true });
        table.wake();
        Ok(())
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn wake(&self) {
        let watches = std::mem::take(&mut *self.watches.lock().unwrap_or_else(PoisonError::into_inner));
        watches.into_iter().for_each(Waker::wake);
    }
}

fn within(objects: &BTreeMap<Key, Arc<Stored>>, prefix: &str) -> Vec<Arc<Stored>> {
    let from = Bound::Included(Key::from_text(prefix));
    let found = objects.range((from, Bound::Unbounded));
    found
        .take_while(|(key, _)| key.as_str().starts_with(prefix))
        .map(|(_, stored)| Arc::clone(stored))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn store(kept: usize) -> (Store, Resource) {
        let resource = Resource { group: "e.io".to_owned(), plural: "shirts".to_owned() };
        let store = Store::new(kept);
        store.add_resource(&resource);
        (store, resource)
    }

    fn object() -> Value {
        json!({"metadata": {"name": "a"}})
    }

    #[test]
    fn revisions_count_all_changes() {
        let (store, resource) = store(10);
        let key = Key::new("d", "a");
        let first = store.create(&resource, key.clone(), object()).unwrap();
        assert_eq!((first.revision, first.meta_text("resourceVersion")), (2, "2"));
        assert_eq!(store.create(&resource, key.clone(), object()).unwrap_err(), NotWritten::Exists);
        let second = store.replace(&resource, &first, object()).unwrap();
        assert_eq!(store.replace(&resource, &first, object()).unwrap_err(), NotWritten::Changed);
        assert_eq!(store.remove(&resource, &first, &object()).unwrap_err(), NotWritten::Changed);
        store.remove(&resource, &second, &object()).unwrap();
        assert!(store.get(&resource, &key).is_none());
        assert_eq!(store.revision(), 4);
    }

    #[test]
    fn the_past_can_be_listed() {
        let (store, resource) = store(10);
        let names = |revision| {
            let objects = store.list_at(&resource, "", revision)?;
            Some(objects.iter().map(|stored| stored.key.as_str().to_owned()).collect::<Vec<_>>())
        };
        let a = store.create(&resource, Key::new("d", "a"), object()).unwrap();
        store.create(&resource, Key::new("d", "b"), object()).unwrap();
        store.remove(&resource, &a, &object()).unwrap();
        assert_eq!(names(1), Some(vec![]));
        assert_eq!(names(2), Some(vec!["d/a".to_owned()]));
        assert_eq!(names(3), Some(vec!["d/a".to_owned(), "d/b".to_owned()]));
        assert_eq!(names(4), Some(vec!["d/b".to_owned()]));
    }

    #[test]
    fn old_events_expire() {
        let (store, resource) = store(2);
        for name in ["a", "b", "c"] {
            store.create(&resource, Key::new("", name), object()).unwrap();
        }
        assert_eq!(store.events(&resource, 1).unwrap_err(), NoEvents::Expired(2));
        assert_eq!(store.events(&resource, 2).unwrap().len(), 2);
        assert!(store.list_at(&resource, "", 1).is_none());
    }

    #[test]
    fn keys_are_in_the_order_of_etcd() {
        assert!(Key::new("a-b", "x") < Key::new("a", "x"));
        let key = Key::new("a", "x");
        assert_eq!((key.namespace(), key.name()), ("a", "x"));
    }
}
