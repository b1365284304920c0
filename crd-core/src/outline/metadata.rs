//! `metadata`, with the approval that groups of the Kubernetes project need.

use crd_go::names::{dns_1123_subdomain, masked_prefix};
use crd_go::url::parse_request_uri;

use super::Before;
use crate::causes::Causes;
use crate::crd::Spec;
use crate::object_meta::{NameRule, generated_name, object_meta, object_meta_update};
use crate::{CustomResourceDefinition, Diagnostic, FieldPath, Remedy};

/// The annotation by which a group of the Kubernetes project shows that it was approved.
const APPROVED: &str = "api-approved.kubernetes.io";

/// Checks the metadata.
pub(super) fn metadata(crd: &CustomResourceDefinition, out: &mut Causes) {
    let path = FieldPath::new("metadata");
    let mut meta = crd.metadata.clone();
    // The server sets or clears these fields before its checks.
    meta.namespace.clear();
    meta.generation = None;
    if meta.name.is_empty() && !meta.generate_name.is_empty() {
        // A generated name is never the required name.
        meta.name = generated_name(&meta.generate_name);
    }
    let first = out.len();
    object_meta(&meta, false, &PluralAndGroup(&crd.spec), &path, out);
    let expected = PluralAndGroup(&crd.spec).name();
    for (field, name) in [("generateName", &meta.generate_name), ("name", &meta.name)] {
        let field = path.child(field);
        // That the name is another one is the last of its causes.
        let causes = out[first..].iter_mut().filter(|cause| cause.field == field);
        if let Some(cause) = causes.last().filter(|_| !name.is_empty() && *name != expected) {
            cause.remedy = Some(Remedy::meant(&expected, field));
        }
    }
}

/// Checks the metadata of a definition that replaces a stored one. The name is that of the stored one, and is not checked
/// again.
pub(super) fn metadata_update(crd: &CustomResourceDefinition, before: Before<'_>, out: &mut Causes) {
    let path = FieldPath::new("metadata");
    let mut meta = crd.metadata.clone();
    meta.name.clone_from(&before.0.metadata.name);
    meta.generate_name.clear();
    meta.namespace.clear();
    meta.generation = None;
    object_meta(&meta, false, &AnyName, &path, out);
    // The server asks twice what an update may do: for all objects, and for definitions.
    object_meta_update(&crd.metadata, &before.0.metadata, &path, out);
    object_meta_update(&crd.metadata, &before.0.metadata, &path, out);
}

/// Accepts every name.
struct AnyName;

impl NameRule for AnyName {
    fn name(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn prefix(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

const MUST_BE_PLURAL_AND_GROUP: &str = "must be spec.names.plural+\".\"+spec.group";

struct PluralAndGroup<'a>(&'a Spec);

impl PluralAndGroup<'_> {
    fn name(&self) -> String {
        format!("{}.{}", self.0.names.plural, self.0.group)
    }

    fn check(&self, text: &str, name: &str) -> Vec<String> {
        let mut wrong = dns_1123_subdomain(text);
        if name != self.name() {
            wrong.push(MUST_BE_PLURAL_AND_GROUP.to_owned());
        }
        wrong
    }
}

impl NameRule for PluralAndGroup<'_> {
    fn name(&self, name: &str) -> Vec<String> {
        self.check(name, name)
    }

    fn prefix(&self, prefix: &str) -> Vec<String> {
        self.check(&masked_prefix(prefix), prefix)
    }
}

/// Checks the approval of a group of the Kubernetes project. A stored definition may stay as approved as it is.
pub(super) fn approval(crd: &CustomResourceDefinition, before: Option<Before<'_>>, out: &mut Causes) {
    let group = crd.spec.group.as_str();
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|suffix| group.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    let new = approval_of(crd);
    if !is_protected || before.is_some_and(|before| approval_of(before.0) == new) {
        return;
    }
    let path = FieldPath::new("metadata").child("annotations").key(APPROVED);
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    match new {
        Approval::Missing => {
            let detail = format!("protected groups must have approval annotation \"{APPROVED}\", {see}");
            let help = "use a group of your own domain: this one belongs to the Kubernetes project";
            out.push(Diagnostic::required(path, &detail).with_help(help));
        }
        Approval::Invalid => {
            let detail = format!(
                "protected groups must have approval annotation \"{APPROVED}\" with either a URL or a reason starting \
                 with \"unapproved\", {see}"
            );
            out.push(Diagnostic::invalid(path, annotation(crd), &detail));
        }
        Approval::Bypassed | Approval::Approved => {}
    }
}

/// `GetAPIApprovalState` of `pkg/apihelpers`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Missing,
    Bypassed,
    Approved,
    Invalid,
}

fn annotation(crd: &CustomResourceDefinition) -> &str {
    let annotations = crd.metadata.annotations.as_ref();
    annotations.and_then(|all| all.get(APPROVED)).map_or("", String::as_str)
}

fn approval_of(crd: &CustomResourceDefinition) -> Approval {
    let annotation = annotation(crd);
    if annotation.is_empty() {
        Approval::Missing
    } else if annotation.starts_with("unapproved") {
        Approval::Bypassed
    } else if parse_request_uri(annotation).is_ok_and(|url| !url.host.is_empty() && !url.scheme.is_empty()) {
        Approval::Approved
    } else {
        Approval::Invalid
    }
}
