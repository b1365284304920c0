//! Advice on CRDs that the API server accepts but that cause problems later. Advice never changes a verdict.
//!
//! Each piece of advice has a path in the CRD, and a name with which users can disable this kind of advice.

mod columns;
mod dropped;
mod kinds;
mod lists;
mod lost;
mod names;
mod paths;
pub(super) mod size;
mod unknown;

use super::ServerOptions;
use super::features::{self, FeatureUse};
use crate::crd::Version;
use crate::{CustomResourceDefinition, FieldPath};

pub use columns::{ColumnMismatch, column_mismatch, value_type};
pub use kinds::{
    COLUMN_WITHOUT_FIELD, CrdAdvice, DROPPED_VALUE, FIELD_LOST_BETWEEN_VERSIONS, FIELD_RESET_THROUGH_VERSION,
    INERT_FIELD, LIST_WITHOUT_TYPE, NAMES, NAMES_NOT_ACCEPTED, SCALE_WITHOUT_FIELD, TOO_LARGE_FOR_APPLY,
    UNKNOWN_FIELD, YAML_1_1,
};

/// Returns advice on a CRD: settings that the API server accepts but that cause problems later.
///
/// ```
/// use crd_core::{CustomResourceDefinition, check::advise};
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [{
///     "name": "v1",
///     "schema": {"openAPIV3Schema": {"type": "object", "properties": {
///         "spec": {"type": "object", "properties": {"replicas": {"type": "integer"}}}
///     }}},
///     "additionalPrinterColumns": [{"name": "Replicas", "type": "integer", "jsonPath": ".spec.replcas"}]
/// }]}}))?;
/// let advice = advise(&crd);
/// assert_eq!(advice[0].name, "column-without-field");
/// assert_eq!(advice[0].field.to_string(), "spec.versions[0].additionalPrinterColumns[0].jsonPath");
/// assert_eq!(advice[0].help(), Some("did you mean `.spec.replicas`?"));
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn advise(crd: &CustomResourceDefinition) -> Vec<CrdAdvice> {
    let mut out = Vec::new();
    unknown::unknown(crd, &mut out);
    dropped::dropped(crd, &mut out);
    for (i, version) in crd.spec.versions.iter().enumerate() {
        let path = FieldPath::new("spec").child("versions").index(i);
        paths::paths(version, &path, &mut out);
        lists::lists(version, &path, &mut out);
    }
    out.extend(lost_between_versions(crd));
    size::size(crd, &mut out);
    out
}

/// Returns the additional advice on a CRD that replaces a stored CRD; [`advise`] returns the rest.
#[must_use]
pub fn advise_update(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<CrdAdvice> {
    let mut out = Vec::new();
    names::names(old, new, &mut out);
    out
}

/// Returns `true` if the path of a printer column or of the scale subresource is missing in the version's schema.
#[must_use]
pub fn has_paths_without_field(version: &Version) -> bool {
    let mut found = Vec::new();
    paths::paths(version, &FieldPath::new("version"), &mut found);
    !found.is_empty()
}

/// Returns advice on fields that objects lose in the storage version, or that clients of the storage version miss. Returns no advice if a
/// webhook converts objects. [`advise`] includes this advice.
#[must_use]
pub fn lost_between_versions(crd: &CustomResourceDefinition) -> Vec<CrdAdvice> {
    let mut out = Vec::new();
    lost::lost(crd, &mut out);
    out
}

/// Returns advice on fields of the storage version that another served version lacks. The status is ignored. Returns no advice if a webhook
/// converts objects.
#[must_use]
pub fn reset_through_versions(crd: &CustomResourceDefinition) -> Vec<CrdAdvice> {
    let mut out = Vec::new();
    lost::reset(crd, &mut out);
    out
}

/// Returns advice on a CRD's features that have no effect in a server with these options.
#[must_use]
pub fn inert(crd: &CustomResourceDefinition, options: ServerOptions) -> Vec<CrdAdvice> {
    let version = options.kube_version;
    let advice = |found: FeatureUse| {
        CrdAdvice::new(INERT_FIELD, found.field, found.feature.message(version, version), None)
    };
    features::inert(crd, options).into_iter().map(advice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn found(crd: Value) -> Vec<String> {
        let crd = CustomResourceDefinition::from_value(crd).unwrap();
        let show = |advice: CrdAdvice| {
            let help = advice.help().map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{} {}: {}{help}", advice.name, advice.field, advice.message)
        };
        advise(&crd).into_iter().map(show).collect()
    }

    fn version(version: &Value) -> Value {
        json!({"spec": {"versions": [version]}})
    }

    fn schema(properties: &Value) -> Value {
        json!({"openAPIV3Schema": {"type": "object", "properties": properties}})
    }

    #[test]
    fn columns_lead_somewhere() {
        let conditions = json!({"type": "array", "x-kubernetes-list-type": "atomic", "items": {
            "type": "object",
            "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
        }});
        let labels = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let schema = schema(&json!({
            "spec": {"type": "object", "properties": {"a": labels}},
            "status": {"type": "object", "properties": {"conditions": conditions, "free": free}},
        }));
        let paths = [
            ".status.conditions[?(@.type==\"Ready\")].status",
            ".status.conditions[*].type",
            ".status.free.x.y",
            ".spec.a.k",
            ".spec['a'].k",
            ".metadata.creationTimestamp",
            "..anything",
            ".status.conditions[0].reason",
            ".status.condition",
            ".spec.a.k.x",
            ".status.conditions.type",
            ".status.condition.type",
            ".status.condition.message",
        ];
        let columns: Vec<Value> = paths.iter().map(|path| json!({"jsonPath": path})).collect();
        let found = found(version(&json!({"schema": schema, "additionalPrinterColumns": columns})));
        let wanted = [
            (7, "the schema of `.status.conditions[0]` has no `reason`"),
            (8, "the schema of `.status` has no `condition` (did you mean `.status.conditions`?)"),
            (9, "the schema of `.spec.a.k` has no `x`"),
            (10, "the schema of `.status.conditions` is a list (did you mean `.status.conditions[0].type`?)"),
            (11, "the schema of `.status` has no `condition` (did you mean `.status.conditions[0].type`?)"),
            (12, "the schema of `.status` has no `condition`"),
        ];
        let wanted = wanted.map(|(i, text)| {
            let field = format!("spec.versions[0].additionalPrinterColumns[{i}].jsonPath");
            format!("column-without-field {field}: `{}` is not a field: {text}", paths[i])
        });
        assert_eq!(found, wanted);
    }

    #[test]
    fn scale_paths_lead_somewhere() {
        let schema =
            schema(&json!({"spec": {"type": "object", "properties": {"replicas": {"type": "integer"}}}}));
        let scale = json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
        let found = found(version(&json!({"schema": schema, "subresources": {"scale": scale}})));
        assert_eq!(
            found,
            [
                "scale-without-field spec.versions[0].subresources.scale.statusReplicasPath: `.status.replicas` is not \
              a field: the schema has no `status`"
            ]
        );
    }

    #[test]
    fn lists_have_types() {
        let list = json!({"type": "array", "items": {"type": "string"}});
        let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
        let schema =
            schema(&json!({"spec": {"type": "object", "properties": {"a": list, "b": set, "c": list}}}));
        let found = found(version(&json!({"schema": schema})));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with(
            "list-without-type spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a]: 2 lists have \
             no `x-kubernetes-list-type`"
        ));
    }

    #[test]
    fn dropped_values_are_named() {
        let schema = schema(&json!({"spec": {"type": "object", "nullable": false, "required": []}}));
        let columns = json!([{"priority": 0, "jsonPath": ".spec"}]);
        let crd = json!({"spec": {
            "names": {"shortNames": []},
            "preserveUnknownFields": false,
            "versions": [{"schema": schema, "deprecated": false, "additionalPrinterColumns": columns}],
        }});
        let fields = |text: String| text.split(": ").next().unwrap_or_default().to_owned();
        let found: Vec<String> = found(crd).into_iter().map(fields).collect();
        let path = "spec.versions[0].schema.openAPIV3Schema.properties[spec]";
        assert_eq!(
            found,
            [
                "dropped-value spec.names.shortNames".to_owned(),
                "dropped-value spec.preserveUnknownFields".to_owned(),
                "dropped-value spec.versions[0].deprecated".to_owned(),
                "dropped-value spec.versions[0].additionalPrinterColumns[0].priority".to_owned(),
                format!("dropped-value {path}.nullable"),
                format!("dropped-value {path}.required"),
            ]
        );
    }

    #[test]
    fn unknown_keys_are_named() {
        let found = found(json!({"spec": {"names": {"shortName": ["ct"], "unlike": 1}}}));
        assert_eq!(
            found,
            [
                "unknown-field spec.names.shortName: the API does not have this field, so the API server drops it (did you mean \
                 `shortNames`?)",
                "unknown-field spec.names.unlike: the API does not have this field, so the API server drops it",
            ]
        );
    }

    #[test]
    fn extensions_without_their_prefix_are_named_with_it() {
        for name in
            ["x-preserve-unknown-fields", "x-preserve-unknown-field", "x-kubernetes-preserve-unknown-field"]
        {
            let found =
                found(version(&json!({"schema": schema(&json!({"spec": {"type": "object", name: true}}))})));
            assert!(
                found[0].ends_with("(did you mean `x-kubernetes-preserve-unknown-fields`?)"),
                "{}",
                found[0]
            );
        }
    }

    #[test]
    fn large_definitions_are_weighed() {
        let heavy = json!({"type": "object", "properties": {
            "template": {"type": "object", "description": "x".repeat(200_000)},
            "other": {"type": "object", "description": "x".repeat(100_000)},
        }});
        let found = found(version(&json!({"schema": schema(&json!({"spec": heavy}))})));
        assert_eq!(found.len(), 1);
        let parts = "the largest parts are `properties[spec].properties[template]` (196 KiB), ";
        assert!(found[0].contains(parts), "{}", found[0]);
    }

    #[test]
    fn characters_that_go_escapes_count_as_they_are_stored() {
        let of = |text: String| {
            let spec = json!({"type": "object", "description": text});
            found(version(&json!({"schema": schema(&json!({"spec": spec}))})))
        };
        assert!(of("x".repeat(46_000)).is_empty());
        assert!(of("<".repeat(46_000))[0].contains("bytes as JSON"));
        // Of a definition without heavy parts none is named, and etcd stores no larger one.
        let large = of("x".repeat(2_100_000));
        assert!(!large[0].contains("largest parts are ("), "{}", large[0]);
        assert!(large[0].contains("`--server-side` does not help"), "{}", large[0]);
    }
}
