//! Shirts, which can be listed by their color and size.

// ANCHOR: shirt
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

// The struct is the type of `spec`. The derive generates the type `Shirt` around it.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[crd(group = "stable.example.com", version = "v1", kind = "Shirt", namespaced)]
// `kubectl get shirts --field-selector spec.color=blue`
#[crd(selectable = ".spec.color", selectable = ".spec.size")]
// The printer columns of `kubectl get shirts`. The paths are checked against the fields below.
#[crd(printcolumn(name = "Color", type = "string", json_path = ".spec.color"))]
#[crd(printcolumn(name = "Size", type = "string", json_path = ".spec.size"))]
// An object may omit `spec`. It is then read as `ShirtSpec::default()`.
#[crd(spec_optional)]
pub struct ShirtSpec {
    // An `Option` that serde skips when it is `None` is neither required nor nullable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
}
// ANCHOR_END: shirt
