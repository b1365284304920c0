//! Stores objects in memory, with one map for each resource and a single revision counter.

mod event;
mod object;
mod part;
mod watchers;

pub(crate) use event::Event;
pub(crate) use object::{Draft, Key, Stored};
pub(crate) use part::{Listed, Part};
pub(crate) use watchers::WatchId;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::task::Waker;

use event::Log;
use object::Objects;
use part::{between, count_after, within};
use watchers::Watchers;

use crate::status::Resource;

/// All objects of a server.
#[derive(Debug)]
pub(crate) struct Store {
    state: RwLock<State>,
    kept_events: usize,
    /// The revision before the first change.
    first: u64,
}

#[derive(Debug, Default)]
struct State {
    revision: u64,
    /// The size of all objects, in bytes.
    bytes: usize,
    tables: HashMap<Resource, Table>,
    /// Maps each resource that shares another resource's objects to the other resource.
    shared: HashMap<Resource, Resource>,
}

impl State {
    /// Returns the objects of a resource.
    fn table(&self, resource: &Resource) -> Option<&Table> {
        self.tables.get(self.shared.get(resource).unwrap_or(resource))
    }

    fn table_mut(&mut self, resource: &Resource) -> Option<&mut Table> {
        self.tables.get_mut(self.shared.get(resource).unwrap_or(resource))
    }
}

/// The objects of all resources at a revision.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    revision: u64,
    objects: HashMap<Resource, Arc<Objects>>,
}

/// The objects of a resource.
#[derive(Debug)]
struct Table {
    /// The objects by key. Snapshots share this map until it changes.
    objects: Arc<Objects>,
    log: Log,
    /// The earliest revision from which watches can begin.
    watched_after: u64,
    watchers: Arc<Watchers>,
}

/// The reason why an object was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotWritten {
    /// An object with this name exists.
    Exists,
    /// The object has changed since it was read.
    Changed,
    /// The resource is no longer served.
    NoResource,
}

/// The reason why events cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoEvents {
    /// Events after the requested revision are missing. All events after the revision in this variant are available.
    Expired(u64),
    /// The resource is no longer served.
    NoResource,
}

impl Store {
    pub(crate) fn new(kept_events: usize, first: u64) -> Self {
        let state = State { revision: first, ..State::default() };
        Self { state: RwLock::new(state), kept_events, first }
    }

    /// Returns the revision of the last change.
    pub(crate) fn revision(&self) -> u64 {
        self.read().revision
    }

    /// Starts to store objects of a resource.
    pub(crate) fn add_resource(&self, resource: &Resource) {
        let mut state = self.write();
        let revision = state.revision;
        let log = Log::new(self.kept_events, revision);
        let table = || Table { objects: Arc::default(), log, watched_after: 0, watchers: Arc::default() };
        state.tables.entry(resource.clone()).or_insert_with(table);
    }

    /// Lets a resource share another resource's objects.
    pub(crate) fn share(&self, resource: &Resource, of: Resource) {
        self.write().shared.insert(resource.clone(), of);
    }

    /// Removes a resource's objects, and ends its watches.
    pub(crate) fn remove_resource(&self, resource: &Resource) {
        let mut state = self.write();
        if let Some(table) = state.tables.remove(resource) {
            state.bytes -= table.objects.values().map(|stored| stored.size()).sum::<usize>();
            drop(state);
            table.watchers.wake();
        }
    }

    /// Prevents watches on a resource from beginning before the current revision.
    pub(crate) fn expire(&self, resource: &Resource) {
        let mut state = self.write();
        let revision = state.revision;
        if let Some(table) = state.table_mut(resource) {
            table.watched_after = revision;
        }
    }

    /// Wakes a resource's watches, which then check whether to continue.
    pub(crate) fn wake(&self, resource: &Resource) {
        let watchers = self.read().table(resource).map(|table| Arc::clone(&table.watchers));
        watchers.into_iter().for_each(|watchers| watchers.wake());
    }

    /// Wakes all watches, which then check whether to continue.
    pub(crate) fn wake_all(&self) {
        let watchers: Vec<_> = self.read().tables.values().map(|table| Arc::clone(&table.watchers)).collect();
        watchers.into_iter().for_each(|watchers| watchers.wake());
    }

    /// Returns the size of all objects in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.read().bytes
    }

    pub(crate) fn get(&self, resource: &Resource, key: &Key) -> Option<Arc<Stored>> {
        self.read().table(resource)?.objects.get(key).cloned()
    }

    /// Returns the current revision, and the objects whose keys begin with a prefix such as a namespace.
    pub(crate) fn list(&self, resource: &Resource, prefix: &str) -> (u64, Vec<Arc<Stored>>) {
        let state = self.read();
        let objects = state.table(resource).map(|table| within(&table.objects, prefix));
        (state.revision, objects.unwrap_or_default())
    }

    /// Returns a range of objects in their current state or at a revision. Returns `None` if the revision is too old.
    pub(crate) fn part(&self, resource: &Resource, part: &Part<'_>, revision: Option<u64>) -> Option<Listed> {
        let state = self.read();
        let at = revision.unwrap_or(state.revision);
        let nothing = || Some(Listed { revision: at, objects: Vec::new(), rest: 0 });
        let Some(table) = state.table(resource) else { return nothing() };
        if at < table.log.complete_after() {
            // Before its first event a resource had no objects, however long ago that is. Revisions of another server are not known.
            return if table.log.is_whole() && at >= self.first { nothing() } else { None };
        }
        let others = table.log.others_at(at);
        let chosen: Vec<_> = between(&table.objects, &others, part).take(part.most).map(Arc::clone).collect();
        let last = chosen.last().filter(|_| chosen.len() == part.most);
        let rest = last.map_or(0, |last| count_after(&table.objects, &others, part, &last.key));
        Some(Listed { revision: at, objects: chosen, rest })
    }

    /// Returns at most `most` events after a revision, oldest first. If there are no events, the resource's next change wakes the watch.
    pub(crate) fn events(
        &self,
        resource: &Resource,
        revision: u64,
        most: usize,
        (watch, waker): (WatchId, &Waker),
    ) -> Result<Vec<Arc<Event>>, NoEvents> {
        let state = self.read();
        let table = state.table(resource).ok_or(NoEvents::NoResource)?;
        let oldest = table.log.complete_after().max(table.watched_after);
        if revision < oldest {
            return Err(NoEvents::Expired(oldest));
        }
        let events: Vec<_> = table.log.after(revision).take(most).cloned().collect();
        if events.is_empty() {
            table.watchers.wait(watch, waker);
        }
        Ok(events)
    }

    /// Removes a watch that has ended.
    pub(crate) fn forget(&self, resource: &Resource, watch: WatchId) {
        if let Some(table) = self.read().table(resource) {
            table.watchers.forget(watch);
        }
    }

    pub(crate) fn create(
        &self,
        resource: &Resource,
        key: Key,
        draft: Draft,
    ) -> Result<Arc<Stored>, NotWritten> {
        self.change(resource, key, draft, |found| match found {
            Some(_) => Err(NotWritten::Exists),
            None => Ok(()),
        })
    }

    /// Replaces an object if it has not changed since it was read.
    pub(crate) fn replace(
        &self,
        resource: &Resource,
        old: &Arc<Stored>,
        draft: Draft,
    ) -> Result<Arc<Stored>, NotWritten> {
        self.change(resource, old.key.clone(), draft, |found| match found {
            Some(found) if Arc::ptr_eq(found, old) => Ok(()),
            _ => Err(NotWritten::Changed),
        })
    }

    fn change(
        &self,
        resource: &Resource,
        key: Key,
        draft: Draft,
        check: impl FnOnce(Option<&Arc<Stored>>) -> Result<(), NotWritten>,
    ) -> Result<Arc<Stored>, NotWritten> {
        let mut state = self.write();
        let State { revision, tables, bytes, shared } = &mut *state;
        let resource = shared.get(resource).unwrap_or(resource);
        let table = tables.get_mut(resource).ok_or(NotWritten::NoResource)?;
        check(table.objects.get(&key))?;
        *revision += 1;
        let after = Arc::new(draft.stored(key.clone(), *revision));
        *bytes += after.size();
        let before = Arc::make_mut(&mut table.objects).insert(key, Arc::clone(&after));
        *bytes -= before.as_ref().map_or(0, |before| before.size());
        table.log.push(Event::new(*revision, before, Arc::clone(&after), false));
        let watchers = Arc::clone(&table.watchers);
        drop(state);
        watchers.wake();
        Ok(after)
    }

    /// Removes an object if it has not changed since it was read.
    pub(crate) fn remove(&self, resource: &Resource, old: &Arc<Stored>) -> Result<u64, NotWritten> {
        let mut state = self.write();
        let State { revision, tables, bytes, shared } = &mut *state;
        let resource = shared.get(resource).unwrap_or(resource);
        let table = tables.get_mut(resource).ok_or(NotWritten::NoResource)?;
        match table.objects.get(&old.key) {
            Some(found) if Arc::ptr_eq(found, old) => {}
            _ => return Err(NotWritten::Changed),
        }
        Arc::make_mut(&mut table.objects).remove(&old.key);
        *bytes -= old.size();
        *revision += 1;
        let removal = *revision;
        let after = Arc::new(old.removed(removal));
        let before = Some(Arc::clone(old));
        table.log.push(Event::new(removal, before, after, true));
        let watchers = Arc::clone(&table.watchers);
        drop(state);
        watchers.wake();
        Ok(removal)
    }

    /// Returns all objects in their current state.
    pub(crate) fn contents(&self) -> Contents {
        let state = self.read();
        let objects = state.tables.iter().map(|(name, table)| (name.clone(), Arc::clone(&table.objects)));
        Contents { revision: state.revision, objects: objects.collect() }
    }

    /// Replaces all objects. The new revision is later than the previous revision and the revision of `contents`. Earlier revisions are no
    /// longer available, and watches end.
    pub(crate) fn replace_all(&self, contents: &Contents) {
        let mut state = self.write();
        let revision = state.revision.max(contents.revision) + 1;
        let old = std::mem::take(&mut state.tables);
        let table = |(resource, objects): (&Resource, &Arc<Objects>)| {
            let log = Log::new(self.kept_events, revision);
            let watchers = old.get(resource).map(|table| Arc::clone(&table.watchers)).unwrap_or_default();
            let table = Table { objects: Arc::clone(objects), log, watched_after: revision, watchers };
            (resource.clone(), table)
        };
        let tables: HashMap<_, _> = contents.objects.iter().map(table).collect();
        let sizes = tables.values().flat_map(|table| table.objects.values()).map(|stored| stored.size());
        let bytes = sizes.sum();
        let shared = std::mem::take(&mut state.shared);
        *state = State { revision, bytes, tables, shared };
        drop(state);
        old.into_values().for_each(|table| table.watchers.wake());
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    /// Returns all objects by resource.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (&Resource, impl Iterator<Item = &Arc<Stored>>)> {
        self.objects.iter().map(|(resource, objects)| (resource, objects.values()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn store(kept: usize) -> (Store, Resource) {
        let resource = Resource { group: "e.io".to_owned(), plural: "shirts".to_owned() };
        let store = Store::new(kept, 1);
        store.add_resource(&resource);
        (store, resource)
    }

    fn object() -> Draft {
        Draft::new(json!({"metadata": {"name": "a"}}), Some(0))
    }

    fn events(store: &Store, resource: &Resource, revision: u64) -> Result<usize, NoEvents> {
        let watch = (WatchId::new(), Waker::noop());
        store.events(resource, revision, 100, watch).map(|events| events.len())
    }

    #[test]
    fn revisions_count_all_changes() {
        let (store, resource) = store(10);
        let key = Key::new("d", "a");
        let first = store.create(&resource, key.clone(), object()).unwrap();
        assert_eq!((first.revision, &first.value()["metadata"]["resourceVersion"]), (2, &json!("2")));
        assert_eq!(store.create(&resource, key.clone(), object()).unwrap_err(), NotWritten::Exists);
        let second = store.replace(&resource, &first, object()).unwrap();
        assert_eq!(store.replace(&resource, &first, object()).unwrap_err(), NotWritten::Changed);
        assert_eq!(store.remove(&resource, &first).unwrap_err(), NotWritten::Changed);
        store.remove(&resource, &second).unwrap();
        assert!(store.get(&resource, &key).is_none());
        assert_eq!(store.revision(), 4);
    }

    #[test]
    fn the_past_can_be_listed() {
        let (store, resource) = store(10);
        let names = |revision| {
            let objects = store.part(&resource, &Part::all(""), Some(revision))?.objects;
            Some(objects.iter().map(|stored| stored.key.as_str().to_owned()).collect::<Vec<_>>())
        };
        let a = store.create(&resource, Key::new("d", "a"), object()).unwrap();
        store.create(&resource, Key::new("d", "b"), object()).unwrap();
        store.remove(&resource, &a).unwrap();
        assert_eq!(names(1), Some(vec![]));
        assert_eq!(names(2), Some(vec!["d/a".to_owned()]));
        assert_eq!(names(3), Some(vec!["d/a".to_owned(), "d/b".to_owned()]));
        assert_eq!(names(4), Some(vec!["d/b".to_owned()]));
    }

    #[test]
    fn a_page_of_the_past_has_the_objects_of_then() {
        let (store, resource) = store(100);
        let create = |name: &str| store.create(&resource, Key::new("d", name), object()).unwrap();
        let first: Vec<_> = ["b", "d", "f", "h"].map(create).into();
        let then = store.revision();
        create("a");
        create("e");
        store.remove(&resource, &first[1]).unwrap();
        let changed = store.replace(&resource, &first[2], object()).unwrap();
        store.remove(&resource, &changed).unwrap();
        create("f");
        let page = |after, most, revision| {
            let listed = store.part(&resource, &Part { prefix: "d/", after, most }, revision).unwrap();
            let names = listed.objects.iter().map(|stored| stored.key.name().to_owned()).collect::<String>();
            (names, listed.rest, listed.objects.iter().all(|stored| stored.revision <= listed.revision))
        };
        assert_eq!(page(None, 2, Some(then)), ("bd".to_owned(), 2, true));
        assert_eq!(page(Some("d"), 2, Some(then)), ("fh".to_owned(), 0, true));
        assert_eq!(page(Some("c"), 1, Some(then)), ("d".to_owned(), 2, true));
        assert_eq!(page(Some("h"), 1, Some(then)), (String::new(), 0, true));
        assert_eq!(page(None, 3, None), ("abe".to_owned(), 2, true));
        assert_eq!(page(Some("e"), 3, None), ("fh".to_owned(), 0, true));
    }

    /// Checks that the remaining objects are counted correctly, both for the current and for an earlier revision.
    #[test]
    fn the_rest_of_a_page_is_counted() {
        let (store, resource) = store(100);
        let names = ["a/x", "b", "b/1", "b/2", "b/3", "b/4", "b0", "c/x"];
        let created: Vec<_> = names
            .map(|key| store.create(&resource, Key::from_text(key), object()).unwrap())
            .into_iter()
            .collect();
        let then = store.revision();
        store.remove(&resource, &created[3]).unwrap();
        store.replace(&resource, &created[4], object()).unwrap();
        store.create(&resource, Key::new("b", "5"), object()).unwrap();
        for revision in [None, Some(then), Some(then - 4)] {
            for prefix in ["", "a/", "b/", "c/", "d/"] {
                let whole = store.part(&resource, &Part::all(prefix), revision).unwrap().objects.len();
                for most in 1..=whole {
                    let part = Part { prefix, after: None, most };
                    let listed = store.part(&resource, &part, revision).unwrap();
                    assert_eq!(listed.objects.len() + listed.rest, whole, "{prefix} {revision:?} {most}");
                }
            }
        }
    }

    #[test]
    fn old_events_expire() {
        let (store, resource) = store(2);
        for name in ["a", "b", "c"] {
            store.create(&resource, Key::new("", name), object()).unwrap();
        }
        assert_eq!(events(&store, &resource, 1), Err(NoEvents::Expired(2)));
        assert_eq!(events(&store, &resource, 2), Ok(2));
        assert!(store.part(&resource, &Part::all(""), Some(1)).is_none());
    }

    #[test]
    fn revisions_of_an_earlier_server_have_expired() {
        let resource = Resource { group: "e.io".to_owned(), plural: "shirts".to_owned() };
        let store = Store::new(10, 1_000);
        store.add_resource(&resource);
        assert_eq!(events(&store, &resource, 999), Err(NoEvents::Expired(1_000)));
        assert_eq!(events(&store, &resource, 1_000), Ok(0));
        assert!(store.part(&resource, &Part::all(""), Some(999)).is_none());
        assert_eq!(store.create(&resource, Key::new("d", "a"), object()).unwrap().revision, 1_001);
    }

    #[test]
    fn two_resources_share_their_objects() {
        let (store, resource) = store(10);
        let other = Resource { group: "other.io".to_owned(), plural: "shirts".to_owned() };
        store.share(&other, resource.clone());
        let key = Key::new("d", "a");
        let stored = store.create(&other, key.clone(), object()).unwrap();
        assert!(store.get(&resource, &key).is_some());
        assert_eq!(events(&store, &resource, 1), Ok(1));
        store.remove(&resource, &stored).unwrap();
        assert_eq!(events(&store, &other, 1), Ok(2));
    }

    #[test]
    fn keys_are_in_the_order_of_etcd() {
        assert!(Key::new("a-b", "x") < Key::new("a", "x"));
        let key = Key::new("a", "x");
        assert_eq!((key.namespace(), key.name()), ("a", "x"));
    }
}
