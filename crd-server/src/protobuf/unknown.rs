//! Finds the problems that strict decoding reports: unknown and repeated fields.
//!
//! Source: `UnmarshalStrict` of `sigs.k8s.io/json`, which `pkg/runtime/serializer/json/json.go` of apimachinery calls.

use std::collections::HashSet;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value};

use super::message_of;
use super::special::Special;
use crate::request::body::strict::StrictReader;

/// Removes unknown fields from an object, and returns the problems in the order of the text. `repeated` contains the paths of repeated
/// fields. Returns `None` for kinds without a message.
pub(crate) fn remove(
    object: &mut Value,
    api_version: &str,
    kind: &str,
    repeated: HashSet<String>,
) -> Option<Vec<String>> {
    let descriptor = message_of(api_version, kind)?;
    let mut reader = StrictReader::new(repeated);
    reader.message(&descriptor, object, true);
    Some(reader.problems)
}

impl StrictReader {
    fn message(&mut self, descriptor: &MessageDescriptor, value: &mut Value, has_type: bool) {
        match Special::of(descriptor) {
            Some(Special::Items) => {
                let items = descriptor.fields().next();
                items.into_iter().for_each(|items| self.values(&items, value));
            }
            // Their types read themselves, and are not strict.
            Some(_) => {}
            None => {
                if let Value::Object(fields) = value {
                    self.fields(descriptor, fields, has_type);
                }
            }
        }
    }

    fn fields(&mut self, descriptor: &MessageDescriptor, fields: &mut Map<String, Value>, has_type: bool) {
        let has_type = has_type || is_kind(descriptor);
        let mut unknown = Vec::new();
        for (name, value) in fields.iter_mut() {
            let is_type = has_type && matches!(name.as_str(), "apiVersion" | "kind");
            match named(descriptor, name) {
                Some(found) => self.field(name, |reader| reader.values(&found, value)),
                None if is_type => self.field(name, |_| ()),
                None => {
                    self.field(name, |reader| reader.report("unknown"));
                    unknown.push(name.clone());
                }
            }
        }
        for name in unknown {
            crd_go::json::remove(fields, &name);
        }
    }

    fn values(&mut self, descriptor: &FieldDescriptor, value: &mut Value) {
        match value {
            Value::Object(entries) if descriptor.is_map() => {
                let Kind::Message(entry) = descriptor.kind() else { return };
                let kind = entry.map_entry_value_field().kind();
                for (key, value) in entries {
                    self.field(key, |reader| reader.single(&kind, value));
                }
            }
            Value::Array(items) if descriptor.is_list() => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.below(&format!("[{index}]"), |reader| reader.single(&descriptor.kind(), item));
                }
            }
            value if !descriptor.is_map() && !descriptor.is_list() => self.single(&descriptor.kind(), value),
            _ => {}
        }
    }

    fn single(&mut self, kind: &Kind, value: &mut Value) {
        if let Kind::Message(descriptor) = kind {
            self.message(descriptor, value, false);
        }
    }
}

/// Returns the field with this name. Inner messages are searched if Go serializes their fields into the parent.
pub(super) fn named(descriptor: &MessageDescriptor, name: &str) -> Option<FieldDescriptor> {
    let mut fields = descriptor.fields();
    fields.find_map(|field| match (field.json_name().strip_prefix('.'), field.kind()) {
        (Some(_), Kind::Message(inline)) => named(&inline, name),
        _ => Some(field).filter(|field| field.json_name() == name),
    })
}

/// Returns `true` if a message inside an object is a kind of its own.
pub(super) fn is_kind(descriptor: &MessageDescriptor) -> bool {
    matches!(descriptor.name(), "PersistentVolumeClaim" | "DeleteOptions")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(object: &Value, repeated: &[&str]) -> (Vec<String>, Value) {
        let mut object = object.clone();
        let text = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let repeated = repeated.iter().map(|path| (*path).to_owned()).collect();
        let problems = remove(&mut object, &api_version, &kind, repeated).unwrap();
        (problems, object)
    }

    #[test]
    fn unknown_and_repeated_fields_are_found_in_their_order() {
        let container = json!({
            "name": "a", "env": [{"name": "A", "valu": "x"}], "resources": {"limits": {"cpu": 1}, "limit": {}},
            "livenessProbe": {"httpGet": {"port": "http", "hots": "x"}, "periodSecond": 1},
        });
        let (found, pruned) = problems(
            &json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "x": 1,
                "metadata": {"name": "a", "labels": {"a": "b"}, "managedFields": [{"fieldsV1": {"f:x": {}}}], "lables": {}},
                "spec": {
                    "replicas": 1, "template": {"kind": "Pod", "metadata": {}, "spec": {"containers": [container]}}, "foo": null,
                },
            }),
            &["metadata.labels.a", "spec.replicas"],
        );
        assert_eq!(
            found,
            [
                r#"unknown field "x""#,
                r#"duplicate field "metadata.labels.a""#,
                r#"unknown field "metadata.lables""#,
                r#"duplicate field "spec.replicas""#,
                r#"unknown field "spec.template.kind""#,
                r#"unknown field "spec.template.spec.containers[0].env[0].valu""#,
                r#"unknown field "spec.template.spec.containers[0].resources.limit""#,
                r#"unknown field "spec.template.spec.containers[0].livenessProbe.httpGet.hots""#,
                r#"unknown field "spec.template.spec.containers[0].livenessProbe.periodSecond""#,
                r#"unknown field "spec.foo""#,
            ]
        );
        assert_eq!(problems(&pruned, &[]), (Vec::new(), pruned.clone()));
        assert_eq!(pruned["spec"]["template"]["spec"]["containers"][0]["env"], json!([{"name": "A"}]));
    }

    #[test]
    fn claims_of_stateful_sets_have_a_type() {
        let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "x"}, "spec": {"x": 1}});
        let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"volumeClaimTemplates": [claim]}});
        assert_eq!(problems(&set, &[]).0, [r#"unknown field "spec.volumeClaimTemplates[0].spec.x""#]);
    }

    /// Checks that objects serialized by Go have no unknown fields.
    #[test]
    fn objects_of_go_have_no_problems() {
        let objects: Vec<Value> = serde_json::from_str(include_str!("tests/objects.json")).unwrap();
        assert!(!objects.is_empty());
        for object in objects {
            assert_eq!(problems(&object, &[]), (Vec::new(), object.clone()));
        }
    }
}
