//! Handles requests that delete objects.
//!
//! Source: `endpoints/handlers/delete.go`, `rest.BeforeDelete` and `Store.Delete` of `k8s.io/apiserver`.

mod grace;

use std::sync::Arc;

use serde_json::{Value, json};

use super::list::{self, Selection};
use super::{definitions, namespaces, read, strategy, write};
use crate::call::Call;
use crate::definition::{Definition, Origin};
use crate::json::{metadata_mut, set};
use crate::request::delete_options::{DeleteOptions, Propagation};
use crate::request::query::Query;
use crate::request_info::{RequestInfo, from_storage, into_storage};
use crate::response::{ResponseResult, ServerResponse};
use crate::shared::Shared;
use crate::status::{Failure, Resource};
use crate::store::{NotWritten, Stored};
use grace::Grace;
pub(super) use grace::grace_of;

pub(crate) const ORPHAN: &str = "orphan";
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

pub(super) fn delete(call: &mut Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    let options = DeleteOptions::read(&call.query, call.content_type(), &call.body)?;
    let resource = &place.definition.resource;
    let has_contents = place.definition.origin == Origin::Definitions || namespaces::is_one(place);
    if has_contents {
        let value = remove_with_contents(call.server, place, &options)?;
        return read::in_form(call, place, 200, value, form);
    }
    if grace::orphans(place) && options.propagation.is_none() {
        call.warnings.push(grace::ORPHANS.to_owned());
    }
    match remove(call.server, place, &options)? {
        Removed::Gone(uid) => Ok(ServerResponse::ordered(200, &success(resource, &place.name, &uid))),
        Removed::Marked(object) | Removed::GoneObject(object) => {
            read::in_form(call, place, 200, object, form)
        }
    }
}

/// Deletes a pod because of an eviction.
pub(super) fn evict(call: &Call<'_>, place: &RequestInfo, options: &Value) -> Result<(), Failure> {
    let options = DeleteOptions::read(&Query::default(), "application/json", options.to_string().as_bytes())?;
    remove(call.server, place, &options).map(drop)
}

pub(super) fn collection(call: &mut Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    let selection = Selection::read(&call.query, &place.definition, &place.version)?;
    let options = DeleteOptions::read(&call.query, call.content_type(), &call.body)?;
    let (revision, objects) =
        call.server.store.list(&place.definition.resource, &crate::store::Key::prefix(&place.namespace));
    let mut removed = Vec::new();
    for stored in objects {
        if !selection.matches(&stored, place)? {
            continue;
        }
        let object = RequestInfo {
            definition: Arc::clone(&place.definition),
            version: place.version.clone(),
            namespace: stored.key.namespace().to_owned(),
            name: stored.key.name().to_owned(),
        };
        // The API server deletes the CRDs of a collection as any other objects, without waiting for theirs.
        let result = match namespaces::is_one(place) {
            true => remove_with_contents(call.server, &object, &options).map(drop),
            false => remove(call.server, &object, &options).map(drop),
        };
        match result {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => removed.push(stored),
        }
    }
    let metadata = json!({"continue": "", "resourceVersion": revision.to_string()});
    list::in_form(call, place, &removed, &metadata, form)
}

/// Removes all objects of a CRD or built-in kind in a namespace. An empty `namespace` means all namespaces.
fn all(server: &Shared, definition: &Arc<Definition>, namespace: &str) -> Result<(), Failure> {
    for stored in server.store.list(&definition.resource, &crate::store::Key::prefix(namespace)).1 {
        let object = RequestInfo {
            definition: Arc::clone(definition),
            version: definition.storage().to_owned(),
            namespace: stored.key.namespace().to_owned(),
            name: stored.key.name().to_owned(),
        };
        match remove(server, &object, &DeleteOptions::background()) {
            Err(failure) if failure.code != 404 => return Err(failure),
            _ => {}
        }
    }
    Ok(())
}

/// Removes a CRD or namespace together with all objects in it. The CRD or namespace is kept as long as it has objects with finalizers.
fn remove_with_contents(
    server: &Shared,
    place: &RequestInfo,
    options: &DeleteOptions,
) -> Result<Value, Failure> {
    let resource = &place.definition.resource;
    let is_definition = place.definition.origin == Origin::Definitions;
    let release = server.config.kube_version;
    let old = server.store.get(resource, &place.key());
    let old = old.ok_or_else(|| Failure::not_found(resource, &place.name))?;
    match is_definition {
        true => options.check_definition(&old, resource, release)?,
        false => options.check(&old, &resource.group, place.definition.kind())?,
    }
    if is_definition && old.is_going() {
        return Ok(match remove(server, place, options)? {
            Removed::Marked(object) | Removed::GoneObject(object) => object,
            Removed::Gone(_) => old.value(),
        });
    }
    let current = old.value();
    let mut value = current.clone();
    if !old.is_going() {
        let mark = if is_definition { definitions::mark } else { namespaces::mark };
        mark(&mut value, &server.now());
    }
    if options.is_dry_run || write::is_same(&value, &current) {
        return Ok(value);
    }
    let stored = server.store.replace(resource, &old, place.definition.draft(value));
    let stored = stored.map_err(|_| Failure::modified(resource, &place.name))?;
    strategy::after_write(server, place, &stored);
    let value = stored.value();
    if is_definition {
        if let Some(definition) = definitions::begin_removal(server, &stored) {
            all(server, &Arc::new(definition), "")?;
        }
        definitions::finish(server, &place.name);
    } else {
        for definition in namespaces::contents(server) {
            all(server, &definition, &place.name)?;
        }
        namespaces::finish(server, &place.name);
    }
    Ok(value)
}

/// An object's state after a deletion.
enum Removed {
    /// The object with this UID has been removed.
    Gone(String),
    /// The object has been removed, and is returned in the response.
    GoneObject(Value),
    /// Finalizers or a pod's grace period keep the object for now.
    Marked(Value),
}

/// Removes an object, or marks it as being deleted.
fn remove(server: &Shared, place: &RequestInfo, options: &DeleteOptions) -> Result<Removed, Failure> {
    let resource = &place.definition.resource;
    let store = &server.store;
    loop {
        let old = store.get(resource, &place.key());
        let old = old.ok_or_else(|| Failure::not_found(resource, &place.name))?;
        options.check(&old, &resource.group, place.definition.kind())?;
        let finalizers = finalizers(&old, options, grace::orphans(place));
        let grace = Grace::for_deletion(server, place, &old, options);
        if finalizers.is_empty() && grace.is_over() {
            let mut removed =
                match place.definition.built_in().is_some_and(|row| row.is_returned_when_deleted) {
                    true => Removed::GoneObject(grace.last(place.read(&old)?)),
                    false => Removed::Gone(old.uid().to_owned()),
                };
            if options.is_dry_run {
                return Ok(removed);
            }
            match store.remove(resource, &old) {
                Err(NotWritten::Changed) => continue,
                result => {
                    if let (Removed::GoneObject(object), Ok(revision)) = (&mut removed, result) {
                        write::set_revision(object, revision);
                    }
                    strategy::after_removal(server, place, &old);
                    return Ok(removed);
                }
            }
        }
        // The object passes through the version of the request: fields that this one does not have are lost.
        let current = old.value();
        let read = from_storage(&current, place, &place.name)?;
        let mut answer = grace.mark(read);
        if let Some(metadata) = metadata_mut(&mut answer) {
            let finalizers = (!finalizers.is_empty()).then(|| finalizers.into());
            set(metadata, "finalizers", finalizers);
        }
        let value = into_storage(&answer, place, &place.name)?;
        write::set_revision(&mut answer, old.revision);
        if options.is_dry_run || write::is_same(&value, &current) {
            return Ok(Removed::Marked(answer));
        }
        match store.replace(resource, &old, place.definition.draft(value)) {
            Ok(stored) => {
                write::set_revision(&mut answer, stored.revision);
                return Ok(Removed::Marked(answer));
            }
            Err(NotWritten::Changed) => {}
            Err(_) => return Err(Failure::not_found(resource, &place.name)),
        }
    }
}

/// Returns an object's finalizers after a deletion request: `deletionFinalizersForGarbageCollection`.
fn finalizers(old: &Stored, options: &DeleteOptions, orphans_by_default: bool) -> Vec<String> {
    let present: Vec<&str> = old.finalizers();
    let had = |name: &str| present.contains(&name);
    let (orphans, is_foreground) = match options.propagation {
        Some(Propagation::Orphan) => (true, false),
        Some(Propagation::Foreground) => (false, true),
        Some(Propagation::Background) => (false, false),
        None => (had(ORPHAN) || (orphans_by_default && !had(FOREGROUND)), had(FOREGROUND)),
    };
    let rest = present.iter().filter(|name| **name != ORPHAN && **name != FOREGROUND);
    let mut new: Vec<String> = rest.map(|name| (*name).to_owned()).collect();
    new.extend(orphans.then(|| ORPHAN.to_owned()));
    new.extend(is_foreground.then(|| FOREGROUND.to_owned()));
    let is_same = new.len() == present.len() && new.iter().all(|name| had(name));
    if is_same { present.into_iter().map(str::to_owned).collect() } else { new }
}

/// Returns the response to a deletion that removed the object.
fn success(resource: &Resource, name: &str, uid: &str) -> Value {
    let mut details = json!({"name": name, "group": resource.group, "kind": resource.plural, "uid": uid});
    if let (Value::Object(details), true) = (&mut details, resource.group.is_empty()) {
        crd_go::json::remove(details, "group");
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
}
