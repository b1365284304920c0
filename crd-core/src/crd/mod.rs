//! `CustomResourceDefinition` of `apiextensions.k8s.io/v1`, as it stands on the wire.
//!
//! Every key that the API has is a field here; every other key is kept in `unknown`, so that nothing is lost between
//! reading and writing. The order of properties is the order in which they were read. Absent and empty are told apart
//! wherever the API server can tell them apart.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go` and `types_jsonschema.go`.

mod base64;
mod children;
mod json_schema;
mod object_meta;
mod parts;
mod status;
mod time;
mod unknown_fields;
mod wire;

pub use children::Child;
pub use json_schema::{
    AdditionalProperties, Dependency, ExternalDocumentation, Items, JsonSchemaProps, ValidationRule,
};
pub use object_meta::{ManagedFieldsEntry, ObjectMeta, OwnerReference};
pub use status::{Condition, Status};
pub use wire::DecodeError;

use serde_json::{Map, Value};

use crate::FieldPath;
use wire::{Decoder, Wire, wire};

/// `apiVersion` of the only form of a `CustomResourceDefinition` that is served today.
pub const API_VERSION: &str = "apiextensions.k8s.io/v1";
/// `kind` of a `CustomResourceDefinition`.
pub const KIND: &str = "CustomResourceDefinition";

wire! {
    /// A `CustomResourceDefinition` of `apiextensions.k8s.io/v1`.
    pub struct CustomResourceDefinition as "CustomResourceDefinition" {
        /// Always `apiextensions.k8s.io/v1`.
        api_version: String = "apiVersion",
        /// Always `CustomResourceDefinition`.
        kind: String = "kind",
        /// Name, labels, annotations and the rest.
        metadata: ObjectMeta = "metadata",
        /// What is defined.
        spec: Spec = "spec",
        /// What the API server says of it; what others write there it forgets.
        status: Option<Status> = "status",
    }
}

wire! {
    /// `spec` of a [`CustomResourceDefinition`].
    pub struct Spec as "CustomResourceDefinitionSpec" {
        /// The API group: `stable.example.com`.
        group: String = "group",
        /// Names under which the resource is served.
        names: Names = "names",
        /// `Namespaced` or `Cluster`; what else was read is kept, see [`Spec::scope`].
        scope: String = "scope" as "v1.ResourceScope",
        /// The versions, in order.
        versions: Vec<Version> = "versions",
        /// How objects are converted between versions.
        conversion: Option<Conversion> = "conversion",
        /// A remnant of `v1beta1` that has to be `false`.
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
        /// The kind: `CronTab`.
        kind: String = "kind",
        /// The kind of a list: `CronTabList`.
        list_kind: String = "listKind",
        /// Groups of resources to which it belongs, such as `all`.
        categories: Option<Vec<String>> = "categories",
    }
}

wire! {
    /// One of `spec.versions`.
    pub struct Version as "CustomResourceDefinitionVersion" {
        /// The name: `v1beta1`.
        name: String = "name",
        /// Whether it is served.
        served: bool = "served",
        /// Whether objects are stored in this version.
        storage: bool = "storage",
        /// Whether clients are warned off it.
        deprecated: Option<bool> = "deprecated",
        /// The words of that warning.
        deprecation_warning: Option<String> = "deprecationWarning",
        /// The schema.
        schema: Option<Validation> = "schema",
        /// Status and scale.
        subresources: Option<Subresources> = "subresources",
        /// Columns of `kubectl get`.
        additional_printer_columns: Option<Vec<PrinterColumn>> = "additionalPrinterColumns",
        /// Fields by which lists can be narrowed.
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
    /// `subresources.status`: that it is there is all it says.
    pub struct StatusSubresource as "CustomResourceSubresourceStatus" {}
}

wire! {
    /// `subresources.scale`.
    pub struct ScaleSubresource as "CustomResourceSubresourceScale" {
        /// Path of the wanted number: `.spec.replicas`.
        spec_replicas_path: String = "specReplicasPath",
        /// Path of the present number: `.status.replicas`.
        status_replicas_path: String = "statusReplicasPath",
        /// Path of the label selector as a string.
        label_selector_path: Option<String> = "labelSelectorPath",
    }
}

wire! {
    /// One of `additionalPrinterColumns`.
    pub struct PrinterColumn as "CustomResourceColumnDefinition" {
        /// The heading.
        name: String = "name",
        /// `boolean`, `date`, `integer`, `number` or `string`.
        type_: String = "type",
        /// An OpenAPI format.
        format: String = "format",
        /// What the column shows.
        description: String = "description",
        /// 0 for the standard view; more for `-o wide`.
        priority: Option<i32> = "priority",
        /// Where the value is: `.spec.replicas`.
        json_path: String = "jsonPath",
    }
}

wire! {
    /// One of `selectableFields`.
    pub struct SelectableField as "SelectableField" {
        /// Where the value is: `.spec.color`.
        json_path: String = "jsonPath",
    }
}

wire! {
    /// `spec.conversion`.
    pub struct Conversion as "CustomResourceConversion" {
        /// `None` or `Webhook`.
        strategy: String = "strategy" as "v1.ConversionStrategyType",
        /// How to call the webhook.
        webhook: Option<WebhookConversion> = "webhook",
    }
}

wire! {
    /// `spec.conversion.webhook`.
    pub struct WebhookConversion as "WebhookConversion" {
        /// Where the webhook is.
        client_config: Option<WebhookClientConfig> = "clientConfig",
        /// Versions of `ConversionReview` that it understands, the preferred one first.
        conversion_review_versions: Option<Vec<String>> = "conversionReviewVersions",
    }
}

wire! {
    /// `spec.conversion.webhook.clientConfig`.
    pub struct WebhookClientConfig as "WebhookClientConfig" {
        /// The address, where there is no service.
        url: Option<String> = "url",
        /// The service, where there is no address.
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
        /// The path of the URL.
        path: Option<String> = "path",
        /// The port, 443 where absent.
        port: Option<i32> = "port",
    }
}

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Objects live in namespaces.
    Namespaced,
    /// Objects belong to the whole cluster.
    Cluster,
}

impl Scope {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Namespaced => "Namespaced",
            Self::Cluster => "Cluster",
        }
    }
}

impl CustomResourceDefinition {
    /// Reads a definition from its JSON form, as the API server decodes it: `null` is absent, the case of keys
    /// counts, unknown keys are kept.
    ///
    /// # Errors
    /// - A value has not the type that the API gives it, or `kind` or `apiVersion` is another one. The message is
    ///   that of the API server.
    /// - Schemas are nested more than [`JsonSchemaProps::MAX_DEPTH`] deep.
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

    /// The JSON form. Keys come in the order of the API's documentation, properties in their own order, unknown keys
    /// last; what is absent is left out.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.encode().unwrap_or_default()
    }

    /// The keys that the API does not have, as the API server names them under strict field validation.
    ///
    /// ```
    /// use crd_core::CustomResourceDefinition;
    /// use serde_json::json;
    ///
    /// let crd = CustomResourceDefinition::from_value(json!({"spec": {"names": {"shortName": "ct"}}}))?;
    /// let unknown: Vec<_> = crd.unknown_fields().iter().map(ToString::to_string).collect();
    /// assert_eq!(unknown, ["spec.names.shortName"]);
    /// # Ok::<(), crd_core::DecodeError>(())
    /// ```
    #[must_use]
    pub fn unknown_fields(&self) -> Vec<FieldPath> {
        unknown_fields::unknown_fields(self)
    }
}

impl Spec {
    /// The scope, if it is one that exists.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        match self.scope.as_str() {
            "Namespaced" => Some(Scope::Namespaced),
            "Cluster" => Some(Scope::Cluster),
            _ => None,
        }
    }
}

impl Version {
    /// The schema of the whole object, if there is one.
    #[must_use]
    pub fn open_api_v3_schema(&self) -> Option<&JsonSchemaProps> {
        self.schema.as_ref()?.open_api_v3_schema.as_deref()
    }
}

impl serde::Serialize for CustomResourceDefinition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for CustomResourceDefinition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
