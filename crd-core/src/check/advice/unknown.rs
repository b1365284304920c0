//! Finds keys that the CRD API does not have.

use crd_go::nearest::nearest;

use super::kinds::{CrdAdvice, UNKNOWN_FIELD};
use crate::CustomResourceDefinition;
use crate::{Edit, Remedy, Segment};

/// The keys of the API that are suggested for unknown keys.
const KNOWN: [&str; 90] = [
    "additionalPrinterColumns",
    "additionalProperties",
    "allOf",
    "annotations",
    "anyOf",
    "apiVersion",
    "caBundle",
    "categories",
    "clientConfig",
    "conversion",
    "conversionReviewVersions",
    "default",
    "deprecated",
    "deprecationWarning",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "fieldPath",
    "finalizers",
    "format",
    "generateName",
    "group",
    "items",
    "jsonPath",
    "kind",
    "labelSelectorPath",
    "labels",
    "listKind",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "message",
    "messageExpression",
    "metadata",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "name",
    "names",
    "namespace",
    "not",
    "nullable",
    "oneOf",
    "openAPIV3Schema",
    "optionalOldSelf",
    "ownerReferences",
    "path",
    "pattern",
    "plural",
    "port",
    "preserveUnknownFields",
    "priority",
    "properties",
    "reason",
    "required",
    "rule",
    "scale",
    "schema",
    "scope",
    "selectableFields",
    "served",
    "service",
    "shortNames",
    "singular",
    "spec",
    "specReplicasPath",
    "status",
    "statusReplicasPath",
    "storage",
    "strategy",
    "subresources",
    "title",
    "type",
    "uniqueItems",
    "url",
    "versions",
    "webhook",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

/// Finds the keys that the API server silently drops.
pub(super) fn unknown(crd: &CustomResourceDefinition, out: &mut Vec<CrdAdvice>) {
    for field in crd.unknown_fields() {
        let Some(Segment::Child(name)) = field.last() else { continue };
        // Extensions of schemas have a prefix that is easily left out.
        let prefixed = name.strip_prefix("x-").filter(|rest| !rest.starts_with("kubernetes-"));
        let prefixed = prefixed.map(|rest| format!("x-kubernetes-{rest}"));
        let remedy = nearest(prefixed.as_deref().unwrap_or(name), KNOWN).map(|known| {
            Remedy::new(format!("did you mean `{known}`?")).with(Edit::rename(field.clone(), known))
        });
        let message = "the API does not have this field, so the API server drops it".to_owned();
        out.push(CrdAdvice { name: UNKNOWN_FIELD, field, message, remedy });
    }
}
