//! Garbage collection: objects go when all their owners are gone.
//!
//! Source: `pkg/controller/garbagecollector` of Kubernetes, which runs here when it is asked to.

use std::collections::HashSet;
use std::sync::Arc;

use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::definition::Definition;
use crate::server::Server;
use crate::store::Stored;
use crate::verbs::delete::{FOREGROUND, ORPHAN};

/// An object, and the definition that it is read with.
type Live = (Arc<Definition>, Arc<Stored>);

impl Server {
    /// Removes the objects whose owners are all gone, as the garbage collector of Kubernetes does, and returns how many requests
    /// that took.
    ///
    /// Objects that are deleted in the foreground wait for their dependents, and dependents of orphaning deletions lose their
    /// owner. The server never does this by itself, so that a test decides when it happens.
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
    /// # Ok::<(), crd_server::Refused>(())
    /// ```
    pub fn collect_garbage(&self) -> usize {
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

    /// All objects of all definitions.
    fn live(&self) -> Vec<Live> {
        let objects = |definition: Arc<Definition>| {
            let objects = self.inner.store.list(&definition.resource, "").1;
            objects.into_iter().map(move |stored| (Arc::clone(&definition), stored)).collect::<Vec<_>>()
        };
        self.served_definitions().into_iter().flat_map(objects).collect()
    }

    /// Does what is due for an object. Returns `true` if that was something.
    fn collect(&self, (definition, stored): &Live, live: &[Live]) -> bool {
        let uid = stored.meta_text("uid");
        let finalizers = stored.finalizers();
        let is_going = stored.meta("deletionTimestamp").is_some();
        let is_dependent = |(_, other): &&Live| owners(other).any(|owner| owner["uid"] == uid);
        if is_going && finalizers.contains(&ORPHAN) {
            for (definition, other) in live.iter().filter(is_dependent) {
                let left: Vec<&Value> = owners(other).filter(|owner| owner["uid"] != uid).collect();
                self.merge(definition, other, &json!({"ownerReferences": left}));
            }
            return self.without_finalizer(definition, stored, ORPHAN);
        }
        if is_going && finalizers.contains(&FOREGROUND) {
            let blocks = |object: &&Live| {
                let mut owners = owners(&object.1);
                owners.any(|owner| owner["uid"] == uid && owner["blockOwnerDeletion"] == true)
            };
            if !live.iter().any(|object| blocks(&object)) {
                return self.without_finalizer(definition, stored, FOREGROUND);
            }
            let dependents = live.iter().filter(is_dependent);
            let staying = dependents.filter(|(_, other)| other.meta("deletionTimestamp").is_none());
            return staying.filter(|(definition, other)| self.delete(definition, other)).count() > 0;
        }
        let uids: HashSet<&str> = live.iter().map(|(_, other)| other.meta_text("uid")).collect();
        let is_gone = |owner: &Value| !uids.contains(owner["uid"].as_str().unwrap_or_default());
        let mut owners = owners(stored).peekable();
        !is_going && owners.peek().is_some() && owners.all(is_gone) && self.delete(definition, stored)
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

fn owners(stored: &Stored) -> impl Iterator<Item = &Value> {
    stored.meta("ownerReferences").and_then(Value::as_array).into_iter().flatten()
}

fn path(definition: &Definition, stored: &Stored) -> String {
    let (namespace, name) = (stored.key.namespace(), stored.key.name());
    definition.path(definition.storage(), namespace, name)
}
