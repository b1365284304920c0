//! Determines a pod's grace period, and the fields that a deletion sets.
//!
//! Source: `rest.BeforeDelete` of `k8s.io/apiserver`, and the `strategy.go` of pods and jobs in `pkg/registry` of Kubernetes.

use serde_json::Value;

use crate::json::{metadata_mut, text};
use crate::request::delete_options::DeleteOptions;
use crate::request_info::RequestInfo;
use crate::shared::Shared;
use crate::store::Stored;

/// The warning for a deletion of a Job without a propagation policy.
pub(super) const ORPHANS: &str = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to \
                                  remove them or set propagationPolicy=Orphan to suppress this warning";
/// The default grace period for pods, in seconds.
const DEFAULT: i64 = 30;

/// The fields that a deletion sets.
pub(super) struct Grace {
    /// The deletion time and the grace period in seconds, or `None` if these fields do not change.
    marks: Option<(String, i64)>,
    /// The remaining seconds of the grace period after this request.
    left: i64,
    is_pod: bool,
}

/// Returns `true` if an object's dependents are kept by default.
pub(super) fn orphans(place: &RequestInfo) -> bool {
    place.definition.built_in().is_some_and(|row| row.orphans_dependents)
}

/// Returns the grace period in an object's metadata.
pub(crate) fn grace_of(object: &Value) -> i64 {
    object.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or_default()
}

impl Grace {
    pub(super) fn for_deletion(
        server: &Shared,
        place: &RequestInfo,
        old: &Stored,
        options: &DeleteOptions,
    ) -> Self {
        let is_pod = place.definition.built_in().is_some_and(|row| row.is_core("Pod"));
        if !is_pod {
            return Self { marks: Some((server.now(), 0)), left: 0, is_pod };
        }
        let pod = old.value();
        if old.is_going() {
            let left = grace_of(&pod);
            return match options.grace {
                Some(shorter) if shorter < left => {
                    let shorter = shorter.max(0);
                    Self { marks: Some((server.now_after(shorter), shorter)), left: shorter, is_pod }
                }
                _ => Self { marks: None, left, is_pod },
            };
        }
        let own = pod.pointer("/spec/terminationGracePeriodSeconds").and_then(Value::as_i64);
        let is_idle = text(&pod, &["spec", "nodeName"]).is_empty()
            || matches!(text(&pod, &["status", "phase"]), "Succeeded" | "Failed");
        let seconds = match options.grace.or(own).unwrap_or(DEFAULT) {
            _ if is_idle => 0,
            seconds if seconds < 0 => 1,
            seconds => seconds,
        };
        Self { marks: Some((server.now_after(seconds), seconds)), left: seconds, is_pod }
    }

    /// Returns `true` if the grace period is over. Only finalizers can then keep the object.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0
    }

    /// Returns an object's last state. For pods, this state includes the fields that the deletion sets.
    pub(super) fn last(&self, object: Value) -> Value {
        if self.is_pod { self.mark(object) } else { object }
    }

    /// Adds the fields that mark an object as being deleted: `markAsDeleting`.
    pub(super) fn mark(&self, mut object: Value) -> Value {
        let Some((time, seconds)) = &self.marks else { return object };
        if let Some(metadata) = metadata_mut(&mut object) {
            let is_new = !metadata.contains_key("deletionTimestamp");
            if is_new || self.is_pod {
                metadata.insert("deletionTimestamp".to_owned(), time.as_str().into());
            }
            let generation = metadata.get("generation").and_then(Value::as_i64).unwrap_or_default();
            if is_new && generation > 0 {
                metadata.insert("generation".to_owned(), generation.saturating_add(1).into());
            }
            metadata.insert("deletionGracePeriodSeconds".to_owned(), (*seconds).into());
        }
        object
    }
}
