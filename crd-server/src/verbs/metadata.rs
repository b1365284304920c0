//! The response form that contains only the metadata of objects.

use serde_json::{Value, json};

use crate::request::accept::MetaVersion;

/// The fields of metadata in the order in which Go prints them.
const METADATA: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// Returns the `PartialObjectMetadata` of an object.
pub(super) fn metadata_only(object: &Value, version: MetaVersion) -> Value {
    let metadata = METADATA.iter().filter_map(|name| {
        let value = object.get("metadata")?.get(*name)?;
        Some(((*name).to_owned(), value.clone()))
    });
    let metadata: serde_json::Map<_, _> = metadata.collect();
    json!({"kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata})
}
