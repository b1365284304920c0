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

/// The fields of an item of `ownerReferences`.
const OWNER: [&str; 6] = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];

/// The fields of an item of `managedFields`.
const MANAGER: [&str; 7] =
    ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];

/// Returns the `PartialObjectMetadata` of an object.
pub(super) fn metadata_only(object: &Value, version: MetaVersion) -> Value {
    let metadata = METADATA.iter().filter_map(|name| {
        let value = object.get("metadata")?.get(*name)?;
        let value = match *name {
            "ownerReferences" => items_in_order(value, &OWNER),
            "managedFields" => items_in_order(value, &MANAGER),
            _ => value.clone(),
        };
        Some(((*name).to_owned(), value))
    });
    let metadata: serde_json::Map<_, _> = metadata.collect();
    json!({"kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata})
}

/// Returns a list whose items have their fields in this order. The fields within them are sorted.
fn items_in_order(list: &Value, names: &[&str]) -> Value {
    let field = |item: &Value, name: &str| {
        let mut value = item.get(name)?.clone();
        value.sort_all_objects();
        Some((name.to_owned(), value))
    };
    let item = |item: &Value| Value::Object(names.iter().filter_map(|name| field(item, name)).collect());
    list.as_array().map_or_else(|| list.clone(), |items| items.iter().map(item).collect())
}
