//! `ObjectMeta`: the metadata of every object.

use serde_json::Value;

use super::time;
use super::wire::{Decoder, Wire, wire};
use crate::OrderedMap;
use crate::tree::Tree;

wire! {
    /// The metadata of an object. Source: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go`.
    pub struct ObjectMeta as "ObjectMeta" {
        /// The name of the object.
        name: String = "name",
        /// A prefix from which the API server generates a name.
        generate_name: String = "generateName",
        /// The namespace of the object.
        namespace: String = "namespace",
        /// Deprecated; the API server ignores it.
        self_link: String = "selfLink",
        /// The unique identifier of the object; set by the API server.
        uid: String = "uid" as "types.UID",
        /// The version of the object's state; set by the API server.
        resource_version: String = "resourceVersion",
        /// A number that the API server increases when the spec changes.
        generation: Option<i64> = "generation",
        /// The time of creation, in RFC 3339; set by the API server.
        creation_timestamp: Option<String> = "creationTimestamp" with time::decode,
        /// The time of deletion, in RFC 3339; set by the API server.
        deletion_timestamp: Option<String> = "deletionTimestamp" with time::decode,
        /// The grace period before deletion, in seconds; set by the API server.
        deletion_grace_period_seconds: Option<i64> = "deletionGracePeriodSeconds",
        /// The labels of the object.
        labels: Option<OrderedMap<String>> = "labels",
        /// The annotations of the object.
        annotations: Option<OrderedMap<String>> = "annotations",
        /// The owners of the object. The garbage collector deletes the object after its owners.
        owner_references: Option<Vec<OwnerReference>> = "ownerReferences",
        /// Identifiers that must be removed before the object is deleted.
        finalizers: Option<Vec<String>> = "finalizers",
        /// The fields that each manager has set; recorded by the API server.
        managed_fields: Option<Vec<ManagedFieldsEntry>> = "managedFields",
    }
}

wire! {
    /// A reference to an owner: one of `metadata.ownerReferences`.
    pub struct OwnerReference as "OwnerReference" {
        /// The owner's group and version.
        api_version: String = "apiVersion",
        /// The kind of the owner.
        kind: String = "kind",
        /// The name of the owner.
        name: String = "name",
        /// The UID of the owner.
        uid: String = "uid" as "types.UID",
        /// `true` if the owner is the controller of the object.
        controller: Option<bool> = "controller",
        /// `true` if foreground deletion of the owner waits for the deletion of this object.
        block_owner_deletion: Option<bool> = "blockOwnerDeletion",
    }
}

wire! {
    /// The fields that a field manager owns: one of `metadata.managedFields`.
    pub struct ManagedFieldsEntry as "ManagedFieldsEntry" {
        /// The name of the manager that set the fields.
        manager: String = "manager",
        /// The operation that set the fields: `Apply` or `Update`.
        operation: String = "operation" as "v1.ManagedFieldsOperationType",
        /// The API version in which the manager set the fields.
        api_version: String = "apiVersion",
        /// The time of the change, in RFC 3339.
        time: Option<String> = "time" with time::decode,
        /// The format of the fields: always `FieldsV1`.
        fields_type: String = "fieldsType",
        /// The fields that the manager owns.
        fields_v1: Option<Value> = "fieldsV1",
        /// The subresource through which the manager set the fields.
        subresource: String = "subresource",
    }
}

impl ObjectMeta {
    /// Reads metadata from JSON in the same way as [`CustomResourceDefinition::from_value`].
    ///
    /// # Errors
    /// A value has a wrong type, or a time is invalid. The message is the API server's.
    ///
    /// [`CustomResourceDefinition::from_value`]: super::CustomResourceDefinition::from_value
    pub fn from_value(value: Value) -> Result<Self, super::DecodeError> {
        let mut decoder = Decoder::default();
        let metadata = Self::decode(value, &mut decoder);
        decoder.finish()?;
        Ok(metadata)
    }

    /// Returns the JSON form, without absent fields.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Tree::from_visit(self).into_value()
    }
}
