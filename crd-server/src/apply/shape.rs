//! Reads from a schema which lists and maps server-side apply merges, and by which keys.
//!
//! Source: `pkg/schemaconv` of `k8s.io/kube-openapi`, which reads the schemas that the API server publishes.

use std::sync::LazyLock;

use crd_core::Structural;
use crd_core::crd::JsonSchemaProps;
use crd_core::schema::{AdditionalProperties, SchemaType};
use serde_json::{Map, Value, json};

use super::literal::Literal;
use super::set::Element;
use crate::definition::crd_type;

/// The part of a value's type that determines how the value is merged.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node<'s> {
    Schema {
        schema: &'s Structural,
        others: Others,
        /// `true` if the value is a whole Kubernetes object.
        is_resource: bool,
    },
    /// The value is a string.
    Text,
    /// A value without a schema: maps are merged, and lists are not.
    Deduced,
    /// Like `Deduced`, but for a built-in kind, whose Go type declares all fields.
    GoType,
    /// The value has no type, so nothing is merged.
    Untyped,
}

/// Specifies what applies to fields that the object's schema does not declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// There are no such fields.
    Unknown,
    /// Unknown fields are kept without a type, here and in all nested values.
    Kept,
    /// The fields belong to a Go type.
    GoType,
    /// There are no such fields, because the object is a CRD.
    Crd,
}

/// The way to merge a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape<'s> {
    Leaf,
    List(ListShape<'s>),
    Map(Node<'s>),
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Text,
    Number,
    Bool,
    /// A string with a format.
    Any,
}

/// A list whose items are merged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListShape<'s> {
    /// The keys that identify items; absent for a set.
    keys: Option<&'s [String]>,
    pub(crate) items: Node<'s>,
}

/// The schema of `metadata`.
static METADATA: LazyLock<Structural> = LazyLock::new(|| {
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let text = json!({"type": "string"});
    let time = json!({"type": "string", "format": "date-time"});
    let integer = json!({"type": "integer"});
    let atomic = json!({
        "type": "object", "x-kubernetes-map-type": "atomic", "properties": {
            "apiVersion": text, "kind": text, "name": text, "uid": {"type": "string", "default": ""},
            "controller": {"type": "boolean"}, "blockOwnerDeletion": {"type": "boolean"},
        },
    });
    let entry = json!({"type": "object", "properties": {
        "manager": text, "operation": text, "apiVersion": text, "time": time, "fieldsType": text, "subresource": text,
        "fieldsV1": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    }});
    structural(json!({"type": "object", "properties": {
        "name": text, "generateName": text, "namespace": text, "selfLink": text, "uid": text,
        "resourceVersion": text, "creationTimestamp": time, "deletionTimestamp": time,
        "generation": integer, "deletionGracePeriodSeconds": integer, "labels": texts, "annotations": texts,
        "ownerReferences": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"], "items": atomic,
        },
        "finalizers": {"type": "array", "x-kubernetes-list-type": "set", "items": text},
        "managedFields": {"type": "array", "x-kubernetes-list-type": "atomic", "items": entry},
    }}))
});

/// The schema of the JSON schemas inside a CRD.
static SCHEMAS: LazyLock<Structural> = LazyLock::new(|| structural(crd_type::schema_of_schemas()));

fn structural(schema: Value) -> Structural {
    let schema = JsonSchemaProps::from_value(schema).ok();
    schema.and_then(|schema| Structural::from_json_schema(&schema).ok()).unwrap_or_default()
}

impl<'s> Node<'s> {
    /// Returns the type of a whole object.
    pub(crate) fn root(schema: &'s Structural) -> Self {
        Self::Schema { schema, others: Others::Unknown.below(schema), is_resource: true }
    }

    /// Returns the type of a whole object of a built-in kind. The schema of such a kind declares only the fields with a merged list.
    pub(crate) fn go_type(schema: &'s Structural) -> Self {
        Self::Schema { schema, others: Others::GoType, is_resource: true }
    }

    /// Returns the type of a whole CRD. The type does not descend into the CRD's schemas.
    pub(crate) fn crd(schema: &'s Structural) -> Self {
        Self::Schema { schema, others: Others::Crd, is_resource: true }
    }

    fn from_schema(schema: &'s Structural, others: Others) -> Self {
        let is_schema =
            others == Others::Crd && schema.generic.title.as_deref() == Some(crd_type::SCHEMA_OF_SCHEMAS);
        let schema = if is_schema { &*SCHEMAS } else { schema };
        Self::Schema { schema, others: others.below(schema), is_resource: schema.is_embedded_resource() }
    }

    /// Returns the way to merge a value of this type.
    pub(crate) fn shape(self, value: &Value) -> Shape<'s> {
        let Self::Schema { schema, .. } = self else {
            let merges = matches!((self, value), (Self::Deduced | Self::GoType, Value::Object(_)));
            return if merges { Shape::Map(self) } else { Shape::Leaf };
        };
        let extensions = &schema.extensions;
        let is_atomic = extensions.map_type.as_deref() == Some("atomic");
        match (&schema.type_, value) {
            (Some(SchemaType::Object), _) | (None, Value::Object(_)) if is_atomic => Shape::Leaf,
            (Some(SchemaType::Object), _) | (None, Value::Object(_)) => Shape::Map(self),
            (Some(SchemaType::Array), _) | (None, Value::Array(_)) => {
                let items = self.items();
                match extensions.list_type.as_deref() {
                    Some("set") => Shape::List(ListShape { keys: None, items }),
                    Some("map") => {
                        Shape::List(ListShape { keys: extensions.list_map_keys.as_deref(), items })
                    }
                    _ => Shape::Leaf,
                }
            }
            _ => Shape::Leaf,
        }
    }

    /// Returns `true` if objects have a built-in kind.
    #[cfg(feature = "protobuf")]
    pub(super) fn is_go_type(self) -> bool {
        matches!(self, Self::Schema { others: Others::GoType, .. })
    }

    /// Returns `true` if values of this type are maps.
    pub(super) fn is_map(self) -> bool {
        matches!(self.type_(), Some(SchemaType::Object))
    }

    /// Returns `true` if values of this type are lists.
    pub(super) fn is_list(self) -> bool {
        matches!(self.type_(), Some(SchemaType::Array))
    }

    /// Returns `true` if the lists or maps of this type are owned as a whole.
    pub(super) fn is_atomic(self) -> bool {
        let Self::Schema { schema, .. } = self else { return false };
        let extensions = &schema.extensions;
        match schema.type_ {
            Some(SchemaType::Array) => !matches!(extensions.list_type.as_deref(), Some("set" | "map")),
            _ => extensions.map_type.as_deref() == Some("atomic"),
        }
    }

    /// Returns `true` for maps whose fields are not declared and have no type.
    pub(super) fn is_deduced_map(self) -> bool {
        match self {
            Self::Schema { schema, .. } => {
                let is_list = schema.type_ == Some(SchemaType::Array);
                !is_list
                    && schema.properties.is_empty()
                    && matches!(self.field(""), Some(Self::Deduced | Self::Untyped))
            }
            other => matches!(other, Self::Deduced | Self::Untyped),
        }
    }

    /// Returns the scalar type, if the schema allows only one type.
    pub(super) fn scalar(self) -> Option<Scalar> {
        let schema = match self {
            Self::Schema { schema, .. } => schema,
            Self::Text => return Some(Scalar::Text),
            Self::Deduced | Self::GoType | Self::Untyped => return None,
        };
        match schema.type_.as_ref()? {
            SchemaType::Boolean => Some(Scalar::Bool),
            SchemaType::Integer | SchemaType::Number => Some(Scalar::Number),
            SchemaType::String => {
                let format =
                    schema.value_validation.as_ref().and_then(|validation| validation.format.as_deref());
                Some(if matches!(format, None | Some("" | "byte")) { Scalar::Text } else { Scalar::Any })
            }
            _ => None,
        }
    }

    fn type_(self) -> Option<&'s SchemaType> {
        match self {
            Self::Schema { schema, .. } => schema.type_.as_ref(),
            _ => None,
        }
    }

    /// Returns the type of a field that the schema declares.
    pub(crate) fn named(self, name: &str) -> Option<Node<'s>> {
        let Self::Schema { schema, others, is_resource } = self else {
            return matches!(self, Self::GoType).then(|| from_go_type(name));
        };
        match (name, schema.properties.get(name)) {
            ("metadata", _) if is_resource => Some(Self::from_schema(&METADATA, Others::Unknown)),
            ("apiVersion" | "kind", _) if is_resource => Some(Self::Text),
            (_, Some(field)) => Some(Self::from_schema(field, others)),
            _ => (others == Others::GoType).then(|| from_go_type(name)),
        }
    }

    /// Returns the type of a list's items.
    pub(crate) fn items(self) -> Node<'s> {
        match self {
            Self::Schema { schema, others, .. } => {
                schema.items.as_deref().map_or(Node::Untyped, |items| Self::from_schema(items, others))
            }
            _ => Self::Untyped,
        }
    }

    /// Returns the type of a field, if the field is allowed.
    pub(crate) fn field(self, name: &str) -> Option<Node<'s>> {
        if let Some(node) = self.named(name) {
            return Some(node);
        }
        let Self::Schema { schema, others, is_resource } = self else { return Some(self) };
        match &schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => Some(Self::from_schema(values, others)),
            Some(AdditionalProperties::Allowed(true)) => Some(Self::Deduced),
            None if others == Others::Kept || (schema.properties.is_empty() && !is_resource) => {
                Some(Self::Deduced)
            }
            Some(AdditionalProperties::Allowed(false)) | None => None,
        }
    }
}

impl Others {
    fn below(self, schema: &Structural) -> Self {
        match self {
            Self::Unknown if schema.extensions.preserve_unknown_fields => Self::Kept,
            others => others,
        }
    }
}

/// Returns the type of a built-in kind's field that the schema does not declare. The Go types use each of these names for one type only, at
/// least among merged values.
///
/// Source: `api/openapi-spec/v3` of Kubernetes 1.36.
fn from_go_type<'s>(name: &str) -> Node<'s> {
    match name {
        "allocatable"
        | "allocatedResourceStatuses"
        | "allocatedResources"
        | "annotations"
        | "binaryData"
        | "capacity"
        | "data"
        | "deprecatedTopology"
        | "disruptedPods"
        | "labels"
        | "limits"
        | "options"
        | "overhead"
        | "requests"
        | "stringData"
        | "userAnnotations"
        | "volumeAttributes" => Node::Deduced,
        "configMapKeyRef"
        | "dataSource"
        | "fieldRef"
        | "fileKeyRef"
        | "involvedObject"
        | "labelSelector"
        | "namespaceSelector"
        | "nodePublishSecretRef"
        | "nodeSelector"
        | "podSelector"
        | "port"
        | "preference"
        | "regarding"
        | "related"
        | "requiredDuringSchedulingIgnoredDuringExecution"
        | "resource"
        | "resourceFieldRef"
        | "secretKeyRef"
        | "secretRef"
        | "selector"
        | "targetRef" => Node::Untyped,
        _ => Node::GoType,
    }
}

impl ListShape<'_> {
    /// Returns the path element for a list item.
    pub(crate) fn element(&self, item: &Value) -> Result<Element, String> {
        let Some(keys) = self.keys else {
            return match item {
                Value::Object(_) => {
                    Err("associative list without keys has an element that's a map type".to_owned())
                }
                Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
                Value::Null => {
                    Err("associative list without keys has an element that's an explicit null".to_owned())
                }
                scalar => Ok(Element::Item(Literal::from_object(scalar))),
            };
        };
        let fields = match item {
            Value::Object(fields) => fields,
            Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
            _ => return Err("associative list with keys may not have non-map elements".to_owned()),
        };
        let default = |name: &str| match self.items {
            Node::Schema { schema, .. } => schema.properties.get(name)?.generic.default.as_deref(),
            _ => None,
        };
        let found = keys
            .iter()
            .filter_map(|name| Some((name.clone(), fields.get(name).or_else(|| default(name))?.clone())));
        let found: Map<String, Value> = found.collect();
        if found.is_empty() {
            let keys: Vec<String> = keys.iter().map(|key| crd_go::strings::quote(key)).collect();
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values \
                 for any key fields)",
                keys.join(" ")
            ));
        }
        Ok(Element::Key(Literal::from_object(&Value::Object(found))))
    }
}
