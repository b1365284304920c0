//! Values of the wrong kind.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = 1, version = 1, kind = 1, root = 1, singular = 1, plural = 1, list_kind = 1)]
#[crd(shortname = 1, category = 1, namespaced = 1, status = 1, scale = 1, printcolumn = 1, selectable = 1)]
#[crd(derive = 1, attr = 1, doc = 1, label = 1, annotation = 1, object_label = 1, object_annotation = 1)]
#[crd(storage = 1, served = 1, deprecated = 1, no_spec = 1, spec_optional = 1, unchecked_paths = 1, no_test = 1, unchecked = 1)]
#[crd(schema = 1, kube = 1, cel = 1, conversion = 1, object_name = 1, spec_default = 1, status_default = 1)]
#[crd(crd_preserve_unknown_fields = 1, version_patch = 1, patch = 1, descriptions = 1, max_description = "many", description_depth = "all")]
#[crd(crates = 1, crate_path = 1, post_process = "1 +", min_kube_version = 1, validation)]
struct ShirtSpec {}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(exactly_one_of = 1, at_most_one_of = 1, at_least_one_of = 1, preserve_unknown_fields = 1, cel = 1)]
#[crd(schema_at(".a"), schema_patch = 1, descriptions = 1, max_description = "many", description_depth = "all", kubernetes_enums = 1, crates = 1, crate_path = 1)]
struct Type {
    #[crd(list_type = 1, list_map_keys = 1, map_type = 1, merge_strategy, preserve_unknown_fields = 1)]
    #[crd(embedded_resource = 1, int_or_string = 1, schemaless = 1, nullable = 1, format = 1, immutable = 1)]
    a: String,
    #[crd(printcolumn = 1, selectable = 1, spec_replicas = 1, status_replicas = 1, label_selector = 1)]
    #[crd(item_validation, value_validation, validation, schema = 1, schema_with = "1 +", schema_patch = 1)]
    #[crd(schema_at = ".a")]
    b: String,
}

#[derive(CrdSchema, Serialize, Deserialize)]
enum Variants {
    #[crd(validation)]
    A { a: i32 },
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Parts")]
#[crd(conversion(service(namespace = 1, name = 1, path = 1, port = "https"), url = 1, ca_bundle = 1))]
#[crd(object_name(pattern = 1, min_length = "a", max_length = "b"))]
#[crd(printcolumn(name = 1, type_ = 1, json_path = 1, description = 1, format = 1, priority = "high"))]
#[crd(scale(spec_replicas_path = 1, status_replicas_path = 1, label_selector_path = 1))]
#[crd(validation(rule = 1, message = 1, message_expression = 1, reason = 1, field_path = 1, optional_old_self = 1))]
#[crd(crates(crdkit = 1, kube = 1, kube_core = 1, k8s_openapi = 1, schemars = 1, serde = 1, serde_json = 1, std = 1))]
struct PartsSpec {}

#[derive(CrdSchema, Serialize, Deserialize)]
#[crd(validation)]
struct Parts {
    #[crd(validation(rule = 1, message = 1, message_expression = 1, reason = 1, field_path = 1, optional_old_self = 1))]
    #[crd(printcolumn(name = 1, type = 1, description = 1, format = 1, priority = "high"))]
    #[crd(descriptions = 1, max_description = "many", description_depth = "all", kubernetes_enums = 1)]
    a: String,
}

fn main() {}
