//! Handles requests that update, patch or apply objects.
//!
//! Source: `endpoints/handlers/{update,patch}.go` and `Store.Update` of `k8s.io/apiserver`.

use std::borrow::Cow;

use crd_core::admit::FieldValidation;
use crd_core::{Diagnostic, FieldPath, KubeVersion, Shown};
use serde_json::Value;

use super::admitted::Admitted;
use super::managers::{ManagerChange, Through, set_entries, subresource, without_entries};
use super::patched::PatchedType;
use super::write::{self, Current, Unwritten, WrittenObject};
use super::{create, patched, read, strategy};
use crate::apply::{Applied, decode};
use crate::call::Call;
use crate::definition::{Origin, crd_type};
use crate::json::{metadata_mut, set, text};
use crate::patch::Patch;
use crate::request::body::{self, Object, Source, yaml};
use crate::request::options::{WriteOptions, Writing};
use crate::request_info::{Change, RequestInfo, from_storage, into_storage};
use crate::response::ResponseResult;
use crate::status::Failure;
use crate::store::{NotWritten, Stored};

/// Number of times that an unconditional write is tried if other requests change the object in the meantime. After that, unconditional
/// writes wait for each other.
const TRIES: usize = 3;

pub(super) fn update(call: &mut Call<'_>, place: &RequestInfo, change: Change) -> ResponseResult {
    let form = call.accept().form()?;
    let options = WriteOptions::read(&call.query, call.user_agent(), Writing::Update)?;
    body::is_readable(call.content_type())?;
    let sent = strategy::read(call, place)?;
    if let Err(failure) = write::check_name(&sent.value, &place.name) {
        // The object is decoded before.
        return Err(absent(call, place, &options, sent).unwrap_or(failure));
    }
    let is_conditional = !matches!(text(&sent.value, &["metadata", "resourceVersion"]), "" | "0");
    let written = in_turn(call, |call| {
        let old = match current(call, place) {
            Err(failure) => return Err(absent(call, place, &options, sent.clone()).unwrap_or(failure)),
            old => old?,
        };
        let owners = ManagerChange::Update { subresource: subresource(change) };
        unless_raced(replace(call, place, change, &options, sent.clone(), &old, owners), is_conditional)
    })?;
    read::written(call, place, 200, written, form)
}

pub(super) fn patch(call: &mut Call<'_>, place: &RequestInfo, change: Change) -> ResponseResult {
    let form = call.accept().form()?;
    let (patch, options) = read_patch(call, place, change)?;
    let (code, written) = in_turn(call, |call| try_patch(call, place, change, &options, &patch))?;
    read::written(call, place, code, written, form)
}

/// Repeats an unconditional write as long as the result is `None`, which means that another request has changed the object in the meantime.
///
/// Source: `GuaranteedUpdate` in `pkg/storage/etcd3/store.go` of apiserver, which does not limit the number of attempts either.
pub(super) fn in_turn<T>(
    call: &mut Call<'_>,
    mut write: impl FnMut(&mut Call<'_>) -> Result<Option<T>, Failure>,
) -> Result<T, Failure> {
    let warnings = call.warnings.len();
    let mut tries = 0;
    loop {
        let _turn = (tries >= TRIES).then(|| call.server.contended.lock());
        if let Some(written) = write(call)? {
            return Ok(written);
        }
        call.warnings.truncate(warnings);
        tries += 1;
    }
}

/// Returns the written object, or `None` if the write was unconditional and another write was faster.
pub(super) fn unless_raced(
    written: Result<WrittenObject, Unwritten>,
    is_conditional: bool,
) -> Result<Option<WrittenObject>, Failure> {
    match written {
        Ok(written) => Ok(Some(written)),
        Err(Unwritten::Raced(NotWritten::Changed, _)) if !is_conditional => Ok(None),
        Err(unwritten) => Err(unwritten.into()),
    }
}

/// Patches the current object and returns the response's status code. Returns `None` if another request has changed the object in the
/// meantime.
fn try_patch(
    call: &mut Call<'_>,
    place: &RequestInfo,
    change: Change,
    options: &WriteOptions,
    patch: &Patch,
) -> Result<Option<(u16, WrittenObject)>, Failure> {
    let old = match (current(call, place), patch, change) {
        (Err(failure), Patch::Apply(applied), Change::Object) if failure.code == 404 => {
            return Ok(create_applied(call, place, options, applied)?.map(|created| (201, created)));
        }
        (old, ..) => old?,
    };
    let base = from_storage(&old.value, place, &place.name)?;
    let (mut base, owners, source) = match patch {
        Patch::Apply(applied) => {
            let applied = apply(call, place, change, options, Some(base), applied)?;
            let source = if applied.is_changed { Source::Merged } else { Source::Unchanged };
            (applied.object, ManagerChange::Applied(applied.entries), source)
        }
        patch => {
            let printed = place.definition.in_order(base);
            let mut patched = patch.apply(printed, strategy::patch_schema(place))?;
            patched::convert_patched(&mut patched, patch, place)?;
            (patched, ManagerChange::Update { subresource: subresource(change) }, Source::Text)
        }
    };
    if place.definition.has_go_type() && matches!(patch, Patch::Json(_) | Patch::Merge(_)) {
        base = patched::decode(call, options, base, place, patch)?;
    }
    if let Err(failure) = patched::check(&base, place, &old.stored) {
        match PatchedType::of(&base, place) {
            PatchedType::Known if !matches!(patch, Patch::Apply(_)) => {}
            PatchedType::OtherVersion if !matches!(patch, Patch::Apply(_)) => {
                patched::report_unknown(call, options, &base, patch)?;
                return Err(failure);
            }
            _ => return Err(failure),
        }
        // The object is decoded before.
        let undecoded = absent(call, place, options, Object::from_value(base.clone(), source));
        return Err(undecoded.map_or(failure, |undecoded| patched::reject(undecoded, base, patch)));
    }
    let revision = text(&base, &["metadata", "resourceVersion"]).to_owned();
    let is_conditional = revision != old.stored.revision.to_string();
    let before = if source == Source::Text { base.clone() } else { Value::Null };
    let written = replace(call, place, change, options, Object::from_value(base, source), &old, owners);
    let written = unless_raced(written, is_conditional).map_err(|failure| match patch {
        Patch::Apply(_) => failure,
        _ => patched::reject(failure, before, patch),
    })?;
    Ok(written.map(|written| (200, written)))
}

/// Applies an object to the live object.
pub(crate) fn apply(
    call: &mut Call<'_>,
    place: &RequestInfo,
    change: Change,
    options: &WriteOptions,
    live: Option<Value>,
    applied: &Value,
) -> Result<Applied, Failure> {
    let now = call.server.now();
    let through = Through { place, subresource: subresource(change), options, now: &now };
    let merged = merge(&through, live, applied)?;
    check_repeated_keys(call, options)?;
    Ok(merged)
}

/// Merges an applied object into the live object.
pub(crate) fn merge(through: &Through<'_>, live: Option<Value>, applied: &Value) -> Result<Applied, Failure> {
    let (place, force) = (through.place, through.options.force);
    let (api_version, kind) = (text(applied, &["apiVersion"]), text(applied, &["kind"]));
    let expected = place.definition.api_version(&place.version);
    if (api_version, kind) != (expected.as_str(), place.definition.kind()) {
        return Err(other_type(api_version, kind));
    }
    if crd_type::has_managed_fields(applied) {
        return Err(Failure::bad_request("metadata.managedFields must be nil"));
    }
    let empty = place.definition.empty(applied);
    let live = live.as_ref();
    let entries = decode(live.and_then(|live| live.pointer("/metadata/managedFields")));
    let typed = live.map_or_else(|| empty.clone(), without_entries);
    let empty = live.map(|_| &empty);
    let mut merged = through.with_writer(|writer| writer.apply(&typed, applied, entries, empty, force))?;
    patched::convert_applied(&mut merged.object, place)?;
    // Those that could not be read, which `has_managed_fields` does not see.
    set_entries(&mut merged.object, Vec::new());
    Ok(merged)
}

/// Warns about repeated keys in an applied object, or rejects the object because of them.
pub(super) fn check_repeated_keys(call: &mut Call<'_>, options: &WriteOptions) -> Result<(), Failure> {
    let repeated = &options.repeated_keys;
    if repeated.is_empty() {
        return Ok(());
    }
    if options.field_validation != FieldValidation::Strict {
        call.warnings.extend(repeated.iter().cloned());
        return Ok(());
    }
    let is_new = call.server.config.kube_version >= KubeVersion::new(37);
    let (text, errors) = (if is_new { "patch" } else { "YAML" }, yaml::repeated_keys(repeated));
    let message = format!("error strict decoding {text}: error converting YAML to JSON: {errors}");
    Err(Failure::bad_request(message))
}

/// Returns the error for an applied object whose type differs from the type in the request's path.
pub(super) fn other_type(api_version: &str, kind: &str) -> Failure {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Failure::bad_request(format!("invalid object type: {group}/{version}, Kind={kind}"))
}

/// Creates an object with server-side apply. Returns `None` if another request has created the object in the meantime.
fn create_applied(
    call: &mut Call<'_>,
    place: &RequestInfo,
    options: &WriteOptions,
    applied: &Value,
) -> Result<Option<WrittenObject>, Failure> {
    let uid = text(applied, &["metadata", "uid"]).to_owned();
    let applied = apply(call, place, Change::Object, options, None, applied)?;
    if !uid.is_empty() {
        let detail = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        );
        return Err(Failure::conflict(&place.definition.resource, &place.name, &detail));
    }
    let mut value = applied.object;
    write::check_name(&value, &place.name)?;
    write::check_namespace(&value, place)?;
    if let Some(metadata) = metadata_mut(&mut value) {
        metadata.insert("name".to_owned(), place.name.clone().into());
        crd_go::json::remove(metadata, "resourceVersion");
    }
    let object = Object::from_value(value, Source::Merged);
    match create::new(call, place, options, object, &ManagerChange::Applied(applied.entries)) {
        Err(Unwritten::Raced(..)) => Ok(None),
        Ok(created) => Ok(Some(created)),
        Err(unwritten) => Err(unwritten.into()),
    }
}

/// Reads a patch and its options.
pub(crate) fn read_patch(
    call: &mut Call<'_>,
    place: &RequestInfo,
    change: Change,
) -> Result<(Patch, WriteOptions), Failure> {
    let patch_type = Patch::type_of(call.content_type(), place.definition.has_go_type())?;
    let writing = if patch_type.is_apply() { Writing::Apply } else { Writing::Patch };
    let options = WriteOptions::read(&call.query, call.user_agent(), writing)?;
    let release = call.server.config.kube_version;
    if release >= KubeVersion::new(37) {
        Patch::check_syntax(patch_type, &call.body)?;
    }
    let is_checked = options.field_validation != FieldValidation::Ignore;
    let read = Patch::read(patch_type, &call.body, release, is_checked);
    if read.is_err() && !(patch_type.is_apply() && change == Change::Object) {
        // The API server reads a patch when it has the object, or creates it.
        current(call, place)?;
    }
    let (patch, problems) = read?;
    let options = match options.field_validation {
        FieldValidation::Ignore => options,
        // They are looked at after the object is merged.
        _ if patch_type.is_apply() => WriteOptions { repeated_keys: problems, ..options },
        // The API server does not warn of problems in JSON patches.
        FieldValidation::Warn if matches!(patch, Patch::Json(_)) => options,
        FieldValidation::Warn => {
            call.warnings.extend(problems);
            options
        }
        FieldValidation::Strict => WriteOptions { patch_problems: problems, ..options },
    };
    Ok((patch, options))
}

/// Returns the current state of the request's object.
pub(crate) fn current(call: &Call<'_>, place: &RequestInfo) -> Result<Current, Failure> {
    let stored = call.server.store.get(&place.definition.resource, &place.key());
    stored.map(Current::from).ok_or_else(|| Failure::not_found(&place.definition.resource, &place.name))
}

/// Reads the sent object although the request fails for another reason, because the API server reads the object first. Adds warnings about
/// the object, and returns an error if the object is unreadable.
fn absent(call: &mut Call<'_>, place: &RequestInfo, options: &WriteOptions, sent: Object) -> Option<Failure> {
    match strategy::create(call, place, options, sent) {
        Ok(admitted) if admitted.is_unreadable => admitted.into_parts().0.err(),
        Ok(_) => None,
        Err(failure) => Some(failure),
    }
}

/// Replaces a stored object with the sent object.
pub(super) fn replace(
    call: &mut Call<'_>,
    place: &RequestInfo,
    change: Change,
    options: &WriteOptions,
    sent: Object,
    old: &Current,
    owners: ManagerChange,
) -> Result<WrittenObject, Unwritten> {
    let definition = &place.definition;
    let mut object = sent;
    let value = &mut object.value;
    if let Some(metadata) = metadata_mut(value) {
        let is_absent = metadata.get("namespace").and_then(Value::as_str).unwrap_or_default().is_empty();
        if definition.is_namespaced() && is_absent {
            metadata.insert("namespace".to_owned(), place.namespace.clone().into());
        }
    }
    let revision = text(value, &["metadata", "resourceVersion"]).to_owned();
    let uid = text(value, &["metadata", "uid"]).to_owned();
    let sent = value.pointer("/metadata/managedFields").cloned();
    let sent_deletion = value.pointer("/metadata/deletionTimestamp").cloned();
    let versions = match definition.origin {
        Origin::Definitions => crd_type::versions_with_empty(value),
        _ => None,
    };
    definition.prepare(value);
    let admitted = strategy::update(call, place, change, options, object, old)?;
    let is_unreadable = admitted.is_unreadable;
    let (updated, submitted) = admitted.into_parts();
    if is_unreadable {
        return Ok(updated.map(WrittenObject::unstored)?);
    }
    if !options.is_patch {
        check_uid(&uid, place, &old.stored)?;
    }
    check_revision(&revision, place, &old.stored)?;
    let mut updated = updated?;
    let entries = match owners {
        ManagerChange::Update { subresource } => {
            let before = from_storage(&old.value, place, &place.name)?;
            let now = call.server.now();
            let through = Through { place, subresource, options, now: &now };
            let new = with_versions(&updated, versions);
            let decoded = || match definition.origin {
                Origin::Definitions => Some(with_deletion(new.clone().into_owned(), sent_deletion)),
                _ => Admitted::decoded(submitted, place),
            };
            through.entries(Some(&before), &new, decoded, sent.as_ref())
        }
        ManagerChange::Applied(entries) => entries,
    };
    set_entries(&mut updated, entries);
    store(call, place, options.is_dry_run, updated, old)
}

/// Returns a CRD with the given versions. The result is only compared to determine field managers.
fn with_versions(crd: &Value, versions: Option<Value>) -> Cow<'_, Value> {
    let Some(versions) = versions else { return Cow::Borrowed(crd) };
    let mut crd = crd.clone();
    if let Some(Value::Object(spec)) = crd.get_mut("spec") {
        spec.insert("versions".to_owned(), versions);
    }
    Cow::Owned(crd)
}

/// Returns a CRD with the deletion time that the client sent, or without a deletion time if the client sent none. The result is only
/// compared to determine field managers.
fn with_deletion(mut crd: Value, sent: Option<Value>) -> Value {
    if let Some(metadata) = metadata_mut(&mut crd) {
        set(metadata, "deletionTimestamp", sent.filter(|time| !time.is_null()));
    }
    crd
}

/// Checks that a sent object has the stored object's UID. The error has the same message as in the API server's storage layer.
fn check_uid(uid: &str, place: &RequestInfo, old: &Stored) -> Result<(), Failure> {
    let found = old.uid();
    if uid.is_empty() || uid == found {
        return Ok(());
    }
    let resource = &place.definition.resource;
    let key = place.definition.storage_path(&old.key);
    let detail = format!(
        "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: \
         UID in precondition: {uid}, UID in object meta: {found}"
    );
    Err(Failure::conflict(resource, &place.name, &detail))
}

pub(crate) fn check_revision(revision: &str, place: &RequestInfo, old: &Stored) -> Result<(), Failure> {
    let resource = &place.definition.resource;
    let number = match revision {
        "" if place.definition.built_in().is_some_and(|row| !row.needs_revision) => return Ok(()),
        "" => 0,
        revision => revision.parse::<u64>().map_err(|_| write::not_a_number(revision))?,
    };
    if number == 0 {
        let path = FieldPath::new("metadata").child("resourceVersion");
        let cause = Diagnostic::invalid(path, Shown::from(0_i64), "must be specified for an update");
        // The API server has the resource instead of the kind here.
        return Err(Failure::invalid(&resource.plural, &resource.group, &place.name, &[cause]));
    }
    if number == old.revision { Ok(()) } else { Err(Failure::modified(resource, &place.name)) }
}

/// Stores an updated object, or removes the object when its last finalizer is gone.
fn store(
    call: &Call<'_>,
    place: &RequestInfo,
    is_dry_run: bool,
    mut updated: Value,
    current: &Current,
) -> Result<WrittenObject, Unwritten> {
    let resource = &place.definition.resource;
    let store = &call.server.store;
    let old = &current.stored;
    write::set_revision(&mut updated, old.revision);
    let is_free = updated.pointer("/metadata/finalizers").and_then(Value::as_array).is_none_or(Vec::is_empty)
        && super::delete::grace_of(&updated) == 0;
    if old.is_going() && is_free {
        if !is_dry_run {
            // Watches see the object as it was stored last. Somebody else may have removed it, which comes to the same.
            if store.remove(resource, old).is_err() && store.get(resource, &old.key).is_some() {
                return Err(raced(NotWritten::Changed, place));
            }
            strategy::after_removal(call.server, place, old);
        }
        // The object that was sent is returned. It is not read from storage.
        return Ok(WrittenObject::read_back(updated, place, &place.name)?);
    }
    let has_defaults = strategy::has_stored_defaults(&mut updated, place);
    let value = into_storage(&updated, place, &place.name)?;
    // A CRD without its defaults differs from every CRD that is read from the storage.
    let is_complete = has_defaults.is_none_or(|has_defaults| has_defaults && old.has_defaults());
    if is_complete && write::is_same(&value, &current.value) {
        let mut same = from_storage(&current.value, place, &place.name)?;
        write::set_revision(&mut same, old.revision);
        return Ok(WrittenObject::unstored(same));
    }
    if is_dry_run {
        return Ok(WrittenObject::read_back(updated, place, &place.name)?);
    }
    let mut draft = write::draft(call.server, place, &old.key, value, &mut updated)?;
    if has_defaults == Some(false) {
        draft = draft.without_defaults();
    }
    match store.replace(resource, old, draft) {
        Ok(stored) => {
            strategy::after_write(call.server, place, &stored);
            Ok(WrittenObject::new(updated, stored, place)?)
        }
        Err(not_written) => Err(raced(not_written, place)),
    }
}

fn raced(not_written: NotWritten, place: &RequestInfo) -> Unwritten {
    let resource = &place.definition.resource;
    Unwritten::Raced(
        not_written,
        match not_written {
            NotWritten::NoResource => Failure::not_found(resource, &place.name),
            _ => Failure::modified(resource, &place.name),
        },
    )
}
