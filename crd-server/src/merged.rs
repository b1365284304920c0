//! Merges a new CRD with the stored CRD, as kubectl and server-side apply do before validation.
//!
//! Source: `pkg/cmd/apply/{apply,patcher}.go` of `k8s.io/kubectl`.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crd_core::crd::API_VERSION;
use crd_core::{FieldPath, KubeVersion};
use serde_json::{Map, Value, json};

use crate::apply::{ANNOTATION, annotation};
use crate::definition::{Definition, Origin, crd_of_crds, crd_type, established};
use crate::depth;
use crate::json::{metadata_mut, print_sorted, text};
use crate::patch::{Patch, three_way};
use crate::request::options::WriteOptions;
use crate::request_info::RequestInfo;
use crate::server::Rejected;
use crate::status::Failure;
use crate::verbs::{CRD_KIND, Through, merge, set_entries};

/// Specifies how a client sends a new CRD.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateMethod<'a> {
    /// The whole CRD: `kubectl replace`, `kubectl create`, or an update by another client.
    #[default]
    Replace,
    /// `kubectl apply`: a patch with the changes since the last apply.
    Apply,
    /// Server-side apply: `kubectl apply --server-side`, or another client with its own field manager.
    ServerSideApply {
        /// The field manager, such as `kubectl`.
        manager: &'a str,
        /// `true` if the manager takes over other managers' fields.
        force: bool,
    },
}

/// A new CRD merged with the stored CRD, as the API server validates it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedCrd {
    /// The merged CRD. The status comes from the new CRD, and there are no `managedFields`.
    pub crd: Value,
    /// `false` if the client sends no request, because nothing changes.
    pub is_sent: bool,
}

/// The error for a CRD that cannot be merged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NotMerged {
    /// The API server's response.
    pub rejected: Rejected,
    /// The paths in the new CRD to which the response's causes refer, in the same order. If values have the wrong type, there are no
    /// causes, and the paths lead to these values.
    pub places: Vec<FieldPath>,
}

impl fmt::Display for NotMerged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rejected.fmt(f)
    }
}

impl std::error::Error for NotMerged {}

impl From<Failure> for NotMerged {
    fn from(failure: Failure) -> Self {
        Self { rejected: Rejected(failure.to_value()), places: failure.places }
    }
}

/// Merges a new CRD with the stored CRD, as kubectl or the API server does before validation. If there is no stored CRD, the new CRD is
/// created.
///
/// `kubectl apply` removes fields that are missing in the new CRD but were in the last applied CRD. The stored CRD contains the last
/// applied CRD in the annotation `kubectl.kubernetes.io/last-applied-configuration`. A stored CRD without the annotation counts as the last
/// applied CRD itself, unless it has a UID. With a UID, the stored CRD comes from a server, and nothing counts as applied before.
///
/// Server-side apply removes fields that are missing in the new CRD and that only the given manager owns. If the stored CRD has no
/// `managedFields`, the manager owns the fields in the annotation or, without the annotation, all fields.
///
/// # Errors
/// - Another field manager owns a field that the new CRD changes.
/// - A value in the new CRD has the wrong type for server-side apply.
///
/// ```
/// use crd_core::KubeVersion;
/// use crd_server::{UpdateMethod, merge_crd};
/// use serde_json::json;
///
/// let crd = json!({
///     "apiVersion": "apiextensions.k8s.io/v1",
///     "kind": "CustomResourceDefinition",
///     "metadata": {"name": "crontabs.stable.example.com"},
///     "spec": {"group": "stable.example.com", "names": {"plural": "crontabs", "kind": "CronTab"}, "scope": "Namespaced", "versions": []},
/// });
/// let mut stored = crd.clone();
/// stored["metadata"]["uid"] = json!("4b6f8d6e");
/// stored["spec"]["preserveUnknownFields"] = json!(true);
/// let merged = merge_crd(Some(&stored), &crd, UpdateMethod::Apply, KubeVersion::default())?;
/// assert_eq!(merged.crd["spec"]["preserveUnknownFields"], true);
/// # Ok::<(), crd_server::NotMerged>(())
/// ```
pub fn merge_crd(
    stored: Option<&Value>,
    new: &Value,
    method: UpdateMethod<'_>,
    release: KubeVersion,
) -> Result<MergedCrd, NotMerged> {
    let is_flat = |crd: &Value| crd.is_object() && depth::is_within(crd, depth::MOST_OF_DEFINITION);
    // The API server does not read such a CRD.
    if method == UpdateMethod::Replace || !is_flat(new) || !stored.is_none_or(is_flat) {
        return Ok(MergedCrd { crd: new.clone(), is_sent: true });
    }
    // Merging is recursive.
    let merged = depth::on_large_stack(|| match method {
        UpdateMethod::ServerSideApply { manager, force } => {
            server_side(stored, new, WriteOptions { force, ..WriteOptions::for_manager(manager) }, release)
        }
        _ => client_side(stored, new),
    });
    let merged = merged.map_err(|error| Failure::internal(format!("no stack for a deep CRD: {error}")))?;
    let MergedCrd { mut crd, is_sent } = merged?;
    if let Some(metadata) = metadata_mut(&mut crd) {
        crd_go::json::remove(metadata, "managedFields");
    }
    if let Value::Object(fields) = &mut crd {
        // The status stays as it is stored, but a sent one must be readable.
        crate::json::set(fields, "status", new.get("status").cloned());
    }
    Ok(MergedCrd { crd, is_sent })
}

/// Returns the CRD after `kubectl apply`.
fn client_side(stored: Option<&Value>, new: &Value) -> Result<MergedCrd, NotMerged> {
    let new = annotated(new);
    let Some(stored) = stored else { return Ok(MergedCrd { crd: new, is_sent: true }) };
    let last = match annotation(stored) {
        Some(annotation) => serde_json::from_str(annotation).map_err(|_| {
            let text = format!("the annotation `{ANNOTATION}` of the stored CRD is not JSON");
            Failure::bad_request(text)
        })?,
        None => last_applied(stored),
    };
    let live = live(stored);
    let empty = Map::new();
    let [last, new, fields] = [&last, &new, &live].map(|crd| crd.as_object().unwrap_or(&empty));
    let patch = three_way(last, new, fields);
    let is_sent = !patch.is_empty();
    Ok(MergedCrd { crd: Patch::Strategic(patch).apply(live, None)?, is_sent })
}

/// Returns the CRD after server-side apply.
fn server_side(
    stored: Option<&Value>,
    new: &Value,
    options: WriteOptions,
    release: KubeVersion,
) -> Result<MergedCrd, NotMerged> {
    let definition = Definition::from_stored(&crd_of_crds(), Origin::Definitions, release)
        .ok_or_else(|| Failure::internal("no definition of CRDs"))?;
    let version = definition.storage().to_owned();
    let name = text(new, &["metadata", "name"]).to_owned();
    let place = RequestInfo { definition: Arc::new(definition), version, namespace: String::new(), name };
    let through = Through { place: &place, subresource: "", options: &options, now: "" };
    let live = stored.map(|stored| {
        let mut live = live(stored);
        if live.pointer("/metadata/managedFields").is_none() {
            let last = annotation(stored).and_then(|last| serde_json::from_str(last).ok());
            let last = last.unwrap_or_else(|| stored.clone());
            let entry = through.with_writer(|writer| writer.applier(&typed(&last)));
            set_entries(&mut live, entry.into_iter().collect());
        }
        live
    });
    let merged = merge(&through, live, new)?;
    Ok(MergedCrd { crd: merged.object, is_sent: true })
}

/// Returns a stored CRD as it appears in the API server's responses.
fn live(stored: &Value) -> Value {
    let mut live = typed(stored);
    established::set_defaults(&mut live);
    live
}

/// Returns a CRD as serialized by Go.
fn typed(crd: &Value) -> Value {
    let (mut crd, _) = crd_type::read(crd.clone(), HashSet::new());
    if let Value::Object(fields) = &mut crd {
        fields.insert("apiVersion".to_owned(), API_VERSION.into());
        fields.insert("kind".to_owned(), CRD_KIND.into());
    }
    crd
}

/// Returns the last applied CRD if the stored CRD lacks the annotation of `kubectl apply`. The result is an empty object if the stored CRD
/// comes from a server, and otherwise the stored CRD itself.
fn last_applied(stored: &Value) -> Value {
    let is_from_server = !text(stored, &["metadata", "uid"]).is_empty();
    if is_from_server { json!({}) } else { stored.clone() }
}

/// Adds the annotation of `kubectl apply` to a CRD. The annotation contains the whole CRD.
fn annotated(crd: &Value) -> Value {
    let mut crd = crd.clone();
    let annotations = |crd: &mut Value| {
        let annotations = metadata_mut(crd)?.entry("annotations").or_insert(Value::Null);
        if annotations.is_null() {
            *annotations = json!({});
        }
        annotations.as_object_mut().map(std::mem::take)
    };
    let Some(mut kept) = annotations(&mut crd) else { return crd };
    crd_go::json::remove(&mut kept, ANNOTATION);
    crd["metadata"]["annotations"] = kept.clone().into();
    let printed = String::from_utf8_lossy(&print_sorted(&crd)).into_owned();
    kept.insert(ANNOTATION.to_owned(), printed.into());
    crd["metadata"]["annotations"] = kept.into();
    crd
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER_SIDE: UpdateMethod<'_> = UpdateMethod::ServerSideApply { manager: "kubectl", force: false };

    fn crd(spec: &Value) -> Value {
        let mut crd = json!({
            "apiVersion": API_VERSION, "kind": CRD_KIND, "metadata": {"name": "hats.e.io"},
            "spec": {"group": "e.io", "scope": "Cluster", "names": {"plural": "hats", "kind": "Hat"}, "versions": [{"name": "v1", "served": true, "storage": true}]},
        });
        for (name, value) in spec.as_object().unwrap() {
            crd["spec"][name] = value.clone();
        }
        crd
    }

    /// Returns the spec of a new CRD after it was merged with a stored CRD.
    fn merged(stored: &Value, new: &Value, method: UpdateMethod<'_>) -> Result<Value, String> {
        let merged = merge_crd(Some(stored), new, method, KubeVersion::default());
        merged.map(|merged| merged.crd["spec"].clone()).map_err(|error| error.to_string())
    }

    fn from_server(mut crd: Value, last: Option<&Value>) -> Value {
        crd["metadata"]["uid"] = json!("1");
        if let Some(last) = last {
            crd["metadata"]["annotations"] = json!({ANNOTATION: last.to_string()});
        }
        crd
    }

    #[test]
    fn kubectl_apply_removes_what_it_applied() {
        let preserving = crd(&json!({"preserveUnknownFields": true}));
        let new = crd(&json!({}));
        let is_kept =
            |stored: &Value, method| Ok(merged(stored, &new, method)?.get("preserveUnknownFields").is_some());
        // The annotation counts.
        let stored = from_server(preserving.clone(), Some(&new));
        assert_eq!(is_kept(&stored, UpdateMethod::Apply), Ok(true));
        let stored = from_server(preserving.clone(), Some(&preserving));
        assert_eq!(is_kept(&stored, UpdateMethod::Apply), Ok::<_, String>(false));
        // Without it, a file was applied as it is, and a CRD of a server was not.
        assert_eq!(is_kept(&preserving, UpdateMethod::Apply), Ok(false));
        assert_eq!(is_kept(&from_server(preserving.clone(), None), UpdateMethod::Apply), Ok(true));
        // The manager owns all of a CRD without field managers.
        assert_eq!(is_kept(&preserving, SERVER_SIDE), Ok(false));
        assert_eq!(is_kept(&from_server(preserving.clone(), Some(&new)), SERVER_SIDE), Ok(true));
        assert_eq!(is_kept(&preserving, UpdateMethod::Replace), Ok(false));
    }

    #[test]
    fn fields_of_other_managers_stay_and_conflict() {
        let converted = |url: &str| {
            let client = json!({"url": url});
            json!({"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}})
        };
        let mut stored = from_server(crd(&converted("https://a.io")), None);
        let url = json!({"f:spec": {"f:conversion": {"f:webhook": {"f:clientConfig": {"f:url": {}}}}}});
        stored["metadata"]["managedFields"] = json!([{
            "manager": "other", "operation": "Update", "apiVersion": API_VERSION, "fieldsType": "FieldsV1", "fieldsV1": url,
        }]);
        let kept = merged(&stored, &crd(&json!({})), SERVER_SIDE).unwrap();
        assert_eq!(kept["conversion"], stored["spec"]["conversion"]);
        let new = crd(&converted("https://b.io"));
        let error = merge_crd(Some(&stored), &new, SERVER_SIDE, KubeVersion::default()).unwrap_err();
        let path = "spec.conversion.webhook.clientConfig.url";
        assert_eq!(
            error.to_string(),
            format!("Apply failed with 1 conflict: conflict with \"other\" using {API_VERSION}: .{path}")
        );
        assert_eq!(error.places.iter().map(ToString::to_string).collect::<Vec<_>>(), [path]);
        let force = UpdateMethod::ServerSideApply { manager: "kubectl", force: true };
        assert_eq!(merged(&stored, &new, force).unwrap()["conversion"], new["spec"]["conversion"]);
    }

    #[test]
    fn unknown_fields_are_not_applied() {
        let new = crd(&json!({"colour": 1}));
        let error = merge_crd(None, &new, SERVER_SIDE, KubeVersion::default()).unwrap_err();
        assert!(error.to_string().ends_with(".spec.colour: field not declared in schema"), "{error}");
        assert_eq!(error.places[0].to_string(), "spec.colour");
        let created = merge_crd(None, &new, UpdateMethod::Apply, KubeVersion::default()).unwrap();
        assert!(created.crd["metadata"]["annotations"][ANNOTATION].as_str().unwrap().contains("colour"));
    }

    #[test]
    fn nothing_is_sent_without_a_change() {
        let new = crd(&json!({}));
        let created = merge_crd(None, &new, UpdateMethod::Apply, KubeVersion::default()).unwrap();
        let again = merge_crd(Some(&created.crd), &new, UpdateMethod::Apply, KubeVersion::default()).unwrap();
        assert!(!again.is_sent);
    }
}
