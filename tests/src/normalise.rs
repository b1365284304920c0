//! The normal form of definitions, which is equal for definitions that have the same meaning for the API server.
//!
//! It removes these differences, and no others:
//!
//! - fields that the API server fills in: `singular`, `listKind`, `conversion.strategy`, the port of a webhook's service, the
//!   priority of a printer column (`defaults.go` of `apiextensions/v1`);
//! - values without an effect: `false` if it means the same as an absent field, empty strings, lists and objects, `null`;
//! - fields that the API server drops: `status`, keys that the API does not have, metadata other than name, labels and
//!   annotations;
//! - `apiVersion`, `kind` and `metadata` of the root schema if they have only a type and a description, because the API server
//!   publishes texts of its own for them (`builder.go`);
//! - the order of keys and of `required`, and the notation of whole numbers (`1`, `1.0`).

use crd_core::{CustomResourceDefinition, Structural};
use serde_json::{Map, Value, json};

type Node = Map<String, Value>;

/// Returns the normal form of a definition.
///
/// # Panics
/// A schema is not structural: the API server rejects such a definition.
#[must_use]
pub fn normalised(crd: &CustomResourceDefinition) -> Value {
    let mut spec = Node::new();
    spec.insert("group".to_owned(), json!(crd.spec.group));
    spec.insert("scope".to_owned(), json!(crd.spec.scope));
    spec.insert("names".to_owned(), names(crd));
    spec.insert("conversion".to_owned(), conversion(crd));
    spec.insert("versions".to_owned(), crd.spec.versions.iter().map(version).collect());
    let metadata = crd.metadata.to_value();
    let text = |key: &str| metadata.get(key).cloned().unwrap_or_else(|| json!({}));
    json!({
        "name": crd.metadata.name,
        "labels": text("labels"),
        "annotations": text("annotations"),
        "spec": spec,
    })
}

/// Returns the differences between two normal forms, with their places.
#[must_use]
pub fn differences(before: &Value, after: &Value) -> Vec<String> {
    let mut out = Vec::new();
    compare(before, after, "", &mut out);
    out
}

fn names(crd: &CustomResourceDefinition) -> Value {
    let names = &crd.spec.names;
    let or = |text: &str, default: String| if text.is_empty() { default } else { text.to_owned() };
    json!({
        "plural": names.plural,
        "singular": or(&names.singular, names.kind.to_lowercase()),
        "kind": names.kind,
        "listKind": or(&names.list_kind, format!("{}List", names.kind)),
        "shortNames": names.short_names.clone().unwrap_or_default(),
        "categories": names.categories.clone().unwrap_or_default(),
    })
}

fn conversion(crd: &CustomResourceDefinition) -> Value {
    let mut value = crd.to_value()["spec"]["conversion"].take();
    if value.is_null() {
        return json!({"strategy": "None"});
    }
    if let Some(Value::Object(service)) = value.pointer_mut("/webhook/clientConfig/service") {
        service.entry("port").or_insert(json!(443));
    }
    value
}

fn version(version: &crd_core::crd::Version) -> Value {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let columns = version.additional_printer_columns.iter().flatten().map(|column| {
        json!({
            "name": column.name,
            "type": column.type_,
            "format": column.format,
            "description": column.description,
            "priority": column.priority.unwrap_or(0),
            "jsonPath": column.json_path,
        })
    });
    let columns: Value = columns.collect();
    let selectable: Value =
        version.selectable_fields.iter().flatten().map(|field| json!(field.json_path)).collect();
    let subresources = version.subresources.as_ref();
    let scale = subresources.and_then(|subresources| subresources.scale.as_ref()).map(|scale| {
        json!([scale.spec_replicas_path, scale.status_replicas_path, text(&scale.label_selector_path)])
    });
    let schema = version.open_api_v3_schema().map(|schema| {
        let structural =
            Structural::from_json_schema(schema).expect("the API server takes structural schemas only");
        let mut schema = structural.to_json_schema().to_value();
        if let Value::Object(node) = &mut schema {
            self::schema(node);
            root(node);
        }
        schema
    });
    json!({
        "name": version.name,
        "served": version.served,
        "storage": version.storage,
        "deprecated": version.deprecated.unwrap_or(false),
        "deprecationWarning": text(&version.deprecation_warning),
        "columns": columns,
        "selectable": selectable,
        "status": subresources.is_some_and(|subresources| subresources.status.is_some()),
        "scale": scale,
        "schema": schema,
    })
}

fn root(node: &mut Node) {
    let Some(Value::Object(properties)) = node.get_mut("properties") else { return };
    for (name, type_) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
        let is_bare = |property: &Value| {
            property.as_object().is_some_and(|property| {
                property.iter().all(|(key, value)| key == "description" || key == "type" && value == type_)
            })
        };
        if properties.get(name).is_some_and(is_bare) {
            properties.remove(name);
        }
    }
    if properties.is_empty() {
        node.remove("properties");
    }
}

fn schema(node: &mut Node) {
    node.retain(|key, value| match value {
        Value::Bool(false) => key == "default" || key == "example" || key == "additionalProperties",
        Value::String(text) => !text.is_empty() || key == "default" || key == "example",
        Value::Array(values) => !values.is_empty() || key == "default" || key == "example",
        Value::Object(fields) => !(key == "properties" && fields.is_empty()),
        Value::Null => false,
        _ => true,
    });
    if let Some(Value::Array(required)) = node.get_mut("required") {
        required.sort_by_key(ToString::to_string);
    }
    for value in node.values_mut() {
        whole(value);
    }
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(schema);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = node.get_mut(key) {
            schema(inner);
        }
    }
}

/// Writes 1.0 as 1.
fn whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64())
                && let Ok(integer) = format!("{float:.0}").parse::<i64>()
                && float.fract() == 0.0
            {
                *value = json!(integer);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        _ => {}
    }
}

fn compare(before: &Value, after: &Value, path: &str, out: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                let path = format!("{path}.{key}");
                match b.get(key) {
                    Some(other) => compare(value, other, &path, out),
                    None => out.push(format!("{path}: {value} is lost")),
                }
            }
            let new = b.iter().filter(|(key, _)| !a.contains_key(*key));
            out.extend(new.map(|(key, value)| format!("{path}.{key}: {value} is new")));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                compare(a, b, &format!("{path}[{i}]"), out);
            }
        }
        (a, b) if a == b => {}
        (a, b) => out.push(format!("{path}: {a} became {b}")),
    }
}
