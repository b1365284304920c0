//! Namespaces, where built-in kinds are served: objects are created only in those that exist, and go with them.
//!
//! Source: `plugin/pkg/admission/namespace/lifecycle` of Kubernetes, and its namespace controller, which acts here at once.

use std::sync::Arc;

use crd_go::strings::quote;
use serde_json::{Value, json};

use crate::definition::Definition;
use crate::json::{metadata_mut, text};
use crate::request::delete_options::DeleteOptions;
use crate::shared::Shared;
use crate::status::{Failure, Resource};
use crate::store::{Key, Stored};
use crate::verbs::{Place, delete, write};

fn resource() -> Resource {
    Resource { group: String::new(), plural: "namespaces".to_owned() }
}

/// Sets the label that every namespace has.
pub(crate) fn prepare(namespace: &mut Value) {
    let name = text(namespace, &["metadata", "name"]).to_owned();
    if let Some(metadata) = metadata_mut(namespace) {
        let labels = metadata.entry("labels").or_insert_with(|| json!({}));
        if let Value::Object(labels) = labels {
            labels.insert("kubernetes.io/metadata.name".to_owned(), name.into());
        }
    }
}

/// Refuses a new object in a namespace that does not exist, or that is going.
pub(crate) fn check(server: &Shared, place: &Place, name: &str) -> Result<(), Failure> {
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
pub(crate) fn is_one(place: &Place) -> bool {
    place.definition.resource == resource()
}

/// Removes a namespace with its objects. Objects with finalizers keep it until they are gone.
pub(crate) fn remove(server: &Shared, place: &Place, options: &DeleteOptions) -> Result<Value, Failure> {
    let old = server.store.get(&resource(), &place.key());
    let old = old.ok_or_else(|| Failure::not_found(&resource(), &place.name))?;
    options.check(&old, "", place.definition.kind())?;
    let current = old.value();
    let mut value = current.clone();
    if !old.is_going() {
        if let Some(metadata) = metadata_mut(&mut value) {
            metadata.insert("deletionTimestamp".to_owned(), server.now().into());
        }
        value["status"]["phase"] = "Terminating".into();
    }
    if options.is_dry_run || write::is_same(&value, &current) {
        return Ok(value);
    }
    let stored = server.store.replace(&resource(), &old, place.definition.draft(value));
    let stored = stored.map_err(|_| Failure::modified(&resource(), &place.name))?;
    for definition in contents(server) {
        delete::all(server, &definition, &place.name)?;
    }
    finish(server, &place.name);
    Ok(stored.value())
}

/// Removes a namespace that is going when its last object is gone.
pub(crate) fn finish(server: &Shared, name: &str) {
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

/// The definitions whose objects are in namespaces.
fn contents(server: &Shared) -> impl Iterator<Item = Arc<Definition>> {
    server.served_definitions().into_iter().filter(|definition| definition.is_namespaced())
}
