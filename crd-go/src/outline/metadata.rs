//! Labels, annotations, and the approval that the Kubernetes project's groups need.

use std::borrow::Cow;

use crate::field::{Causes, Diagnostic, FieldPath};
use crate::names::{label_key, label_value};
use crate::strings::to_lower;
use crate::url::parse_request_uri;

/// The annotation with the approval that the Kubernetes project's groups need.
pub const APPROVED: &str = "api-approved.kubernetes.io";
/// The limit for the size of all annotations, in bytes.
const ANNOTATION_BYTES: usize = 256 * 1024;

/// Checks the labels of the metadata at `path`.
pub fn labels<'m>(labels: impl Iterator<Item = (&'m str, &'m str)>, path: &FieldPath, out: &mut Causes) {
    let version = out.version();
    let path = path.child("labels");
    for (key, value) in labels {
        out.extend(
            label_key(key, version).iter().map(|detail| Diagnostic::invalid(path.clone(), key, detail)),
        );
        let details = label_value(value, version);
        out.extend(details.iter().map(|detail| Diagnostic::invalid(path.clone(), value, detail)));
    }
}

/// Checks the annotations of the metadata at `path`.
pub fn annotations<'m>(
    annotations: impl Iterator<Item = (&'m str, &'m str)>,
    path: &FieldPath,
    out: &mut Causes,
) {
    let path = path.child("annotations");
    let mut bytes = 0;
    for (key, value) in annotations {
        bytes += key.len() + value.len();
        // The case of letters does not matter here.
        let is_lower = key.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let lower = if is_lower { Cow::Borrowed(key) } else { Cow::Owned(to_lower(key)) };
        let details = label_key(&lower, out.version());
        out.extend(details.iter().map(|detail| Diagnostic::invalid(path.clone(), key, detail)));
    }
    if bytes > ANNOTATION_BYTES {
        out.push(Diagnostic::too_long(path, ANNOTATION_BYTES as i64, out.version()));
    }
}

/// Checks the approval that the Kubernetes project's groups need. A stored CRD may keep an unchanged approval. `annotation` is the text of
/// [`APPROVED`] in the new CRD, and `before` is the text in the replaced CRD.
pub fn approval(group: &str, annotation: &str, before: Option<&str>, out: &mut Causes) {
    let is_protected = ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|suffix| group.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    let new = approval_of(annotation);
    if !is_protected || before.is_some_and(|before| approval_of(before) == new) {
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
            out.push(Diagnostic::invalid(path, annotation, &detail));
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

fn approval_of(annotation: &str) -> Approval {
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
