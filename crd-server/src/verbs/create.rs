//! Handles requests that create objects.
//!
//! Source: `endpoints/handlers/create.go` and `Store.Create` of `k8s.io/apiserver`.

use serde_json::Value;

use super::admitted::Admitted;
use super::managers::{ManagerChange, Through, set_entries};
use super::write::{self, Unwritten, WrittenObject};
use super::{namespaces, strategy};
use crate::call::Call;
use crate::json::{metadata_mut, text};
use crate::request::body::{self, Object};
use crate::request::options::{WriteOptions, Writing};
use crate::request_info::{RequestInfo, into_storage};
use crate::response::{ResponseResult, ServerResponse};
use crate::status::Failure;
use crate::store::NotWritten;

/// Maximum number of attempts to generate a name.
const TRIES: usize = 8;

pub(super) fn create(call: &mut Call<'_>, place: &RequestInfo) -> ResponseResult {
    let form = call.accept().form()?;
    body::is_readable(call.content_type())?;
    let options = WriteOptions::read(&call.query, call.user_agent(), Writing::Create)?;
    let object = strategy::read(call, place)?;
    let tries = if text(&object.value, &["metadata", "name"]).is_empty() { TRIES } else { 1 };
    for attempt in 1..=tries {
        match new(call, place, &options, object.clone(), &ManagerChange::Update { subresource: "" }) {
            Ok(written) => return super::read::written(call, place, 201, written, form),
            Err(Unwritten::Raced(NotWritten::Exists, _)) if attempt < tries => call.warnings.clear(),
            Err(unwritten) => return Err(unwritten.into()),
        }
    }
    Ok(ServerResponse::unknown_path())
}

/// Returns the error for an object whose name is taken.
fn exists(call: &Call<'_>, place: &RequestInfo, name: &str) -> Failure {
    let resource = &place.definition.resource;
    let found = call.server.store.get(resource, &crate::store::Key::new(&place.namespace, name));
    let failure = Failure::already_exists(resource, name);
    match found.is_some_and(|found| found.is_going()) {
        true => failure.with_prefix("object is being deleted: "),
        false => failure,
    }
}

/// Tries to create an object.
pub(super) fn new(
    call: &mut Call<'_>,
    place: &RequestInfo,
    options: &WriteOptions,
    object: Object,
    owners: &ManagerChange,
) -> Result<WrittenObject, Unwritten> {
    let definition = &place.definition;
    if definition.is_terminating {
        let name = text(&object.value, &["metadata", "name"]);
        let detail = "create not allowed while custom resource definition is terminating";
        return Err(Failure::forbidden(&definition.resource, name, detail).into());
    }
    namespaces::check(call.server, place, text(&object.value, &["metadata", "name"]))?;
    let config = &call.server.config;
    let mut object = object;
    let value = &mut object.value;
    let revision = text(value, &["metadata", "resourceVersion"]).to_owned();
    let sent = value.pointer("/metadata/managedFields").cloned();
    complete_name(value, &place.namespace, &config.suffix());
    definition.prepare(value);
    let name = text(value, &["metadata", "name"]).to_owned();
    let (created, submitted) = strategy::create(call, place, options, object)?.into_parts();
    let mut created = created?;
    // Only the storage looks at it, which a dry run does not reach.
    if !options.is_dry_run {
        check_no_revision(&revision)?;
    }
    let now = call.server.now();
    let entries = match owners {
        ManagerChange::Update { subresource } => {
            let decoded = || Admitted::decoded(submitted, place);
            let through = Through { place, subresource, options, now: &now };
            through.entries(None, &created, decoded, sent.as_ref())
        }
        ManagerChange::Applied(entries) => entries.clone(),
    };
    set_entries(&mut created, entries);
    if let Some(metadata) = metadata_mut(&mut created) {
        metadata.insert("uid".to_owned(), config.uid().into());
        metadata.insert("creationTimestamp".to_owned(), now.into());
        metadata.insert("generation".to_owned(), 1.into());
    }
    definition.finish(&mut created);
    store(call, place, options.is_dry_run, name, created)
}

/// Stores a new object.
fn store(
    call: &Call<'_>,
    place: &RequestInfo,
    is_dry_run: bool,
    name: String,
    mut created: Value,
) -> Result<WrittenObject, Unwritten> {
    let definition = &place.definition;
    let key = crate::store::Key::new(&place.namespace, &name);
    let store = &call.server.store;
    if is_dry_run {
        if store.get(&definition.resource, &key).is_some() {
            return Err(Unwritten::Raced(NotWritten::Exists, exists(call, place, &name)));
        }
        return Ok(WrittenObject::read_back(created, place, &name)?);
    }
    let value = into_storage(&created, place, &name)?;
    let draft = write::draft(call.server, place, &key, value, &mut created)?;
    match store.create(&definition.resource, key, draft) {
        Ok(stored) => {
            strategy::after_write(call.server, place, &stored);
            Ok(WrittenObject::new(created, stored, place)?)
        }
        Err(NotWritten::Exists) => Err(Unwritten::Raced(NotWritten::Exists, exists(call, place, &name))),
        Err(_) => Err(Failure::not_found(&definition.resource, &name).into()),
    }
}

/// Sets the request's namespace, and a generated name if the object has `generateName` but no name.
fn complete_name(value: &mut Value, namespace: &str, suffix: &str) {
    let Some(metadata) = metadata_mut(value) else { return };
    let prefix = metadata.get("generateName").and_then(Value::as_str).unwrap_or_default();
    let is_unnamed = metadata.get("name").and_then(Value::as_str).unwrap_or_default().is_empty();
    if is_unnamed && !prefix.is_empty() {
        let name = generated(prefix, suffix);
        metadata.insert("name".to_owned(), name.into());
    }
    if !namespace.is_empty() {
        metadata.insert("namespace".to_owned(), namespace.into());
    }
}

/// Rejects a new object that specifies a resource version.
fn check_no_revision(revision: &str) -> Result<(), Failure> {
    if revision.is_empty() || revision == "0" {
        return Ok(());
    }
    Err(match revision.parse::<u64>() {
        Ok(_) => Failure::internal("resourceVersion should not be set on objects to be created"),
        Err(_) => write::not_a_number(revision),
    })
}

/// Returns a name that consists of a prefix and a random suffix: `SimpleNameGenerator`.
fn generated(prefix: &str, suffix: &str) -> String {
    let fixed = crd_core::object_meta::generated_name(prefix);
    format!("{}{suffix}", fixed.strip_suffix("xxxxx").unwrap_or(&fixed))
}
