//! Removal of objects.
//!
//! Source: `endpoints/handlers/delete.go`, `rest.BeforeDelete` and `Store.Delete` of `k8s.io/apiserver`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::list::{self, Selection};
use super::{Place, read, write};
use crate::answer::Answer;
use crate::definition::{self, Definition};
use crate::json::metadata_mut;
use crate::namespaces;
use crate::request::accept;
use crate::request::delete_options::{DeleteOptions, Propagation};
use crate::server::{Answered, Call, Server};
use crate::status::{Failure, Resource};
use crate::store::{NotWritten, Stored};

pub(crate) const ORPHAN: &str = "orphan";
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

pub(super) fn delete(call: &mut Call<'_>, place: &Place) -> Answered {
    let form = accept::form(call.accept())?;
    let options = DeleteOptions::read(&call.query, call.content_type(), call.body)?;
    let resource = &place.definition.resource;
    if namespaces::is_one(place) {
        let value = namespaces::remove(call.server, place, &options)?;
        return read::in_form(call, place, 200, value, form);
    }
    match remove(call.server, place, &options)? {
        Removed::Gone(uid) => Ok(Answer::ordered(200, &success(resource, &place.name, &uid))),
        Removed::Marked(object) => read::in_form(call, place, 200, object, form),
    }
}

pub(super) fn collection(call: &mut Call<'_>, place: &Place) -> Answered {
    let form = accept::form(call.accept())?;
    let selection = Selection::read(&call.query, &place.definition, &place.version)?;
    let options = DeleteOptions::read(&call.query, call.content_type(), call.body)?;
    let (revision, objects) = call
        .server
        .inner
        .store
        .list(&place.definition.resource, &crate::store::Key::prefix(&place.namespace));
    let mut removed = Vec::new();
    for stored in objects {
        if !selection.matches(&stored.value) {
            continue;
        }
        let object = Place {
            definition: Arc::clone(&place.definition),
            version: place.version.clone(),
            namespace: stored.key.namespace().to_owned(),
            name: stored.key.name().to_owned(),
        };
        removed.push(write::from_storage(&stored.value, &object, &object.name)?);
        match remove(call.server, &object, &options) {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => {}
        }
    }
    let metadata = json!({"continue": "", "resourceVersion": revision.to_string()});
    list::in_form(call, place, &removed, &metadata, form)
}

/// Removes all objects of a definition, of one namespace or, with an empty name, of all.
pub(crate) fn all(server: &Server, definition: &Arc<Definition>, namespace: &str) -> Result<(), Failure> {
    for stored in server.inner.store.list(&definition.resource, &crate::store::Key::prefix(namespace)).1 {
        let object = Place {
            definition: Arc::clone(definition),
            version: definition.storage().to_owned(),
            namespace: stored.key.namespace().to_owned(),
            name: stored.key.name().to_owned(),
        };
        match remove(server, &object, &DeleteOptions::default()) {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => {}
        }
    }
    Ok(())
}

/// The state of an object after a deletion.
enum Removed {
    /// The object is gone; this was its UID.
    Gone(String),
    /// Finalizers keep the object for now.
    Marked(Value),
}

/// Removes an object, or marks it as one that is going.
fn remove(server: &Server, place: &Place, options: &DeleteOptions) -> Result<Removed, Failure> {
    let resource = &place.definition.resource;
    let store = &server.inner.store;
    loop {
        let old = store.get(resource, &place.key());
        let old = old.ok_or_else(|| Failure::not_found(resource, &place.name))?;
        options.check(&old, &resource.group, place.definition.kind())?;
        let finalizers = finalizers(&old, options);
        if finalizers.is_empty() {
            let uid = old.meta_text("uid").to_owned();
            if options.is_dry_run {
                return Ok(Removed::Gone(uid));
            }
            match store.remove(resource, &old, &old.value) {
                Err(NotWritten::Changed) => continue,
                _ => {
                    definition::write::finish_for(server, &place.definition);
                    namespaces::finish(server, &place.namespace);
                    return Ok(Removed::Gone(uid));
                }
            }
        }
        // The object passes through the version of the request: fields that this one does not have are lost.
        let read = write::from_storage(&old.value, place, &place.name)?;
        let mut answer = marked(read, &finalizers, &server.now());
        let value = write::into_storage(&answer, place, &place.name)?;
        write::set_revision(&mut answer, old.revision);
        if options.is_dry_run || write::is_same(&value, &old.value) {
            return Ok(Removed::Marked(answer));
        }
        match store.replace(resource, &old, value) {
            Ok(stored) => {
                write::set_revision(&mut answer, stored.revision);
                return Ok(Removed::Marked(answer));
            }
            Err(NotWritten::Changed) => {}
            Err(_) => return Err(Failure::not_found(resource, &place.name)),
        }
    }
}

/// The finalizers that an object has from its deletion on: `deletionFinalizersForGarbageCollection`.
fn finalizers(old: &Stored, options: &DeleteOptions) -> Vec<String> {
    let present: Vec<&str> = old.finalizers();
    let had = |name: &str| present.contains(&name);
    let (orphans, is_foreground) = match options.propagation {
        Some(Propagation::Orphan) => (true, false),
        Some(Propagation::Foreground) => (false, true),
        Some(Propagation::Background) => (false, false),
        None => (had(ORPHAN), had(FOREGROUND)),
    };
    let rest = present.iter().filter(|name| **name != ORPHAN && **name != FOREGROUND);
    let mut new: Vec<String> = rest.map(|name| (*name).to_owned()).collect();
    new.extend(orphans.then(|| ORPHAN.to_owned()));
    new.extend(is_foreground.then(|| FOREGROUND.to_owned()));
    let is_same = new.len() == present.len() && new.iter().all(|name| had(name));
    if is_same { present.into_iter().map(str::to_owned).collect() } else { new }
}

/// The object with the marks of its deletion: `markAsDeleting`.
fn marked(mut value: Value, finalizers: &[String], now: &str) -> Value {
    if let Some(metadata) = metadata_mut(&mut value) {
        metadata.insert("finalizers".to_owned(), finalizers.into());
        if !metadata.contains_key("deletionTimestamp") {
            metadata.insert("deletionTimestamp".to_owned(), now.into());
            let generation = metadata.get("generation").and_then(Value::as_i64).unwrap_or_default();
            if generation > 0 {
                metadata.insert("generation".to_owned(), generation.saturating_add(1).into());
            }
        }
        metadata.insert("deletionGracePeriodSeconds".to_owned(), 0.into());
    }
    value
}

/// The answer to the deletion of an object that is gone.
fn success(resource: &Resource, name: &str, uid: &str) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
        "details": {"name": name, "group": resource.group, "kind": resource.plural, "uid": uid},
    })
}
