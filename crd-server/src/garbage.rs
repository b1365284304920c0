//! Collects garbage: removes objects whose owners are all gone.
//!
//! Source: `pkg/controller/garbagecollector` of Kubernetes. In this server, garbage collection runs on request.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use std::{io, thread};

use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::definition::Definition;
use crate::depth;
use crate::server::Server;
use crate::store::Stored;
use crate::verbs::{FOREGROUND, ORPHAN};

/// An object with its resource's definition and its owners.
struct Live {
    definition: Arc<Definition>,
    stored: Arc<Stored>,
    owners: Vec<Value>,
}

impl Server {
    /// Removes objects whose owners are all gone, like Kubernetes' garbage collector. Returns the number of requests that were
    /// needed.
    ///
    /// An object with foreground deletion is removed after its dependents. Dependents lose their owner reference if a deletion orphans
    /// them. Garbage is only collected when this function is called, so a test decides when objects are removed.
    /// [`Server::keep_collecting_garbage`] calls this function automatically.
    ///
    /// ```
    /// use crd_server::{Config, Server};
    /// use serde_json::json;
    ///
    /// let mut config = Config::default();
    /// config.built_in_kinds();
    /// let server = Server::with(&config);
    /// let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "6b5c3f3a-0000-4000-8000-000000000000"});
    /// server.create(&json!({
    ///     "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "ownerReferences": [owner]},
    /// }))?;
    /// assert_eq!(server.collect_garbage(), 1);
    /// assert_eq!(server.collect_garbage(), 0);
    /// # Ok::<(), crd_server::Rejected>(())
    /// ```
    pub fn collect_garbage(&self) -> usize {
        match self.inner.is_deep() {
            // Without memory for a large stack, nothing is collected now.
            true => depth::on_large_stack(|| self.collect_all()).unwrap_or_default(),
            false => self.collect_all(),
        }
    }

    /// Calls [`Server::collect_garbage`] on a separate thread whenever objects have changed, with a pause between calls, until the server
    /// is dropped.
    ///
    /// # Errors
    /// The system has no thread left.
    ///
    /// ```
    /// crd_server::Server::new().keep_collecting_garbage(std::time::Duration::from_millis(100))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn keep_collecting_garbage(&self, pause: Duration) -> io::Result<()> {
        let server = Arc::downgrade(&self.inner);
        let collect = move || {
            let mut seen = None;
            while let Some(inner) = server.upgrade() {
                let revision = Some(inner.store.revision());
                if revision != seen {
                    Self { inner }.collect_garbage();
                    seen = revision;
                }
                thread::sleep(pause);
            }
        };
        thread::Builder::new().name("crd-server garbage".to_owned()).spawn(collect).map(drop)
    }

    fn collect_all(&self) -> usize {
        let mut requests = 0;
        loop {
            let live = self.live();
            let changed = live.iter().filter(|object| self.collect(object, &live)).count();
            requests += changed;
            if changed == 0 {
                return requests;
            }
        }
    }

    /// Returns all objects of all kinds.
    fn live(&self) -> Vec<Live> {
        let objects = |definition: Arc<Definition>| {
            let objects = self.inner.store.list(&definition.resource, "").1;
            let live = objects.into_iter().map(move |stored| Live {
                definition: Arc::clone(&definition),
                owners: owners(&stored),
                stored,
            });
            live.collect::<Vec<_>>()
        };
        let served = self.inner.served_definitions().into_iter();
        served.filter(|definition| definition.shares().is_none()).flat_map(objects).collect()
    }

    /// Performs the pending action on an object. Returns `true` if an action was pending.
    fn collect(&self, Live { definition, stored, owners }: &Live, live: &[Live]) -> bool {
        let uid = stored.uid();
        let finalizers = stored.finalizers();
        let is_going = stored.is_going();
        let is_dependent = |other: &&Live| other.owners.iter().any(|owner| owner["uid"] == uid);
        if is_going && finalizers.contains(&ORPHAN) {
            for other in live.iter().filter(is_dependent) {
                let left: Vec<&Value> = other.owners.iter().filter(|owner| owner["uid"] != uid).collect();
                self.merge(&other.definition, &other.stored, &json!({"ownerReferences": left}));
            }
            return self.without_finalizer(definition, stored, ORPHAN);
        }
        if is_going && finalizers.contains(&FOREGROUND) {
            let blocks = |other: &Live| {
                let mut owners = other.owners.iter();
                owners.any(|owner| owner["uid"] == uid && owner["blockOwnerDeletion"] == true)
            };
            if !live.iter().any(blocks) {
                return self.without_finalizer(definition, stored, FOREGROUND);
            }
            let dependents = live.iter().filter(is_dependent);
            let staying = dependents.filter(|other| !other.stored.is_going());
            return staying.filter(|other| self.delete(&other.definition, &other.stored)).count() > 0;
        }
        let uids: HashSet<&str> = live.iter().map(|other| other.stored.uid()).collect();
        let is_gone = |owner: &Value| !uids.contains(owner["uid"].as_str().unwrap_or_default());
        !is_going && !owners.is_empty() && owners.iter().all(is_gone) && self.delete(definition, stored)
    }

    fn without_finalizer(&self, definition: &Definition, stored: &Stored, name: &str) -> bool {
        let left: Vec<&str> = stored.finalizers().into_iter().filter(|other| *other != name).collect();
        self.merge(definition, stored, &json!({"finalizers": left}))
    }

    fn merge(&self, definition: &Definition, stored: &Stored, metadata: &Value) -> bool {
        let patch = json!({"metadata": metadata}).to_string();
        let request = http::Request::patch(path(definition, stored))
            .header(CONTENT_TYPE, "application/merge-patch+json")
            .body(patch);
        request.is_ok_and(|request| self.handle(request).status().is_success())
    }

    fn delete(&self, definition: &Definition, stored: &Stored) -> bool {
        let request = http::Request::delete(path(definition, stored)).body(Vec::new());
        request.is_ok_and(|request| self.handle(request).status().is_success())
    }
}

/// Returns the `ownerReferences` of an object.
fn owners(stored: &Stored) -> Vec<Value> {
    let value = stored.value();
    let owners = value.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    owners.cloned().unwrap_or_default()
}

fn path(definition: &Definition, stored: &Stored) -> String {
    let (namespace, name) = (stored.key.namespace(), stored.key.name());
    definition.path(definition.storage(), namespace, name)
}
