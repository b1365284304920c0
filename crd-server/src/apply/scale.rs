//! Field managers of an object's `replicas`, converted to and from the entries of its scale subresource.
//!
//! Source: `scalehandler.go` of `k8s.io/apimachinery/pkg/util/managedfields`.

use std::sync::LazyLock;

use crd_core::Structural;
use crd_core::crd::JsonSchemaProps;
use serde_json::json;

use super::entry::Entry;
use super::merge::Emptied;
use super::set::Set;
use super::shape::Node;
use super::types::Types;

/// The version of the scale subresource.
pub(crate) const SCALE: &str = "autoscaling/v1";

/// The path to the replicas in a `Scale`.
const REPLICAS: [&str; 2] = ["spec", "replicas"];

/// The schema of `Scale` objects.
static TYPE: LazyLock<Structural> = LazyLock::new(|| {
    let integer = json!({"type": "integer", "format": "int32"});
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"replicas": integer}},
        "status": {"type": "object", "properties": {"replicas": integer, "selector": {"type": "string"}}},
    }});
    let schema = JsonSchemaProps::from_value(schema).ok();
    schema.and_then(|schema| Structural::from_json_schema(&schema).ok()).unwrap_or_default()
});

/// The types of the scale subresource. It has only one version.
#[derive(Debug)]
pub(crate) struct ScaleTypes;

impl Types for ScaleTypes {
    fn node(&self, api_version: &str) -> Option<Node<'_>> {
        (api_version == SCALE).then(|| Node::root(&TYPE))
    }

    fn reset(&self, _: &str) -> &[&'static str] {
        &[]
    }

    fn emptied(&self) -> Emptied {
        Emptied::Kept
    }
}

/// A function from a version to the path of the replicas. The function returns `None` if the version does not exist, and an empty path if
/// the version has no scale subresource.
pub(crate) type ReplicasPath<'a> = &'a dyn Fn(&str) -> Option<Vec<String>>;

/// Returns the entries that own an object's replicas, converted to `managedFields` entries of its `Scale`.
pub(crate) fn scale_entries(entries: &[Entry], path: ReplicasPath<'_>) -> Vec<Entry> {
    let owners = entries.iter().filter(|entry| {
        path(&entry.api_version).is_some_and(|path| !path.is_empty() && entry.set.has_fields(&path))
    });
    let in_scale = |entry: &Entry| Entry {
        api_version: SCALE.to_owned(),
        set: Set::from_fields(&REPLICAS),
        ..entry.clone()
    };
    owners.map(in_scale).collect()
}

/// Returns an object's entries after its `Scale` entries have changed. New managers get entries with the version `api_version`.
pub(crate) fn object_entries(
    entries: &[Entry],
    of_scale: Vec<Entry>,
    path: ReplicasPath<'_>,
    api_version: &str,
) -> Vec<Entry> {
    let mut owners = of_scale;
    let mut result: Vec<Entry> = Vec::new();
    for entry in entries {
        let Some(replicas) = path(&entry.api_version) else { continue };
        let mut entry = entry.clone();
        if !replicas.is_empty() && entry.set.has_fields(&replicas) {
            match owners.iter().position(|owner| owner.is_same_manager(&entry)) {
                Some(at) => {
                    owners.remove(at);
                }
                // Entries of updates name their version, so that those of the scale are always others.
                None => entry.set = entry.set.difference(&Set::from_fields(&replicas)),
            }
        }
        if !entry.set.is_empty() {
            result.push(entry);
        }
    }
    let replicas = path(api_version).unwrap_or_default();
    let owners = owners.into_iter().filter(|owner| owner.set.has_fields(&REPLICAS.map(str::to_owned)));
    result.extend(owners.map(|owner| {
        // The time is looked up among the entries of the object.
        let time =
            entries.iter().find(|entry| entry.is_same_manager(&owner)).and_then(|entry| entry.time.clone());
        Entry { api_version: api_version.to_owned(), set: Set::from_fields(&replicas), time, ..owner }
    }));
    result
}
