//! Recognizes Kubernetes types, such as `PodSpec`, in the schemas of a CRD. Their fields come from a release of Kubernetes, so the
//! author of the CRD cannot change these fields.

use crd_core::crd::JsonSchemaProps;

/// The fields by which a type is recognized. All of them must exist. Other fields are ignored, because they differ between Kubernetes
/// versions. Source: `k8s.io/api/core/v1/types.go` and `k8s.io/apimachinery/pkg/apis/meta/v1/types.go`.
const TYPES: &[(&str, &[&str])] = &[
    ("PodSpec", &["containers", "restartPolicy", "serviceAccountName"]),
    ("Container", &["image", "imagePullPolicy", "volumeMounts"]),
    ("ContainerPort", &["containerPort", "hostIP", "hostPort", "protocol"]),
    ("Volume", &["name", "configMap", "emptyDir", "secret", "hostPath"]),
    ("VolumeMount", &["mountPath", "name", "readOnly", "subPath"]),
    ("EnvVar", &["name", "value", "valueFrom"]),
    ("EnvVarSource", &["configMapKeyRef", "fieldRef", "secretKeyRef"]),
    ("EnvFromSource", &["configMapRef", "prefix", "secretRef"]),
    ("Affinity", &["nodeAffinity", "podAffinity", "podAntiAffinity"]),
    (
        "NodeAffinity",
        &[
            "preferredDuringSchedulingIgnoredDuringExecution",
            "requiredDuringSchedulingIgnoredDuringExecution",
        ],
    ),
    ("NodeSelectorTerm", &["matchExpressions", "matchFields"]),
    ("LabelSelector", &["matchExpressions", "matchLabels"]),
    ("Toleration", &["effect", "key", "operator", "tolerationSeconds"]),
    ("TopologySpreadConstraint", &["labelSelector", "maxSkew", "topologyKey", "whenUnsatisfiable"]),
    ("ResourceRequirements", &["limits", "requests"]),
    ("SecurityContext", &["runAsGroup", "runAsNonRoot", "runAsUser", "seLinuxOptions"]),
    ("Probe", &["exec", "failureThreshold", "httpGet", "periodSeconds", "tcpSocket"]),
    ("LifecycleHandler", &["exec", "httpGet", "tcpSocket"]),
    ("HTTPGetAction", &["httpHeaders", "path", "port", "scheme"]),
    ("PersistentVolumeClaimSpec", &["accessModes", "resources", "storageClassName", "volumeName"]),
    ("SecretKeySelector", &["key", "name", "optional"]),
    ("ObjectReference", &["apiVersion", "fieldPath", "kind", "name", "resourceVersion"]),
    ("TypedLocalObjectReference", &["apiGroup", "kind", "name"]),
    ("Condition", &["lastTransitionTime", "message", "reason", "status", "type"]),
    ("ServiceSpec", &["clusterIP", "externalTrafficPolicy", "ports", "sessionAffinity"]),
    ("ServicePort", &["appProtocol", "nodePort", "port", "protocol", "targetPort"]),
    ("JobSpec", &["activeDeadlineSeconds", "backoffLimit", "completions", "parallelism", "template"]),
    ("ObjectMeta", &["annotations", "generateName", "labels", "ownerReferences"]),
    // controller-gen writes this form with `generateEmbeddedObjectMeta`.
    ("ObjectMeta", &["annotations", "finalizers", "labels", "name", "namespace"]),
    ("MetricTarget", &["averageUtilization", "averageValue", "type", "value"]),
    ("OwnerReference", &["apiVersion", "blockOwnerDeletion", "kind", "name", "uid"]),
    ("PodDNSConfig", &["nameservers", "options", "searches"]),
    ("HostAlias", &["hostnames", "ip"]),
    ("NetworkPolicyPeer", &["ipBlock", "namespaceSelector", "podSelector"]),
];

/// Returns `true` for the schema of a Kubernetes type.
pub(crate) fn is_core(schema: &JsonSchemaProps) -> bool {
    let Some(properties) = &schema.properties else { return false };
    TYPES.iter().any(|(_, fields)| fields.iter().all(|field| properties.get(field).is_some()))
}
