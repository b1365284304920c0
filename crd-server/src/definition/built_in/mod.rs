//! Built-in kinds, which are stored without validation. Each kind has a row in `kinds.json`.
//!
//! The schemas of built-in kinds specify only which lists are maps or sets, as needed for server-side apply, and preserve all other fields.
//! The types of these other fields are in `apply/shape`. Source: the list types of `api/openapi-spec/v3` of Kubernetes 1.36.

mod convert;
pub(super) mod defaults;
mod fill;
mod pod;

use std::collections::HashMap;
use std::sync::LazyLock;

pub(super) use convert::convert;
use crd_core::KubeVersion;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The table of built-in kinds.
#[derive(Deserialize)]
struct KindTable {
    types: Map<String, Value>,
    kinds: Vec<Row>,
}

static TABLE: LazyLock<KindTable> =
    LazyLock::new(|| serde_json::from_str(include_str!("kinds.json")).expect("a test reads the table"));

/// A row of the table of built-in kinds.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Row {
    group: String,
    version: String,
    kind: String,
    plural: String,
    short_names: Vec<String>,
    categories: Vec<String>,
    is_namespaced: bool,
    /// `true` if changes to `spec` increase an object's generation.
    pub(crate) has_generation: bool,
    /// `true` if changes to annotations also increase an object's generation.
    ///
    /// Source: `PrepareForUpdate` in `pkg/registry/apps/deployment/strategy.go` of Kubernetes.
    pub(crate) counts_annotations: bool,
    /// `true` if every string that is valid as a path segment is also a valid name.
    ///
    /// Source: the names that a kube-apiserver of 1.36 accepts; `ValidateRBACName` and others in `pkg/apis` of Kubernetes.
    pub(super) has_path_names: bool,
    has_status: bool,
    has_scale: bool,
    /// The subresources besides `status` that write only a part of the object, such as `approval` and `ephemeralcontainers`.
    pub(crate) parts: Vec<String>,
    /// `true` if objects are not stored, and the response to a `POST` contains a status.
    pub(crate) is_review: bool,
    /// `true` if objects are not stored, and can only be read.
    pub(crate) is_computed: bool,
    /// The release in which the kind is deprecated, and the kind that replaces it.
    ///
    /// Source: `APILifecycleDeprecated` and `APILifecycleReplacement` in `zz_generated.prerelease-lifecycle.go` of `k8s.io/api`.
    deprecation: Option<Deprecation>,
    /// The subresources that perform an action on an object.
    pub(crate) actions: Vec<Action>,
    /// The fields that field selectors support, besides the name and the namespace.
    ///
    /// Source: `pkg/apis/{core,batch}/v1/conversion.go` of Kubernetes.
    selectable_fields: Vec<String>,
    /// For each selectable field that reads its value from other fields, the paths to these fields. The first existing field is used.
    field_paths: HashMap<String, Vec<String>>,
    /// The value of an absent selectable field, if it is not the empty string.
    absent_fields: HashMap<String, String>,
    /// The metadata that a status update does not change, besides the fields that identify an object.
    ///
    /// Source: `PrepareForUpdate` of the status strategies in `pkg/registry` of Kubernetes.
    pub(crate) kept_by_status: Vec<String>,
    /// `true` if an update must contain a revision: the strategy in `pkg/registry` of Kubernetes has no `AllowUnconditionalUpdate`.
    pub(crate) needs_revision: bool,
    /// `true` if the response to a deletion is the deleted object: `ReturnDeletedObject` of Kubernetes.
    pub(crate) is_returned_when_deleted: bool,
    /// `true` if deleting an object keeps its dependents by default.
    pub(crate) orphans_dependents: bool,
    /// The `apiVersion` of stored objects; empty if it is the kind's own.
    stored_as: String,
    /// The other served versions of the kind. Objects are converted between the versions.
    other_versions: Vec<String>,
    /// The directory in etcd: `SpecialDefaultResourcePrefixes` in `pkg/kubeapiserver/default_storage_factory_builder.go` of Kubernetes.
    /// Empty if it equals the plural name.
    stored_in: String,
    /// The name of the time field in a condition. This field is never absent.
    condition_time: String,
    /// The fields with lists and maps, for server-side apply. A field's value is the name of a type, `atomic`, the list's `keys`, or an
    /// object with more fields.
    fields: Value,
    /// The empty object as serialized by Go, without type and metadata.
    pub(super) zero: Map<String, Value>,
    defaults: Value,
    /// The field for the update strategy, and the default parameters for rolling updates.
    rolling_update: Map<String, Value>,
    /// The fields that the API server sets in a new object.
    initial: Value,
}

/// A kind's deprecation: the minor version of Kubernetes, and the replacement.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Deprecation {
    minor: u32,
    #[serde(default)]
    replacement: String,
}

/// A subresource that performs an action on an object, and the kind of its request bodies.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl Action {
    pub(crate) fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }
}

/// Returns the rows of all built-in kinds.
pub(crate) fn all() -> &'static [Row] {
    &TABLE.kinds
}

impl Row {
    /// Returns a CRD that describes the kind as of a Kubernetes version.
    pub(super) fn definition(&self, release: KubeVersion) -> Value {
        let mut subresources = Map::new();
        if self.has_status {
            subresources.insert("status".to_owned(), json!({}));
        }
        if self.has_scale {
            let paths =
                json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
            subresources.insert("scale".to_owned(), paths);
        }
        let versions = std::iter::once(&self.version).chain(&self.other_versions).map(|name| {
            let mut version = json!({
                "name": name, "served": true, "storage": *name == self.version, "subresources": subresources,
                "schema": {"openAPIV3Schema": schema(&self.fields)},
            });
            if let Some(warning) = self.deprecation_in(release) {
                version["deprecated"] = true.into();
                version["deprecationWarning"] = warning.into();
            }
            if !self.selectable_fields.is_empty() {
                let fields =
                    self.selectable_fields.iter().map(|path| json!({"jsonPath": format!(".{path}")}));
                version["selectableFields"] = fields.collect();
            }
            version
        });
        let versions: Vec<Value> = versions.collect();
        let Self { group, kind, plural, short_names, categories, .. } = self;
        json!({
            "metadata": {"name": format!("{plural}.{group}")},
            "spec": {
                "group": group,
                "names": {
                    "plural": plural, "singular": kind.to_lowercase(), "shortNames": short_names, "kind": kind,
                    "listKind": format!("{kind}List"), "categories": categories,
                },
                "scope": if self.is_namespaced { "Namespaced" } else { "Cluster" },
                "versions": versions,
            },
        })
    }

    /// Returns the deprecation warning for the kind in a release.
    fn deprecation_in(&self, release: KubeVersion) -> Option<String> {
        let deprecation = self.deprecation.as_ref()?;
        let (version, kind, minor) = (&self.version, &self.kind, deprecation.minor);
        let replacement = match deprecation.replacement.as_str() {
            "" => String::new(),
            replacement => format!("; use {replacement}"),
        };
        let warning = format!("{version} {kind} is deprecated in v1.{minor}+{replacement}");
        (release >= KubeVersion::new(minor)).then_some(warning)
    }

    /// Returns `true` if the row describes this kind.
    pub(super) fn is(&self, group: &str, version: &str, kind: &str) -> bool {
        let is_version = self.version == version || self.other_versions.iter().any(|other| other == version);
        is_version && (self.group.as_str(), self.kind.as_str()) == (group, kind)
    }

    /// Returns `true` for the kinds of admission webhook configurations and policies. Their objects have no effect in this server.
    pub(crate) fn is_registration(&self) -> bool {
        self.group == "admissionregistration.k8s.io"
    }

    /// Returns `true` if the row describes a kind of the core group.
    pub(crate) fn is_core(&self, kind: &str) -> bool {
        self.group.is_empty() && self.kind == kind
    }

    /// Returns the `apiVersion` of stored objects, if they are stored as another kind.
    pub(super) fn stored_as(&self) -> Option<&str> {
        Some(self.stored_as.as_str()).filter(|stored_as| !stored_as.is_empty())
    }

    /// Returns `true` if a subresource with this name writes only a part of the object.
    pub(crate) fn has_part(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part == name)
    }

    /// Returns the action with this name.
    pub(crate) fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// Returns the paths from which a selectable field takes its value, and its value if all these paths are absent.
    pub(crate) fn selected<'a>(&'a self, field: &'a str) -> (Vec<&'a str>, &'a str) {
        let paths = self.field_paths.get(field).map(|paths| paths.iter().map(String::as_str).collect());
        let absent = self.absent_fields.get(field).map_or("", String::as_str);
        (paths.unwrap_or_else(|| vec![field]), absent)
    }

    /// Returns the objects' directory in etcd.
    pub(super) fn directory(&self) -> &str {
        if self.stored_in.is_empty() { &self.plural } else { &self.stored_in }
    }

    /// Returns the error for a field that field selectors do not support.
    pub(super) fn unselectable(&self, field: &str) -> String {
        let quoted = crd_go::strings::quote(field);
        if self.kind == "Job" {
            return format!("field label {quoted} not supported for Job");
        }
        if self.selectable_fields.is_empty() {
            let known = if self.is_namespaced || self.is_computed { ", \"metadata.namespace\"" } else { "" };
            return format!("{quoted} is not a known field selector: only \"metadata.name\"{known}");
        }
        format!("field label not supported: {field}")
    }
}

/// Puts an object's fields into the order of the Go type. Returns `false` if the order is unknown.
#[cfg(feature = "protobuf")]
pub(crate) fn arrange(object: &mut Value) -> bool {
    crate::protobuf::arrange(object)
}

/// Puts an object's fields into the order of the Go type. Returns `false` if the order is unknown.
#[cfg(not(feature = "protobuf"))]
pub(crate) fn arrange(_: &mut Value) -> bool {
    false
}

/// Returns the schema of a type in the table.
fn schema(described: &Value) -> Value {
    let object = |properties: Value| json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": properties});
    match described {
        Value::String(name) if name == "atomic" => {
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic"})
        }
        Value::String(name) => TABLE.types.get(name).map(schema).unwrap_or_default(),
        Value::Object(fields) => match (fields.get("keys"), fields.get("default")) {
            (Some(Value::Array(keys)), _) => {
                let mut items = fields.get("items").map_or_else(|| object(json!({})), schema);
                for key in keys.iter().filter_map(Value::as_str) {
                    let type_ = if key.to_lowercase().ends_with("port") { "integer" } else { "string" };
                    let properties = items["properties"].as_object_mut();
                    properties.into_iter().for_each(|properties| {
                        properties.entry(key).or_insert_with(|| json!({"type": type_}));
                    });
                }
                json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items})
            }
            (_, Some(default)) => json!({"type": "string", "default": default}),
            _ => object(
                fields
                    .iter()
                    .map(|(name, field)| (name.clone(), schema(field)))
                    .collect::<Map<_, _>>()
                    .into(),
            ),
        },
        _ => object(json!({})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_the_table_exist() {
        fn check(described: &Value) {
            match described {
                Value::String(name) => assert!(name == "atomic" || TABLE.types.contains_key(name), "{name}"),
                Value::Object(fields) if fields.contains_key("default") => {}
                Value::Object(fields) => {
                    fields.iter().filter(|(name, _)| *name != "keys").for_each(|(_, field)| check(field));
                }
                _ => {}
            }
        }
        TABLE.types.values().chain(TABLE.kinds.iter().map(|row| &row.fields)).for_each(check);
    }
}
