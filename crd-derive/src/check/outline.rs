//! Names, columns, paths, conversion and the other parts outside of schemas: checked by `crd_core::outline`, as in whole
//! definitions, and reported at their attributes.

use crd_core::crd::{
    Conversion as CrdConversion, PrinterColumn, ScaleSubresource, ServiceReference, Subresources, Version,
    WebhookClientConfig, WebhookConversion,
};
use crd_core::outline::{outline, written_path};
use crd_core::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath, OrderedMap};
use proc_macro2::Span;

use super::wrong;
use crate::attrs::conversion::{Conversion, Webhook};
use crate::attrs::resource::{ColumnAttr, Deprecated, ScaleAttr};
use crate::attrs::text::{Pair, Text};
use crate::errors::Errors;
use crate::model::{Name, Resource};

/// Reports the API server's errors for everything but schemas, in its words.
pub(super) fn resource(resource: &Resource<'_>, errors: &mut Errors) {
    let sketch = Sketch::from_resource(resource);
    let mut found: Vec<(Span, String)> = Vec::new();
    // Certificates that are not base64 are found when a definition is read.
    if let Err(error) = CustomResourceDefinition::from_value(sketch.crd.to_value())
        && let Some(span) = sketch.span(&error.path().to_string())
    {
        found.push((span, error.to_string()));
    }
    for diagnostic in outline(&sketch.crd) {
        // A client that only reads objects of such a group does not install the definition: the compiler warns.
        if is_missing_approval(&diagnostic) {
            continue;
        }
        let field = written_path(&diagnostic.field).to_string();
        if let Some(span) = sketch.span(&field) {
            let text = words(&diagnostic);
            // The first version's name is found wrong in two places.
            if !found.iter().any(|(_, other)| *other == text) {
                found.push((span, text));
            }
        }
    }
    for (span, text) in found {
        wrong(errors, span, text);
    }
    pairs("labels", &resource.attrs.labels, errors);
    pairs("annotations", &resource.attrs.annotations, errors);
    pairs("labels", &resource.attrs.object_labels, errors);
    pairs("annotations", &resource.attrs.object_annotations, errors);
}

/// Returns `true` if the group belongs to the Kubernetes project, and the definition lacks the approval for it.
pub(crate) fn lacks_approval(resource: &Resource<'_>) -> bool {
    resource.attrs.group.literal().is_some()
        && outline(&Sketch::from_resource(resource).crd).iter().any(is_missing_approval)
}

fn is_missing_approval(diagnostic: &Diagnostic) -> bool {
    diagnostic.reason == CauseReason::Required
        && diagnostic.field.to_string() == "metadata.annotations[api-approved.kubernetes.io]"
}

fn words(diagnostic: &Diagnostic) -> String {
    let field = written_path(&diagnostic.field).to_string();
    let help = match field.as_str() {
        // Only for a group without a dot another one is proposed.
        "spec.group" if diagnostic.reason == CauseReason::Invalid && diagnostic.remedy.is_some() => {
            Some("a group is a domain of yours, such as `stable.example.com`")
        }
        "spec.versions[0].name" => Some("a version is written like `v1`, `v1beta1` or `v2alpha3`"),
        _ => diagnostic.help(),
    };
    let help = help.map(|help| format!("; help: {help}")).unwrap_or_default();
    format!("{field}: {}{help}", diagnostic.message)
}

/// A definition without schemas, and the places of its parts in the code. Strings that only the compiler knows are replaced by
/// valid ones.
struct Sketch {
    crd: CustomResourceDefinition,
    spans: Vec<(String, Span)>,
}

impl Sketch {
    fn from_resource(resource: &Resource<'_>) -> Self {
        let attrs = &resource.attrs;
        let mut sketch = Self { crd: CustomResourceDefinition::default(), spans: Vec::new() };
        sketch.crd.spec.scope = "Cluster".to_owned();
        sketch.crd.spec.group = sketch.text("spec.group", &attrs.group, "example.com");
        sketch.names(resource);
        let version = sketch.version(resource);
        sketch.crd.spec.versions.push(version);
        sketch.conversion(resource);
        sketch.spans.push(("spec.preserveUnknownFields".to_owned(), attrs.kind.span()));
        sketch.crd.spec.preserve_unknown_fields = attrs.crd_preserve_unknown_fields;
        let names = &sketch.crd.spec.names;
        sketch.crd.metadata.name = format!("{}.{}", names.plural, sketch.crd.spec.group);
        // Groups of the Kubernetes project need an annotation; one that only the compiler knows counts as right.
        let or = |text: &Text, otherwise: &str| text.literal().unwrap_or_else(|| otherwise.to_owned());
        let texts = attrs.annotations.iter();
        let texts = texts.map(|pair| (or(&pair.0, "api-approved.kubernetes.io"), or(&pair.1, "unapproved")));
        sketch.crd.metadata.annotations = Some(texts.collect());
        sketch.spans.push(("metadata.annotations[api-approved".to_owned(), attrs.group.span()));
        sketch
    }

    /// The place of the attribute for `field`, or for the nearest field around it. `None` for a field without an attribute.
    fn span(&self, field: &str) -> Option<Span> {
        let around = self.spans.iter().filter(|(path, _)| field.starts_with(path.as_str()));
        around.max_by_key(|(path, _)| path.len()).map(|(_, span)| *span)
    }

    fn text(&mut self, field: &str, text: &Text, otherwise: &str) -> String {
        let Some(literal) = text.literal() else { return otherwise.to_owned() };
        self.spans.push((field.to_owned(), text.span()));
        literal
    }

    fn optional(&mut self, field: &str, text: Option<&Text>) -> Option<String> {
        let text = text?;
        let literal = text.literal()?;
        self.spans.push((field.to_owned(), text.span()));
        Some(literal)
    }

    fn names(&mut self, resource: &Resource<'_>) {
        let attrs = &resource.attrs;
        let mut names = crd_core::crd::Names::default();
        names.kind = self.text("spec.names.kind", &attrs.kind, "Kind");
        // A name made from the kind is as right as the kind: it has no place of its own.
        let name = |sketch: &mut Self, field: &str, name: &Name| match name {
            Name::Known(name) => name.clone(),
            Name::Given(text) => sketch.text(field, text, "kind"),
        };
        names.plural = name(self, "spec.names.plural", &resource.plural);
        names.singular = name(self, "spec.names.singular", &resource.singular);
        names.list_kind = match &attrs.list_kind {
            Some(text) => self.text("spec.names.listKind", text, "KindList"),
            None => format!("{}List", names.kind),
        };
        let texts = |sketch: &mut Self, field: &str, texts: &[Text]| {
            let name = |(i, text)| sketch.text(&format!("{field}[{i}]"), text, "name");
            texts.iter().enumerate().map(name).collect()
        };
        names.short_names = Some(texts(self, "spec.names.shortNames", &attrs.short_names));
        names.categories = Some(texts(self, "spec.names.categories", &attrs.categories));
        self.crd.spec.names = names;
    }

    fn version(&mut self, resource: &Resource<'_>) -> Version {
        let attrs = &resource.attrs;
        let mut version = Version::default();
        version.name = self.text("spec.versions[0].name", &attrs.version, "v1");
        // A version that is not stored is installed together with one that is.
        (version.served, version.storage) = (true, true);
        version.deprecated = attrs.deprecated.is_some().then_some(true);
        if let Some(Deprecated::Warning(text)) = &attrs.deprecated {
            version.deprecation_warning = self.optional("spec.versions[0].deprecationWarning", Some(text));
        }
        let mut subresources = Subresources::default();
        subresources.scale = attrs.scale.as_deref().map(|scale| self.scale(scale));
        version.subresources = Some(subresources);
        let columns = attrs.columns.iter().enumerate();
        version.additional_printer_columns =
            Some(columns.map(|(i, column)| self.column(i, column)).collect());
        version
    }

    fn scale(&mut self, scale: &ScaleAttr) -> ScaleSubresource {
        const PATH: &str = "spec.versions[0].subresources.scale";
        let mut subresource = ScaleSubresource::default();
        (subresource.spec_replicas_path, subresource.status_replicas_path) =
            (".spec.replicas".to_owned(), ".status.replicas".to_owned());
        match scale {
            ScaleAttr::Raw(text) => {
                // Invalid values have been reported.
                let Some(raw) = self.raw(PATH, text, ScaleSubresource::from_json) else { return subresource };
                subresource = raw;
            }
            ScaleAttr::Parts(scale) => {
                let path = |key: &str| format!("{PATH}.{key}");
                subresource.spec_replicas_path =
                    self.text(&path("specReplicasPath"), &scale.spec_replicas_path, ".spec.replicas");
                subresource.status_replicas_path =
                    self.text(&path("statusReplicasPath"), &scale.status_replicas_path, ".status.replicas");
                subresource.label_selector_path =
                    self.optional(&path("labelSelectorPath"), scale.label_selector_path.as_ref());
            }
        }
        subresource
    }

    fn column(&mut self, i: usize, attr: &ColumnAttr) -> PrinterColumn {
        let at = format!("spec.versions[0].additionalPrinterColumns[{i}]");
        let mut column = PrinterColumn::default();
        (column.name, column.type_, column.json_path) =
            ("A".to_owned(), "string".to_owned(), ".a".to_owned());
        match attr {
            ColumnAttr::Raw(text) => {
                let Some(raw) = self.raw(&at, text, PrinterColumn::from_json) else { return column };
                column = raw;
            }
            ColumnAttr::Parts(parts) => {
                column.name = self.text(&format!("{at}.name"), &parts.name, "A");
                if let Some(type_) = parts.type_() {
                    column.type_ = self.text(&format!("{at}.type"), type_, "string");
                }
                column.json_path = self.text(&format!("{at}.jsonPath"), &parts.json_path, ".a");
                column.format =
                    self.optional(&format!("{at}.format"), parts.format.as_ref()).unwrap_or_default();
            }
        }
        column
    }

    /// The value of a literal with JSON.
    fn raw<T>(&mut self, field: &str, text: &Text, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let part = read(&text.literal()?).ok()?;
        self.spans.push((field.to_owned(), text.span()));
        Some(part)
    }

    fn conversion(&mut self, resource: &Resource<'_>) {
        let mut conversion = CrdConversion::default();
        match &resource.attrs.conversion {
            None => return,
            Some(Conversion::None) => conversion.strategy = "None".to_owned(),
            Some(Conversion::Webhook(webhook)) => {
                self.spans.push(("spec.conversion".to_owned(), webhook.span()));
                conversion.strategy = "Webhook".to_owned();
                conversion.webhook = Some(self.webhook(webhook));
            }
        }
        self.crd.spec.conversion = Some(conversion);
    }

    fn webhook(&mut self, attrs: &Webhook) -> WebhookConversion {
        const PATH: &str = "spec.conversion.webhook";
        let path = |key: &str| format!("{PATH}.clientConfig.{key}");
        let mut client = WebhookClientConfig::default();
        client.url = attrs.url.as_ref().map(|text| self.text(&path("url"), text, "https://example.com"));
        client.ca_bundle = self.optional(&path("caBundle"), attrs.ca_bundle.as_ref());
        client.service = attrs.service.as_ref().map(|attrs| {
            let mut service = ServiceReference::default();
            service.namespace = self.text(&path("service.namespace"), &attrs.namespace, "default");
            service.name = self.text(&path("service.name"), &attrs.name, "name");
            service.path = self.optional(&path("service.path"), attrs.path.as_ref());
            service.port = attrs.port;
            service
        });
        let mut webhook = WebhookConversion::default();
        webhook.client_config = Some(client);
        let versions = attrs.review_versions.as_ref().map(|texts| {
            let at = |i: usize| format!("{PATH}.conversionReviewVersions[{i}]");
            texts.0.iter().enumerate().map(|(i, text)| self.text(&at(i), text, "v1")).collect()
        });
        webhook.conversion_review_versions = Some(versions.unwrap_or_else(|| vec!["v1".to_owned()]));
        webhook
    }
}

/// Labels and annotations, one by one: the API server's error does not name the wrong one.
fn pairs(field: &str, pairs: &[Pair], errors: &mut Errors) {
    let path = FieldPath::new("metadata").child(field);
    let mut check = |key: String, value: String, span: Span| {
        let mut crd = CustomResourceDefinition::default();
        let texts: OrderedMap<String> = [(key, value)].into_iter().collect();
        match field {
            "labels" => crd.metadata.labels = Some(texts),
            _ => crd.metadata.annotations = Some(texts),
        }
        for diagnostic in outline(&crd).iter().filter(|diagnostic| diagnostic.field == path) {
            wrong(errors, span, words(diagnostic));
        }
    };
    for Pair(key, value) in pairs {
        check(key.literal().unwrap_or_else(|| "key".to_owned()), String::new(), key.span());
        check("key".to_owned(), value.literal().unwrap_or_default(), value.span());
    }
}
