//! Checks and limits that all writes share.

use std::sync::Arc;

use crd_go::json::deep_equal;
use crd_go::strings::quote;
use serde_json::Value;

use super::managers::set_entries;
use crate::depth;
use crate::json::{metadata_mut, text};
use crate::request_info::{RequestInfo, from_storage, into_storage};
use crate::shared::Shared;
use crate::status::Failure;
use crate::store::{Draft, Key, NotWritten, Stored};

/// Maximum number of bytes in a request that etcd accepts: `DefaultMaxRequestBytes` of `go.etcd.io/etcd/server/v3/embed`.
const MOST_ETCD_BYTES: usize = 3 << 19;
/// Maximum number of bytes in a message that the etcd client sends: `defaultMaxCallSendMsgSize` of `go.etcd.io/etcd/client/v3`.
const MOST_MESSAGE_BYTES: usize = 2 << 20;
/// Number of bytes in a message besides an object and its keys. The next constant is the same for the etcd request that is built from the
/// message.
const MESSAGE_OVERHEAD: usize = 25;
const ETCD_OVERHEAD: usize = 40;
/// Maximum total size of all objects, in bytes: `DefaultQuotaBytes` of `go.etcd.io/etcd/server/v3/storage`.
const QUOTA: usize = 2 << 30;

/// A written object in the request's version.
#[derive(Debug)]
pub(crate) struct WrittenObject {
    pub(crate) value: Value,
    /// The stored object; `None` if nothing was stored.
    pub(crate) stored: Option<Arc<Stored>>,
}

/// The reason why an object was not written.
#[derive(Debug)]
pub(super) enum Unwritten {
    /// Another request has created, changed or removed the object in the meantime. The failure is the response if the request is not
    /// retried.
    Raced(NotWritten, Failure),
    Rejected(Failure),
}

/// A stored object and its decoded value.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    pub(crate) stored: Arc<Stored>,
    pub(crate) value: Value,
}

/// Checks that an object has the group and the version in the request's path.
pub(super) fn check_api_version(value: &Value, place: &RequestInfo) -> Result<(), Failure> {
    let (found, expected) = (text(value, &["apiVersion"]), place.definition.api_version(&place.version));
    if found == expected {
        return Ok(());
    }
    let message =
        format!("the API version in the data ({found}) does not match the expected API version ({expected})");
    Err(Failure::bad_request(message))
}

/// Rejects an object whose name differs from the name in the path.
pub(crate) fn check_name(value: &Value, expected: &str) -> Result<(), Failure> {
    match text(value, &["metadata", "name"]) {
        "" => Err(Failure::bad_request(format!(
            "the name of the object ({expected} based on URL) was undeterminable: name must be provided"
        ))),
        name if name != expected => Err(Failure::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({expected})"
        ))),
        _ => Ok(()),
    }
}

/// Rejects an object whose namespace differs from the namespace in the path.
pub(crate) fn check_namespace(value: &Value, place: &RequestInfo) -> Result<(), Failure> {
    let found = text(value, &["metadata", "namespace"]);
    if found.is_empty() || found == place.namespace || !place.definition.is_namespaced() {
        return Ok(());
    }
    let message = "the namespace of the provided object does not match the namespace sent on the request";
    Err(Failure::bad_request(message))
}

impl WrittenObject {
    /// Returns the result of a write that stored an object.
    pub(super) fn new(mut value: Value, stored: Arc<Stored>, place: &RequestInfo) -> Result<Self, Failure> {
        if place.is_of_other_version() {
            value = place.read(&stored)?;
        } else {
            set_revision(&mut value, stored.revision);
        }
        Ok(Self { value, stored: Some(stored) })
    }

    /// Returns the result of a write that stored nothing: a dry run, or an update without a change.
    pub(super) fn unstored(value: Value) -> Self {
        Self { value, stored: None }
    }

    /// Returns the result of a write that stored nothing, with the object as it would be read from storage.
    pub(super) fn read_back(value: Value, place: &RequestInfo, name: &str) -> Result<Self, Failure> {
        if !place.is_of_other_version() {
            return Ok(Self::unstored(value));
        }
        from_storage(&into_storage(&value, place, name)?, place, name).map(Self::unstored)
    }
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Self::Rejected(failure)
    }
}

impl From<Unwritten> for Failure {
    fn from(unwritten: Unwritten) -> Self {
        match unwritten {
            Unwritten::Raced(_, failure) | Unwritten::Rejected(failure) => failure,
        }
    }
}

impl From<Arc<Stored>> for Current {
    fn from(stored: Arc<Stored>) -> Self {
        Self { value: stored.value(), stored }
    }
}

/// Returns an object in the storage version, ready to be stored. If the object is too large for etcd, `managedFields` are removed. The
/// entries are also removed from `object`. This object has the request's version.
///
/// Source: `isTooLargeError` in `endpoints/handlers/create.go` and `update.go`.
pub(super) fn draft(
    server: &Shared,
    place: &RequestInfo,
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

/// Returns the number of bytes that an object and its keys take in etcd. The revision does not count, because etcd stores it outside the
/// object.
fn request_bytes(draft: &Draft, place: &RequestInfo, key: &Key) -> usize {
    let path = place.definition.storage_path(key);
    draft.size() - "\"resourceVersion\":\"\",".len() + 2 * path.len()
}

/// Sets the revision in a response.
pub(crate) fn set_revision(value: &mut Value, revision: u64) {
    if let Some(metadata) = metadata_mut(value) {
        metadata.insert("resourceVersion".to_owned(), revision.to_string().into());
    }
}

/// Returns Go's error for a revision that is not a number.
pub(crate) fn not_a_number(revision: &str) -> Failure {
    Failure::internal(format!("strconv.ParseUint: parsing {}: invalid syntax", quote(revision)))
}

/// Returns `true` if two objects differ only in revision and in the times of `managedFields` entries.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    let without = |value: &Value| {
        let mut value = value.clone();
        if let Some(metadata) = metadata_mut(&mut value) {
            crd_go::json::remove(metadata, "resourceVersion");
            let entries = metadata.get_mut("managedFields").and_then(Value::as_array_mut);
            for entry in entries.into_iter().flatten().filter_map(Value::as_object_mut) {
                crd_go::json::remove(entry, "time");
            }
        }
        value
    };
    deep_equal(&without(a), &without(b))
}
