//! Resources in resources: their `apiVersion`, `kind` and `metadata`.
//!
//! Source: `pkg/apiserver/schema/objectmeta/{algorithm,coerce,validation}.go`.

use serde_json::Value;

use super::object_meta::{NameRule, object_meta};
use crate::crd::ObjectMeta;
use crate::go::to_lower;
use crate::name_rules::{dns_1035_label, path_segment, path_segment_prefix};
use crate::schema::{AdditionalProperties, Structural};
use crate::{Diagnostic, FieldPath};

/// Brings `metadata` of every resource in `value` into its typed form, without what the type does not know.
///
/// # Errors
/// `apiVersion` or `kind` is no string, or `metadata` cannot be read.
pub(crate) fn coerce(
    value: &mut Value,
    schema: &Structural,
    is_resource: bool,
    path: &FieldPath,
) -> Result<(), Box<Diagnostic>> {
    match value {
        Value::Object(fields) => {
            let is_resource = is_resource || schema.is_embedded_resource();
            for (key, value) in fields.iter_mut() {
                match key.as_str() {
                    "apiVersion" | "kind" if is_resource && !value.is_string() => {
                        let path = path.child(key.as_str());
                        return Err(Box::new(Diagnostic::invalid(path, &*value, "must be a string")));
                    }
                    "metadata" if is_resource => match read(value) {
                        Ok(meta) => *value = write(meta),
                        Err(error) => {
                            let path = path.child("metadata");
                            return Err(Box::new(Diagnostic::invalid(path, &*value, &error)));
                        }
                    },
                    _ => {}
                }
                if let Some((schema, path)) = member(schema, key, path) {
                    coerce(value, schema, false, &path)?;
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                for (i, item) in items.iter_mut().enumerate() {
                    coerce(item, schema, false, &path.index(i))?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// Checks every resource in `value`.
pub(crate) fn validate(
    value: &Value,
    schema: &Structural,
    is_resource: bool,
    path: &FieldPath,
    out: &mut Vec<Diagnostic>,
) {
    match value {
        Value::Object(fields) => {
            if is_resource || schema.is_embedded_resource() {
                resource(fields, path, out);
            }
            for (key, value) in fields {
                if let Some((schema, path)) = member(schema, key, path) {
                    validate(value, schema, false, &path, out);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                for (i, item) in items.iter().enumerate() {
                    validate(item, schema, false, &path.index(i), out);
                }
            }
        }
        _ => {}
    }
}

fn member<'a>(schema: &'a Structural, key: &str, path: &FieldPath) -> Option<(&'a Structural, FieldPath)> {
    if let Some(property) = schema.properties.get(key) {
        return Some((property, path.child(key)));
    }
    match schema.additional_properties.as_ref()? {
        AdditionalProperties::Schema(schema) => Some((schema, path.key(key))),
        AdditionalProperties::Allowed(_) => None,
    }
}

fn resource(fields: &serde_json::Map<String, Value>, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    for name in ["apiVersion", "kind"].into_iter().filter(|name| !fields.contains_key(*name)) {
        out.push(Diagnostic::required(path.child(name), ""));
    }
    for (key, value) in fields {
        match key.as_str() {
            "apiVersion" => type_meta(value, path.child("apiVersion"), api_version, out),
            "kind" => type_meta(value, path.child("kind"), kind, out),
            "metadata" => metadata(value, &path.child("metadata"), out),
            _ => {}
        }
    }
}

fn type_meta(
    value: &Value,
    path: FieldPath,
    check: impl Fn(&str) -> Option<String>,
    out: &mut Vec<Diagnostic>,
) {
    let detail = match value {
        Value::String(text) if text.is_empty() => Some("must not be empty".to_owned()),
        Value::String(text) => check(text),
        _ => Some("must be a string".to_owned()),
    };
    out.extend(detail.map(|detail| Diagnostic::invalid(path, value, &detail)));
}

fn api_version(text: &str) -> Option<String> {
    (text.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {text}"))
}

fn kind(text: &str) -> Option<String> {
    let wrong = dns_1035_label(&to_lower(text));
    (!wrong.is_empty())
        .then(|| format!("may have mixed case, but should otherwise match: {}", wrong.join(",")))
}

fn metadata(value: &Value, path: &FieldPath, out: &mut Vec<Diagnostic>) {
    match read(value) {
        Ok(mut meta) => {
            if meta.name.is_empty() {
                // A name is not asked for here.
                "fakename".clone_into(&mut meta.name);
            }
            let is_namespaced = !meta.namespace.is_empty();
            object_meta(&meta, is_namespaced, &PathSegment, path, out);
        }
        Err(error) => out.push(Diagnostic::invalid(path.clone(), value, &error)),
    }
}

fn read(value: &Value) -> Result<ObjectMeta, String> {
    if value.is_null() {
        return Ok(ObjectMeta::default());
    }
    ObjectMeta::from_value(value.clone()).map_err(|error| error.to_string())
}

/// The typed form: without unknown fields, and without what is empty.
fn write(mut meta: ObjectMeta) -> Value {
    meta.unknown.clear();
    meta.generation = meta.generation.filter(|generation| *generation != 0);
    meta.labels = meta.labels.filter(|labels| !labels.is_empty());
    meta.annotations = meta.annotations.filter(|annotations| !annotations.is_empty());
    meta.finalizers = meta.finalizers.filter(|finalizers| !finalizers.is_empty());
    meta.owner_references = meta.owner_references.filter(|owners| !owners.is_empty());
    meta.managed_fields = meta.managed_fields.filter(|entries| !entries.is_empty());
    for owner in meta.owner_references.iter_mut().flatten() {
        owner.unknown.clear();
    }
    for entry in meta.managed_fields.iter_mut().flatten() {
        entry.unknown.clear();
    }
    meta.to_value()
}

struct PathSegment;

impl NameRule for PathSegment {
    fn name(&self, name: &str) -> Vec<String> {
        path_segment(name)
    }

    fn prefix(&self, prefix: &str) -> Vec<String> {
        path_segment_prefix(prefix)
    }
}
