//! The API server's verdict on a CRD that replaces a stored CRD.
//!
//! Source: `PrepareForUpdate` in `registry/customresourcedefinition/strategy.go`, and
//! `ValidateCustomResourceDefinitionUpdate` in `validation.go`.

use serde_json::Value;

use super::{ServerOptions, Verdict};
use crate::CustomResourceDefinition;

/// Checks a CRD in JSON that replaces `old`, as a chosen version of the API server does.
///
/// An update must not change group and plural. Once the CRD is served, it must not change scope and kind either. An update must keep all
/// versions in which objects are stored. An update may keep rules that a new CRD must not have: stored expressions may use all functions of
/// the server.
///
/// `old` is the CRD as it is stored. The `status` of `old` shows whether the CRD is served, and in which versions objects are stored.
/// Without a status, `old` counts as served, with objects in its storage version. Both CRDs have the same name: a CRD with another name is
/// a new CRD. The check does not cover:
///
/// - violations that only stored CRDs from before `apiextensions.k8s.io/v1` can have: schemas that are not structural, and defaults with
///   unknown fields
/// - more than eight stored selectable fields
/// - a `caBundle` without a certificate, because certificates are not parsed
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_core::check::{ServerOptions, update};
/// use serde_json::json;
///
/// let old = json!({
///     "metadata": {"name": "crontabs.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "crontabs", "kind": "CronTab"},
///         "scope": "Namespaced",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]
///     }
/// });
/// let stored = CustomResourceDefinition::from_value(old.clone())?;
/// assert!(update(&stored, old.clone(), ServerOptions::default()).0.accepted);
///
/// let mut new = old;
/// new["spec"]["scope"] = json!("Cluster");
/// let (verdict, _) = update(&stored, new, ServerOptions::default());
/// assert_eq!(verdict.errors[0].to_string(), "spec.scope: Invalid value: \"Cluster\": field is immutable");
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn update(
    old: &CustomResourceDefinition,
    new: Value,
    options: ServerOptions,
) -> (Verdict, Option<CustomResourceDefinition>) {
    Verdict::for_sent(new, Some(old), options)
}
