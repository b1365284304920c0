//! Handles the pod subresource `ephemeralcontainers`, which `kubectl debug` uses to add containers.
//!
//! Source: `podEphemeralContainersStrategy` in `pkg/registry/core/pod/strategy.go`, and `ValidatePodEphemeralContainersUpdate` in
//! `pkg/apis/core/validation/validation.go` of Kubernetes.

use crd_core::{Diagnostic, FieldPath};
use crd_go::strings::quote;
use serde_json::{Map, Value, json};

use crate::json::{metadata_mut, set, text};
use crate::request_info::RequestInfo;
use crate::status::Failure;

/// The name of the subresource.
pub(super) const NAME: &str = "ephemeralcontainers";

/// The field in `spec` that contains the containers.
const FIELD: &str = "ephemeralContainers";

/// The annotation on pods that a kubelet runs from a file.
const STATIC: &str = "kubernetes.io/config.mirror";

/// Returns the stored pod with the sent pod's ephemeral containers. All other fields of the sent pod are ignored.
pub(super) fn replaced(sent: &Value, stored: &Value) -> Value {
    let mut pod = stored.clone();
    let containers = sent.pointer(&format!("/spec/{FIELD}"));
    let containers =
        containers.filter(|containers| containers.as_array().is_none_or(|items| !items.is_empty()));
    if let Some(Value::Object(spec)) = pod.get_mut("spec") {
        set(spec, FIELD, containers.filter(|containers| !containers.is_null()).cloned());
    }
    if let Some(metadata) = metadata_mut(&mut pod) {
        crd_go::json::remove(metadata, "managedFields");
    }
    pod
}

/// Checks that the stored pod's containers are unchanged. Unlike the API server's message, the message does not contain the differences.
pub(super) fn check(updated: &Value, stored: &Value, place: &RequestInfo) -> Result<(), Failure> {
    let rejected =
        |causes: &[Diagnostic]| Err(Failure::invalid(place.definition.kind(), "", &place.name, causes));
    if stored.pointer("/metadata/annotations").is_some_and(|annotations| annotations.get(STATIC).is_some()) {
        let detail = "static pods do not support ephemeral containers";
        return rejected(&[Diagnostic::forbidden(FieldPath::new("[]"), detail)]);
    }
    let containers = |pod: &'_ Value| -> Vec<Value> {
        pod.pointer(&format!("/spec/{FIELD}")).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let new = containers(updated);
    let mut causes = Vec::new();
    for old in containers(stored) {
        let name = text(&old, &["name"]);
        let kept = new.iter().rfind(|new| text(new, &["name"]) == name);
        let fault = match kept {
            Some(kept) if without_empty(kept) == without_empty(&old) => continue,
            Some(_) => "changed",
            None => "removed",
        };
        let detail = format!("existing ephemeral containers {} may not be {fault}\n", quote(name));
        causes.push(Diagnostic::forbidden(FieldPath::new("spec").child(FIELD), &detail));
    }
    if causes.is_empty() { Ok(()) } else { rejected(&causes) }
}

/// Returns a value without empty lists and maps, which are equivalent to absent fields.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), without_empty(value)));
            let is_empty =
                |value: &Value| *value == Value::Null || *value == json!({}) || *value == json!([]);
            fields.filter(|(_, value)| !is_empty(value)).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(without_empty).collect(),
        other => other.clone(),
    }
}
