//! The response form that contains only the metadata of objects.

use serde_json::{Value, json};

use crate::definition::crd_type;
use crate::request::accept::MetaVersion;

/// Returns the `PartialObjectMetadata` of an object.
pub(super) fn metadata_only(object: &Value, version: MetaVersion) -> Value {
    let metadata = crd_type::metadata_in_order(object.get("metadata").unwrap_or(&json!({})));
    json!({"kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata})
}
