//! Finds parts of a file that come from a cluster, or that cause problems for tools.

use crd_core::check::CrdSizes;
use crd_core::{CustomResourceDefinition, Edit, FieldPath, OrderedMap, Remedy};

use crate::finding::FoundBy;
use crate::node::Node;

/// Finds a status in a file.
pub(crate) fn status_in_file(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    if crd.status.is_some() {
        let place = FieldPath::new("status");
        found.add(
            place.clone(),
            "the file has a `status`, which the API server sets: tools that compare the file with the cluster show a difference",
            Remedy::new("remove it").with(Edit::remove(place)),
        );
    }
}

/// Finds the annotation in which `kubectl apply` stores the applied object.
pub(crate) fn last_applied(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    const NAME: &str = "kubectl.kubernetes.io/last-applied-configuration";
    if crd.metadata.annotations.iter().flat_map(|all| all.iter()).any(|(name, _)| name == NAME) {
        let place = FieldPath::new("metadata").child("annotations").key(NAME);
        found.add(
            place.clone(),
            "the file has the annotation in which `kubectl apply` stores the object that it applied last",
            Remedy::new("remove it").with(Edit::remove(place)),
        );
    }
}

/// Finds the annotation with the generator's version. Every upgrade of the generator changes it, unless the generator was built without a
/// version, such as `(devel)`.
pub(crate) fn version_of_tool(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    const NAME: &str = "controller-gen.kubebuilder.io/version";
    let is_version =
        |(name, value): (&str, &String)| name == NAME && value.contains(|c: char| c.is_ascii_digit());
    if crd.metadata.annotations.iter().flat_map(|all| all.iter()).any(is_version) {
        let place = FieldPath::new("metadata").child("annotations").key(NAME);
        found.add(
            place.clone(),
            "the file contains the version of the generator, which changes with each upgrade",
            Remedy::new("remove it").with(Edit::remove(place)),
        );
    }
}

/// Finds CRDs in a Helm chart that are deleted with the release, together with all their objects.
pub(crate) fn no_keep_policy(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let is = |key: &str, value: &str, all: &Option<OrderedMap<String>>| {
        all.iter().flat_map(|all| all.iter()).any(|(name, found)| name == key && found == value)
    };
    let metadata = &crd.metadata;
    let of_helm = is("app.kubernetes.io/managed-by", "Helm", &metadata.labels);
    if of_helm && !is("helm.sh/resource-policy", "keep", &metadata.annotations) {
        found.add(
            FieldPath::new("metadata"),
            "the CRD is part of a Helm release: `helm uninstall` deletes it and all its objects",
            "add the annotation `helm.sh/resource-policy: keep`",
        );
    }
}

/// Finds braces that Helm interprets as a template.
pub(crate) fn helm_braces(node: &Node<'_>, found: &mut FoundBy<'_>) {
    if node.schema.description.as_ref().is_some_and(|text| text.contains("{{")) {
        found.add(
            node.path().child("description"),
            format!("the description of `{}` has `{{{{`: in `templates/` of a chart, Helm reads it as a template and fails", node.field()),
            "write `{{ \"{{\" }}` in the chart, or put the CRD into `crds/`",
        );
    }
}

/// Finds CRDs that etcd rejects.
pub(crate) fn too_large(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let bytes = crd.json_bytes();
    if bytes > CrdSizes::MOST_STORED {
        let message =
            format!("the CRD has {bytes} bytes as JSON: etcd stores at most {}", CrdSizes::MOST_STORED);
        found.add(FieldPath::root(), message, "shorten descriptions, or split the CRD");
    }
}
