//! Takes and restores snapshots of a server's state.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use serde_json::Value;

use crate::definition::{self, Definition};
use crate::depth;
use crate::server::Server;
use crate::status::Resource;
use crate::store::Contents;
use crate::verbs;

/// The objects and CRDs of a server at a point in time.
///
/// A snapshot is cheap, because it shares the objects with the server. [`Server::snapshot`] returns this value.
#[derive(Clone, Debug)]
pub struct Snapshot {
    contents: Contents,
    served: HashMap<Resource, Arc<Definition>>,
    /// `true` if objects may be too deep for a small stack.
    is_deep: bool,
}

impl Snapshot {
    /// Returns all objects in their stored form. CRDs come first, and the others are sorted by resource, namespace and name.
    ///
    /// ```
    /// use crd_server::{Config, Server};
    ///
    /// let mut config = Config::default();
    /// config.built_in_kinds();
    /// let objects = Server::with(&config).snapshot().objects();
    /// assert_eq!(objects[0]["metadata"]["name"], "default");
    /// ```
    #[must_use]
    pub fn objects(&self) -> Vec<Value> {
        let mut resources: Vec<_> = self.contents.resources().collect();
        resources.sort_by_key(|(resource, _)| {
            (**resource != definition::resource(), &resource.group, &resource.plural)
        });
        let read = || {
            let objects = resources.into_iter().flat_map(|(_, objects)| objects);
            objects.map(|stored| stored.value()).collect()
        };
        match self.is_deep {
            // Without enough memory for a large stack, the snapshot has no objects.
            true => depth::on_large_stack(read).unwrap_or_default(),
            false => read(),
        }
    }
}

impl Server {
    /// Takes a snapshot of all objects and CRDs.
    ///
    /// ```
    /// use crd_server::{Config, Server};
    /// use serde_json::json;
    ///
    /// let mut config = Config::default();
    /// config.built_in_kinds();
    /// let server = Server::with(&config);
    /// let before = server.snapshot();
    /// server.create(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}))?;
    /// server.restore(&before);
    /// assert_eq!(server.snapshot().objects(), before.objects());
    /// # Ok::<(), crd_server::Rejected>(())
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let served = self.inner.served.read().unwrap_or_else(PoisonError::into_inner);
        Snapshot {
            contents: self.inner.store.contents(),
            served: served.clone(),
            is_deep: self.inner.is_deep(),
        }
    }

    /// Restores the objects and CRDs in a snapshot. The snapshot may come from another server of the same version.
    ///
    /// Objects keep their UIDs and revisions. The server continues with a later revision than all previous revisions of the server and the
    /// snapshot. Open watches end. Watches from an earlier revision fail with `410 Expired`, so clients list all objects again. The delay
    /// of [`Config::establish_after`](crate::Config::establish_after) begins again for CRDs that are not established yet. Faults, the clock
    /// and recorded requests do not change.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut served = self.inner.served.write().unwrap_or_else(PoisonError::into_inner);
        self.inner.is_deep.fetch_or(snapshot.is_deep, Ordering::SeqCst);
        self.inner.store.replace_all(&snapshot.contents);
        *served = snapshot.served.clone();
        // The functions instead of webhooks are those of this server.
        for definition in served.values_mut().filter(|definition| definition.has_webhook()) {
            Arc::make_mut(definition).converters = self.inner.converters.clone();
        }
        drop(served);
        for stored in self.inner.store.list(&definition::resource(), "").1 {
            verbs::establish_later(&self.inner, &stored);
        }
    }
}
