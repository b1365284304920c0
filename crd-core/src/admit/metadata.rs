//! Prepares an object's metadata before the checks: sets and clears fields like the API server, and collects warnings.
//!
//! Source: `rest.BeforeCreate` and `rest.BeforeUpdate` in `k8s.io/apiserver/pkg/registry/rest`,
//! `endpoints/handlers/rest.go`.

use std::collections::HashSet;

use crd_go::KubeVersion;
use crd_go::names::is_dns_1123_label;
use crd_go::strings::quote;
use serde_json::{Map, Value};

use super::kind::Kind;
use super::warnings::Warnings;
use crate::crd::ObjectMeta;
use crate::object_meta::{annotations, generated_name, labels, new_finalizers, object_meta};
use crate::{Causes, FieldPath, embedded};

/// The placeholder for the UID of a stored object.
///
/// During the checks, each stored object has a UID, which affects the result: metadata with a field that the schema lacks never counts as
/// unchanged.
const UID: &str = "00000000-0000-0000-0000-000000000000";
/// The placeholder for the namespace in the URL of a request.
const NAMESPACE: &str = "default";

/// The verdict on the metadata of a new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetadataVerdict {
    Valid,
    /// The metadata is valid, but is stored with another `name` or `generateName`.
    Renamed,
    Invalid,
}

/// Checks the metadata of an object that is created. Returns `None` if the metadata cannot be read.
pub(super) fn check_new(metadata: &Value, kind: &Kind, is_strict: bool) -> Option<MetadataVerdict> {
    let fields = metadata.as_object()?;
    if let Some(names) = Names::alone(fields) {
        return Some(names.verdict(kind));
    }
    let mut meta = embedded::read(metadata.clone()).ok()?;
    if is_strict && !embedded::unknown_fields(&meta).is_empty() {
        return Some(MetadataVerdict::Invalid);
    }
    prepare_create(&mut meta, kind.is_namespaced, &mut Warnings::default());
    let is_same = |key: &str, stored: &str| match fields.get(key) {
        None | Some(Value::Null) => stored.is_empty(),
        Some(sent) => sent == stored && !stored.is_empty(),
    };
    let is_renamed = !is_same("name", &meta.name) || !is_same("generateName", &meta.generate_name);
    let mut found = Causes::for_version(kind.kube_version);
    let path = FieldPath::new("metadata");
    object_meta(&as_checked(&meta, kind), kind.is_namespaced, &kind.names, &path, &mut found);
    Some(match (found.is_empty(), is_renamed) {
        (false, _) => MetadataVerdict::Invalid,
        (true, true) => MetadataVerdict::Renamed,
        (true, false) => MetadataVerdict::Valid,
    })
}

/// Returns `true` if the metadata of a new object is valid and stored unchanged: with the same fields in the same order.
pub(super) fn is_stored_unchanged(metadata: &Value, kind: &Kind) -> bool {
    const IN_ORDER: [&str; 5] = ["name", "generateName", "namespace", "labels", "annotations"];
    let Value::Object(fields) = metadata else { return false };
    let mut places = IN_ORDER.iter();
    let is_kept = |(key, value): (&String, &Value)| {
        places.any(|known| known == key)
            && match value {
                Value::String(text) => !text.is_empty() && (key != "namespace" || kind.is_namespaced),
                Value::Object(map) => !map.is_empty(),
                _ => false,
            }
    };
    fields.iter().all(is_kept)
        && Names::alone(fields).is_some_and(|names| names.verdict(kind) == MetadataVerdict::Valid)
}

/// Metadata that consists only of names, labels and annotations, as in most objects.
#[derive(Default)]
struct Names<'v> {
    name: Option<&'v str>,
    generate_name: Option<&'v str>,
    namespace: Option<&'v str>,
    labels: Option<&'v Map<String, Value>>,
    annotations: Option<&'v Map<String, Value>>,
}

impl<'v> Names<'v> {
    /// Returns the names, labels and annotations. `None` if the metadata has other fields.
    fn alone(fields: &'v Map<String, Value>) -> Option<Self> {
        let mut names = Self::default();
        for (key, value) in fields {
            match (key.as_str(), value) {
                ("name", Value::String(text)) => names.name = Some(text),
                ("generateName", Value::String(text)) => names.generate_name = Some(text),
                ("namespace", Value::String(text)) => names.namespace = Some(text),
                ("labels", Value::Object(map)) if map.values().all(Value::is_string) => {
                    names.labels = Some(map);
                }
                ("annotations", Value::Object(map)) if map.values().all(Value::is_string) => {
                    names.annotations = Some(map);
                }
                // It counts as absent.
                ("name" | "generateName" | "namespace" | "labels" | "annotations", Value::Null) => {}
                _ => return None,
            }
        }
        Some(names)
    }

    fn verdict(&self, kind: &Kind) -> MetadataVerdict {
        let given = |name: Option<&'v str>| name.filter(|name| !name.is_empty());
        let (name, prefix) = (given(self.name), given(self.generate_name));
        let has_valid_name = match (name, prefix) {
            (Some(name), _) => kind.names.has(name),
            (None, Some(prefix)) => kind.names.has(&generated_name(prefix)),
            (None, None) => false,
        };
        let is_valid = has_valid_name
            && prefix.is_none_or(|prefix| kind.names.has_prefix(prefix))
            && (!kind.is_namespaced || given(self.namespace).is_none_or(is_dns_1123_label))
            && self.has_valid_maps(kind);
        if !is_valid {
            MetadataVerdict::Invalid
        } else if name.is_none() || self.generate_name == Some("") {
            MetadataVerdict::Renamed
        } else {
            MetadataVerdict::Valid
        }
    }

    /// Returns `true` if the labels and annotations are valid.
    fn has_valid_maps(&self, kind: &Kind) -> bool {
        if self.labels.is_none() && self.annotations.is_none() {
            return true;
        }
        let texts = |map: Option<&'v Map<String, Value>>| {
            let entries = map.into_iter().flatten();
            entries.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
        };
        let mut found = Causes::for_version(kind.kube_version);
        labels(texts(self.labels), &FieldPath::root(), &mut found);
        annotations(texts(self.annotations), &FieldPath::root(), &mut found);
        found.is_empty()
    }
}

/// Returns the metadata as the checks see it: with a UID and, if the kind is namespaced, a namespace, because each stored object has them.
pub(super) fn as_checked(meta: &ObjectMeta, kind: &Kind) -> ObjectMeta {
    let mut meta = meta.clone();
    // The server writes them anew with every request, so that those of the old object do not count as a difference.
    meta.managed_fields = None;
    if kind.is_namespaced && meta.namespace.is_empty() {
        NAMESPACE.clone_into(&mut meta.namespace);
    }
    if meta.uid.is_empty() {
        UID.clone_into(&mut meta.uid);
    }
    meta
}

/// Prepares the metadata of an object that is created: removes fields that only the server sets.
pub(super) fn prepare_create(meta: &mut ObjectMeta, is_namespaced: bool, warnings: &mut Warnings) {
    clear_server_fields(meta);
    meta.uid.clear();
    meta.generation = None;
    meta.creation_timestamp = None;
    meta.deletion_timestamp = None;
    meta.deletion_grace_period_seconds = None;
    if !is_namespaced {
        meta.namespace.clear();
    }
    dedup_owners(meta, warnings);
    if meta.name.is_empty() && !meta.generate_name.is_empty() {
        meta.name = generated_name(&meta.generate_name);
    }
}

/// Prepares the metadata of an object that replaces another object: takes server-set fields from the replaced object.
pub(super) fn prepare_update(
    meta: &mut ObjectMeta,
    old: &ObjectMeta,
    is_namespaced: bool,
    warnings: &mut Warnings,
) {
    clear_server_fields(meta);
    dedup_owners(meta, warnings);
    if !is_namespaced {
        meta.namespace.clear();
    } else if meta.namespace.is_empty() {
        meta.namespace.clone_from(&old.namespace);
    }
    meta.resource_version.clone_from(&old.resource_version);
    if meta.uid.is_empty() || old.uid.is_empty() {
        meta.uid.clone_from(&old.uid);
    }
    meta.generation = old.generation;
    meta.creation_timestamp.clone_from(&old.creation_timestamp);
    if old.deletion_timestamp.is_some() {
        meta.deletion_timestamp.clone_from(&old.deletion_timestamp);
    }
    if meta.deletion_grace_period_seconds.is_none() {
        meta.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
    }
}

/// Removes `managedFields`, which the server sets with each request, and `selfLink`, which is no longer used.
pub(super) fn clear_server_fields(meta: &mut ObjectMeta) {
    meta.managed_fields = None;
    meta.self_link.clear();
    meta.resource_version.clear();
}

/// Removes duplicate owner references.
pub(super) fn dedup_owners(meta: &mut ObjectMeta, warnings: &mut Warnings) {
    let Some(owners) = meta.owner_references.take() else { return };
    let mut kept = Vec::with_capacity(owners.len());
    let (mut seen, mut duplicates) = (HashSet::new(), Vec::new());
    for owner in owners {
        // Only what has the UID of another one can be the same.
        if !seen.insert(owner.uid.clone()) && kept.contains(&owner) {
            duplicates.push(owner.uid);
        } else {
            kept.push(owner);
        }
    }
    if !duplicates.is_empty() {
        warnings.add(format!(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and \
             may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            duplicates.join(", ")
        ));
    }
    meta.owner_references = Some(kept);
}

/// Adds warnings about new finalizers whose names are not specific enough.
pub(super) fn warn_of_finalizers(
    meta: &ObjectMeta,
    old: Option<&ObjectMeta>,
    version: KubeVersion,
    warnings: &mut Warnings,
) {
    for name in new_finalizers(meta, old) {
        if name.contains('/') || ["orphan", "foregroundDeletion", "kubernetes"].contains(&name) {
            continue;
        }
        let including =
            if name.contains('.') && version.is_at_least(32) { " including a path (/)" } else { "" };
        warnings.add(format!(
            "metadata.finalizers: {}: prefer a domain-qualified finalizer name{including} to avoid accidental \
             conflicts with other finalizer writers",
            quote(name)
        ));
    }
}
