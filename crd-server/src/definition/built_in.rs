//! Kinds of Kubernetes itself, stored without validation.
//!
//! Their schemas say which lists are maps or sets, which is what apply has to know; they keep everything else. The other types of
//! fields are in `apply/shape`. Source: the list types of `api/openapi-spec/v3` of Kubernetes 1.36.

use crd_core::KubeVersion;
use serde_json::{Map, Value, json};

use crate::json::{metadata_mut, text};

use super::{Definition, Origin};

/// A built-in kind.
struct Kind {
    group: &'static str,
    version: &'static str,
    /// The plural name, the singular one, and the short ones.
    names: (&'static str, &'static str, &'static [&'static str]),
    kind: &'static str,
    is_namespaced: bool,
    /// `true` if objects count the changes of their `spec`.
    has_generation: bool,
    /// The subresources `status` and `scale`.
    subresources: (bool, bool),
    /// The fields with lists.
    schema: fn() -> Value,
}

/// The definitions of all built-in kinds.
pub(crate) fn all(release: KubeVersion) -> impl Iterator<Item = Definition> {
    KINDS.iter().filter_map(move |kind| kind.definition(release))
}

impl Kind {
    fn definition(&self, release: KubeVersion) -> Option<Definition> {
        let mut subresources = Map::new();
        if self.subresources.0 {
            subresources.insert("status".to_owned(), json!({}));
        }
        if self.subresources.1 {
            let paths =
                json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
            subresources.insert("scale".to_owned(), paths);
        }
        let (plural, singular, short) = self.names;
        let mut version = json!({
            "name": self.version, "served": true, "storage": true, "subresources": subresources,
            "schema": {"openAPIV3Schema": (self.schema)()},
        });
        let selectable = selectable_fields(self.group, plural);
        if !selectable.is_empty() {
            let fields = selectable.iter().map(|path| json!({"jsonPath": format!(".{path}")}));
            version["selectableFields"] = fields.collect();
        }
        let stored = json!({
            "metadata": {"name": format!("{plural}.{}", self.group)},
            "spec": {
                "group": self.group,
                "names": {
                    "plural": plural, "singular": singular, "shortNames": short, "kind": self.kind,
                    "listKind": format!("{}List", self.kind),
                },
                "scope": if self.is_namespaced { "Namespaced" } else { "Cluster" },
                "versions": [version],
            },
        });
        Definition::of(&stored, Origin::BuiltIn { has_generation: self.has_generation }, release)
    }
}

const KINDS: &[Kind] = &[
    Kind {
        group: "",
        version: "v1",
        names: ("namespaces", "namespace", &["ns"]),
        kind: "Namespace",
        is_namespaced: false,
        has_generation: false,
        subresources: (true, false),
        schema: || object(json!({"spec": any(), "status": status()})),
    },
    Kind {
        group: "",
        version: "v1",
        names: ("nodes", "node", &["no"]),
        kind: "Node",
        is_namespaced: false,
        has_generation: false,
        subresources: (true, false),
        schema: || {
            let status = object(json!({
                "conditions": map(&["type"], any()), "addresses": map(&["type"], any()),
            }));
            object(json!({"spec": any(), "status": status}))
        },
    },
    Kind {
        group: "",
        version: "v1",
        names: ("configmaps", "configmap", &["cm"]),
        kind: "ConfigMap",
        is_namespaced: true,
        has_generation: false,
        subresources: (false, false),
        schema: any,
    },
    Kind {
        group: "",
        version: "v1",
        names: ("secrets", "secret", &[]),
        kind: "Secret",
        is_namespaced: true,
        has_generation: false,
        subresources: (false, false),
        schema: any,
    },
    Kind {
        group: "",
        version: "v1",
        names: ("services", "service", &["svc"]),
        kind: "Service",
        is_namespaced: true,
        has_generation: false,
        subresources: (true, false),
        schema: || {
            let spec = object(json!({"ports": map(&["port", "protocol"], port()), "selector": atomic()}));
            object(json!({"spec": spec, "status": status()}))
        },
    },
    Kind {
        group: "",
        version: "v1",
        names: ("serviceaccounts", "serviceaccount", &["sa"]),
        kind: "ServiceAccount",
        is_namespaced: true,
        has_generation: false,
        subresources: (false, false),
        schema: || object(json!({"secrets": map(&["name"], any())})),
    },
    Kind {
        group: "",
        version: "v1",
        names: ("persistentvolumeclaims", "persistentvolumeclaim", &["pvc"]),
        kind: "PersistentVolumeClaim",
        is_namespaced: true,
        has_generation: false,
        subresources: (true, false),
        schema: || object(json!({"spec": selecting(json!({})), "status": status()})),
    },
    Kind {
        group: "",
        version: "v1",
        names: ("pods", "pod", &["po"]),
        kind: "Pod",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, false),
        schema: || {
            let addresses = map(&["ip"], any());
            let status = object(json!({
                "conditions": map(&["type"], any()), "podIPs": addresses, "hostIPs": addresses,
            }));
            object(json!({"spec": pod(), "status": status}))
        },
    },
    Kind {
        group: "",
        version: "v1",
        names: ("events", "event", &["ev"]),
        kind: "Event",
        is_namespaced: true,
        has_generation: false,
        subresources: (false, false),
        schema: any,
    },
    Kind {
        group: "apps",
        version: "v1",
        names: ("deployments", "deployment", &["deploy"]),
        kind: "Deployment",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, true),
        schema: || object(json!({"spec": selecting(json!({"template": template()})), "status": status()})),
    },
    Kind {
        group: "apps",
        version: "v1",
        names: ("replicasets", "replicaset", &["rs"]),
        kind: "ReplicaSet",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, true),
        schema: || object(json!({"spec": selecting(json!({"template": template()})), "status": status()})),
    },
    Kind {
        group: "apps",
        version: "v1",
        names: ("statefulsets", "statefulset", &["sts"]),
        kind: "StatefulSet",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, true),
        schema: || object(json!({"spec": selecting(json!({"template": template()})), "status": status()})),
    },
    Kind {
        group: "apps",
        version: "v1",
        names: ("daemonsets", "daemonset", &["ds"]),
        kind: "DaemonSet",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, false),
        schema: || object(json!({"spec": selecting(json!({"template": template()})), "status": status()})),
    },
    Kind {
        group: "batch",
        version: "v1",
        names: ("jobs", "job", &[]),
        kind: "Job",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, false),
        schema: || object(json!({"spec": selecting(json!({"template": template()})), "status": any()})),
    },
    Kind {
        group: "batch",
        version: "v1",
        names: ("cronjobs", "cronjob", &["cj"]),
        kind: "CronJob",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, false),
        schema: || {
            let job = object(json!({"spec": selecting(json!({"template": template()}))}));
            object(json!({"spec": object(json!({"jobTemplate": job})), "status": any()}))
        },
    },
    Kind {
        group: "autoscaling",
        version: "v2",
        names: ("horizontalpodautoscalers", "horizontalpodautoscaler", &["hpa"]),
        kind: "HorizontalPodAutoscaler",
        is_namespaced: true,
        has_generation: false,
        subresources: (true, false),
        schema: || object(json!({"spec": object(json!({"scaleTargetRef": any()})), "status": status()})),
    },
    Kind {
        group: "coordination.k8s.io",
        version: "v1",
        names: ("leases", "lease", &[]),
        kind: "Lease",
        is_namespaced: true,
        has_generation: false,
        subresources: (false, false),
        schema: any,
    },
    Kind {
        group: "discovery.k8s.io",
        version: "v1",
        names: ("endpointslices", "endpointslice", &[]),
        kind: "EndpointSlice",
        is_namespaced: true,
        has_generation: true,
        subresources: (false, false),
        schema: any,
    },
    Kind {
        group: "events.k8s.io",
        version: "v1",
        names: ("events", "event", &["ev"]),
        kind: "Event",
        is_namespaced: true,
        has_generation: false,
        subresources: (false, false),
        schema: any,
    },
    Kind {
        group: "networking.k8s.io",
        version: "v1",
        names: ("ingresses", "ingress", &["ing"]),
        kind: "Ingress",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, false),
        schema: any,
    },
    Kind {
        group: "networking.k8s.io",
        version: "v1",
        names: ("networkpolicies", "networkpolicy", &["netpol"]),
        kind: "NetworkPolicy",
        is_namespaced: true,
        has_generation: true,
        subresources: (false, false),
        schema: || object(json!({"spec": object(json!({"podSelector": atomic()}))})),
    },
    Kind {
        group: "policy",
        version: "v1",
        names: ("poddisruptionbudgets", "poddisruptionbudget", &["pdb"]),
        kind: "PodDisruptionBudget",
        is_namespaced: true,
        has_generation: true,
        subresources: (true, false),
        schema: || object(json!({"spec": selecting(json!({})), "status": status()})),
    },
];

/// The fields besides the name and the namespace by which objects can be selected.
///
/// Source: `pkg/apis/{core,batch}/v1/conversion.go` of Kubernetes.
fn selectable_fields(group: &str, plural: &str) -> &'static [&'static str] {
    match (group, plural) {
        ("", "pods") => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        ("", "nodes") => &["spec.unschedulable"],
        ("", "namespaces") => &["status.phase"],
        ("", "secrets") => &["type"],
        ("", "services") => &["spec.clusterIP", "spec.type"],
        ("", "events") => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "type",
        ],
        _ => &[],
    }
}

/// Sets the label that every namespace has.
pub(super) fn label_namespace(namespace: &mut Value) {
    let name = text(namespace, &["metadata", "name"]).to_owned();
    if let Some(metadata) = metadata_mut(namespace) {
        let labels = metadata.entry("labels").or_insert_with(|| json!({}));
        if let Value::Object(labels) = labels {
            labels.insert("kubernetes.io/metadata.name".to_owned(), name.into());
        }
    }
}

/// Moves the texts of a secret into its data, in base64.
pub(super) fn encode_texts(secret: &mut Value) {
    let Some(fields) = secret.as_object_mut() else { return };
    let Some(Value::Object(texts)) = fields.shift_remove("stringData") else { return };
    let Value::Object(data) = fields.entry("data").or_insert_with(|| json!({})) else { return };
    for (key, text) in texts {
        let text = text.as_str().unwrap_or_default();
        data.insert(key, crd_go::base64::encode_std(text.as_bytes()).into());
    }
}

/// An object with these fields and any others.
fn object(properties: Value) -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": properties})
}

/// An object with any fields.
fn any() -> Value {
    object(json!({}))
}

/// An object that has one owner.
fn atomic() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic"})
}

/// A list whose items are told apart by keys.
fn map(keys: &[&str], mut items: Value) -> Value {
    for key in keys {
        let is_number = key.to_lowercase().ends_with("port");
        let type_ = if is_number { "integer" } else { "string" };
        let properties = items["properties"].as_object_mut();
        properties.into_iter().for_each(|properties| {
            properties.entry(*key).or_insert_with(|| json!({"type": type_}));
        });
    }
    json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items})
}

/// A port, whose protocol is TCP unless it says otherwise.
fn port() -> Value {
    object(json!({"protocol": {"type": "string", "default": "TCP"}}))
}

fn status() -> Value {
    object(json!({"conditions": map(&["type"], any())}))
}

/// A `spec` with a selector of labels, which has one owner.
fn selecting(properties: Value) -> Value {
    let mut spec = object(properties);
    spec["properties"]["selector"] = atomic();
    spec
}

fn template() -> Value {
    object(json!({"spec": pod()}))
}

/// The `spec` of a pod.
fn pod() -> Value {
    let containers = map(&["name"], container());
    object(json!({
        "containers": containers,
        "initContainers": containers,
        "ephemeralContainers": containers,
        "volumes": map(&["name"], any()),
        "imagePullSecrets": map(&["name"], any()),
        "hostAliases": map(&["ip"], any()),
        "topologySpreadConstraints": map(&["topologyKey", "whenUnsatisfiable"], any()),
        "schedulingGates": map(&["name"], any()),
        "resourceClaims": map(&["name"], any()),
        "nodeSelector": atomic(),
    }))
}

fn container() -> Value {
    object(json!({
        "ports": map(&["containerPort", "protocol"], port()),
        "env": map(&["name"], any()),
        "volumeMounts": map(&["mountPath"], any()),
        "volumeDevices": map(&["devicePath"], any()),
        "resources": object(json!({"claims": map(&["name"], any())})),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_can_be_served() {
        let names: Vec<String> =
            all(KubeVersion::new(36)).map(|definition| definition.resource.to_string()).collect();
        assert_eq!(names.len(), KINDS.len());
        for kind in KINDS {
            let crd = (kind.schema)();
            assert!(crd.is_object(), "{}", kind.kind);
        }
    }
}
