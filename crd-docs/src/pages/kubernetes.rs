//! Recognizes types from the Kubernetes API in a CRD, and links to their documentation.

use crd_core::schema::{QUANTITY, SchemaType, Structural};

use super::description::{Block, Inline};
use super::field;

const REFERENCE: &str = "https://kubernetes.io/docs/reference/kubernetes-api/";

/// A type from the Kubernetes API.
struct KnownType {
    name: &'static str,
    /// The type's page in the reference.
    page: &'static str,
    /// Fields that a schema for this type must have.
    fields: &'static [&'static str],
    /// `true` if the type has no other fields.
    is_complete: bool,
}

const fn whole(name: &'static str, page: &'static str, fields: &'static [&'static str]) -> KnownType {
    KnownType { name, page, fields, is_complete: true }
}

/// Returns a type with many fields. `fields` are a few of them, which identify the type because no other type has them all.
const fn large(name: &'static str, page: &'static str, fields: &'static [&'static str]) -> KnownType {
    KnownType { name, page, fields, is_complete: false }
}

const KNOWN: [KnownType; 9] = [
    whole("LabelSelector", "common-definitions/label-selector/", &["matchExpressions", "matchLabels"]),
    whole(
        "ObjectReference",
        "common-definitions/object-reference/",
        &["apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"],
    ),
    whole(
        "TypedLocalObjectReference",
        "common-definitions/typed-local-object-reference/",
        &["apiGroup", "kind", "name"],
    ),
    whole(
        "ResourceFieldSelector",
        "common-definitions/resource-field-selector/",
        &["containerName", "divisor", "resource"],
    ),
    large(
        "PodSpec",
        "workload-resources/pod-v1/",
        &[
            "containers",
            "dnsPolicy",
            "nodeSelector",
            "restartPolicy",
            "serviceAccountName",
            "tolerations",
            "volumes",
        ],
    ),
    large(
        "Container",
        "workload-resources/pod-v1/",
        &["args", "command", "env", "image", "livenessProbe", "ports", "resources", "volumeMounts"],
    ),
    large(
        "Volume",
        "config-and-storage-resources/volume/",
        &["configMap", "emptyDir", "hostPath", "name", "persistentVolumeClaim", "secret"],
    ),
    large(
        "PersistentVolumeClaimSpec",
        "config-and-storage-resources/persistent-volume-claim-v1/",
        &["accessModes", "resources", "selector", "storageClassName", "volumeName"],
    ),
    large(
        "ServiceSpec",
        "service-resources/service-v1/",
        &["clusterIP", "ports", "selector", "sessionAffinity", "type"],
    ),
];

/// Returns a sentence with a link, if the field's type is from the Kubernetes API.
pub(super) fn reference(schema: &Structural, path: &str) -> Option<Block> {
    let sentence = |before: &str, page: &str, name: &str, text: &str, after: &str| {
        Block::Paragraph(vec![
            Inline::Text(before.to_owned()),
            Inline::Link { url: format!("{REFERENCE}{page}#{name}"), text: text.to_owned() },
            Inline::Text(after.to_owned()),
        ])
    };
    if path == "metadata" {
        let page = "common-definitions/object-meta/";
        return Some(sentence("The ", page, "ObjectMeta", "metadata of all objects", "."));
    }
    if is_quantity(schema) {
        return Some(sentence(
            "A ",
            "common-definitions/quantity/",
            "Quantity",
            "quantity",
            " of Kubernetes.",
        ));
    }
    let (owner, _) = field::owner(schema, String::new());
    let known = KNOWN.iter().find(|known| known.is_type_of(owner))?;
    Some(sentence("The fields of ", known.page, known.name, known.name, " of Kubernetes."))
}

fn is_quantity(schema: &Structural) -> bool {
    let validation = schema.value_validation.as_ref();
    let pattern = validation.and_then(|validation| validation.pattern.as_deref());
    schema.is_int_or_string() && pattern == Some(QUANTITY)
}

impl KnownType {
    fn is_type_of(&self, schema: &Structural) -> bool {
        let has_all = || self.fields.iter().all(|name| schema.properties.get(name).is_some());
        schema.type_ == Some(SchemaType::Object)
            && (!self.is_complete || schema.properties.len() == self.fields.len())
            && has_all()
    }
}
