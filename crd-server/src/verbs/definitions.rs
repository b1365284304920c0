//! Checks and completes CRDs like the API server and its controllers, and serves them.
//!
//! Source: `pkg/registry/customresourcedefinition` and `pkg/controller/{status,establish,finalizer}` of apiextensions-apiserver.

use std::sync::Arc;
use std::thread;

use crd_core::admit::FieldValidation;
use crd_core::check::{self, ServerOptions, Verdict};
use crd_core::crd::API_VERSION;
use crd_core::object_meta::definition_meta_update;
use crd_core::{CauseReason, Causes, CustomResourceDefinition};
use serde_json::{Value, json};

use super::admitted::Admitted;
use super::managers::{Through, set_entries};
use crate::call::Call;
use crate::definition::established::{self, Deletion, NamesInUse};
use crate::definition::{Definition, GROUP, crd_type, draft_of_crd, resource};
use crate::depth;
use crate::json::{metadata_mut, text};
use crate::request::body::{self, Object, Source};
use crate::request::options::WriteOptions;
use crate::request_info::{Change, RequestInfo};
use crate::shared::Shared;
use crate::status::{Failure, Resource};
use crate::store::{Key, NotWritten, Stored};

/// The field manager for the status of CRDs.
const CONTROLLER: &str = "kube-apiserver";

pub(crate) const KIND: &str = "CustomResourceDefinition";

/// The finalizer on CRDs whose objects are being removed.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Checks and completes a new CRD.
pub(super) fn create(
    call: &mut Call<'_>,
    options: &WriteOptions,
    object: Object,
) -> Result<Admitted, Failure> {
    let mut value = match judge(call, object, None, options) {
        Ok(value) => value,
        Err(refused) => return Ok(*refused),
    };
    if let Some(metadata) = metadata_mut(&mut value) {
        for field in [
            "namespace",
            "resourceVersion",
            "managedFields",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
        ] {
            crd_go::json::remove(metadata, field);
        }
    }
    established::complete(&mut value, None);
    Ok(Admitted::from_crd(Ok(value), false))
}

/// Checks and completes a CRD that replaces a stored CRD.
pub(super) fn update(
    call: &mut Call<'_>,
    change: Change,
    options: &WriteOptions,
    object: Object,
    old: &Value,
) -> Result<Admitted, Failure> {
    if change == Change::Status {
        return Ok(update_status(call, options, object, old).unwrap_or_else(|refused| *refused));
    }
    Ok(match judge(call, object, Some(old), options) {
        Ok(value) => Admitted::from_crd(Ok(changed(value, old)), false),
        Err(refused) => *refused,
    })
}

/// Checks a status update of a stored CRD. The sent CRD's metadata is also written.
///
/// Source: `statusStrategy` in `registry/customresourcedefinition/strategy.go`.
fn update_status(
    call: &mut Call<'_>,
    options: &WriteOptions,
    object: Object,
    old: &Value,
) -> Result<Admitted, Box<Admitted>> {
    check_depth(&object.value)?;
    check_times(&object.value)?;
    let sent = with_times(object.value.clone(), Some(old));
    let mut crd = check::decode(sent).map_err(|rejected| unreadable(Failure::from(rejected)))?;
    // A write of the status does not change them.
    crd.metadata.managed_fields = None;
    let mut value = typed(call, object, options)?;
    // The stored versions that a status does not name follow from the spec next to it, which is not written.
    established::set_defaults(&mut value);
    if let Value::Object(fields) = &mut value {
        crate::json::set(fields, "spec", old.get("spec").cloned());
    }
    keep_metadata(&mut value, old);
    let mut causes = Causes::for_version(call.server.config.kube_version);
    if let Ok(before) = CustomResourceDefinition::from_value(old.clone()) {
        definition_meta_update(&crd.metadata, &before.metadata, &mut causes);
    }
    let causes = causes.into_vec();
    let result = match causes.is_empty() {
        true => Ok(value),
        false => Err(Failure::invalid(KIND, GROUP, &crd.metadata.name, &causes)),
    };
    Ok(Admitted::from_crd(result, false))
}

/// Returns `true` if a CRD's status has stored versions. Otherwise, fills in defaults as if the CRD were read from storage.
pub(super) fn has_stored_defaults(value: &mut Value) -> bool {
    let versions = value.pointer("/status/storedVersions").and_then(Value::as_array);
    let has_defaults = versions.is_some_and(|versions| !versions.is_empty());
    if !has_defaults {
        established::set_defaults(value);
    }
    has_defaults
}

/// Serves a CRD after a write, and accepts its names.
pub(super) fn after_write(server: &Shared, stored: &Arc<Stored>) {
    serve(server, stored);
    if accept_own_names(server, stored, &stored.value()) {
        accept_names_of_group(server, group_of(stored));
    }
}

/// Checks a CRD and adds warnings. Returns the CRD as serialized by Go.
fn judge(
    call: &mut Call<'_>,
    object: Object,
    old: Option<&Value>,
    options: &WriteOptions,
) -> Result<Value, Box<Admitted>> {
    check_depth(&object.value)?;
    let release = ServerOptions::new(call.server.config.kube_version);
    if old.is_some() {
        check_times(&object.value)?;
    }
    let mut sent = with_times(object.value.clone(), old);
    // The status stays as it is, whatever is sent, but must be readable.
    if let Some(fields) = sent.as_object_mut().filter(|fields| old.is_some() && fields.contains_key("status"))
    {
        let whole = Value::Object(fields.clone());
        check::decode(whole).map_err(|rejected| unreadable(Failure::from(rejected)))?;
        crd_go::json::remove(fields, "status");
    }
    let (verdict, crd) = match old.and_then(|old| CustomResourceDefinition::from_value(old.clone()).ok()) {
        Some(old) => check::update(&old, sent, release),
        None => Verdict::with_definition_at(sent, release),
    };
    let Some(crd) = crd.filter(|_| verdict.refusal.is_none()) else {
        let refusal = verdict.refusal;
        let message = refusal.as_ref().map(|refusal| refusal.message.clone()).unwrap_or_default();
        return Err(unreadable(match refusal.map(|refusal| refusal.reason) {
            Some(CauseReason::RequestEntityTooLarge) => body::too_large(),
            Some(CauseReason::LimitExceeded) => Failure::new(500, "LimitExceeded", message),
            _ => Failure::bad_request(message).with_decoding_error(verdict.undecoded.as_deref()),
        }));
    };
    let value = typed(call, object, options)?;
    if !verdict.accepted {
        let failure = Failure::invalid(KIND, GROUP, &crd.metadata.name, &verdict.errors);
        return Err(Box::new(Admitted::from_crd(Err(failure), false)));
    }
    call.warnings.extend(verdict.warnings);
    Ok(value)
}

/// Checks that a value can be read as a CRD.
pub(super) fn check_type(value: &Value) -> Result<(), Failure> {
    // Deep ones are rejected later.
    if !depth::is_within(value, depth::MOST_OF_DEFINITION) {
        return Ok(());
    }
    check::decode(value.clone()).map(drop).map_err(Failure::from)
}

fn unreadable(failure: Failure) -> Box<Admitted> {
    Box::new(Admitted::from_crd(Err(failure), true))
}

fn check_depth(value: &Value) -> Result<(), Box<Admitted>> {
    let most = depth::MOST_OF_DEFINITION;
    match depth::is_within(value, most) {
        true => Ok(()),
        false => {
            let message = format!("this server takes definitions of at most {most} levels");
            Err(unreadable(Failure::bad_request(message)))
        }
    }
}

/// Returns a CRD as serialized by Go. Depending on the field validation, warns about unknown and repeated fields, or rejects the CRD.
fn typed(call: &mut Call<'_>, object: Object, options: &WriteOptions) -> Result<Value, Box<Admitted>> {
    let Object { value, duplicates, repeated, source } = object;
    let duplicates = duplicates.iter().map(ToString::to_string).collect();
    let (mut value, problems) = crd_type::read(value, duplicates);
    if let Value::Object(fields) = &mut value {
        fields.insert("apiVersion".to_owned(), API_VERSION.into());
        fields.insert("kind".to_owned(), KIND.into());
    }
    match options.field_validation {
        // The type of an applied CRD drops the unknown fields that the schema of CRDs allows: those of an empty struct.
        _ if source != Source::Text => {}
        FieldValidation::Ignore => {}
        FieldValidation::Warn => call.warnings.extend(repeated.into_iter().chain(problems)),
        FieldValidation::Strict => {
            let keys = (!repeated.is_empty()).then(|| body::yaml::repeated_keys(&repeated));
            let of_patch = options.patch_problems.iter().cloned();
            let problems: Vec<String> = of_patch.chain(keys).chain(problems).collect();
            if !problems.is_empty() {
                let error = format!("strict decoding error: {}", problems.join(", "));
                return Err(unreadable(Failure::undecoded(KIND, "v1", &error)));
            }
        }
    }
    Ok(value)
}

/// Completes a CRD, and restores fields that the server keeps from the old CRD.
fn changed(mut value: Value, old: &Value) -> Value {
    established::complete(&mut value, Some(old));
    let has_changed = value.get("spec") != old.get("spec");
    keep_metadata(&mut value, old);
    if let (true, Some(metadata)) = (has_changed, metadata_mut(&mut value)) {
        let generation = metadata.get("generation").and_then(Value::as_i64).unwrap_or(1);
        metadata.insert("generation".to_owned(), generation.saturating_add(1).into());
    }
    value
}

/// Checks that the times in a sent CRD are valid, even if they will be replaced with the stored CRD's times.
fn check_times(sent: &Value) -> Result<(), Box<Admitted>> {
    let times = ["creationTimestamp", "deletionTimestamp"];
    let has_times = times.iter().any(|name| sent.pointer(&format!("/metadata/{name}")).is_some());
    if has_times {
        check::decode(sent.clone()).map_err(|rejected| unreadable(Failure::from(rejected)))?;
    }
    Ok(())
}

/// Returns a sent CRD with the stored CRD's times. Updates cannot change these times.
///
/// Source: `BeforeUpdate` in `registry/rest/update.go` of apiserver.
fn with_times(mut sent: Value, old: Option<&Value>) -> Value {
    if let (Some(metadata), Some(old)) = (metadata_mut(&mut sent), old.and_then(crate::json::metadata)) {
        for (name, value) in old {
            let is_kept = match name.as_str() {
                "creationTimestamp" | "deletionTimestamp" => true,
                "deletionGracePeriodSeconds" => metadata.get(name).is_none_or(Value::is_null),
                _ => false,
            };
            if is_kept {
                metadata.insert(name.clone(), value.clone());
            }
        }
    }
    sent
}

/// Restores metadata that requests cannot change.
fn keep_metadata(value: &mut Value, old: &Value) {
    let kept = ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"];
    if let (Some(metadata), Some(old)) = (metadata_mut(value), crate::json::metadata(old)) {
        for name in kept {
            crate::json::set(metadata, name, old.get(name).cloned());
        }
        for name in ["managedFields", "namespace", "selfLink"] {
            crd_go::json::remove(metadata, name);
        }
    }
}

/// Accepts names in a group's CRDs that have become available.
fn accept_names_of_group(server: &Shared, group: &str) {
    // Each definition that gets other names may leave some of its own to the others.
    loop {
        let is_changed = definitions_of_group(server, group)
            .iter()
            .any(|(stored, value)| accept_own_names(server, stored, value));
        if !is_changed {
            return;
        }
    }
}

/// Accepts those names of a CRD that no other CRD has. Returns `true` if this changes the CRD.
fn accept_own_names(server: &Shared, stored: &Arc<Stored>, current: &Value) -> bool {
    let mut value = current.clone();
    let group = definitions_of_group(server, text(&value, &["spec", "group"]));
    let in_use = NamesInUse::from_definitions(group.iter().map(|(_, value)| value));
    established::accept_names(&mut value, &server.now(), &in_use);
    if server.config.establish_after.is_zero() {
        established::establish(&mut value, &server.now());
    }
    // Where somebody else was faster, their write has accepted the names.
    if value == *current {
        return false;
    }
    let Some(written) = write_status(server, stored, current, value) else { return false };
    if !server.config.establish_after.is_zero() {
        establish_later(server, &written);
    }
    true
}

/// Establishes a CRD that is being installed, after the configured delay.
pub(crate) fn establish_later(server: &Shared, stored: &Stored) {
    let definition = stored.value();
    if !established::is_installing(&definition) {
        return;
    }
    let (weak, after) = (server.this.clone(), server.config.establish_after);
    let wait = move || {
        thread::sleep(after);
        if let Some(server) = weak.upgrade() {
            establish(&server, &definition);
        }
    };
    let thread = thread::Builder::new().name("crd-server establishing".to_owned());
    if thread.spawn(wait).is_err() {
        // Without a thread, nothing would establish it.
        establish(server, &stored.value());
    }
}

/// Establishes a CRD that is being installed, unless it has been deleted.
pub(crate) fn establish(server: &Shared, definition: &Value) {
    let key = Key::new("", text(definition, &["metadata", "name"]));
    let uid = |value: &Value| text(value, &["metadata", "uid"]).to_owned();
    // Each write of somebody else in between is another attempt.
    while let Some(stored) = server.store.get(&resource(), &key) {
        let current = stored.value();
        if !established::is_installing(&current) || uid(&current) != uid(definition) {
            return;
        }
        let mut value = current.clone();
        established::establish(&mut value, &server.now());
        if write_status(server, &stored, &current, value).is_some() {
            return;
        }
    }
}

/// Writes a CRD's status like a controller. Returns `None` if another request has changed the CRD in the meantime.
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
    let stored = server.store.replace(&resource(), stored, draft_of_crd(value)).ok()?;
    serve(server, &stored);
    Some(stored)
}

/// Returns the CRDs in a group.
fn definitions_of_group(server: &Shared, group: &str) -> Vec<(Arc<Stored>, Value)> {
    let is_of_group = |stored: &Arc<Stored>| group_of(stored) == group;
    let all = server.store.list(&resource(), "").1.into_iter();
    all.filter(is_of_group).map(|stored| (Arc::clone(&stored), stored.value())).collect()
}

/// Serves the stored CRD. If the served API changes, running watches end, and new watches cannot begin in the past.
fn serve(server: &Shared, stored: &Stored) {
    let value = stored.value();
    if !established::is_established(&value) {
        // A client can take it back, and the objects stay.
        server.hide(&objects_of(stored));
        return;
    }
    // A client can write other accepted names, which are corrected with the next write.
    let is_own = value.pointer("/spec/names/plural") == value.pointer("/status/acceptedNames/plural");
    if !is_own && established::is_true(&value, "NamesAccepted") {
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

/// Marks a CRD as being deleted.
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
    established::terminate(value, Deletion::Pending, now);
}

/// Begins to remove the objects of a CRD that is being deleted. Returns the CRD's definition if there may be objects to remove.
pub(super) fn begin_removal(server: &Shared, stored: &Arc<Stored>) -> Option<Definition> {
    let current = stored.value();
    let mut value = current.clone();
    established::terminate(&mut value, Deletion::InProgress, &server.now());
    let stored = write_status(server, stored, &current, value)?;
    let value = stored.value();
    established::is_established(&value).then(|| Definition::new(&value, server.config.kube_version))?
}

/// Removes a terminating CRD after its last object is gone.
pub(super) fn finish_for(server: &Shared, definition: &Definition) {
    if definition.is_terminating {
        finish(server, &definition.crd.metadata.name);
    }
}

/// Completes the removal of a CRD's objects, and removes the CRD unless it has other finalizers.
pub(super) fn finish(server: &Shared, name: &str) {
    let Some(stored) = server.store.get(&resource(), &Key::new("", name)) else { return };
    let finalizers = stored.finalizers();
    if !stored.is_going() || !finalizers.contains(&CLEANUP) {
        return;
    }
    let current = stored.value();
    let is_established = established::is_established(&current);
    if is_established && !server.store.list(&objects_of(&stored), "").1.is_empty() {
        return;
    }
    let others: Vec<Value> =
        finalizers.into_iter().filter(|name| *name != CLEANUP).map(Value::from).collect();
    if others.is_empty() {
        if server.store.remove(&resource(), &stored) != Err(NotWritten::Changed) {
            after_removal(server, &stored);
        }
        return;
    }
    let mut value = current.clone();
    let step = if is_established { Deletion::Completed } else { Deletion::NeverEstablished };
    established::terminate(&mut value, step, &server.now());
    if let Some(metadata) = metadata_mut(&mut value) {
        metadata.insert("finalizers".to_owned(), others.into());
    }
    // Where somebody else was faster, the next write ends the removal.
    write_status(server, &stored, &current, value);
}

/// Stops serving a removed CRD, and lets other CRDs take its names.
pub(super) fn after_removal(server: &Shared, stored: &Stored) {
    server.stop(&objects_of(stored));
    accept_names_of_group(server, group_of(stored));
}

/// Returns the resource that a CRD defines, which is part of the CRD's name.
fn objects_of(stored: &Stored) -> Resource {
    let (plural, group) = stored.key.name().split_once('.').unwrap_or_default();
    Resource { group: group.to_owned(), plural: plural.to_owned() }
}

fn group_of(stored: &Stored) -> &str {
    stored.key.name().split_once('.').map_or("", |(_, group)| group)
}
