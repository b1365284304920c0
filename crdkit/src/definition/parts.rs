//! Printer columns, scale and conversion, as attributes say them -> their form in the definition.

use crd_core::crd::{
    Conversion as CrdConversion, PrinterColumn, ScaleSubresource, ServiceReference, WebhookClientConfig,
    WebhookConversion,
};
use serde_json::Value;

/// `scale`.
#[derive(Default)]
pub struct Scale {
    /// Path of the wanted number.
    pub spec_replicas_path: String,
    /// Path of the present number.
    pub status_replicas_path: String,
    /// Path of the label selector.
    pub label_selector_path: Option<String>,
}

/// A printer column.
#[derive(Default)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// The type.
    pub type_: String,
    /// The path of the value.
    pub json_path: String,
    /// What the column shows.
    pub description: Option<String>,
    /// The format.
    pub format: Option<String>,
    /// 0 for the standard view.
    pub priority: Option<i32>,
}

/// `conversion`; without a webhook objects are not converted.
#[derive(Default)]
pub struct Conversion {
    /// The webhook that converts.
    pub webhook: Option<Webhook>,
}

/// A webhook that converts objects.
#[derive(Default)]
pub struct Webhook {
    /// Its address, where it is no service.
    pub url: Option<&'static str>,
    /// The service behind which it stands.
    pub service: Option<Service>,
    /// Certificates in base64.
    pub ca_bundle: Option<&'static str>,
    /// Versions of `ConversionReview` that it understands.
    pub review_versions: Vec<&'static str>,
}

/// A service of the cluster.
#[derive(Default)]
pub struct Service {
    /// Its namespace.
    pub namespace: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The path of the webhook.
    pub path: Option<&'static str>,
    /// The port.
    pub port: Option<i32>,
}

/// The printer column that a text of JSON says.
///
/// # Errors
/// The text is no JSON, or lacks a name, a type or a path.
pub fn raw_column(json: &str) -> Result<Column, String> {
    let fields: Value =
        serde_json::from_str(json).map_err(|error| format!("`printcolumn` is no JSON: {error}"))?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let required = |key: &str| text(key).ok_or_else(|| format!("`printcolumn` has no text `{key}`"));
    Ok(Column {
        name: required("name")?,
        type_: required("type")?,
        json_path: required("jsonPath")?,
        description: text("description"),
        format: text("format"),
        priority: fields
            .get("priority")
            .and_then(Value::as_i64)
            .and_then(|number| i32::try_from(number).ok()),
    })
}

/// The scale subresource that a text of JSON says.
///
/// # Errors
/// The text is no JSON, or lacks a path.
pub fn raw_scale(json: &str) -> Result<Scale, String> {
    let fields: Value = serde_json::from_str(json).map_err(|error| format!("`scale` is no JSON: {error}"))?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let required = |key: &str| text(key).ok_or_else(|| format!("`scale` has no text `{key}`"));
    Ok(Scale {
        spec_replicas_path: required("specReplicasPath")?,
        status_replicas_path: required("statusReplicasPath")?,
        label_selector_path: text("labelSelectorPath"),
    })
}

impl Column {
    pub(super) fn into_crd(self) -> PrinterColumn {
        let mut column = PrinterColumn::default();
        column.name = self.name;
        column.type_ = self.type_;
        column.json_path = self.json_path;
        column.description = self.description.unwrap_or_default();
        column.format = self.format.unwrap_or_default();
        column.priority = self.priority;
        column
    }
}

impl Scale {
    pub(super) fn into_crd(self) -> ScaleSubresource {
        let mut scale = ScaleSubresource::default();
        scale.spec_replicas_path = self.spec_replicas_path;
        scale.status_replicas_path = self.status_replicas_path;
        scale.label_selector_path = self.label_selector_path;
        scale
    }
}

impl Conversion {
    pub(super) fn into_crd(self) -> CrdConversion {
        let mut conversion = CrdConversion::default();
        conversion.strategy = if self.webhook.is_some() { "Webhook" } else { "None" }.to_owned();
        conversion.webhook = self.webhook.map(Webhook::into_crd);
        conversion
    }
}

impl Webhook {
    fn into_crd(self) -> WebhookConversion {
        let mut client = WebhookClientConfig::default();
        client.url = self.url.map(str::to_owned);
        client.service = self.service.map(Service::into_crd);
        client.ca_bundle = self.ca_bundle.map(str::to_owned);
        let mut webhook = WebhookConversion::default();
        webhook.client_config = Some(client);
        webhook.conversion_review_versions =
            Some(self.review_versions.into_iter().map(str::to_owned).collect());
        webhook
    }
}

impl Service {
    fn into_crd(self) -> ServiceReference {
        let mut service = ServiceReference::default();
        service.namespace = self.namespace.to_owned();
        service.name = self.name.to_owned();
        service.path = self.path.map(str::to_owned);
        service.port = self.port;
        service
    }
}
