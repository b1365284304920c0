//! Rules that all writes of objects share.

use std::sync::Arc;

use crd_core::admit::{Admission, FieldValidation, Refusal, StatusReason, Submitted, Validator, Warning};
use crd_go::json::deep_equal;
use crd_go::strings::quote;
use serde_json::Value;

use super::Place;
use super::owners::set_entries;
use crate::call::Call;
use crate::depth;
use crate::json::{metadata_mut, text};
use crate::request::body::yaml::repeated_keys;
use crate::shared::Shared;
use crate::status::Failure;
use crate::store::{Draft, Key, Stored};

/// The most bytes of a request that etcd takes: `DefaultMaxRequestBytes` of `go.etcd.io/etcd/server/v3/embed`.
const MOST_ETCD_BYTES: usize = 3 << 19;
/// The most bytes of a message that the client of etcd sends: `defaultMaxCallSendMsgSize` of `go.etcd.io/etcd/client/v3`.
const MOST_MESSAGE_BYTES: usize = 2 << 20;
/// The bytes of a message beside an object and its keys, and those of the request that etcd makes of it.
const MESSAGE_OVERHEAD: usize = 25;
const ETCD_OVERHEAD: usize = 40;
/// The most bytes of all objects: `DefaultQuotaBytes` of `go.etcd.io/etcd/server/v3/storage`.
const QUOTA: usize = 2 << 30;

/// An object that was written, in the version of the request.
#[derive(Debug)]
pub(crate) struct WrittenObject {
    pub(crate) value: Value,
    /// Absent where nothing was stored.
    pub(crate) stored: Option<Arc<Stored>>,
}

/// A stored object with its values.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    pub(crate) stored: Arc<Stored>,
    pub(crate) value: Value,
}

/// The part of an object that an update is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Object,
    Status,
}

/// An object has the group and the version of the path.
pub(super) fn check_api_version(value: &Value, place: &Place) -> Result<(), Failure> {
    let (found, expected) = (text(value, &["apiVersion"]), place.definition.api_version(&place.version));
    if found == expected {
        return Ok(());
    }
    let message =
        format!("the API version in the data ({found}) does not match the expected API version ({expected})");
    Err(Failure::bad_request(message))
}

/// An object names no other namespace than the path.
pub(crate) fn check_namespace(value: &Value, place: &Place) -> Result<(), Failure> {
    let found = text(value, &["metadata", "namespace"]);
    if found.is_empty() || found == place.namespace || !place.definition.is_namespaced() {
        return Ok(());
    }
    let message = "the namespace of the provided object does not match the namespace sent on the request";
    Err(Failure::bad_request(message))
}

/// Adds the warnings of admission, and those about keys that a text in YAML repeats, for which strict field validation refuses the
/// object.
pub(super) fn report(
    call: &mut Call<'_>,
    place: &Place,
    mode: FieldValidation,
    repeated: &[String],
    admission: &Admission,
) -> Result<(), Failure> {
    check_repeated_keys(call, repeated, place, mode, admission.result.as_ref().err())?;
    warn(call, &admission.warnings, place);
    Ok(())
}

/// Warns of keys that a text in YAML repeats, or refuses them together with the unknown fields for which admission refuses the object.
/// A text that cannot be decoded at all is refused by admission.
fn check_repeated_keys(
    call: &mut Call<'_>,
    repeated: &[String],
    place: &Place,
    mode: FieldValidation,
    refusal: Option<&Refusal>,
) -> Result<(), Failure> {
    if repeated.is_empty() || mode == FieldValidation::Ignore {
        return Ok(());
    }
    if mode == FieldValidation::Warn {
        call.warnings.extend(repeated.iter().cloned());
        return Ok(());
    }
    const STRICT: &str = "strict decoding error: ";
    let refusal =
        refusal.filter(|refusal| refusal.reason == StatusReason::BadRequest).map(ToString::to_string);
    let unknown = match refusal.as_deref().map(|message| message.split_once(STRICT)) {
        None => String::new(),
        Some(Some((_, unknown))) => format!(", {unknown}"),
        Some(None) => return Ok(()),
    };
    let (kind, version) = (place.definition.kind(), quote(&place.version));
    let keys = repeated_keys(repeated);
    let message =
        format!("{kind} in version {version} cannot be handled as a {kind}: {STRICT}{keys}{unknown}");
    Err(Failure::bad_request(message))
}

/// Adds the warnings of admission. That of a deprecated version is there already.
fn warn(call: &mut Call<'_>, warnings: &[Warning], place: &Place) {
    let deprecation = place.definition.validator(&place.version).deprecation(&place.version);
    for warning in warnings.iter().map(ToString::to_string) {
        if Some(warning.as_str()) != deprecation && !call.warnings.contains(&warning) {
            call.warnings.push(warning);
        }
    }
}

/// An object as it was sent, without its owners.
pub(super) fn decoded(validator: &Validator, submitted: Submitted) -> Option<Value> {
    let mut decoded = validator.decoded(submitted).ok()?;
    if let Some(metadata) = metadata_mut(&mut decoded) {
        metadata.shift_remove("managedFields");
    }
    Some(decoded)
}

/// An object in the version in which it is stored.
pub(super) fn into_storage(value: &Value, place: &Place, name: &str) -> Result<Value, Failure> {
    let definition = &place.definition;
    let version = definition.storage();
    if is_converted(value, place, version) {
        return read_as(value, place, version, name);
    }
    // The object has its defaults already, or gets none.
    let refuse = |refusal| Failure::of_refusal(&refusal, &definition.resource, name, definition.kind());
    definition.validator(version).converted(value, version).map_err(refuse)
}

/// A stored object in the version of the request.
pub(super) fn from_storage(value: &Value, place: &Place, name: &str) -> Result<Value, Failure> {
    read_as(value, place, &place.version, name)
}

/// Returns `true` if a function converts an object before it is in a version.
fn is_converted(value: &Value, place: &Place, version: &str) -> bool {
    let definition = &place.definition;
    definition.has_webhook() && text(value, &["apiVersion"]) != definition.api_version(version)
}

fn read_as(value: &Value, place: &Place, version: &str, name: &str) -> Result<Value, Failure> {
    let definition = &place.definition;
    let refuse = |refusal| Failure::of_refusal(&refusal, &definition.resource, name, definition.kind());
    let read =
        |value: &Value, version: &str| definition.validator(version).read(value, version).map_err(refuse);
    if !is_converted(value, place, version) {
        return read(value, version);
    }
    let api_version = definition.api_version(version);
    // An object has the defaults of its own version before it is converted.
    let own = definition.version_of(text(value, &["apiVersion"])).unwrap_or_default();
    let own = read(value, own)?;
    let converted = definition.converted(&own, &api_version).map_err(Failure::internal)?;
    read(&converted, version)
}

impl WrittenObject {
    /// An object that was stored.
    pub(super) fn new(mut value: Value, stored: Arc<Stored>, place: &Place) -> Result<Self, Failure> {
        if place.is_of_other_version() {
            value = place.read(&stored)?;
        } else {
            set_revision(&mut value, stored.revision);
        }
        Ok(Self { value, stored: Some(stored) })
    }

    /// An object that was not stored: a dry run, or an update without a change.
    pub(crate) fn unstored(value: Value) -> Self {
        Self { value, stored: None }
    }

    /// An object that was not stored, as it would be read from the storage.
    pub(super) fn read_back(value: Value, place: &Place, name: &str) -> Result<Self, Failure> {
        if !place.is_of_other_version() {
            return Ok(Self::unstored(value));
        }
        from_storage(&into_storage(&value, place, name)?, place, name).map(Self::unstored)
    }
}

impl From<Arc<Stored>> for Current {
    fn from(stored: Arc<Stored>) -> Self {
        Self { value: stored.value(), stored }
    }
}

/// An object in the stored version, ready to be stored. One that is too large for etcd loses its owners, and so does the object of
/// the request, `object`.
///
/// Source: `isTooLargeError` in `endpoints/handlers/create.go` and `update.go`.
pub(super) fn draft(
    server: &Shared,
    place: &Place,
    key: &Key,
    stored: Value,
    object: &mut Value,
) -> Result<Draft, Failure> {
    // The owners of the fields of a deep object are deeper than the object.
    if depth::is_large() && !depth::is_within(&stored, depth::MOST) {
        return Err(Failure::internal("invalid character '{' exceeded max depth"));
    }
    let draft = place.definition.draft(stored);
    if server.store.bytes() + draft.size() > QUOTA {
        return Err(Failure::internal("etcdserver: mvcc: database space exceeded"));
    }
    if request_bytes(&draft, place, key) + ETCD_OVERHEAD <= MOST_ETCD_BYTES {
        return Ok(draft);
    }
    set_entries(object, Vec::new());
    let draft = place.definition.draft(into_storage(object, place, key.name())?);
    let bytes = request_bytes(&draft, place, key);
    if bytes + ETCD_OVERHEAD <= MOST_ETCD_BYTES {
        return Ok(draft);
    }
    Err(Failure::internal(match bytes + MESSAGE_OVERHEAD {
        bytes if bytes > MOST_MESSAGE_BYTES => format!(
            "rpc error: code = ResourceExhausted desc = trying to send message larger than max ({bytes} vs. {MOST_MESSAGE_BYTES})"
        ),
        _ => "etcdserver: request is too large".to_owned(),
    }))
}

/// The bytes of an object and its keys in etcd. etcd has the revision beside the object.
fn request_bytes(draft: &Draft, place: &Place, key: &Key) -> usize {
    let path = place.definition.storage_path(key);
    draft.size() - "\"resourceVersion\":\"\",".len() + 2 * path.len()
}

/// Sets the revision of an answer.
pub(crate) fn set_revision(value: &mut Value, revision: u64) {
    if let Some(metadata) = metadata_mut(value) {
        metadata.insert("resourceVersion".to_owned(), revision.to_string().into());
    }
}

/// The error of Go about a revision that is not a number.
pub(crate) fn not_a_number(revision: &str) -> Failure {
    Failure::internal(format!("strconv.ParseUint: parsing {}: invalid syntax", quote(revision)))
}

/// Returns `true` if two objects are the same but for their revision and the times of their owners.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    let without = |value: &Value| {
        let mut value = value.clone();
        if let Some(metadata) = metadata_mut(&mut value) {
            metadata.shift_remove("resourceVersion");
            let entries = metadata.get_mut("managedFields").and_then(Value::as_array_mut);
            for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
                entry.shift_remove("time");
            }
        }
        value
    };
    deep_equal(&without(a), &without(b))
}
