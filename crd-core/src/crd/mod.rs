//! The model of `CustomResourceDefinition` in `apiextensions.k8s.io/v1`.
//!
//! Each key of the API is a field. Other keys are kept in `unknown`, so that decoding and encoding lose nothing.
//! The properties of schemas keep their order. Absent and empty values are distinguished wherever the API server distinguishes them.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go` and `types_jsonschema.go`.

mod base64;
mod children;
mod json_schema;
mod object_meta;
mod questions;
mod status;
mod time;
mod unknown_fields;
#[cfg(feature = "check")]
pub(crate) mod weight;
mod wire;

pub use children::Child;
pub use crd_go::compare_versions;
pub use crd_go::json_parts::{ColumnJson, ScaleJson};
pub use json_schema::{
    Dependency, ExternalDocumentation, Items, JsonSchemaProps, JsonSchemaPropsOrBool, ValidationRule,
};
pub use object_meta::{ManagedFieldsEntry, ObjectMeta, OwnerReference};
pub use status::{Condition, Status};
pub use wire::DecodeError;

use serde_json::Value;

use crate::tree::Tree;
use wire::{Decoder, Wire, wire};

/// The `apiVersion` of a `CustomResourceDefinition`.
pub const API_VERSION: &str = "apiextensions.k8s.io/v1";
/// The `kind` of a `CustomResourceDefinition`.
pub const KIND: &str = "CustomResourceDefinition";
/// The annotation with the oldest release of Kubernetes that accepts a CRD with all its features:
/// `crdkit/min-kube-version: "1.31"`.
pub const MIN_KUBE_VERSION: &str = "crdkit/min-kube-version";

wire! {
    /// A `CustomResourceDefinition` of `apiextensions.k8s.io/v1`.
    pub struct CustomResourceDefinition as "CustomResourceDefinition" {
        /// Always `apiextensions.k8s.io/v1`.
        api_version: String = "apiVersion",
        /// Always `CustomResourceDefinition`.
        kind: String = "kind",
        /// The metadata, for example name, labels and annotations.
        metadata: ObjectMeta = "metadata",
        /// The specification of the CRD.
        spec: Spec = "spec",
        /// The status, which the API server sets. The API server drops a status from other clients.
        status: Option<Status> = "status",
    }
}

wire! {
    /// `spec` of a [`CustomResourceDefinition`].
    pub struct Spec as "CustomResourceDefinitionSpec" {
        /// The API group: `stable.example.com`.
        group: String = "group",
        /// Names of the served resource.
        names: Names = "names",
        /// `Namespaced` or `Cluster`. Other strings are kept unchanged; see [`Spec::scope`].
        scope: String = "scope" as "v1.ResourceScope",
        /// The versions, in order.
        versions: Vec<Version> = "versions",
        /// The conversion of objects between versions.
        conversion: Option<Conversion> = "conversion",
        /// Deprecated since `v1beta1`; must be `false`.
        preserve_unknown_fields: Option<bool> = "preserveUnknownFields",
    }
}

wire! {
    /// `spec.names`.
    pub struct Names as "CustomResourceDefinitionNames" {
        /// The plural name, in lower case: `crontabs`.
        plural: String = "plural",
        /// The singular name, in lower case: `crontab`.
        singular: String = "singular",
        /// Short names for command lines.
        short_names: Option<Vec<String>> = "shortNames",
        /// The kind of objects, such as `CronTab`.
        kind: String = "kind",
        /// The kind of a list: `CronTabList`.
        list_kind: String = "listKind",
        /// Groups of resources that include the resource, such as `all`.
        categories: Option<Vec<String>> = "categories",
    }
}

wire! {
    /// A version of a CRD: one of `spec.versions`.
    pub struct Version as "CustomResourceDefinitionVersion" {
        /// The name of the version, such as `v1beta1`.
        name: String = "name",
        /// `true` if the API server serves the version.
        served: bool = "served",
        /// `true` if objects are stored in this version.
        storage: bool = "storage",
        /// `true` if requests to this version return a warning.
        deprecated: Option<bool> = "deprecated",
        /// The text of the deprecation warning.
        deprecation_warning: Option<String> = "deprecationWarning",
        /// The schema of objects in this version.
        schema: Option<Validation> = "schema",
        /// The subresources `status` and `scale`.
        subresources: Option<Subresources> = "subresources",
        /// The columns that `kubectl get` shows.
        additional_printer_columns: Option<Vec<PrinterColumn>> = "additionalPrinterColumns",
        /// Fields that field selectors can use.
        selectable_fields: Option<Vec<SelectableField>> = "selectableFields",
    }
}

wire! {
    /// `spec.versions[*].schema`.
    pub struct Validation as "CustomResourceValidation" {
        /// The schema of the whole object.
        open_api_v3_schema: Option<Box<JsonSchemaProps>> = "openAPIV3Schema",
    }
}

wire! {
    /// `spec.versions[*].subresources`.
    pub struct Subresources as "CustomResourceSubresources" {
        /// The status subresource, which has no fields.
        status: Option<StatusSubresource> = "status",
        /// The scale subresource.
        scale: Option<ScaleSubresource> = "scale",
    }
}

wire! {
    /// `subresources.status`, which has no fields.
    pub struct StatusSubresource as "CustomResourceSubresourceStatus" {}
}

wire! {
    /// `subresources.scale`.
    pub struct ScaleSubresource as "CustomResourceSubresourceScale" {
        /// The path of the desired number of replicas: `.spec.replicas`.
        spec_replicas_path: String = "specReplicasPath",
        /// The path of the current number of replicas: `.status.replicas`.
        status_replicas_path: String = "statusReplicasPath",
        /// The path of the label selector, a string.
        label_selector_path: Option<String> = "labelSelectorPath",
    }
}

wire! {
    /// A printer column: one of `additionalPrinterColumns`.
    pub struct PrinterColumn as "CustomResourceColumnDefinition" {
        /// The heading of the column.
        name: String = "name",
        /// The type of the column: `boolean`, `date`, `integer`, `number` or `string`.
        type_: String = "type",
        /// The OpenAPI format of the values in the column.
        format: String = "format",
        /// The description of the column.
        description: String = "description",
        /// 0 for the standard view; larger numbers for `-o wide`.
        priority: Option<i32> = "priority",
        /// The path of the value: `.spec.replicas`.
        json_path: String = "jsonPath",
    }
}

wire! {
    /// A selectable field: one of `selectableFields`.
    pub struct SelectableField as "SelectableField" {
        /// The path of the value: `.spec.color`.
        json_path: String = "jsonPath",
    }
}

wire! {
    /// `spec.conversion`.
    pub struct Conversion as "CustomResourceConversion" {
        /// The strategy for the conversion: `None` or `Webhook`.
        strategy: String = "strategy" as "v1.ConversionStrategyType",
        /// The webhook that converts objects.
        webhook: Option<WebhookConversion> = "webhook",
    }
}

wire! {
    /// `spec.conversion.webhook`.
    pub struct WebhookConversion as "WebhookConversion" {
        /// The address of the webhook.
        client_config: Option<WebhookClientConfig> = "clientConfig",
        /// Versions of `ConversionReview` that the webhook understands, the preferred version first.
        conversion_review_versions: Option<Vec<String>> = "conversionReviewVersions",
    }
}

wire! {
    /// `spec.conversion.webhook.clientConfig`.
    pub struct WebhookClientConfig as "WebhookClientConfig" {
        /// The URL; exactly one of `url` and `service` is set.
        url: Option<String> = "url",
        /// The service; exactly one of `url` and `service` is set.
        service: Option<ServiceReference> = "service",
        /// Certificates in PEM, in base64.
        ca_bundle: Option<String> = "caBundle" with base64::decode,
    }
}

wire! {
    /// `spec.conversion.webhook.clientConfig.service`.
    pub struct ServiceReference as "ServiceReference" {
        /// The service's namespace.
        namespace: String = "namespace",
        /// The service's name.
        name: String = "name",
        /// The path in the URL of the webhook.
        path: Option<String> = "path",
        /// The port of the service. The default is 443.
        port: Option<i32> = "port",
    }
}

/// The scope of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Objects belong to namespaces.
    Namespaced,
    /// Objects belong to the whole cluster.
    Cluster,
}

impl Scope {
    /// Returns the scope as a CRD contains it: `Namespaced` or `Cluster`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Namespaced => "Namespaced",
            Self::Cluster => "Cluster",
        }
    }
}

impl CustomResourceDefinition {
    /// Reads a CRD from its JSON form, as the API server decodes it: `null` counts as absent, keys are
    /// case-sensitive, and unknown keys are kept.
    ///
    /// # Errors
    /// - A value has a wrong type, or `kind` or `apiVersion` is wrong. The message is the API server's.
    /// - Schemas are nested deeper than [`JsonSchemaProps::MAX_DEPTH`].
    ///
    /// ```
    /// use crd_core::CustomResourceDefinition;
    /// use serde_json::json;
    ///
    /// let crd = CustomResourceDefinition::from_value(json!({"spec": {"scope": "Cluster"}}))?;
    /// assert_eq!(crd.spec.scope, "Cluster");
    ///
    /// let error = CustomResourceDefinition::from_value(json!({"spec": {"scope": 1}})).unwrap_err();
    /// assert_eq!(error.path().to_string(), "spec.scope");
    /// # Ok::<(), crd_core::DecodeError>(())
    /// ```
    pub fn from_value(value: Value) -> Result<Self, DecodeError> {
        let mut decoder = Decoder::default();
        let crd: Self = Self::decode(value, &mut decoder);
        decoder.finish()?;
        Ok(crd)
    }

    /// Returns the JSON form, without absent fields. Keys have the order of `serde_json`.
    ///
    /// [`to_yaml`](crate::yaml::to_yaml) and serde write the CRD in order: keys are sorted as in the API's documentation, properties
    /// keep their order, and unknown keys are last.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Tree::from(self).into_value()
    }

    /// Returns the number of bytes of the JSON form without whitespace, computed without creating the JSON.
    ///
    /// ```
    /// let crd = crd_core::CustomResourceDefinition::default();
    /// assert_eq!(crd.json_bytes(), crd.to_value().to_string().len());
    /// ```
    #[cfg(feature = "check")]
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        weight::weigh(self)
    }
}

impl<'a> From<&'a CustomResourceDefinition> for Tree<'a> {
    fn from(crd: &'a CustomResourceDefinition) -> Self {
        Self::from_visit(crd)
    }
}

impl serde::Serialize for CustomResourceDefinition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Tree::from(self).serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for CustomResourceDefinition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
