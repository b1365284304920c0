//! The server's state, which clones of the server share.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

use crate::config::Config;
use crate::controls::Controls;
use crate::conversion::Converters;
use crate::definition::{self, Definition, Origin};
use crate::status::Resource;
use crate::store::Store;

/// The state that clones of a server share.
pub(crate) struct Shared {
    /// A weak reference to this state, for tasks that continue after a request.
    pub(crate) this: Weak<Self>,
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) controls: Controls,
    pub(crate) converters: Converters,
    pub(crate) served: RwLock<HashMap<Resource, Arc<Definition>>>,
    /// Makes contended writes wait for each other. A write takes this lock after several failed attempts, in which other requests changed
    /// the object in the meantime.
    pub(crate) contended: Mutex<()>,
    /// The kinds of admission webhooks and policies that were already reported.
    reported: Mutex<HashSet<String>>,
    /// `true` after a request has needed a large stack.
    pub(crate) is_deep: AtomicBool,
}

impl Shared {
    pub(crate) fn new(config: &Config) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            this: this.clone(),
            config: config.clone(),
            store: Store::new(config.kept_events, config.first_revision),
            controls: Controls::default(),
            #[cfg(feature = "webhooks")]
            converters: Converters::calling(config.webhook_hosts.clone()),
            #[cfg(not(feature = "webhooks"))]
            converters: Converters::default(),
            served: RwLock::default(),
            contended: Mutex::default(),
            reported: Mutex::default(),
            is_deep: AtomicBool::new(false),
        })
    }

    /// Reports the first admission webhook configuration or policy of each kind.
    pub(crate) fn report_registration(&self, kind: &str, name: &str) {
        let is_new = self.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.to_owned());
        if is_new {
            self.config.report_registration(kind, name);
        }
    }

    /// Returns `true` if objects may be too deep for a small stack.
    pub(crate) fn is_deep(&self) -> bool {
        self.is_deep.load(Ordering::SeqCst)
    }

    /// Returns the server's time in whole seconds, as in metadata.
    pub(crate) fn now(&self) -> String {
        self.now_after(0)
    }

    /// Returns the server's time plus a number of seconds.
    pub(crate) fn now_after(&self, seconds: i64) -> String {
        let later = Duration::from_secs(u64::try_from(seconds).unwrap_or_default());
        self.config.time(self.controls.ahead().saturating_add(later))
    }

    /// Returns the definition of a resource.
    pub(crate) fn definition(&self, resource: &Resource) -> Option<Arc<Definition>> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        served.get(resource).cloned()
    }

    /// Returns the definitions for built-in kinds, followed by the definitions for CRDs in the order of their creation.
    pub(crate) fn served_definitions(&self) -> Vec<Arc<Definition>> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        let mut served: Vec<_> =
            served.values().filter(|served| served.origin != Origin::Definitions).cloned().collect();
        served.sort_by(|a, b| {
            let order = |definition: &Definition| definition.crd.metadata.creation_timestamp.clone();
            order(a).cmp(&order(b)).then_with(|| a.epoch.cmp(&b.epoch))
        });
        served
    }

    /// Returns the definitions for all stored resources, including the kind `CustomResourceDefinition`.
    pub(crate) fn published(&self) -> Vec<Arc<Definition>> {
        let mut all = self.served_definitions();
        all.retain(|definition| !definition.built_in().is_some_and(|row| row.is_review));
        all.extend(self.definition(&definition::resource()));
        all
    }

    /// Starts to serve a CRD or built-in kind, or replaces its definition if it is already served.
    pub(crate) fn serve(&self, mut definition: Definition) {
        definition.converters = self.converters.clone();
        match definition.shares() {
            Some(of) => self.store.share(&definition.resource, of),
            None => self.store.add_resource(&definition.resource),
        }
        let mut served = self.served.write().unwrap_or_else(PoisonError::into_inner);
        served.insert(definition.resource.clone(), Arc::new(definition));
    }

    /// Stops serving a resource but keeps its objects.
    pub(crate) fn hide(&self, resource: &Resource) {
        let hidden = self.served.write().unwrap_or_else(PoisonError::into_inner).remove(resource);
        if hidden.is_some() {
            self.store.wake(resource);
        }
    }

    /// Stops serving a resource, and removes its objects.
    pub(crate) fn stop(&self, resource: &Resource) {
        self.served.write().unwrap_or_else(PoisonError::into_inner).remove(resource);
        self.store.remove_resource(resource);
    }
}
