//! Determines an object's field managers after a write.

use std::borrow::Cow;

use crd_core::KubeVersion;
use crd_core::crd::Version;
use serde_json::Value;

use super::ephemeral;
use crate::apply::{Emptied, Entry, Node, Types, Writer, decode, encode, is_reset};
use crate::definition::{Definition, Origin};
use crate::depth;
use crate::json::{metadata_mut, set};
use crate::request::options::WriteOptions;
use crate::request_info::{Change, RequestInfo};

/// The number of nesting levels around a manager's fields: the list of entries and the entry.
const DEPTH_OF_FIELDS: usize = 2;

/// Specifies how a write affects field managers.
#[derive(Clone, Debug)]
pub(crate) enum ManagerChange {
    /// The writing manager owns the fields that change. The subresource is empty for the object itself.
    Update { subresource: &'static str },
    /// Server-side apply has already determined the field managers.
    Applied(Vec<Entry>),
}

/// A write to an object or one of its subresources.
pub(crate) struct Through<'a> {
    pub(crate) place: &'a RequestInfo,
    pub(crate) subresource: &'a str,
    pub(crate) options: &'a WriteOptions,
    pub(crate) now: &'a str,
}

/// The types of a CRD's or built-in kind's objects in each version, for writes to a subresource.
#[derive(Debug)]
struct VersionTypes<'a> {
    definition: &'a Definition,
    /// The request's version.
    version: &'a str,
    /// The request's subresource; empty for the object itself.
    subresource: &'a str,
}

impl Types for VersionTypes<'_> {
    fn node(&self, api_version: &str) -> Option<Node<'_>> {
        let root = match self.definition.origin {
            Origin::BuiltIn(_) => Node::go_type,
            Origin::Definitions => Node::crd,
            Origin::Custom => Node::root,
        };
        self.definition.schema(self.definition.version_of(api_version)?).map(root)
    }

    fn convert<'v>(&self, value: &'v Value, api_version: &str) -> Result<Cow<'v, Value>, String> {
        self.definition.converted(value, api_version)
    }

    fn drops_unknown_versions(&self) -> bool {
        self.definition.origin != Origin::Custom
    }

    fn emptied(&self) -> Emptied {
        // Version 6.3 of structured-merge-diff keeps them, and version 6.4 does not.
        if self.definition.release < KubeVersion::new(37) { Emptied::Kept } else { Emptied::Null }
    }

    fn reset(&self, api_version: &str) -> &[&'static str] {
        let definition = self.definition;
        let Some(name) = definition.version_of(api_version) else { return &[] };
        let has_status = definition.crd.version(name).is_some_and(Version::has_status);
        match (self.subresource, has_status) {
            // The fields that the API server ignores have owners, too.
            (ephemeral::NAME, _) => &[],
            ("status", _) if definition.origin != Origin::Custom => &["spec"],
            // A write of the status leaves the other fields alone in all versions that have a status of their own.
            ("status", true) => &["metadata", "spec"],
            (_, true) if name == self.version => &["status"],
            _ => &[],
        }
    }
}

impl Through<'_> {
    /// Calls a function with this request's writer.
    pub(crate) fn with_writer<T>(&self, work: impl FnOnce(&Writer<'_>) -> T) -> T {
        let definition = &*self.place.definition;
        let version = self.place.version.as_str();
        let types = VersionTypes { definition, version, subresource: self.subresource };
        work(&Writer {
            types: &types,
            manager: &self.options.manager,
            api_version: &definition.api_version(version),
            subresource: self.subresource,
            now: self.now,
        })
    }

    /// Returns the field managers' entries after an update of `old`. If `old` is `None`, the object is new. `decoded` is the object as it
    /// was sent. `new` is the object to be stored, with the fields that the server keeps from the old object.
    ///
    /// `decoded` is only needed if an entry has another version, if the object is being deleted, or if only a part of the object is
    /// written. Otherwise, `decoded` and `new` differ only in fields that the request cannot change.
    pub(crate) fn entries(
        &self,
        old: Option<&Value>,
        new: &Value,
        decoded: impl FnOnce() -> Option<Value>,
        sent: Option<&Value>,
    ) -> Vec<Entry> {
        let stored = old.and_then(|old| old.pointer("/metadata/managedFields"));
        let mut entries = decode(stored);
        if let Some(sent) = sent.filter(|_| self.subresource.is_empty()) {
            if is_reset(sent, self.place.definition.origin != Origin::Custom) {
                entries.clear();
            } else {
                let own = decode(Some(sent));
                if !own.is_empty() {
                    entries = own;
                }
            }
        }
        // Without owners, none are recorded until an object is applied.
        if old.is_some() && entries.is_empty() {
            return entries;
        }
        let definition = &self.place.definition;
        let version = definition.api_version(&self.place.version);
        let is_of_version = |entry: &Entry| entry.api_version == version;
        // The time of a deletion has owners if nobody owned anything before the first apply.
        let is_going = old.is_some_and(|old| old.pointer("/metadata/deletionTimestamp").is_some());
        let is_same = self.place.version == definition.storage() && entries.iter().all(is_of_version);
        // What a write of a part leaves out has to have its type all the same.
        let is_part = ["status", ephemeral::NAME].contains(&self.subresource);
        let decoded = if is_going || !is_same || is_part { decoded() } else { None };
        let new = decoded.as_ref().unwrap_or(new);
        let old = old.map_or_else(|| definition.empty(new), without_entries);
        let updated = self.with_writer(|writer| writer.update(&old, &without_entries(new), entries));
        // Where the owners cannot be found, the API server keeps the old ones. Before 1.37, it forgot all of them.
        updated.unwrap_or_else(|_| match self.place.definition.release >= KubeVersion::new(37) {
            true => decode(stored),
            false => Vec::new(),
        })
    }
}

/// Returns an object without its `managedFields`.
pub(crate) fn without_entries(object: &Value) -> Value {
    let mut object = object.clone();
    set_entries(&mut object, Vec::new());
    object
}

/// Sets the `managedFields` of an object.
pub(crate) fn set_entries(object: &mut Value, entries: Vec<Entry>) {
    if let Some(metadata) = metadata_mut(object) {
        // The API server cannot read fields that are too deep, and forgets all owners.
        let encoded = encode(entries)
            .filter(|entries| !depth::is_large() || depth::is_within(entries, depth::MOST + DEPTH_OF_FIELDS));
        set(metadata, "managedFields", encoded);
    }
}

/// Returns the subresource to which a change is written.
pub(super) fn subresource(change: Change) -> &'static str {
    match change {
        Change::Object => "",
        Change::Status => "status",
        Change::EphemeralContainers => ephemeral::NAME,
    }
}
