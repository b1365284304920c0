//! Handles namespaces if built-in kinds are served: objects can only be created in existing namespaces, and are deleted together with the
//! namespace.
//!
//! Source: `plugin/pkg/admission/namespace/lifecycle` of Kubernetes, and the namespace controller, which acts immediately here.

use std::sync::Arc;

use crd_go::strings::quote;
use serde_json::{Value, json};

use crate::definition::Definition;
use crate::json::metadata_mut;
use crate::request_info::RequestInfo;
use crate::shared::Shared;
use crate::status::{Failure, Resource};
use crate::store::{Key, Stored};

fn resource() -> Resource {
    Resource { group: String::new(), plural: "namespaces".to_owned() }
}

/// Rejects a new object if the namespace does not exist or is being deleted.
pub(super) fn check(server: &Shared, place: &RequestInfo, name: &str) -> Result<(), Failure> {
    if place.namespace.is_empty() || server.definition(&resource()).is_none() {
        return Ok(());
    }
    let Some(namespace) = server.store.get(&resource(), &Key::new("", &place.namespace)) else {
        return Err(Failure::not_found(&resource(), &place.namespace));
    };
    if !namespace.is_going() {
        return Ok(());
    }
    let Resource { group, plural } = &place.definition.resource;
    let detail = format!(
        "unable to create new content in namespace {} because it is being terminated",
        place.namespace
    );
    let message = format!("{} {} is forbidden: {detail}", place.definition.resource, quote(name));
    let cause = json!({
        "reason": "NamespaceTerminating", "message": format!("namespace {} is being terminated", place.namespace),
        "field": "metadata.namespace",
    });
    let failure = Failure::new(403, "Forbidden", message).about(name, group, plural);
    Err(failure.with_causes([cause].into_iter()))
}

/// Returns `true` if a request is about a namespace.
pub(super) fn is_one(place: &RequestInfo) -> bool {
    place.definition.resource == resource()
}

/// Marks a namespace as being deleted.
pub(super) fn mark(value: &mut Value, now: &str) {
    if let Some(metadata) = metadata_mut(value) {
        metadata.insert("deletionTimestamp".to_owned(), now.into());
    }
    value["status"]["phase"] = "Terminating".into();
}

/// Removes a namespace that is being deleted if no objects are left.
pub(super) fn finish(server: &Shared, name: &str) {
    let is_going = |stored: &Arc<Stored>| stored.is_going();
    let store = &server.store;
    let Some(namespace) = store.get(&resource(), &Key::new("", name)).filter(is_going) else { return };
    let is_empty =
        |definition: Arc<Definition>| store.list(&definition.resource, &Key::prefix(name)).1.is_empty();
    if namespace.finalizers().is_empty() && contents(server).all(is_empty) {
        // Whoever was faster removed it, or sees to it.
        let _ = store.remove(&resource(), &namespace);
    }
}

/// Returns the definitions of all namespaced kinds.
pub(super) fn contents(server: &Shared) -> impl Iterator<Item = Arc<Definition>> {
    server.served_definitions().into_iter().filter(|definition| definition.is_namespaced())
}
