//! Checks all parts of the CRD outside the schemas, such as names, columns and the conversion. The checks are in
//! `crd_go::outline`, which also checks whole CRDs.

use crd_go::base64::check_std;
use crd_go::field::{CauseReason, Causes, Diagnostic, FieldPath};
use crd_go::json_parts::{ColumnJson, ScaleJson};
use crd_go::outline::{
    APPROVED, ClientConfig, Column, Names, Scale, Service, annotations, approval, client_config, column,
    deprecation_warning, group, label, labels, names, preserved, preserved_and_converted, review_versions,
    scale, written_path,
};
use crd_go::strings::to_lower;
use proc_macro2::Span;

use super::wrong;
use crate::attrs::conversion::{Conversion, Webhook};
use crate::attrs::resource::{ColumnAttr, Deprecated, ScaleAttr};
use crate::attrs::text::{Pair, Text};
use crate::errors::Errors;
use crate::model::{Name, Resource};

/// Reports the API server's errors for everything except schemas, at the attributes and with the server's messages.
pub(super) fn resource(resource: &Resource<'_>, errors: &mut Errors) {
    let attrs = &resource.attrs;
    if let Some(Conversion::Webhook(webhook)) = &attrs.conversion
        && let Some(text) = &webhook.ca_bundle
        && let Some(Err(message)) = text.literal().map(|text| check_std(&text))
    {
        wrong(errors, text.span(), message);
    }
    let mut outline = Outline::default();
    let group_text = outline.text("spec.group", &attrs.group, "example.com");
    group(&group_text, &spec().child("group"), &mut outline.causes);
    outline.version(resource);
    outline.names(resource);
    outline.parts(resource);
    outline.conversion(resource);
    // Without an approval the compiler warns: a client that only reads objects of such a group does not install the definition.
    if let text = approval_text(resource)
        && !text.is_empty()
    {
        outline.spans.push(("metadata.annotations[".to_owned(), attrs.group.span()));
        approval(&group_text, &text, None, &mut outline.causes);
    }
    if attrs.crd_preserve_unknown_fields == Some(true) {
        outline.spans.push(("spec.preserveUnknownFields".to_owned(), attrs.kind.span()));
        preserved(&spec(), &mut outline.causes);
    }
    for diagnostic in outline.causes.iter() {
        if let Some(span) = outline.span(&written_path(&diagnostic.field).to_string()) {
            wrong(errors, span, words(diagnostic));
        }
    }
    pairs("labels", &attrs.labels, errors);
    pairs("annotations", &attrs.annotations, errors);
    pairs("labels", &attrs.object_labels, errors);
    pairs("annotations", &attrs.object_annotations, errors);
}

/// Returns `true` if the group belongs to the Kubernetes project, but the CRD lacks the required approval.
pub(crate) fn lacks_approval(resource: &Resource<'_>) -> bool {
    let Some(group) = resource.attrs.group.literal() else { return false };
    let mut causes = Causes::default();
    approval(&group, &approval_text(resource), None, &mut causes);
    causes.iter().any(|cause| cause.reason == CauseReason::Required)
}

/// Returns the value of the approval annotation. A value that is not a literal counts as `unapproved`, which the API server accepts.
fn approval_text(resource: &Resource<'_>) -> String {
    let or = |text: &Text, otherwise: &str| text.literal().unwrap_or_else(|| otherwise.to_owned());
    let approvals = resource.attrs.annotations.iter().rev();
    let mut approvals = approvals.filter(|pair| or(&pair.0, APPROVED) == APPROVED);
    approvals.next().map(|pair| or(&pair.1, "unapproved")).unwrap_or_default()
}

fn words(diagnostic: &Diagnostic) -> String {
    let field = written_path(&diagnostic.field).to_string();
    let help = match field.as_str() {
        // Only for a group without a dot another one is proposed.
        "spec.group" if diagnostic.reason == CauseReason::Invalid && diagnostic.remedy.is_some() => {
            Some("use a domain that you own, such as `stable.example.com`")
        }
        "spec.versions[0].name" => Some("a version is written like `v1`, `v1beta1` or `v2alpha3`"),
        _ => diagnostic.help(),
    };
    let help = help.map(|help| format!("; help: {help}")).unwrap_or_default();
    format!("{field}: {}{help}", diagnostic.message)
}

fn spec() -> FieldPath {
    FieldPath::new("spec")
}

/// The errors found so far, and the position of each checked part in the code. Strings that are not literals are replaced with valid
/// strings.
#[derive(Default)]
struct Outline {
    causes: Causes,
    spans: Vec<(String, Span)>,
}

impl Outline {
    /// Returns the position of the attribute for `field`, or for the innermost field that contains `field`.
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

    fn version(&mut self, resource: &Resource<'_>) {
        let attrs = &resource.attrs;
        let name = self.text("spec.versions[0].name", &attrs.version, "v1");
        let path = spec().child("versions").index(0);
        label(&name, &path.child("name"), &mut self.causes);
        if let Some(Deprecated::Warning(text)) = &attrs.deprecated
            && let Some(warning) = self.optional("spec.versions[0].deprecationWarning", Some(text))
        {
            deprecation_warning(&warning, true, &path.child("deprecationWarning"), &mut self.causes);
        }
    }

    fn names(&mut self, resource: &Resource<'_>) {
        let attrs = &resource.attrs;
        let kind = self.text("spec.names.kind", &attrs.kind, "Kind");
        // A name made from the kind is as right as the kind: it has no place of its own.
        let name = |outline: &mut Self, field: &str, name: &Name| match name {
            Name::Known(name) => name.clone(),
            Name::Given(text) => outline.text(field, text, "kind"),
        };
        let plural = name(self, "spec.names.plural", &resource.plural);
        let mut singular = name(self, "spec.names.singular", &resource.singular);
        let mut list_kind = match &attrs.list_kind {
            Some(text) => self.text("spec.names.listKind", text, "KindList"),
            None => String::new(),
        };
        // The API server's defaults.
        if singular.is_empty() {
            singular = to_lower(&kind);
        }
        if list_kind.is_empty() && !kind.is_empty() {
            list_kind = format!("{kind}List");
        }
        let texts = |outline: &mut Self, field: &str, texts: &[Text]| -> Vec<String> {
            let name = |(i, text)| outline.text(&format!("{field}[{i}]"), text, "name");
            texts.iter().enumerate().map(name).collect()
        };
        let names = Names {
            plural: &plural,
            singular: &singular,
            kind: &kind,
            list_kind: &list_kind,
            short_names: &texts(self, "spec.names.shortNames", &attrs.short_names),
            categories: &texts(self, "spec.names.categories", &attrs.categories),
        };
        self::names(&names, &spec().child("names"), &mut self.causes);
    }

    /// Checks the scale subresource and the columns.
    fn parts(&mut self, resource: &Resource<'_>) {
        if let Some(scale) = resource.attrs.scale.as_deref() {
            self.scale(scale);
        }
        for (i, column) in resource.attrs.columns.iter().enumerate() {
            self.column(i, column);
        }
    }

    fn scale(&mut self, attr: &ScaleAttr) {
        const PATH: &str = "spec.versions[0].subresources.scale";
        let paths = match attr {
            ScaleAttr::Raw(text) => {
                // Invalid values have been reported.
                let Some(raw) = self.raw(PATH, text, ScaleJson::parse) else { return };
                raw
            }
            ScaleAttr::Parts(scale) => {
                let path = |key: &str| format!("{PATH}.{key}");
                ScaleJson {
                    spec_replicas_path: self.text(
                        &path("specReplicasPath"),
                        &scale.spec_replicas_path,
                        ".spec.replicas",
                    ),
                    status_replicas_path: self.text(
                        &path("statusReplicasPath"),
                        &scale.status_replicas_path,
                        ".status.replicas",
                    ),
                    label_selector_path: self
                        .optional(&path("labelSelectorPath"), scale.label_selector_path.as_ref()),
                }
            }
        };
        let paths = Scale {
            spec_replicas_path: &paths.spec_replicas_path,
            status_replicas_path: &paths.status_replicas_path,
            label_selector_path: paths.label_selector_path.as_deref(),
        };
        let path = spec().child("versions").index(0).child("subresources");
        scale(&paths, &path, &mut self.causes);
    }

    fn column(&mut self, i: usize, attr: &ColumnAttr) {
        let at = format!("spec.versions[0].additionalPrinterColumns[{i}]");
        let found = match attr {
            ColumnAttr::Raw(text) => {
                let Some(raw) = self.raw(&at, text, ColumnJson::parse) else { return };
                raw
            }
            ColumnAttr::Parts(parts) => ColumnJson {
                name: self.text(&format!("{at}.name"), &parts.name, "A"),
                type_: match parts.type_() {
                    Some(type_) => self.text(&format!("{at}.type"), type_, "string"),
                    None => "string".to_owned(),
                },
                json_path: self.text(&format!("{at}.jsonPath"), &parts.json_path, ".a"),
                format: self.optional(&format!("{at}.format"), parts.format.as_ref()).unwrap_or_default(),
                ..ColumnJson::default()
            },
        };
        let ColumnJson { name, type_, json_path, format, .. } = &found;
        let path = spec().child("versions").index(0).child("additionalPrinterColumns").index(i);
        column(&Column { name, type_, format, json_path }, &path, &mut self.causes);
    }

    /// Parses a literal that contains JSON.
    fn raw<T>(&mut self, field: &str, text: &Text, read: fn(&str) -> Result<T, String>) -> Option<T> {
        let part = read(&text.literal()?).ok()?;
        self.spans.push((field.to_owned(), text.span()));
        Some(part)
    }

    fn conversion(&mut self, resource: &Resource<'_>) {
        let Some(Conversion::Webhook(webhook)) = &resource.attrs.conversion else { return };
        self.spans.push(("spec.conversion".to_owned(), webhook.span()));
        if resource.attrs.crd_preserve_unknown_fields == Some(true) {
            preserved_and_converted("Webhook", &spec(), &mut self.causes);
        }
        self.webhook(webhook);
    }

    fn webhook(&mut self, attrs: &Webhook) {
        const PATH: &str = "spec.conversion.webhook";
        let path = |key: &str| format!("{PATH}.clientConfig.{key}");
        let url = attrs.url.as_ref().map(|text| self.text(&path("url"), text, "https://example.com"));
        let service = attrs.service.as_ref().map(|attrs| {
            let namespace = self.text(&path("service.namespace"), &attrs.namespace, "default");
            let name = self.text(&path("service.name"), &attrs.name, "name");
            (namespace, name, self.optional(&path("service.path"), attrs.path.as_ref()), attrs.port)
        });
        let service = service.as_ref().map(|(namespace, name, path, port)| Service {
            namespace,
            name,
            path: path.as_deref(),
            port: *port,
        });
        let webhook = spec().child("conversion").child("webhook");
        let config = ClientConfig { url: url.as_deref(), service };
        client_config(Some(&config), &webhook.child("clientConfig"), &mut self.causes);
        let versions = attrs.review_versions.as_ref().map(|texts| {
            let at = |i: usize| format!("{PATH}.conversionReviewVersions[{i}]");
            texts.0.iter().enumerate().map(|(i, text)| self.text(&at(i), text, "v1")).collect()
        });
        let versions: Vec<String> = versions.unwrap_or_else(|| vec!["v1".to_owned()]);
        review_versions(&versions, true, &webhook.child("conversionReviewVersions"), &mut self.causes);
    }
}

/// Checks labels and annotations one by one, because the API server's error does not say which label or annotation is wrong.
fn pairs(field: &str, pairs: &[Pair], errors: &mut Errors) {
    let mut check = |key: &str, value: &str, span: Span| {
        let mut causes = Causes::default();
        let (pair, path) = ([(key, value)].into_iter(), FieldPath::new("metadata"));
        match field {
            "labels" => labels(pair, &path, &mut causes),
            _ => annotations(pair, &path, &mut causes),
        }
        for diagnostic in causes.iter() {
            wrong(errors, span, words(diagnostic));
        }
    };
    for Pair(key, value) in pairs {
        check(key.literal().as_deref().unwrap_or("key"), "", key.span());
        check("key", &value.literal().unwrap_or_default(), value.span());
    }
}
