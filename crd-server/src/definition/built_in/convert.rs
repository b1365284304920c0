//! Converts built-in kinds between API versions: Events between their two groups, and `HorizontalPodAutoscaler`s between `v1` and `v2`.
//!
//! Source: `pkg/apis/{events/v1,autoscaling/v1}/conversion.go` and `pkg/registry/events/rest/storage_events.go` of Kubernetes.

use serde_json::{Map, Value, json};

use crate::json::{metadata_mut, text};

/// The fields of Events whose name differs between the two groups: the name in the core group, and the name in `events.k8s.io`.
const EVENTS: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// The annotation that keeps the autoscaler fields missing in version 1. The API server has a separate annotation for each field.
const REST: &str = "autoscaling.alpha.kubernetes.io/rest";
/// The fields in `spec` and `status` that only version 2 has.
const OF_V2: [(&str, &str); 4] =
    [("spec", "metrics"), ("spec", "behavior"), ("status", "currentMetrics"), ("status", "conditions")];

/// Returns an object of a built-in kind in another `apiVersion`, or `None` if the fields are the same in both versions.
pub(crate) fn convert(object: &Value, api_version: &str) -> Option<Value> {
    let convert = match (text(object, &["kind"]), text(object, &["apiVersion"]), api_version) {
        ("Event", "v1", "events.k8s.io/v1") => |event: &mut Value| rename(event, |(core, new)| (core, new)),
        ("Event", "events.k8s.io/v1", "v1") => |event: &mut Value| rename(event, |(core, new)| (new, core)),
        ("HorizontalPodAutoscaler", "autoscaling/v2", "autoscaling/v1") => into_v1,
        ("HorizontalPodAutoscaler", "autoscaling/v1", "autoscaling/v2") => into_v2,
        _ => return None,
    };
    let mut converted = object.clone();
    convert(&mut converted);
    converted["apiVersion"] = api_version.into();
    Some(converted)
}

fn rename(event: &mut Value, order: impl Fn((&'static str, &'static str)) -> (&'static str, &'static str)) {
    let Some(fields) = event.as_object_mut() else { return };
    for (from, to) in EVENTS.map(order) {
        if let Some(value) = crd_go::json::remove(fields, from) {
            fields.insert(to.to_owned(), value);
        }
    }
}

/// Returns `true` for the CPU utilization, which is the only metric with a field in version 1. `target` is `current` or `target`.
fn is_cpu(metric: &Value, target: &str) -> bool {
    metric["type"] == "Resource"
        && metric["resource"]["name"] == "cpu"
        && metric["resource"][target]["averageUtilization"].is_number()
}

/// Removes the first CPU utilization from a list of metrics. Returns the value of the utilization.
fn take_cpu(metrics: &mut Option<Value>, target: &str) -> Option<Value> {
    let list = metrics.as_mut()?.as_array_mut()?;
    let at = list.iter().position(|metric| is_cpu(metric, target))?;
    let mut cpu = list.remove(at);
    if list.is_empty() {
        *metrics = None;
    }
    Some(cpu["resource"][target]["averageUtilization"].take())
}

fn part<'v>(object: &'v mut Value, name: &str) -> Option<&'v mut Map<String, Value>> {
    object.as_object_mut()?.entry(name).or_insert_with(|| json!({})).as_object_mut()
}

fn into_v1(scaler: &mut Value) {
    let mut rest = Map::new();
    for (name, field) in OF_V2 {
        let Some(fields) = part(scaler, name) else { continue };
        let mut value = crd_go::json::remove(fields, field).filter(|value| !value.is_null());
        let (target, own) = match field {
            "metrics" => ("target", "targetCPUUtilizationPercentage"),
            _ => ("current", "currentCPUUtilizationPercentage"),
        };
        if let Some(cpu) = take_cpu(&mut value, target) {
            fields.insert(own.to_owned(), cpu);
        }
        if let Some(value) = value {
            rest.insert(field.to_owned(), value);
        }
    }
    if let Some(status) = part(scaler, "status") {
        status.entry("currentReplicas").or_insert_with(|| 0.into());
    }
    if let (false, Some(metadata)) = (rest.is_empty(), metadata_mut(scaler)) {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        annotations[REST] = Value::Object(rest).to_string().into();
    }
}

fn into_v2(scaler: &mut Value) {
    let annotation = metadata_mut(scaler).and_then(|metadata| {
        let annotations = metadata.get_mut("annotations")?.as_object_mut()?;
        let rest = crd_go::json::remove(annotations, REST)?;
        if annotations.is_empty() {
            crd_go::json::remove(metadata, "annotations");
        }
        rest.as_str().map(str::to_owned)
    });
    let mut rest: Map<String, Value> =
        annotation.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    for (name, field) in OF_V2 {
        let Some(fields) = part(scaler, name) else { continue };
        let mut value = crd_go::json::remove(&mut rest, field);
        let (target, own) = match field {
            "metrics" => ("target", "targetCPUUtilizationPercentage"),
            "currentMetrics" => ("current", "currentCPUUtilizationPercentage"),
            _ => ("", ""),
        };
        if let Some(percentage) = crd_go::json::remove(fields, own).filter(|value| !value.is_null()) {
            let mut use_of_cpu = json!({"averageUtilization": percentage});
            if target == "target" {
                use_of_cpu["type"] = "Utilization".into();
            }
            let metric = json!({"type": "Resource", "resource": {"name": "cpu", target: use_of_cpu}});
            let metrics = value.get_or_insert_with(|| json!([]));
            metrics.as_array_mut().into_iter().for_each(|metrics| metrics.insert(0, metric.clone()));
        }
        if let Some(value) = value {
            fields.insert(field.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_on_the_way_and_back() {
        for (object, other) in [
            (
                json!({
                    "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"},
                    "spec": {
                        "maxReplicas": 3, "behavior": {"scaleUp": {}},
                        "metrics": [
                            {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 50, "type": "Utilization"}}},
                            {"type": "Pods"},
                        ],
                    },
                    "status": {"desiredReplicas": 1, "currentReplicas": 0},
                }),
                "autoscaling/v1",
            ),
            (
                json!({
                    "apiVersion": "v1", "kind": "Event", "metadata": {"name": "a"}, "involvedObject": {"name": "b"}, "message": "m",
                    "source": {"component": "c"}, "count": 2, "reason": "r", "reportingComponent": "",
                }),
                "events.k8s.io/v1",
            ),
        ] {
            let there = convert(&object, other).unwrap();
            assert_eq!(there["apiVersion"], other);
            assert_eq!(convert(&there, object["apiVersion"].as_str().unwrap()).unwrap(), object);
        }
    }

    #[test]
    fn odd_objects_are_left_to_admission() {
        for odd in [
            json!(1),
            json!([]),
            json!("a"),
            json!({"metrics": 1, "averageUtilization": []}),
            json!({"metrics": [1]}),
        ] {
            for (from, to) in [("autoscaling/v1", "autoscaling/v2"), ("autoscaling/v2", "autoscaling/v1")] {
                for field in ["metadata", "spec", "status"] {
                    let object = json!({"apiVersion": from, "kind": "HorizontalPodAutoscaler", field: odd});
                    assert!(convert(&object, to).is_some());
                }
                let object = json!({"apiVersion": from, "kind": "HorizontalPodAutoscaler", "metadata": {"annotations": odd}});
                assert!(convert(&object, to).is_some());
            }
        }
    }
}
