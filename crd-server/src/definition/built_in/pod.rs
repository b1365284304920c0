//! Adds the defaults in the `spec` of pods.
//!
//! Source: `pkg/apis/core/v1/defaults.go` of Kubernetes.

use serde_json::{Map, Value, json};

use super::fill::{fill, lists};

/// Adds defaults to the `spec` of a pod or pod template.
pub(super) fn default(spec: Option<&mut Value>) {
    let Some(spec) = spec.filter(|spec| spec.is_object()) else { return };
    fill(
        spec,
        &json!({
            "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler",
            "securityContext": {}, "terminationGracePeriodSeconds": 30,
        }),
    );
    for containers in lists(spec, "", &["containers", "initContainers", "ephemeralContainers"]) {
        containers.iter_mut().for_each(container);
    }
    for volumes in lists(spec, "", &["volumes"]) {
        volumes.iter_mut().for_each(volume);
    }
}

fn container(container: &mut Value) {
    let image = container.get("image").and_then(Value::as_str).unwrap_or_default();
    let policy = if is_latest(image) { "Always" } else { "IfNotPresent" };
    fill(
        container,
        &json!({
            "resources": {}, "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "imagePullPolicy": policy,
        }),
    );
    for ports in lists(container, "", &["ports"]) {
        ports.iter_mut().for_each(|port| fill(port, &json!({"protocol": "TCP"})));
    }
    for variables in lists(container, "", &["env"]) {
        let references =
            variables.iter_mut().filter_map(|variable| variable.pointer_mut("/valueFrom/fieldRef"));
        references.for_each(|reference| fill(reference, &json!({"apiVersion": "v1"})));
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = container.get_mut(name) else { continue };
        fill(
            probe,
            &json!({"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}),
        );
        if let Some(request) = probe.get_mut("httpGet") {
            fill(request, &json!({"path": "/", "scheme": "HTTP"}));
        }
    }
}

/// Copies container limits to container requests. Pod templates do not get this default.
pub(super) fn request_limits(spec: &mut Value) {
    for containers in lists(spec, "", &["containers", "initContainers"]) {
        for container in containers {
            if let Some(limits @ Value::Object(_)) = container.pointer("/resources/limits").cloned() {
                fill(container, &json!({"resources": {"requests": limits}}));
            }
        }
    }
}

/// Returns `true` if an image has the tag `latest`, or neither a tag nor a digest.
fn is_latest(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or_default();
    !image.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest")
}

fn volume(volume: &mut Value) {
    for name in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = volume.get_mut(name) {
            fill(source, &json!({"defaultMode": 420}));
        }
    }
}

/// Returns a pod's `QoS` class, based on its containers' resources.
///
/// Source: `pkg/apis/core/helper/qos/qos.go`.
pub(super) fn qos_class(spec: &Value) -> &'static str {
    let containers = ["containers", "initContainers"];
    let containers = containers.iter().filter_map(|name| spec.get(name)?.as_array()).flatten();
    let of = |container: &Value, kind: &str| -> Map<String, Value> {
        let resources = container.pointer(&format!("/resources/{kind}")).and_then(Value::as_object);
        let compute =
            resources.into_iter().flatten().filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory"));
        compute.map(|(name, amount)| (name.clone(), amount.clone())).collect()
    };
    let (mut is_best_effort, mut is_guaranteed) = (true, true);
    for container in containers {
        let (requests, limits) = (of(container, "requests"), of(container, "limits"));
        is_best_effort &= requests.is_empty() && limits.is_empty();
        is_guaranteed &= limits.len() == 2 && requests == limits;
    }
    match (is_best_effort, is_guaranteed) {
        (true, _) => "BestEffort",
        (_, true) => "Guaranteed",
        _ => "Burstable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_without_a_tag_are_the_latest() {
        for (image, expected) in [
            ("a", true),
            ("a:latest", true),
            ("a:1", false),
            ("r:5000/a", true),
            ("r:5000/a:1", false),
            ("a@sha256:00", false),
        ] {
            assert_eq!(is_latest(image), expected, "{image}");
        }
    }

    #[test]
    fn classes_follow_requests_and_limits() {
        let resources = |requests: Value, limits: Value| json!({"containers": [{"resources": {"requests": requests, "limits": limits}}]});
        let both = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(qos_class(&json!({"containers": [{"resources": {}}]})), "BestEffort");
        assert_eq!(qos_class(&resources(json!({"cpu": "1"}), json!({}))), "Burstable");
        assert_eq!(qos_class(&resources(both.clone(), both)), "Guaranteed");
    }

    #[test]
    fn lists_below_a_pod_get_defaults() {
        let mut spec = json!({
            "containers": [{
                "image": "a", "ports": [{"containerPort": 1}], "livenessProbe": {"httpGet": {"port": 1}},
                "resources": {"limits": {"cpu": "1"}, "requests": {"memory": "1Gi"}},
            }],
            "volumes": [{"name": "v", "secret": {}}],
        });
        default(Some(&mut spec));
        request_limits(&mut spec);
        let container = &spec["containers"][0];
        assert_eq!(container["imagePullPolicy"], "Always");
        assert_eq!(container["ports"][0]["protocol"], "TCP");
        assert_eq!(container["livenessProbe"]["httpGet"], json!({"port": 1, "path": "/", "scheme": "HTTP"}));
        assert_eq!(container["resources"]["requests"], json!({"memory": "1Gi", "cpu": "1"}));
        assert_eq!(spec["volumes"][0]["secret"]["defaultMode"], 420);
    }
}
