//! `ObjectMeta`: the metadata of every object.

use serde_json::{Map, Value};

use super::time;
use super::wire::{Decoder, Wire, wire};
use crate::OrderedMap;

wire! {
    /// The metadata of an object. Source: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go`.
    pub struct ObjectMeta as "ObjectMeta" {
        /// The name.
        name: String = "name",
        /// A prefix from which the API server makes a name.
        generate_name: String = "generateName",
        /// The namespace.
        namespace: String = "namespace",
        /// A remnant that the API server ignores.
        self_link: String = "selfLink",
        /// What tells the object from others of its name; set by the API server.
        uid: String = "uid" as "types.UID",
        /// Which state of the object this is; set by the API server.
        resource_version: String = "resourceVersion",
        /// Which state of the specification this is; set by the API server.
        generation: Option<i64> = "generation",
        /// When the object came to be, in RFC 3339; set by the API server.
        creation_timestamp: Option<String> = "creationTimestamp" with time::decode,
        /// When the object is to go, in RFC 3339; set by the API server.
        deletion_timestamp: Option<String> = "deletionTimestamp" with time::decode,
        /// How many seconds the object has until it goes; set by the API server.
        deletion_grace_period_seconds: Option<i64> = "deletionGracePeriodSeconds",
        /// Labels.
        labels: Option<OrderedMap<String>> = "labels",
        /// Annotations.
        annotations: Option<OrderedMap<String>> = "annotations",
        /// Objects with which this one goes.
        owner_references: Option<Vec<OwnerReference>> = "ownerReferences",
        /// Who has to agree before the object goes.
        finalizers: Option<Vec<String>> = "finalizers",
        /// Who set which fields; kept by the API server.
        managed_fields: Option<Vec<ManagedFieldsEntry>> = "managedFields",
    }
}

wire! {
    /// One of `metadata.ownerReferences`.
    pub struct OwnerReference as "OwnerReference" {
        /// The owner's group and version.
        api_version: String = "apiVersion",
        /// The owner's kind.
        kind: String = "kind",
        /// The owner's name.
        name: String = "name",
        /// The owner's UID.
        uid: String = "uid" as "types.UID",
        /// Whether the owner is the controller of the object.
        controller: Option<bool> = "controller",
        /// Whether the owner stays until this object is gone.
        block_owner_deletion: Option<bool> = "blockOwnerDeletion",
    }
}

wire! {
    /// One of `metadata.managedFields`.
    pub struct ManagedFieldsEntry as "ManagedFieldsEntry" {
        /// Who set the fields.
        manager: String = "manager",
        /// `Apply` or `Update`.
        operation: String = "operation" as "v1.ManagedFieldsOperationType",
        /// The version in which the fields were set.
        api_version: String = "apiVersion",
        /// When, in RFC 3339.
        time: Option<String> = "time" with time::decode,
        /// Always `FieldsV1`.
        fields_type: String = "fieldsType",
        /// Which fields.
        fields_v1: Option<Value> = "fieldsV1",
        /// Through which subresource.
        subresource: String = "subresource",
    }
}

impl ObjectMeta {
    /// Reads metadata from its JSON form, under the rules of [`CustomResourceDefinition::from_value`].
    ///
    /// # Errors
    /// A value has not the type that the API gives it, or a time is none. The message is that of the API server.
    ///
    /// [`CustomResourceDefinition::from_value`]: super::CustomResourceDefinition::from_value
    pub fn from_value(value: Value) -> Result<Self, super::DecodeError> {
        let mut decoder = Decoder::default();
        let metadata = Self::decode(value, &mut decoder);
        decoder.finish()?;
        Ok(metadata)
    }

    /// The JSON form; what is absent is left out.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.encode().unwrap_or_default()
    }
}
