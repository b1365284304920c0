//! `spec.conversion.webhook`.

use std::collections::HashSet;

use crate::KubeVersion;
use crate::field::{Causes, Diagnostic, Edit, FieldPath, Remedy, Shown};
use crate::names::{dns_1035_label, dns_1123_subdomain};
use crate::url;

/// The address of a webhook. Exactly one of the two fields must be set.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClientConfig<'a> {
    /// The URL.
    pub url: Option<&'a str>,
    /// The service.
    pub service: Option<Service<'a>>,
}

/// A service of the cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct Service<'a> {
    /// The service's namespace.
    pub namespace: &'a str,
    /// The service's name.
    pub name: &'a str,
    /// The path of the URL.
    pub path: Option<&'a str>,
    /// The port. The default is 443.
    pub port: Option<i32>,
}

/// Checks the address of a webhook.
pub fn client_config(config: Option<&ClientConfig<'_>>, path: &FieldPath, out: &mut Causes) {
    let Some(config) = config else {
        out.push(
            Diagnostic::required(path.clone(), "required when strategy is set to Webhook")
                .with_help("add `webhook.clientConfig.service`, or set `strategy: None`"),
        );
        return;
    };
    match (config.url, &config.service) {
        (Some(address), None) => url(address, &path.child("url"), out),
        (None, Some(reference)) => service(reference, &path.child("service"), out),
        _ => out.push(Diagnostic::required(path.clone(), "exactly one of url or service is required")),
    }
}

fn url(text: &str, path: &FieldPath, out: &mut Causes) {
    const FORM: &str = "; desired format: https://host[/path]";
    let url = match url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            out.push(Diagnostic::required(path.clone(), &format!("url must be a valid URL: {error}{FORM}")));
            return;
        }
    };
    let mut invalid = |value: &str, detail: &str| out.push(Diagnostic::invalid(path.clone(), value, detail));
    if url.scheme != "https" {
        invalid(&url.scheme, &format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if url.host.is_empty() {
        invalid(&url.host, &format!("host must be specified{FORM}"));
    }
    if let Some(user) = &url.user {
        invalid(&user.escaped(), "user information is not permitted in the URL");
    }
    if !url.fragment.is_empty() {
        invalid(&url.fragment, "fragments are not permitted in the URL");
    }
    if !url.query.is_empty() {
        invalid(&url.query, "query parameters are not permitted in the URL");
    }
}

fn service(service: &Service<'_>, path: &FieldPath, out: &mut Causes) {
    // The API server swaps name and namespace here: its caller passes them in the wrong order.
    if service.namespace.is_empty() {
        let detail = required("service name is required", out.version());
        out.push(Diagnostic::required(path.child("name"), detail).with_help("add `namespace`"));
    }
    if service.name.is_empty() {
        let detail = required("service namespace is required", out.version());
        out.push(Diagnostic::required(path.child("namespace"), detail).with_help("add `name`"));
    }
    let port = service.port.unwrap_or(443);
    if !(1..=65535).contains(&port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        out.push(Diagnostic::invalid(path.child("port"), i64::from(port), detail));
    }
    if let Some(text) = service.path {
        service_path(text, &path.child("path"), out);
    }
}

/// Returns the detail for a missing value. Since 1.34, the detail is empty.
fn required(detail: &str, version: KubeVersion) -> &str {
    if version.is_at_least(34) { "" } else { detail }
}

fn service_path(text: &str, path: &FieldPath, out: &mut Causes) {
    let mut invalid = |detail: &str| out.push(Diagnostic::invalid(path.clone(), text, detail));
    if text.is_empty() || text == "/" {
        return;
    }
    if text == "//" {
        invalid("segment[0] may not be empty");
        return;
    }
    if !text.starts_with('/') {
        invalid("must start with a '/'");
    }
    // Any first byte is skipped, not only a slash. The rest of a longer character is not a valid name either.
    let rest = text.char_indices().nth(1).map_or("", |(at, _)| &text[at..]);
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    for (i, segment) in rest.split('/').enumerate() {
        if segment.is_empty() {
            invalid(&format!("segment[{i}] may not be empty"));
            continue;
        }
        for failure in dns_1123_subdomain(segment) {
            invalid(&format!("segment[{i}]: {failure}"));
        }
    }
}

/// Checks the versions of `ConversionReview` that a webhook accepts. The API server must know at least one of these versions, unless the
/// CRD replaces a CRD without a known version.
pub fn review_versions(versions: &[String], needs_known: bool, path: &FieldPath, out: &mut Causes) {
    if versions.is_empty() {
        let remedy = Remedy::new("add `webhook.conversionReviewVersions: [\"v1\"]`");
        let remedy = remedy.with(Edit::add(path.clone(), vec!["v1"]));
        out.push(Diagnostic::required(path.clone(), "").with_help(remedy));
        return;
    }
    let mut seen = HashSet::new();
    for (i, version) in versions.iter().enumerate() {
        if !seen.insert(version.as_str()) {
            out.push(Diagnostic::invalid(path.index(i), version.as_str(), "duplicate version"));
            continue;
        }
        let wrong = dns_1035_label(version);
        out.extend(wrong.iter().map(|detail| Diagnostic::invalid(path.index(i), version.as_str(), detail)));
    }
    if needs_known && !versions.iter().any(|version| version == "v1" || version == "v1beta1") {
        let detail = "must include at least one of v1, v1beta1";
        let shown = Shown::strings(Some(versions), out.version());
        let remedy = Remedy::new("add `v1`").with(Edit::add(path.index(versions.len()), "v1"));
        out.push(Diagnostic::invalid(path.clone(), shown, detail).with_help(remedy));
    }
}
