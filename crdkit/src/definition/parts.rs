//! Converts the attributes for printer columns, the scale subresource and conversion into parts of the CRD.

use crd_core::crd::{
    ColumnJson, Conversion as CrdConversion, PrinterColumn, ScaleJson, ScaleSubresource, ServiceReference,
    WebhookClientConfig, WebhookConversion,
};

/// The scale subresource.
#[derive(Default)]
pub struct Scale {
    /// Path of the desired number of replicas.
    pub spec_replicas_path: String,
    /// Path of the observed number of replicas.
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
    /// The description of the column.
    pub description: Option<String>,
    /// The format.
    pub format: Option<String>,
    /// 0 for the standard view.
    pub priority: Option<i32>,
}

/// The `conversion` of a CRD. Without a webhook, the API server changes only `apiVersion`.
#[derive(Default)]
pub struct Conversion {
    /// The webhook that converts objects.
    pub webhook: Option<Webhook>,
}

/// A webhook that converts objects.
#[derive(Default)]
pub struct Webhook {
    /// The URL, if the webhook is not a service in the cluster.
    pub url: Option<&'static str>,
    /// The service, if the webhook is in the cluster.
    pub service: Option<Service>,
    /// The CA certificates, in base64.
    pub ca_bundle: Option<&'static str>,
    /// Versions of `ConversionReview` that the webhook understands.
    pub review_versions: Vec<&'static str>,
}

/// A service in the cluster.
#[derive(Default)]
pub struct Service {
    /// The namespace.
    pub namespace: &'static str,
    /// The name.
    pub name: &'static str,
    /// The path of the webhook.
    pub path: Option<&'static str>,
    /// The port.
    pub port: Option<i32>,
}

/// Parses a printer column from JSON.
///
/// # Errors
/// The same as for [`ColumnJson::parse`].
pub fn raw_column(json: &str) -> Result<Column, String> {
    let column = ColumnJson::parse(json).map_err(|error| format!("has an invalid `printcolumn`: {error}"))?;
    let some = |text: String| (!text.is_empty()).then_some(text);
    Ok(Column {
        name: column.name,
        type_: column.type_,
        json_path: column.json_path,
        description: some(column.description),
        format: some(column.format),
        priority: column.priority,
    })
}

/// Parses the scale subresource from JSON.
///
/// # Errors
/// The same as for [`ScaleJson::parse`].
pub fn raw_scale(json: &str) -> Result<Scale, String> {
    let scale = ScaleJson::parse(json).map_err(|error| format!("has an invalid `scale`: {error}"))?;
    Ok(Scale {
        spec_replicas_path: scale.spec_replicas_path,
        status_replicas_path: scale.status_replicas_path,
        label_selector_path: scale.label_selector_path,
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
        // The API server drops a priority of 0.
        column.priority = self.priority.filter(|priority| *priority != 0);
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
