//! The types of built-in kinds in Go: fields that are never absent, defaults, and fields that the API server sets.
//!
//! Source: the types of `k8s.io/api` as `json.Marshal` prints them, `pkg/apis/*/v1/defaults.go` and the `strategy.go` of
//! `pkg/registry` of Kubernetes 1.36.

mod pod;

use serde_json::{Map, Value, json};

use crate::status::Resource;

/// An object of a kind without fields, as Go prints it, but for its type and its metadata.
pub(super) fn empty(resource: &Resource) -> Value {
    let template = || json!({"metadata": {}, "spec": {"containers": null}});
    let workload =
        |status: Value| json!({"spec": {"selector": null, "template": template()}, "status": status});
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "namespaces") => json!({"spec": {}, "status": {}}),
        ("", "nodes") => node(),
        ("", "services") | (_, "ingresses") => json!({"spec": {}, "status": {"loadBalancer": {}}}),
        ("", "persistentvolumeclaims") => json!({"spec": {"resources": {}}, "status": {}}),
        ("", "pods") => json!({"spec": {"containers": null}, "status": {}}),
        ("", "events") => json!({
            "involvedObject": {}, "source": {}, "firstTimestamp": null, "lastTimestamp": null, "eventTime": null,
            "reportingComponent": "", "reportingInstance": "",
        }),
        (_, "events") => json!({
            "eventTime": null, "regarding": {}, "deprecatedSource": {}, "deprecatedFirstTimestamp": null,
            "deprecatedLastTimestamp": null,
        }),
        (_, "deployments") => with(workload(json!({})), "strategy", json!({})),
        (_, "replicasets") => workload(json!({"replicas": 0})),
        (_, "statefulsets") => {
            let sets = workload(json!({"replicas": 0, "availableReplicas": 0}));
            with(with(sets, "updateStrategy", json!({})), "serviceName", "".into())
        }
        (_, "daemonsets") => {
            let status = json!({
                "currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0,
            });
            with(workload(status), "updateStrategy", json!({}))
        }
        (_, "jobs") => json!({"spec": {"template": template()}, "status": {}}),
        (_, "cronjobs") => json!({
            "spec": {"schedule": "", "jobTemplate": {"metadata": {}, "spec": {"template": template()}}}, "status": {},
        }),
        (_, "horizontalpodautoscalers") => json!({
            "spec": {"scaleTargetRef": {"kind": "", "name": ""}, "maxReplicas": 0},
            "status": {"desiredReplicas": 0, "currentMetrics": null},
        }),
        (_, "leases") => json!({"spec": {}}),
        (_, "endpointslices") => json!({"addressType": "", "endpoints": null, "ports": null}),
        (_, "networkpolicies") => json!({"spec": {"podSelector": {}}}),
        (_, "poddisruptionbudgets") => json!({
            "spec": {},
            "status": {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0},
        }),
        _ => json!({}),
    }
}

fn node() -> Value {
    let info = [
        "machineID",
        "systemUUID",
        "bootID",
        "kernelVersion",
        "osImage",
        "containerRuntimeVersion",
        "kubeletVersion",
        "kubeProxyVersion",
        "operatingSystem",
        "architecture",
    ];
    let info: Map<String, Value> = info.map(|name| (name.to_owned(), "".into())).into_iter().collect();
    json!({"spec": {}, "status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": info}})
}

/// An object without fields whose `spec` has one more field.
fn with(mut empty: Value, name: &str, value: Value) -> Value {
    empty["spec"][name] = value;
    empty
}

/// Adds the fields that are never absent, and the defaults.
pub(super) fn complete(object: &mut Value, resource: &Resource) {
    fill(object, &empty(resource));
    for conditions in lists(object, "/status", &["conditions"]) {
        let time = match resource.plural.as_str() {
            "pods" | "jobs" => "lastProbeTime",
            "deployments" => "lastUpdateTime",
            "nodes" => "lastHeartbeatTime",
            "namespaces" => "lastTransitionTime",
            _ => continue,
        };
        conditions.iter_mut().for_each(|item| fill(item, &json!({time: null, "lastTransitionTime": null})));
    }
    for endpoints in lists(object, "", &["endpoints"]) {
        endpoints.iter_mut().for_each(|endpoint| fill(endpoint, &json!({"conditions": {}})));
    }
    default(object, resource);
}

/// Adds the defaults of a kind.
fn default(object: &mut Value, resource: &Resource) {
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "secrets") => fill(object, &json!({"type": "Opaque"})),
        ("", "pods") => {
            pod::default(object.get_mut("spec"));
            object.get_mut("spec").into_iter().for_each(pod::request_limits);
            fill(object, &json!({"spec": {"enableServiceLinks": true}}));
        }
        ("", "services") => service(object),
        ("", "persistentvolumeclaims") => fill(object, &json!({"spec": {"volumeMode": "Filesystem"}})),
        (_, "deployments") => {
            fill(
                object,
                &json!({"spec": {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600}}),
            );
            rolling(object, "strategy", json!({"maxSurge": "25%", "maxUnavailable": "25%"}));
        }
        (_, "replicasets") => fill(object, &json!({"spec": {"replicas": 1}})),
        (_, "statefulsets") => stateful_set(object),
        (_, "daemonsets") => {
            fill(object, &json!({"spec": {"revisionHistoryLimit": 10}}));
            rolling(object, "updateStrategy", json!({"maxSurge": 0, "maxUnavailable": 1}));
        }
        (_, "jobs") => job(object),
        (_, "cronjobs") => fill(
            object,
            &json!({"spec": {
                "concurrencyPolicy": "Allow", "suspend": false, "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1,
            }}),
        ),
        (_, "horizontalpodautoscalers") => fill(object, &json!({"spec": {"minReplicas": 1}})),
        (_, "networkpolicies") => {
            let has_egress = object.pointer("/spec/egress").is_some_and(|egress| !egress.is_null());
            let types: &[&str] = if has_egress { &["Ingress", "Egress"] } else { &["Ingress"] };
            fill(object, &json!({"spec": {"policyTypes": types}}));
        }
        _ => {}
    }
    pod::default(object.pointer_mut("/spec/template/spec"));
    pod::default(object.pointer_mut("/spec/jobTemplate/spec/template/spec"));
}

/// Adds the parameters of rolling updates, which are the default strategy.
fn rolling(object: &mut Value, field: &str, parameters: Value) {
    fill(object, &json!({"spec": {field: {"type": "RollingUpdate"}}}));
    if object["spec"][field]["type"] == "RollingUpdate" {
        fill(object, &json!({"spec": {field: {"rollingUpdate": parameters}}}));
    }
}

fn stateful_set(object: &mut Value) {
    let retention = json!({"whenDeleted": "Retain", "whenScaled": "Retain"});
    fill(
        object,
        &json!({"spec": {
            "replicas": 1, "revisionHistoryLimit": 10, "podManagementPolicy": "OrderedReady",
            "persistentVolumeClaimRetentionPolicy": retention,
        }}),
    );
    rolling(object, "updateStrategy", json!({"partition": 0}));
}

/// The defaults of a job, which has the labels of its template if it has none.
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
    fill(
        spec,
        &json!({
            "parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": false, "podReplacementPolicy": replaced,
        }),
    );
}

/// The defaults of a service, but for the addresses that the API server allocates.
fn service(object: &mut Value) {
    fill(object, &json!({"spec": {"type": "ClusterIP", "sessionAffinity": "None"}}));
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

/// Sets the fields of a new object that the API server sets itself, if they are absent. They have no owner.
pub(super) fn finish(object: &mut Value, resource: &Resource) {
    if resource.group.is_empty() {
        match resource.plural.as_str() {
            "namespaces" => {
                fill(object, &json!({"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}));
            }
            "pods" => {
                let class = object.get("spec").map_or("BestEffort", pod::qos_class);
                fill(object, &json!({"status": {"phase": "Pending", "qosClass": class}}));
            }
            "persistentvolumeclaims" => fill(object, &json!({"status": {"phase": "Pending"}})),
            _ => {}
        }
    }
    if let Some(status) = empty(resource).get("status") {
        fill(object, &json!({"status": status}));
    }
}

/// Adds fields that are absent or `null`. Lists and maps that a user has to name, which are `null` in an empty object, stay absent.
fn fill(value: &mut Value, with: &Value) {
    let (Value::Object(fields), Value::Object(with)) = (value, with) else { return };
    for (name, value) in with {
        match fields.get_mut(name) {
            Some(inner) if !inner.is_null() => fill(inner, value),
            _ if value.is_null() && !name.ends_with("Time") && !name.ends_with("Timestamp") => {}
            _ => {
                fields.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Lists of an object, by their names, in the value at a path.
fn lists<'v>(object: &'v mut Value, path: &str, names: &[&str]) -> impl Iterator<Item = &'v mut Vec<Value>> {
    let fields = object.pointer_mut(path).and_then(Value::as_object_mut);
    let fields = fields.into_iter().flatten().filter(|(name, _)| names.contains(&name.as_str()));
    fields.filter_map(|(_, value)| value.as_array_mut())
}

#[cfg(test)]
mod tests {
    use crd_core::KubeVersion;

    use super::*;
    use crate::definition::built_in;

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
        for definition in built_in::all(KubeVersion::new(36)) {
            for (path, value) in paths.iter().flat_map(|path| odd.iter().map(move |value| (path, value))) {
                for mut object in [json!({*path: value}), json!({"spec": {*path: value}}), value.clone()] {
                    complete(&mut object, &definition.resource);
                    finish(&mut object, &definition.resource);
                }
            }
        }
    }

    #[test]
    fn a_job_has_the_labels_of_its_template_if_it_has_none() {
        let resource = Resource { group: "batch".to_owned(), plural: "jobs".to_owned() };
        for (own, expected) in [
            (json!(null), json!({"a": "b"})),
            (json!({}), json!({"a": "b"})),
            (json!({"c": "d"}), json!({"c": "d"})),
        ] {
            let mut job = json!({
                "metadata": {"labels": own}, "spec": {"template": {"metadata": {"labels": {"a": "b"}}}},
            });
            complete(&mut job, &resource);
            assert_eq!(job["metadata"]["labels"], expected);
        }
    }
}
