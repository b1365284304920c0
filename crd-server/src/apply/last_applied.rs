//! Migrates objects from `kubectl apply` to server-side apply.
//!
//! Source: `internal/lastapplied{,manager,updater}.go` of `k8s.io/apimachinery/pkg/util/managedfields`.

use serde_json::Value;

use super::compare::{Comparison, field_set};
use super::declared::Declared;
use super::set::Set;
use super::types::Types;
use super::validate::{Duplicates, validate};
use crate::json::{metadata_mut, print_sorted, text};

/// The field manager of `kubectl apply`. This manager has no conflicts in fields that the annotation contains.
pub(super) const KUBECTL: &str = "kubectl";

/// The annotation in which `kubectl apply` keeps the last object that it applied.
pub(crate) const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Maximum total size of all annotations, in bytes: `TotalAnnotationSizeLimitB`.
const MOST_BYTES: usize = 256 * 1024;

/// Returns the fields that `kubectl apply` set and nobody has changed since.
pub(super) fn fields(live: &Value, types: &dyn Types, api_version: &str) -> Option<Set> {
    let node = types.node(api_version)?;
    validate(live, node, None, Duplicates::Rejected).ok()?;
    let last: Value = serde_json::from_str(annotation(live)?).ok()?;
    if text(&last, &["apiVersion"]) != api_version {
        return None;
    }
    let declared = Declared::of(&last, node);
    validate(&last, node, declared.as_ref(), Duplicates::Rejected).ok()?;
    let Comparison { modified, added, removed } = Comparison::new(&last, live, node);
    Some(field_set(&last, node).difference(&modified).difference(&added).difference(&removed))
}

/// Updates the annotation with the applied object, if the object has the annotation.
pub(super) fn renew(object: &mut Value, applied: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let mut applied = applied.clone();
    if let Some(metadata) = metadata_mut(&mut applied)
        && let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut)
    {
        crd_go::json::remove(annotations, ANNOTATION);
    }
    let printed = String::from_utf8_lossy(&print_sorted(&applied)).into_owned();
    let annotations =
        metadata_mut(object).and_then(|metadata| metadata.get_mut("annotations")?.as_object_mut());
    let Some(annotations) = annotations else { return };
    annotations.insert(ANNOTATION.to_owned(), printed.into());
    let size = |(name, value): (&String, &Value)| name.len() + value.as_str().map_or(0, str::len);
    if annotations.iter().map(size).sum::<usize>() > MOST_BYTES {
        crd_go::json::remove(annotations, ANNOTATION);
    }
}

/// Returns the text of the object that `kubectl apply` applied last.
pub(crate) fn annotation(object: &Value) -> Option<&str> {
    let annotation = object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str()?;
    (!annotation.is_empty()).then_some(annotation)
}
