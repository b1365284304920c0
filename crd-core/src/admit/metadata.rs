//! Preparation of an object's metadata: the API server sets and clears fields, and returns warnings, before its checks.
//!
//! Source: `rest.BeforeCreate` and `rest.BeforeUpdate` in `k8s.io/apiserver/pkg/registry/rest`,
//! `endpoints/handlers/rest.go`.

use std::collections::{BTreeSet, HashSet};

use crd_go::KubeVersion;
use crd_go::names::{dns_1123_subdomain, masked_prefix};
use crd_go::strings::quote;

use super::warnings::Warnings;
use crate::crd::ObjectMeta;
use crate::object_meta::{NameRule, generated_name};

/// The placeholder for the UID of a stored object.
///
/// It is set during the checks because it affects them: metadata with a field that the schema does not have never
/// counts as unchanged.
pub(super) const UID: &str = "00000000-0000-0000-0000-000000000000";
/// The placeholder for the namespace in the URL of a request.
pub(super) const NAMESPACE: &str = "default";

/// The rule for names of custom resources.
pub(super) struct Subdomain;

impl NameRule for Subdomain {
    fn name(&self, name: &str) -> Vec<String> {
        dns_1123_subdomain(name)
    }

    fn prefix(&self, prefix: &str) -> Vec<String> {
        dns_1123_subdomain(&masked_prefix(prefix))
    }
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

/// Prepares the metadata of an object that replaces another one: copies the fields that only the server sets from it.
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
    meta.uid.clone_from(&old.uid);
    meta.generation = old.generation;
    meta.creation_timestamp.clone_from(&old.creation_timestamp);
    if old.deletion_timestamp.is_some() {
        meta.deletion_timestamp.clone_from(&old.deletion_timestamp);
    }
    if meta.deletion_grace_period_seconds.is_none() {
        meta.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
    }
}

/// Removes `managedFields`, which the server sets with each request, and `selfLink`, which is not used any more.
pub(super) fn clear_server_fields(meta: &mut ObjectMeta) {
    meta.managed_fields = None;
    meta.self_link.clear();
    meta.resource_version.clear();
}

/// Removes duplicate owners.
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
    let old = old.and_then(|old| old.finalizers.as_deref()).unwrap_or_default();
    let added: BTreeSet<&String> =
        meta.finalizers.iter().flatten().filter(|name| !old.contains(name)).collect();
    for name in added {
        if name.contains('/') || ["orphan", "foregroundDeletion", "kubernetes"].contains(&name.as_str()) {
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
