//! Finds mistakes in printer columns, the scale and status subresources, and versions.

use std::collections::HashSet;

use crd_core::check::advice::{ColumnMismatch, column_mismatch, value_type};
use crd_core::crd::{Child, JsonSchemaProps, ScaleSubresource, Version, compare_versions};
use crd_core::embedded::is_own_field;
use crd_core::{CustomResourceDefinition, FieldPath};

use crate::finding::FoundBy;
use crate::node::short;

/// Returns the versions with their paths.
fn versions(crd: &CustomResourceDefinition) -> impl Iterator<Item = (FieldPath, &Version)> {
    let place = FieldPath::new("spec").child("versions");
    crd.spec.versions.iter().enumerate().map(move |(i, version)| (place.index(i), version))
}

/// Finds paths in the scale subresource that lead to values of a wrong type.
pub(crate) fn scale_type(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    for (place, version) in versions(crd) {
        let Some(scale) = version.subresources.as_ref().and_then(|parts| parts.scale.as_ref()) else {
            continue;
        };
        let place = place.child("subresources").child("scale");
        let selector = scale.label_selector_path.as_ref();
        for (name, path, wanted) in [
            ("specReplicasPath", Some(&scale.spec_replicas_path), "integer"),
            ("statusReplicasPath", Some(&scale.status_replicas_path), "integer"),
            ("labelSelectorPath", selector, "string"),
        ] {
            let Some((path, type_)) =
                path.and_then(|path| Some((path, value_type(version.schema_at(path)?)?)))
            else {
                continue;
            };
            if type_ != wanted {
                let message = format!(
                    "`{path}` has the type `{type_}`, and the scale subresource reads a value of type `{wanted}`: `kubectl scale` and autoscalers fail"
                );
                found.add(place.child(name), message, format!("name a field of type `{wanted}`"));
            }
        }
    }
}

/// Finds scale subresources that a `HorizontalPodAutoscaler` cannot use.
pub(crate) fn scale_selector(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    for (place, version) in versions(crd) {
        let scale = version.subresources.as_ref().and_then(|parts| parts.scale.as_ref());
        let has_no_selector =
            |scale: &&ScaleSubresource| scale.label_selector_path.as_ref().is_none_or(String::is_empty);
        if scale.filter(has_no_selector).is_some_and(|scale| !is_fixed(version, scale)) {
            found.add(
                place.child("subresources").child("scale"),
                "the scale subresource has no `labelSelectorPath`: a HorizontalPodAutoscaler finds no Pods (\"selector is required\")",
                "write the selector of the Pods to a string in the status, and name it in `labelSelectorPath`",
            );
        }
    }
}

/// Returns `true` if the number of replicas has only one value, so that nobody can scale the object.
fn is_fixed(version: &Version, scale: &ScaleSubresource) -> bool {
    let replicas = version.schema_at(&scale.spec_replicas_path);
    replicas.is_some_and(|replicas| replicas.minimum.is_some() && replicas.minimum == replicas.maximum)
}

/// Finds columns whose type does not match the field's type.
pub(crate) fn column_type(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    for (place, version) in versions(crd) {
        for (i, column) in version.additional_printer_columns.iter().flatten().enumerate() {
            let (name, path) = (&column.name, &column.json_path);
            let place = place.child("additionalPrinterColumns").index(i).child("type");
            if let Some((type_, mismatch)) = column_mismatch(version, column) {
                let (message, help) = match mismatch {
                    ColumnMismatch::ShowsTimes => (
                        format!(
                            "the column `{name}` is a date, but `{path}` can be any string: `kubectl get` shows `<invalid>` for strings that are not times"
                        ),
                        "add `format: date-time` to the field, or use `type: string`".to_owned(),
                    ),
                    _ => (
                        format!(
                            "the column `{name}` has type `{}`, but `{path}` has type `{type_}`: the column stays empty",
                            column.type_
                        ),
                        format!("use `type: {}`", if type_ == "int-or-string" { "string" } else { type_ }),
                    ),
                };
                found.add(place, message, help);
            } else if column.type_ == "date" && is_future(path) && version.schema_at(path).is_some() {
                let message = format!(
                    "the column `{name}` is a date: `kubectl get` shows how long ago it was, and `<invalid>` for times in the future, such as `{path}`"
                );
                found.add(place, message, "use `type: string`");
            }
        }
    }
}

/// Returns `true` if the last name of a path suggests a time in the future.
fn is_future(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    ["deadline", "expir", "notafter", "until", "nextrun", "nextschedule", "renewal"]
        .iter()
        .any(|word| name.contains(word))
}

/// Finds two columns with the same name.
pub(crate) fn column_twice(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    for (place, version) in versions(crd) {
        let columns = version.additional_printer_columns.as_deref().unwrap_or_default();
        let mut seen = HashSet::new();
        for (i, column) in columns.iter().enumerate() {
            if !seen.insert(column.name.to_ascii_lowercase()) {
                let message =
                    format!("two columns have the name `{}`, so users cannot distinguish them", column.name);
                found.add(
                    place.child("additionalPrinterColumns").index(i).child("name"),
                    message,
                    "rename or remove one column",
                );
            }
        }
    }
}

/// Finds a status without a subresource, which everybody who may write the spec can write.
pub(crate) fn status_without_subresource(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    for (place, version) in versions(crd) {
        let Some(schema) = version.open_api_v3_schema() else { continue };
        // Without another field, nobody writes the object but for its status. A status without fields stays empty.
        let has_other = schema
            .properties
            .iter()
            .flat_map(|all| all.keys())
            .any(|name| name != "status" && !is_own_field(name));
        if has_other && status(version).is_some_and(keeps_fields) && !version.has_status() {
            found.add(
                place.child("schema").child("openAPIV3Schema").child("properties").key("status"),
                "the schema has a status, but the version has no status subresource: clients that write the spec also overwrite the status",
                "add `subresources: {status: {}}`",
            );
        }
        let status = schema.properties.as_ref().and_then(|properties| properties.get("status"));
        let required = schema.required.iter().flatten().any(|name| name == "status");
        if required && version.has_status() && status.is_some_and(|status| status.default.is_none()) {
            found.add(
                place.child("schema").child("openAPIV3Schema").child("required"),
                "`status` is required, but the API server drops it from new objects: no object can be created",
                "remove it from `required`",
            );
        }
    }
}

/// Returns `true` if objects can have a field.
fn keeps_fields(schema: &JsonSchemaProps) -> bool {
    schema.properties.as_ref().is_some_and(|all| all.iter().next().is_some())
        || schema.additional_properties.is_some()
        || schema.x_preserve_unknown_fields == Some(true)
}

/// Finds a version that is stored but not served.
pub(crate) fn storage_not_served(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    for (place, version) in versions(crd) {
        if version.storage && !version.served {
            let message = format!(
                "the storage version `{}` is not served: the API server must convert every object for clients",
                version.name
            );
            found.add(
                place.child("served"),
                message,
                "serve this version, or choose another storage version",
            );
        }
    }
}

/// Finds deprecated versions without a warning text, if the default warning suggests no replacement. It suggests only newer versions that
/// are served and not deprecated. Source: `defaultDeprecationWarning` in
/// `k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go`.
pub(crate) fn deprecation_without_warning(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let usable =
        crd.spec.versions.iter().filter(|version| version.served && version.deprecated != Some(true));
    let newest = usable.max_by(|a, b| compare_versions(&a.name, &b.name));
    for (place, version) in versions(crd) {
        let is_named = version.deprecation_warning.as_ref().is_some_and(|text| !text.is_empty())
            || newest.is_some_and(|newest| compare_versions(&version.name, &newest.name).is_lt());
        if version.deprecated == Some(true) && version.served && !is_named {
            found.add(
                place.child("deprecated"),
                format!("`{}` is deprecated without a `deprecationWarning`, and no newer version is served: users do not see what to use instead", version.name),
                "add `deprecationWarning`, and say what to use",
            );
        }
    }
}

/// Finds conversion webhooks whose certificate the API server cannot verify.
pub(crate) fn webhook_without_authority(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let Some(client) = crd
        .spec
        .conversion
        .as_ref()
        .and_then(|conversion| conversion.webhook.as_ref()?.client_config.as_ref())
    else {
        return;
    };
    // cert-manager and OpenShift fill it in by these.
    let is_injected = crd.metadata.annotations.iter().flat_map(|all| all.iter()).any(|(name, _)| {
        name.starts_with("cert-manager.io/inject-") || name == "service.beta.openshift.io/inject-cabundle"
    });
    if client.ca_bundle.is_none() && client.service.is_some() && !is_injected {
        found.add(
            FieldPath::new("spec").child("conversion").child("webhook").child("clientConfig"),
            "the webhook is a service and has no `caBundle`: conversion fails until a controller writes the `caBundle` into the CRD in the cluster",
            "add `caBundle` or the annotation `cert-manager.io/inject-ca-from`, unless a controller of yours writes `caBundle`",
        );
    }
}

/// Finds a status without an `observedGeneration`.
pub(crate) fn generation_missing(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    for (place, version) in versions(crd) {
        let Some(status) = status(version) else { continue };
        let has = |schema: &JsonSchemaProps, name: &str| {
            schema.properties.as_ref().is_some_and(|properties| properties.get(name).is_some())
        };
        let conditions = status.properties.as_ref().and_then(|properties| properties.get("conditions"));
        let items = conditions.and_then(|list| list.spine().find(|(child, _)| *child == Child::Items));
        let is_said = has(status, "observedGeneration")
            || items.is_some_and(|(_, items)| has(items, "observedGeneration"))
            || status.x_preserve_unknown_fields == Some(true);
        if version.has_status() && status.properties.is_some() && !is_said {
            found.add(
                place.child("schema").child("openAPIV3Schema").child("properties").key("status"),
                "the status has no `observedGeneration`: clients do not know whether the status describes the current spec",
                "add `observedGeneration` to the status or to its conditions",
            );
        }
    }
}

/// Finds a status with required fields.
pub(crate) fn status_requires(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    for (place, version) in versions(crd) {
        let Some(status) = status(version) else { continue };
        let has_several = status.properties.as_ref().is_some_and(|all| all.iter().nth(1).is_some());
        if let Some(name) = status.required.iter().flatten().next().filter(|_| has_several) {
            found.add(
                place.child("schema").child("openAPIV3Schema").child("properties").key("status").child("required"),
                format!(
                    "the status requires `{}`: a controller that knows only another part of the status cannot write it",
                    short(name)
                ),
                "make the fields of the status optional",
            );
        }
    }
}

/// Returns the schema of the status.
fn status(version: &Version) -> Option<&JsonSchemaProps> {
    version.open_api_v3_schema()?.properties.as_ref()?.get("status")
}

/// Finds webhooks that only accept the `ConversionReview` of `apiextensions.k8s.io/v1beta1`.
pub(crate) fn old_reviews(crd: &CustomResourceDefinition, found: &mut FoundBy<'_>) {
    let webhook = crd.spec.conversion.as_ref().and_then(|conversion| conversion.webhook.as_ref());
    let reviews =
        webhook.and_then(|webhook| webhook.conversion_review_versions.as_deref()).unwrap_or_default();
    if !reviews.is_empty() && reviews.iter().all(|version| version != "v1") {
        found.add(
            FieldPath::new("spec").child("conversion").child("webhook").child("conversionReviewVersions"),
            "the webhook does not accept `ConversionReview` of `v1`, only of an older version",
            "add `v1`",
        );
    }
}
