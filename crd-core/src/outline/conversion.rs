//! Checks of `spec.conversion`.

use crd_go::outline::{ClientConfig, Service, client_config, review_versions};

use super::Before;
use crate::crd::{Conversion, ServiceReference, WebhookClientConfig, WebhookConversion};
use crate::{Causes, Diagnostic, FieldPath};

const ONLY_FOR_WEBHOOKS: &str = "should not be set when strategy is not set to Webhook";

/// Checks the settings for the conversion of objects. The paths in causes refer to the API server's internal form of a
/// CRD. This form has no field `webhook`.
pub(super) fn conversion(
    conversion: &Conversion,
    before: Option<Before<'_>>,
    path: &FieldPath,
    out: &mut Causes,
) {
    let strategy = path.child("strategy");
    match conversion.strategy.as_str() {
        "" => out.push(
            Diagnostic::required(strategy, "").with_help("add `strategy: None` or `strategy: Webhook`"),
        ),
        "None" | "Webhook" => {}
        other => out.push(Diagnostic::not_supported(strategy, other, &["None", "Webhook"])),
    }
    let absent = WebhookConversion::default();
    let webhook = conversion.webhook.as_ref().unwrap_or(&absent);
    let versions = webhook.conversion_review_versions.as_deref().unwrap_or_default();
    if conversion.strategy == "Webhook" {
        let config = webhook.client_config.as_ref().map(config);
        client_config(config.as_ref(), &path.child("webhookClientConfig"), out);
        let needs_known = !before.is_some_and(Before::has_unknown_review_versions);
        review_versions(versions, needs_known, &path.child("conversionReviewVersions"), out);
        return;
    }
    let help = "remove `webhook`, or set `strategy: Webhook`";
    if webhook.client_config.is_some() {
        out.push(Diagnostic::forbidden(path.child("webhookClientConfig"), ONLY_FOR_WEBHOOKS).with_help(help));
    }
    if !versions.is_empty() {
        let path = path.child("conversionReviewVersions");
        out.push(Diagnostic::forbidden(path, ONLY_FOR_WEBHOOKS).with_help(help));
    }
}

fn config(config: &WebhookClientConfig) -> ClientConfig<'_> {
    ClientConfig { url: config.url.as_deref(), service: config.service.as_ref().map(service) }
}

fn service(service: &ServiceReference) -> Service<'_> {
    let ServiceReference { namespace, name, path, port, .. } = service;
    Service { namespace, name, path: path.as_deref(), port: *port }
}
