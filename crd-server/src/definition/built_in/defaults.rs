//! Adds fields to objects of built-in kinds as the API server does: fields that Go always serializes, defaults, and fields that the API
//! server sets itself.
//!
//! Source: the types in `k8s.io/api`; `pkg/apis/*/v1/defaults.go` and the files `strategy.go` below `pkg/registry` in Kubernetes 1.36.

use serde_json::{Value, json};

use super::fill::{fill, lists};
use super::{Row, pod};
use crate::json::{metadata_mut, text};

/// Adds fields that the API server derives from other fields, fields that Go always serializes, and defaults.
pub(in crate::definition) fn complete(object: &mut Value, row: &Row) {
    match row.kind.as_str() {
        "Namespace" => label_namespace(object),
        "Secret" => encode_strings(object),
        _ => {}
    }
    fill(object, &Value::Object(row.zero.clone()));
    for conditions in lists(object, "/status", &["conditions"]).filter(|_| !row.condition_time.is_empty()) {
        let times = json!({row.condition_time.as_str(): null, "lastTransitionTime": null});
        conditions.iter_mut().for_each(|item| fill(item, &times));
    }
    for endpoints in lists(object, "", &["endpoints"]) {
        endpoints.iter_mut().for_each(|endpoint| fill(endpoint, &json!({"conditions": {}})));
    }
    match row.kind.as_str() {
        "Pod" => {
            pod::default(object.get_mut("spec"));
            object.get_mut("spec").into_iter().for_each(pod::request_limits);
            fill(object, &json!({"spec": {"enableServiceLinks": true}}));
        }
        "Service" => service(object),
        "Job" => job(object),
        "NetworkPolicy" => {
            let has_egress = object.pointer("/spec/egress").is_some_and(|egress| !egress.is_null());
            let types: &[&str] = if has_egress { &["Ingress", "Egress"] } else { &["Ingress"] };
            fill(object, &json!({"spec": {"policyTypes": types}}));
        }
        _ => {}
    }
    fill(object, &row.defaults);
    for (field, parameters) in &row.rolling_update {
        rolling(object, field, parameters);
    }
    pod::default(object.pointer_mut("/spec/template/spec"));
    pod::default(object.pointer_mut("/spec/jobTemplate/spec/template/spec"));
}

/// Sets the fields that the API server itself sets in a new object, if they are absent. No field manager owns these fields.
pub(in crate::definition) fn finish(object: &mut Value, row: &Row) {
    fill(object, &row.initial);
    if row.is_core("Pod") {
        let class = object.get("spec").map_or("BestEffort", pod::qos_class);
        fill(object, &json!({"status": {"qosClass": class}}));
    }
    if let Some(status) = row.zero.get("status") {
        fill(object, &json!({"status": status}));
    }
}

/// Sets the label that every namespace has.
fn label_namespace(namespace: &mut Value) {
    let name = text(namespace, &["metadata", "name"]).to_owned();
    if let Some(metadata) = metadata_mut(namespace) {
        let labels = metadata.entry("labels").or_insert_with(|| json!({}));
        if let Value::Object(labels) = labels {
            labels.insert("kubernetes.io/metadata.name".to_owned(), name.into());
        }
    }
}

/// Moves a secret's `stringData` to `data`, encoded in base64.
fn encode_strings(secret: &mut Value) {
    let Some(fields) = secret.as_object_mut() else { return };
    let Some(Value::Object(texts)) = crd_go::json::remove(fields, "stringData") else { return };
    let Value::Object(data) = fields.entry("data").or_insert_with(|| json!({})) else { return };
    for (key, text) in texts {
        let text = text.as_str().unwrap_or_default();
        data.insert(key, crd_go::base64::encode_std(text.as_bytes()).into());
    }
}

/// Adds the default strategy `RollingUpdate` and its default parameters.
fn rolling(object: &mut Value, field: &str, parameters: &Value) {
    fill(object, &json!({"spec": {field: {"type": "RollingUpdate"}}}));
    if object["spec"][field]["type"] == "RollingUpdate" {
        fill(object, &json!({"spec": {field: {"rollingUpdate": parameters}}}));
    }
}

/// Adds a job's defaults. A job without labels gets its template's labels.
fn job(object: &mut Value) {
    let labels =
        |path: &str| object.pointer(path).and_then(Value::as_object).filter(|labels| !labels.is_empty());
    if let (None, Some(labels)) =
        (labels("/metadata/labels"), labels("/spec/template/metadata/labels").cloned())
    {
        fill(object, &json!({"metadata": {"labels": labels}}));
    }
    let Some(spec) = object.get_mut("spec") else { return };
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        fill(spec, &json!({"completions": 1}));
    }
    let has_policy = spec.get("podFailurePolicy").is_some();
    let replaced = if has_policy { "Failed" } else { "TerminatingOrFailed" };
    fill(spec, &json!({"podReplacementPolicy": replaced}));
}

/// Adds a service's defaults, except for the addresses that the API server allocates.
fn service(object: &mut Value) {
    if object["spec"]["type"] != "ExternalName" {
        fill(object, &json!({"spec": {"internalTrafficPolicy": "Cluster"}}));
    }
    for ports in lists(object, "/spec", &["ports"]) {
        for port in ports {
            let target = port.get("port").cloned().unwrap_or_default();
            fill(port, &json!({"protocol": "TCP", "targetPort": target}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::all;
    use super::*;

    #[test]
    fn odd_objects_are_left_to_admission() {
        let odd = [
            json!(null),
            json!(1),
            json!("a"),
            json!([[1], null, "a"]),
            json!({"ports": 1, "containers": [1]}),
        ];
        let paths = [
            "metadata",
            "spec",
            "status",
            "template",
            "jobTemplate",
            "strategy",
            "updateStrategy",
            "endpoints",
        ];
        for row in all() {
            for (path, value) in paths.iter().flat_map(|path| odd.iter().map(move |value| (path, value))) {
                for mut object in [json!({*path: value}), json!({"spec": {*path: value}}), value.clone()] {
                    complete(&mut object, row);
                    finish(&mut object, row);
                }
            }
        }
    }

    #[test]
    fn a_job_has_the_labels_of_its_template_if_it_has_none() {
        let row = all().iter().find(|row| row.kind == "Job").unwrap();
        for (own, expected) in [
            (json!(null), json!({"a": "b"})),
            (json!({}), json!({"a": "b"})),
            (json!({"c": "d"}), json!({"c": "d"})),
        ] {
            let mut job = json!({
                "metadata": {"labels": own}, "spec": {"template": {"metadata": {"labels": {"a": "b"}}}},
            });
            complete(&mut job, row);
            assert_eq!(job["metadata"]["labels"], expected);
        }
    }
}
