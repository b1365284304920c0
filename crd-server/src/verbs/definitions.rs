//! The strategy of CRDs: they are checked, completed as the API server and its controllers do, and served.
//!
//! Source: `pkg/registry/customresourcedefinition` and `pkg/controller/{status,establish,finalizer}` of apiextensions-apiserver.

use std::sync::Arc;

use crd_core::admit::FieldValidation;
use crd_core::check::{self, ServerOptions, Verdict};
use crd_core::{CauseReason, CustomResourceDefinition, Segment};
use crd_go::strings::quote;
use serde_json::{Value, json};

use super::admitted::Admitted;
use super::managers::{Through, set_entries};
use crate::call::Call;
use crate::definition::established::{self, NamesInUse};
use crate::definition::{Definition, GROUP, resource};
use crate::depth;
use crate::json::{metadata_mut, text};
use crate::request::body::{self, Object};
use crate::request::options::WriteOptions;
use crate::request_info::{Change, RequestInfo};
use crate::shared::Shared;
use crate::status::{Failure, Resource};
use crate::store::{Draft, Key, NotWritten, Stored};

/// The manager of the status of definitions.
const CONTROLLER: &str = "kube-apiserver";

const KIND: &str = "CustomResourceDefinition";

/// The finalizer of definitions whose objects are being removed.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Checks and completes a new definition.
pub(super) fn create(
    call: &mut Call<'_>,
    options: &WriteOptions,
    object: Object,
) -> Result<Admitted, Failure> {
    let crd = match judge(call, object, None, options) {
        Ok(crd) => crd,
        Err(refused) => return Ok(*refused),
    };
    let mut value = known_fields(&crd);
    if let Some(metadata) = metadata_mut(&mut value) {
        for field in [
            "resourceVersion",
            "managedFields",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
        ] {
            metadata.shift_remove(field);
        }
    }
    established::complete(&mut value, None);
    Ok(Admitted::from_crd(Ok(value), false))
}

/// Checks and completes a definition that replaces a stored one.
pub(super) fn update(
    call: &mut Call<'_>,
    change: Change,
    options: &WriteOptions,
    mut object: Object,
    old: &Value,
) -> Result<Admitted, Failure> {
    if change == Change::Status {
        let mut value = old.clone();
        if let Value::Object(fields) = &mut value {
            crate::json::set(fields, "status", object.value.get("status").cloned());
        }
        return Ok(Admitted::from_crd(Ok(value), false));
    }
    // The status stays as it is, whatever was sent.
    if let Value::Object(fields) = &mut object.value {
        fields.shift_remove("status");
    }
    Ok(match judge(call, object, Some(old), options) {
        Ok(crd) => Admitted::from_crd(Ok(changed(known_fields(&crd), old)), false),
        Err(refused) => *refused,
    })
}

/// Serves a definition that was written, and accepts its names.
pub(super) fn after_write(server: &Shared, stored: &Arc<Stored>) {
    serve(server, stored);
    if accept_own_names(server, stored, &stored.value()) {
        accept_names_of_group(server, group_of(stored));
    }
}

/// Checks a definition, and adds its warnings.
fn judge(
    call: &mut Call<'_>,
    object: Object,
    old: Option<&Value>,
    options: &WriteOptions,
) -> Result<CustomResourceDefinition, Box<Admitted>> {
    let unreadable = |failure| Box::new(Admitted::from_crd(Err(failure), true));
    let Object { value, repeated, .. } = object;
    if !depth::is_within(&value, depth::MOST_OF_DEFINITION) {
        let most = depth::MOST_OF_DEFINITION;
        let message = format!("this server takes definitions of at most {most} levels");
        return Err(unreadable(Failure::bad_request(message)));
    }
    let release = ServerOptions::new(call.server.config.kube_version);
    let (verdict, crd) = match old.and_then(|old| CustomResourceDefinition::from_value(old.clone()).ok()) {
        Some(old) => check::update(&old, value, release),
        None => Verdict::with_definition_at(value, release),
    };
    let Some(crd) = crd.filter(|_| verdict.refusal.is_none()) else {
        let refusal = verdict.refusal;
        let message = refusal.as_ref().map(|refusal| refusal.message.clone()).unwrap_or_default();
        return Err(unreadable(match refusal.map(|refusal| refusal.reason) {
            Some(CauseReason::RequestEntityTooLarge) => body::too_large(),
            Some(CauseReason::LimitExceeded) => Failure::new(500, "LimitExceeded", message),
            _ => Failure::bad_request(message),
        }));
    };
    let unknown = crd.unknown_fields();
    let unknown = unknown.iter().map(|path| format!("unknown field {}", quote(&path.to_string())));
    match options.field_validation {
        FieldValidation::Ignore => {}
        FieldValidation::Warn => call.warnings.extend(repeated.into_iter().chain(unknown)),
        FieldValidation::Strict => {
            let keys = (!repeated.is_empty()).then(|| body::yaml::repeated_keys(&repeated));
            let problems: Vec<String> = keys.into_iter().chain(unknown).collect();
            if !problems.is_empty() {
                return Err(unreadable(Failure::bad_request(format!(
                    "{KIND} in version \"v1\" cannot be handled as a {KIND}: strict decoding error: {}",
                    problems.join(", ")
                ))));
            }
        }
    }
    if !verdict.accepted {
        let failure = Failure::invalid(KIND, GROUP, &crd.metadata.name, &verdict.errors);
        return Err(Box::new(Admitted::from_crd(Err(failure), false)));
    }
    call.warnings.extend(verdict.warnings);
    Ok(crd)
}

/// A definition without the fields that the API server does not know, which it does not keep.
fn known_fields(crd: &CustomResourceDefinition) -> Value {
    let mut value = crd.to_value();
    for path in crd.unknown_fields() {
        let segments = path.segments();
        let Some((last, above)) = segments.split_last() else { continue };
        let place = above.iter().try_fold(&mut value, |value, segment| match segment {
            Segment::Child(name) | Segment::Key(name) => value.get_mut(&**name),
            Segment::Index(index) => value.get_mut(*index),
        });
        if let (Some(Value::Object(fields)), Segment::Child(name) | Segment::Key(name)) = (place, last) {
            fields.shift_remove(&**name);
        }
    }
    value
}

/// A definition with what the server keeps of the old one.
fn changed(mut value: Value, old: &Value) -> Value {
    established::complete(&mut value, Some(old));
    let has_changed = value.get("spec") != old.get("spec");
    let kept = ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];
    if let (Some(metadata), Some(old)) = (metadata_mut(&mut value), crate::json::metadata(old)) {
        for name in kept {
            crate::json::set(metadata, name, old.get(name).cloned());
        }
        let generation = old.get("generation").and_then(Value::as_i64).unwrap_or(1);
        metadata.insert("generation".to_owned(), generation.saturating_add(i64::from(has_changed)).into());
        metadata.shift_remove("managedFields");
    }
    value
}

/// Accepts the names of definitions of a group which another one had until now.
fn accept_names_of_group(server: &Shared, group: &str) {
    // Each definition that gets other names may leave some of its own to the others.
    loop {
        let is_changed = definitions_of_group(server, group).iter().any(|(stored, value)| {
            let is_waiting = value.pointer("/spec/names") != value.pointer("/status/acceptedNames");
            is_waiting && accept_own_names(server, stored, value)
        });
        if !is_changed {
            return;
        }
    }
}

/// Accepts the names of a definition, as far as no other one has them. Returns `true` if that changes it.
fn accept_own_names(server: &Shared, stored: &Arc<Stored>, current: &Value) -> bool {
    let mut value = current.clone();
    let in_use = names_in_use(server, &value);
    established::accept_names(&mut value, &server.now(), &in_use);
    // Where somebody else was faster, their write has accepted the names.
    value != *current && write_status(server, stored, current, value).is_some()
}

/// Writes the status of a definition as a controller does. Returns `None` if somebody else was faster.
fn write_status(
    server: &Shared,
    stored: &Arc<Stored>,
    current: &Value,
    mut value: Value,
) -> Option<Arc<Stored>> {
    let definition = server.definition(&resource())?;
    let (version, name) = (definition.storage().to_owned(), stored.key.name().to_owned());
    let place = RequestInfo { definition, version, namespace: String::new(), name };
    let options = WriteOptions::for_manager(CONTROLLER);
    let through = Through { place: &place, subresource: "status", options: &options, now: &server.now() };
    let entries = through.entries(Some(current), &value, || None, None);
    set_entries(&mut value, entries);
    let stored = server.store.replace(&resource(), stored, Draft::typed(value)).ok()?;
    serve(server, &stored);
    Some(stored)
}

/// The names that the other definitions of a group have.
fn names_in_use(server: &Shared, definition: &Value) -> NamesInUse {
    let (group, name) = (text(definition, &["spec", "group"]), text(definition, &["metadata", "name"]));
    let all = definitions_of_group(server, group).into_iter();
    let others: Vec<Value> =
        all.filter(|(other, _)| other.key.name() != name).map(|(_, value)| value).collect();
    NamesInUse::from_definitions(&others)
}

/// The definitions of a group, whose names end with it.
fn definitions_of_group(server: &Shared, group: &str) -> Vec<(Arc<Stored>, Value)> {
    let is_of_group = |stored: &Arc<Stored>| group_of(stored) == group;
    let all = server.store.list(&resource(), "").1.into_iter();
    all.filter(is_of_group).map(|stored| (Arc::clone(&stored), stored.value())).collect()
}

/// Serves a definition as it is stored now. If what is served changes, running watches end, and none begins in the past.
fn serve(server: &Shared, stored: &Stored) {
    let value = stored.value();
    if !established::is_established(&value) {
        return;
    }
    let Some(mut definition) = Definition::new(&value, server.config.kube_version) else {
        return;
    };
    let resource = definition.resource.clone();
    match server.definition(&resource) {
        Some(served) if served.is_served_like(&definition) => {
            definition.epoch = served.epoch;
            server.serve(definition);
        }
        served => {
            server.serve(definition);
            if served.is_some() {
                server.store.expire(&resource);
            }
        }
    }
    server.store.wake(&resource);
}

/// Marks a definition as one that is being deleted.
pub(super) fn mark(value: &mut Value, now: &str) {
    if let Some(metadata) = metadata_mut(value) {
        metadata.insert("deletionTimestamp".to_owned(), now.into());
        let finalizers = metadata.entry("finalizers").or_insert_with(|| json!([]));
        if let Value::Array(finalizers) = finalizers
            && !finalizers.iter().any(|name| name == CLEANUP)
        {
            finalizers.push(CLEANUP.into());
        }
    }
    established::terminate(value, now);
}

/// Removes a definition that is being deleted when its last object is gone.
pub(super) fn finish_for(server: &Shared, definition: &Definition) {
    if definition.is_terminating {
        let key = Key::new("", &definition.crd.metadata.name);
        if let Some(stored) = server.store.get(&resource(), &key) {
            finish(server, &stored);
        }
    }
}

/// Removes a definition without objects, unless it has finalizers of others.
pub(super) fn finish(server: &Shared, stored: &Arc<Stored>) {
    let has_others = stored.finalizers().iter().any(|name| *name != CLEANUP);
    if has_others || !server.store.list(&objects_of(stored), "").1.is_empty() {
        return;
    }
    if server.store.remove(&resource(), stored) != Err(NotWritten::Changed) {
        after_removal(server, stored);
    }
}

/// Stops serving a definition that is gone, whose names become free.
pub(super) fn after_removal(server: &Shared, stored: &Stored) {
    server.stop(&objects_of(stored));
    accept_names_of_group(server, group_of(stored));
}

/// The resource of the objects of a definition, whose name is made of it.
fn objects_of(stored: &Stored) -> Resource {
    let (plural, group) = stored.key.name().split_once('.').unwrap_or_default();
    Resource { group: group.to_owned(), plural: plural.to_owned() }
}

fn group_of(stored: &Stored) -> &str {
    stored.key.name().split_once('.').map_or("", |(_, group)| group)
}
