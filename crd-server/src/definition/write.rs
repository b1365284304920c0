//! Writes of definitions.

use std::sync::Arc;

use crd_core::check::{self, Options, Verdict};
use crd_core::{CustomResourceDefinition, Reason, Segment};
use crd_go::strings::quote;
use serde_json::{Value, json};

use super::established::NamesInUse;
use super::{Definition, GROUP, established};
use crate::answer::{Answer, Answered};
use crate::apply::Entry;
use crate::call::{Call, not_supported};
use crate::depth;
use crate::json::{metadata_mut, text};
use crate::patch::Patch;
use crate::request::accept::Form;
use crate::request::body;
use crate::request::delete_options::DeleteOptions;
use crate::request::options::{WriteOptions, Writing};
use crate::shared::Shared;
use crate::status::{Failure, Resource};
use crate::store::{Draft, Key, NotWritten, Stored};
use crate::verbs::owners::{Through, set_entries};
use crate::verbs::update::{self, check_name, check_revision, current, read_patch};
use crate::verbs::write::{Current, is_same, set_revision};
use crate::verbs::{Change, Place, delete, read};

/// The manager of the status of definitions.
const CONTROLLER: &str = "kube-apiserver";

const KIND: &str = "CustomResourceDefinition";

/// The finalizer of definitions whose objects are being removed.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Answers a request that writes definitions.
pub(crate) fn answer(call: &mut Call<'_>, place: &Place, verb: &str) -> Answered {
    let form = call.accept().form()?;
    let (code, value) = written(call, place, verb)?;
    match form {
        Form::Object => Ok(Answer::ordered(code, &value)),
        form => read::in_form(call, place, code, value, form),
    }
}

/// A status code and a definition.
type Written = Result<(u16, Value), Failure>;

fn written(call: &mut Call<'_>, place: &Place, verb: &str) -> Written {
    let is_named = !place.name.is_empty();
    match (verb, call.target.subresource.as_str()) {
        ("create", "") => create(call, place),
        ("update" | "patch", "" | "status") if !is_named => {
            Err(Failure::bad_request("name must be provided"))
        }
        ("update" | "patch", subresource @ ("" | "status")) => {
            let is_status = subresource == "status";
            replace(call, place, verb == "patch", is_status)
        }
        ("delete", "") => remove(call, place),
        ("deletecollection", "") => Err(Failure::not_implemented("deletion of all definitions")),
        (verb, _) => Err(not_supported(&call.resource(), verb)),
    }
}

fn create(call: &mut Call<'_>, place: &Place) -> Written {
    body::is_readable(call.content_type())?;
    let options = WriteOptions::read(&call.query, call.user_agent(), Writing::Create)?;
    let sent = body::object(call.body, call.content_type(), KIND)?;
    let options = WriteOptions { repeated_keys: sent.repeated, ..options };
    store_new(call, place, &options, sent.value, None)
}

/// Stores a new definition, whose owners are known if it was applied.
fn store_new(
    call: &mut Call<'_>,
    place: &Place,
    options: &WriteOptions,
    sent: Value,
    owners: Option<Vec<Entry>>,
) -> Written {
    let sent_entries = sent.pointer("/metadata/managedFields").cloned();
    let crd = judge(call, sent, None, options)?;
    let config = &call.server.config;
    let now = call.server.now();
    let mut value = known_fields(&crd);
    if let Some(metadata) = metadata_mut(&mut value) {
        metadata.insert("uid".to_owned(), config.uid().into());
        metadata.insert("generation".to_owned(), 1.into());
        metadata.insert("creationTimestamp".to_owned(), now.clone().into());
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
    let in_use = names_in_use(call.server, &value);
    established::complete(&mut value, None, &now, &in_use);
    let through = Through { place, subresource: "", options, now: &now };
    let entries = owners.unwrap_or_else(|| through.entries(None, &value, || None, sent_entries.as_ref()));
    set_entries(&mut value, entries);
    let mut is_established = value.clone();
    if let Some(status) = value.get_mut("status").and_then(Value::as_object_mut) {
        status.insert("conditions".to_owned(), Value::Null);
        status.insert("acceptedNames".to_owned(), json!({"plural": "", "kind": ""}));
    }
    let controller = WriteOptions { manager: CONTROLLER.to_owned(), ..options.clone() };
    let through = Through { place, subresource: "status", options: &controller, now: &now };
    let entries = through.entries(Some(&value), &is_established, || None, None);
    set_entries(&mut is_established, entries);
    let name = crd.metadata.name.as_str();
    let (store, resource) = (&call.server.store, &place.definition.resource);
    let exists = || Failure::already_exists(resource, name);
    if options.is_dry_run {
        let found = store.get(resource, &Key::new("", name));
        return found.map_or_else(|| Ok((201, value)), |_| Err(exists()));
    }
    let draft = Draft::typed(value.clone());
    let stored = store.create(resource, Key::new("", name), draft).map_err(|_| exists())?;
    set_revision(&mut value, stored.revision);
    if let Ok(stored) = store.replace(resource, &stored, Draft::typed(is_established)) {
        serve(call.server, &stored);
    }
    Ok((201, value))
}

/// Checks a definition that is created or that replaces a stored one, and adds its warnings.
fn judge(
    call: &mut Call<'_>,
    value: Value,
    old: Option<&Value>,
    options: &WriteOptions,
) -> Result<CustomResourceDefinition, Failure> {
    use crd_core::admit::FieldValidation;

    let found = text(&value, &["apiVersion"]);
    let expected = format!("{GROUP}/v1");
    if found != expected {
        return Err(Failure::bad_request(format!(
            "the API version in the data ({found}) does not match the expected API version ({expected})"
        )));
    }
    if !depth::is_within(&value, depth::MOST_OF_DEFINITION) {
        let most = depth::MOST_OF_DEFINITION;
        return Err(Failure::bad_request(format!("this server takes definitions of at most {most} levels")));
    }
    let release = Options::new(call.server.config.kube_version);
    let (verdict, crd) = match old.and_then(|old| CustomResourceDefinition::from_value(old.clone()).ok()) {
        Some(old) => check::update(&old, value, release),
        None => Verdict::with_definition_at(value, release),
    };
    let Some(crd) = crd.filter(|_| verdict.refusal.is_none()) else {
        let refusal = verdict.refusal;
        let message = refusal.as_ref().map(|refusal| refusal.message.clone()).unwrap_or_default();
        return Err(match refusal.map(|refusal| refusal.reason) {
            Some(Reason::RequestEntityTooLarge) => body::too_large(),
            Some(Reason::LimitExceeded) => Failure::new(500, "LimitExceeded", message),
            _ => Failure::bad_request(message),
        });
    };
    let unknown = crd.unknown_fields();
    let unknown = unknown.iter().map(|path| format!("unknown field {}", quote(&path.to_string())));
    match options.field_validation {
        FieldValidation::Ignore => {}
        FieldValidation::Warn => call.warnings.extend(options.repeated_keys.iter().cloned().chain(unknown)),
        FieldValidation::Strict => {
            let keys = &options.repeated_keys;
            let keys = (!keys.is_empty()).then(|| body::yaml::repeated_keys(keys));
            let problems: Vec<String> = keys.into_iter().chain(unknown).collect();
            if !problems.is_empty() {
                return Err(Failure::bad_request(format!(
                    "{KIND} in version \"v1\" cannot be handled as a {KIND}: strict decoding error: {}",
                    problems.join(", ")
                )));
            }
        }
    }
    if !verdict.accepted {
        return Err(Failure::invalid(KIND, GROUP, &crd.metadata.name, &verdict.errors));
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

/// A definition that is to replace a stored one.
struct Replacement {
    old: Current,
    value: Value,
    options: WriteOptions,
    /// The owners of its fields if it was applied.
    applied: Option<Vec<Entry>>,
}

fn replace(call: &mut Call<'_>, place: &Place, is_patch: bool, is_status: bool) -> Written {
    let sent = if is_patch { patched(call, place, is_status)? } else { put(call, place).map(Ok)? };
    let Replacement { old, value: mut sent, options, applied } = match sent {
        Ok(replacement) => replacement,
        Err(created) => return Ok(created),
    };
    check_name(&sent, &place.name)?;
    if is_patch {
        update::check_patched_uid(&sent, place, &old.stored)?;
    }
    check_revision(text(&sent, &["metadata", "resourceVersion"]), place, &old.stored)?;
    let status = sent.get("status").cloned();
    let sent_entries = sent.pointer("/metadata/managedFields").cloned();
    let now = call.server.now();
    let mut value = if is_status {
        let mut value = old.value.clone();
        crate::json::set(value.as_object_mut().ok_or_else(too_odd)?, "status", status);
        value
    } else {
        // The status stays as it is, whatever was sent.
        if let Value::Object(fields) = &mut sent {
            fields.shift_remove("status");
        }
        let crd = judge(call, sent, Some(&old.value), &options)?;
        changed(known_fields(&crd), &old.value, &now, &names_in_use(call.server, &old.value))
    };
    let subresource = if is_status { "status" } else { "" };
    let through = Through { place, subresource, options: &options, now: &now };
    let entries =
        applied.unwrap_or_else(|| through.entries(Some(&old.value), &value, || None, sent_entries.as_ref()));
    set_entries(&mut value, entries);
    set_revision(&mut value, old.stored.revision);
    if options.is_dry_run || is_same(&value, &old.value) {
        return Ok((200, value));
    }
    let resource = &place.definition.resource;
    let stored = call.server.store.replace(resource, &old.stored, Draft::typed(value));
    let stored = stored.map_err(|_| Failure::modified(resource, &place.name))?;
    serve(call.server, &stored);
    let value = stored.value();
    accept_names(call.server, place, &stored, &value);
    Ok((200, value))
}

/// Reads the definition of a `PUT`.
fn put(call: &mut Call<'_>, place: &Place) -> Result<Replacement, Failure> {
    let old = current(call, place)?;
    body::is_readable(call.content_type())?;
    let options = WriteOptions::read(&call.query, call.user_agent(), Writing::Update)?;
    let sent = body::object(call.body, call.content_type(), KIND)?;
    let options = WriteOptions { repeated_keys: sent.repeated, ..options };
    Ok(Replacement { old, value: sent.value, options, applied: None })
}

/// Patches the stored definition. Applying an absent one creates it, and the answer is returned as `Err`.
fn patched(
    call: &mut Call<'_>,
    place: &Place,
    is_status: bool,
) -> Result<Result<Replacement, (u16, Value)>, Failure> {
    let (patch, mut options) = read_patch(call)?;
    let change = if is_status { Change::Status } else { Change::Object };
    let old = match (current(call, place), &patch) {
        (Err(failure), Patch::Apply(object)) if failure.code == 404 && !is_status => {
            let created = update::apply(call, place, change, &options, None, object)?;
            // They were looked at.
            options.repeated_keys.clear();
            let answer = store_new(call, place, &options, created.object, Some(created.entries))?;
            return Ok(Err(answer));
        }
        (old, _) => old?,
    };
    let (value, applied) = match &patch {
        Patch::Apply(object) => {
            let merged = update::apply(call, place, change, &options, Some(old.value.clone()), object)?;
            options.repeated_keys.clear();
            (merged.object, Some(merged.entries))
        }
        patch => (patch.apply(old.value.clone(), None)?, None),
    };
    Ok(Ok(Replacement { old, value, options, applied }))
}

fn too_odd() -> Failure {
    Failure::internal("the stored definition is not an object")
}

/// A definition with what the server keeps of the old one.
fn changed(mut value: Value, old: &Value, now: &str, in_use: &NamesInUse) -> Value {
    established::complete(&mut value, Some(old), now, in_use);
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

/// Accepts the names of a definition that was changed, as a controller does after the write.
fn accept_names(server: &Shared, place: &Place, stored: &Arc<Stored>, value: &Value) {
    if accept_own_names(server, place, stored, value) {
        accept_names_of_group(server, text(value, &["spec", "group"]));
    }
}

/// Accepts the names of definitions of a group which another one had until now.
fn accept_names_of_group(server: &Shared, group: &str) {
    let resource = super::resource();
    let Some(definition) = server.definition(&resource) else { return };
    // Each definition that gets other names may leave some of its own to the others.
    loop {
        let is_changed = definitions_of_group(server, group).iter().any(|(stored, value)| {
            let is_waiting = value.pointer("/spec/names") != value.pointer("/status/acceptedNames");
            let place = Place {
                definition: Arc::clone(&definition),
                version: definition.storage().to_owned(),
                namespace: String::new(),
                name: stored.key.name().to_owned(),
            };
            is_waiting && accept_own_names(server, &place, stored, value)
        });
        if !is_changed {
            return;
        }
    }
}

/// Accepts the names of a definition, as far as no other one has them. Returns `true` if that changes it.
fn accept_own_names(server: &Shared, place: &Place, stored: &Arc<Stored>, current: &Value) -> bool {
    let mut value = current.clone();
    let in_use = names_in_use(server, &value);
    let now = server.now();
    established::accept_names(&mut value, &now, &in_use);
    if value == *current {
        return false;
    }
    let options = WriteOptions::of_manager(CONTROLLER);
    let through = Through { place, subresource: "status", options: &options, now: &now };
    let entries = through.entries(Some(current), &value, || None, None);
    set_entries(&mut value, entries);
    // Where somebody else was faster, their write has accepted the names.
    let stored = server.store.replace(&super::resource(), stored, Draft::typed(value));
    stored.inspect(|stored| serve(server, stored)).is_ok()
}

/// The names that the other definitions of a group have.
fn names_in_use(server: &Shared, definition: &Value) -> NamesInUse {
    let (group, name) = (text(definition, &["spec", "group"]), text(definition, &["metadata", "name"]));
    let all = definitions_of_group(server, group).into_iter();
    let others: Vec<Value> =
        all.filter(|(other, _)| other.key.name() != name).map(|(_, value)| value).collect();
    NamesInUse::of(&others)
}

/// The definitions of a group, whose names end with it.
fn definitions_of_group(server: &Shared, group: &str) -> Vec<(Arc<Stored>, Value)> {
    let is_of_group =
        |stored: &Arc<Stored>| stored.key.name().split_once('.').is_some_and(|(_plural, of)| of == group);
    let all = server.store.list(&super::resource(), "").1.into_iter();
    all.filter(is_of_group).map(|stored| (Arc::clone(&stored), stored.value())).collect()
}

/// Serves a definition as it is stored now. If what is served changes, running watches end, and none begins in the past.
fn serve(server: &Shared, stored: &Stored) {
    let value = stored.value();
    if !established::is_established(&value) {
        return;
    }
    let Some(definition) = Definition::new(&value, server.config.kube_version) else {
        return;
    };
    let resource = definition.resource.clone();
    match server.definition(&resource) {
        Some(served) if served.is_served_like(&definition) => {
            server.serve(Definition { epoch: served.epoch, ..definition });
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

/// Removes a definition with its objects. Objects with finalizers keep it until they are gone.
fn remove(call: &mut Call<'_>, place: &Place) -> Written {
    let options = DeleteOptions::read(&call.query, call.content_type(), call.body)?;
    let (server, resource) = (call.server, &place.definition.resource);
    let Current { stored: old, value: current } = current(call, place)?;
    options.check_definition(&old, resource, server.config.kube_version)?;
    let now = server.now();
    let mut value = current.clone();
    if let Some(metadata) = metadata_mut(&mut value)
        && !metadata.contains_key("deletionTimestamp")
    {
        metadata.insert("deletionTimestamp".to_owned(), now.clone().into());
        let mut finalizers = old.finalizers();
        if !finalizers.contains(&CLEANUP) {
            finalizers.push(CLEANUP);
        }
        metadata.insert("finalizers".to_owned(), finalizers.into());
        established::terminate(&mut value, &now);
    }
    if options.is_dry_run || is_same(&value, &current) {
        return Ok((200, value));
    }
    let stored = server.store.replace(resource, &old, Draft::typed(value));
    let stored = stored.map_err(|_| Failure::modified(resource, &place.name))?;
    serve(server, &stored);
    let value = stored.value();
    if let Some(definition) = Definition::new(&value, server.config.kube_version) {
        delete::all(server, &Arc::new(definition), "")?;
    }
    finish(server, &stored);
    Ok((200, value))
}

/// Removes a definition that is being deleted when its last object is gone.
pub(crate) fn finish_for(server: &Shared, definition: &Definition) {
    if definition.is_terminating {
        let key = Key::new("", &definition.crd.metadata.name);
        if let Some(stored) = server.store.get(&super::resource(), &key) {
            finish(server, &stored);
        }
    }
}

fn finish(server: &Shared, stored: &Arc<Stored>) {
    let Some(definition) = Definition::new(&stored.value(), server.config.kube_version) else {
        return;
    };
    let store = &server.store;
    let has_others = stored.finalizers().iter().any(|name| *name != CLEANUP);
    if has_others || !store.list(&definition.resource, "").1.is_empty() {
        return;
    }
    let resource: Resource = super::resource();
    if store.remove(&resource, stored) != Err(NotWritten::Changed) {
        server.stop(&definition.resource);
        accept_names_of_group(server, &definition.resource.group);
    }
}
