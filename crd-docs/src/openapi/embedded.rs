//! The fields that every embedded resource has: `apiVersion`, `kind` and `metadata`.

use serde_json::{Map, Value, json};

use super::{METADATA, OBJECT_META_NAME, OpenApi, schema, string};

const API_VERSION: &str = "apiVersion defines the versioned schema of this representation of an object. More info: \
https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND: &str = "kind is a string value representing the type of this object. In CamelCase. More info: \
https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

/// Adds `apiVersion`, `kind` and `metadata` to all embedded resources in a published schema.
pub(super) fn add_fields(published: &mut Map<String, Value>, form: OpenApi) {
    if let Some(Value::Object(properties)) = published.get_mut("properties") {
        properties
            .values_mut()
            .filter_map(Value::as_object_mut)
            .for_each(|property| add_fields(property, form));
    }
    for name in ["items", "additionalProperties"] {
        if let Some(Value::Object(child)) = published.get_mut(name) {
            add_fields(child, form);
        }
    }
    let is_true = |name: &str| published.get(name) == Some(&Value::Bool(true));
    let is_open = is_true("x-kubernetes-preserve-unknown-fields") && form == OpenApi::V2;
    if is_true("x-kubernetes-embedded-resource") && !is_open {
        embed(published, form);
    }
}

fn embed(published: &mut Map<String, Value>, form: OpenApi) {
    schema::change_properties(published, |properties| {
        properties.insert("apiVersion".to_owned(), string(API_VERSION));
        properties.insert("kind".to_owned(), string(KIND));
        properties.insert("metadata".to_owned(), form.reference(OBJECT_META_NAME, METADATA));
    });
    let required = published.entry("required").or_insert_with(|| json!([]));
    if let Value::Array(required) = required {
        for name in ["kind", "apiVersion"] {
            if !required.iter().any(|required| required == name) {
                required.push(json!(name));
            }
        }
    }
}
