//! Converts and checks `apiVersion`, `kind` and `metadata` of resources that are embedded in other resources.
//!
//! Source: `pkg/apiserver/schema/objectmeta/{algorithm,coerce,validation}.go`.

use crd_go::KubeVersion;
use crd_go::names::{dns_1035_label, path_segment, path_segment_prefix};
use crd_go::strings::to_lower;
use crd_go::time::{Layout, Timestamp, parse};
use serde_json::{Map, Value};

use crate::crd::ObjectMeta;
use crate::object_meta::{NameRule, declared, object_meta};
use crate::prune::Removed;
use crate::schema::Structural;
use crate::shown::shown;
use crate::values::numbers::{for_each_number, through_string};
use crate::{Causes, Diagnostic, FieldPath, Keyword};

/// Returns `true` if values of the schema can contain embedded resources.
#[must_use]
pub fn has_resources(schema: &Structural) -> bool {
    schema.any(&Structural::is_embedded_resource)
}

/// The treatment of unreadable `apiVersion`, `kind` and `metadata`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The resource is rejected, with this release's message.
    Rejected(KubeVersion),
    /// The unreadable parts are dropped, because stored objects were once accepted.
    Dropped,
}

/// Returns `true` for `apiVersion`, `kind` and `metadata`, which every resource has. The schema of a resource may only restrict these
/// fields.
pub fn is_own_field(name: &str) -> bool {
    matches!(name, "metadata" | "apiVersion" | "kind")
}

/// Converts the `metadata` of every resource in `value` to its typed form, and thereby drops unknown fields. Returns
/// the paths of the dropped fields.
///
/// # Errors
/// - With [`Unreadable::Rejected`]: `apiVersion` or `kind` is not a string, or `metadata` cannot be read.
pub fn coerce(
    value: &mut Value,
    schema: &Structural,
    is_resource: bool,
    unreadable: Unreadable,
    path: &FieldPath,
) -> Result<Removed, Box<Diagnostic>> {
    let mut coercion = Coercion { unreadable, unknown: Removed::default() };
    coercion.node(value, schema, is_resource, path)?;
    Ok(coercion.unknown)
}

struct Coercion {
    unreadable: Unreadable,
    unknown: Removed,
}

impl Coercion {
    fn node(
        &mut self,
        value: &mut Value,
        schema: &Structural,
        is_resource: bool,
        path: &FieldPath,
    ) -> Result<(), Box<Diagnostic>> {
        match value {
            Value::Object(fields) => {
                if is_resource || schema.is_embedded_resource() {
                    self.resource(fields, path)?;
                }
                for (key, value) in fields.iter_mut() {
                    if let Some((schema, path)) = member(schema, key, path) {
                        self.node(value, schema, false, &path)?;
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = &schema.items {
                    for (i, item) in items.iter_mut().enumerate() {
                        self.node(item, schema, false, &path.index(i))?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn resource(&mut self, fields: &mut Map<String, Value>, path: &FieldPath) -> Result<(), Box<Diagnostic>> {
        for name in ["apiVersion", "kind"] {
            let Some(value) = fields.get(name).filter(|value| !value.is_string()) else { continue };
            if let Unreadable::Rejected(version) = self.unreadable {
                let shown = shown(value, version);
                return Err(Box::new(Diagnostic::invalid(path.child(name), shown, "must be a string")));
            }
            crd_go::json::remove(fields, name);
        }
        let Some(metadata) = fields.get_mut("metadata") else { return Ok(()) };
        let path = path.child("metadata");
        let meta = match (read(metadata.clone()), self.unreadable, &*metadata) {
            (Ok(meta), ..) => meta,
            (Err(error), Unreadable::Rejected(version), _) => {
                let shown = shown(metadata, version);
                return Err(Box::new(Diagnostic::invalid(path, shown, &error)));
            }
            (Err(_), Unreadable::Dropped, Value::Object(fields)) => readable(fields),
            (Err(_), Unreadable::Dropped, _) => return Ok(()),
        };
        for field in unknown_fields(&meta) {
            self.unknown.push_below(&path, &field);
        }
        *metadata = write(meta);
        Ok(())
    }
}

/// Returns the paths of unknown metadata fields, in the order of the API server's decoder.
#[must_use]
pub fn unknown_fields(meta: &ObjectMeta) -> Vec<FieldPath> {
    let mut found: Vec<(&str, usize, &str)> = meta.unknown.keys().map(|key| (key, 0, "")).collect();
    for (i, owner) in meta.owner_references.iter().flatten().enumerate() {
        found.extend(owner.unknown.keys().map(|key| ("ownerReferences", i, key)));
    }
    for (i, entry) in meta.managed_fields.iter().flatten().enumerate() {
        found.extend(entry.unknown.keys().map(|key| ("managedFields", i, key)));
    }
    found.sort_unstable();
    let path = |(field, i, key): (&str, usize, &str)| match key {
        "" => FieldPath::new(field),
        key => FieldPath::new(field).index(i).child(key),
    };
    found.into_iter().map(path).collect()
}

/// Decodes metadata field by field and drops the fields that cannot be read.
#[must_use]
pub fn readable(fields: &Map<String, Value>) -> ObjectMeta {
    let is_readable = |(key, value): &(&String, &Value)| {
        let field = Map::from_iter([((*key).clone(), (*value).clone())]);
        read(Value::Object(field)).is_ok()
    };
    let kept = fields.iter().filter(is_readable).map(|(key, value)| (key.clone(), value.clone()));
    read(Value::Object(kept.collect())).unwrap_or_default()
}

/// Checks every resource in `value`.
pub fn validate(value: &Value, schema: &Structural, is_resource: bool, path: &FieldPath, out: &mut Causes) {
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
    schema.map_values().map(|values| (values, path.key(key)))
}

fn resource(fields: &Map<String, Value>, path: &FieldPath, out: &mut Causes) {
    for name in ["apiVersion", "kind"].into_iter().filter(|name| !fields.contains_key(*name)) {
        let detail = if out.version().is_at_least(34) { "" } else { "must not be empty" };
        out.push(Diagnostic::required(path.child(name), detail).with_keyword(Keyword::EmbeddedResource));
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

fn type_meta(value: &Value, path: FieldPath, check: impl Fn(&str) -> Option<String>, out: &mut Causes) {
    let detail = match value {
        Value::String(text) if text.is_empty() => Some("must not be empty".to_owned()),
        Value::String(text) => check(text),
        _ => Some("must be a string".to_owned()),
    };
    let version = out.version();
    out.extend(detail.map(|detail| {
        Diagnostic::invalid(path, shown(value, version), &detail).with_keyword(Keyword::EmbeddedResource)
    }));
}

fn api_version(text: &str) -> Option<String> {
    (text.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {text}"))
}

fn kind(text: &str) -> Option<String> {
    let wrong = dns_1035_label(&to_lower(text));
    (!wrong.is_empty())
        .then(|| format!("may have mixed case, but should otherwise match: {}", wrong.join(",")))
}

fn metadata(value: &Value, path: &FieldPath, out: &mut Causes) {
    match read(value.clone()) {
        Ok(mut meta) => {
            if meta.name.is_empty() {
                // A name is not required here.
                "fakename".clone_into(&mut meta.name);
            }
            let is_namespaced = !meta.namespace.is_empty();
            declared(out, |out| object_meta(&meta, is_namespaced, &PathSegment, path, out));
        }
        Err(error) => {
            let shown = shown(value, out.version());
            let cause = Diagnostic::invalid(path.clone(), shown, &error);
            out.push(cause.with_keyword(Keyword::EmbeddedResource));
        }
    }
}

/// Decodes the metadata of an object. As in the API server, whole floats become integers, and times are converted to UTC.
///
/// # Errors
/// - A field has the wrong type: Go's message.
pub fn read(mut value: Value) -> Result<ObjectMeta, String> {
    if value.is_null() {
        return Ok(ObjectMeta::default());
    }
    for_each_number(&mut value, &through_string);
    let mut meta = ObjectMeta::from_value(value).map_err(|error| error.to_string())?;
    let entries = meta.managed_fields.iter_mut().flatten().map(|entry| &mut entry.time);
    for time in entries.chain([&mut meta.creation_timestamp, &mut meta.deletion_timestamp]) {
        *time = time.take().map(|time| in_utc(&time)).filter(|time| time != ZERO_TIME);
    }
    Ok(meta)
}

/// Formats a time like Go after parsing: in UTC, without fractions of a second. Any other string is unchanged.
fn in_utc(text: &str) -> String {
    match parse(text, Layout::Rfc3339) {
        // Go prints no year before 0.
        Ok(time) if time.civil(0).year >= 0 => Timestamp { nanos: 0, offset: 0, ..time }.print(),
        _ => text.to_owned(),
    }
}

/// Go's zero time, which means that no time is set.
const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

/// Encodes metadata without unknown and empty fields.
#[must_use]
pub fn write(mut meta: ObjectMeta) -> Value {
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

/// The minimal rule for names of all kinds: a name must be a path segment.
#[derive(Clone, Copy, Debug)]
pub struct PathSegment;

impl NameRule for PathSegment {
    fn name(&self, name: &str) -> Vec<String> {
        path_segment(name)
    }

    fn prefix(&self, prefix: &str) -> Vec<String> {
        path_segment_prefix(prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::in_utc;

    #[test]
    fn times_are_kept_in_utc() {
        for (text, utc) in [
            ("2024-01-01T01:02:03Z", "2024-01-01T01:02:03Z"),
            ("2024-01-01T1:02:03.75+01:30", "2023-12-31T23:32:03Z"),
            ("2024-02-29T23:30:00,5-01:00", "2024-03-01T00:30:00Z"),
            ("2023-12-31T23:59:59-24:60", "2024-01-02T00:59:59Z"),
            ("0000-01-01T00:00:00+01:00", "0000-01-01T00:00:00+01:00"),
        ] {
            assert_eq!(in_utc(text), utc);
        }
    }
}
