//! Features of CRDs that do not exist in all versions of Kubernetes. Earlier servers accept CRDs with these features, but the features have
//! no effect.
//!
//! Features that an older server rejects, such as functions in rules, are not listed here, because the causes of the rejection mention
//! them.

use std::fmt::Display;

use crd_go::KubeVersion;
use serde_json::Value;

use super::{FeatureGate, ServerOptions};

use crate::crd::{JsonSchemaProps, ValidationRule, Version};
use crate::formats::Format;
use crate::lazy_path::LazyPath;
use crate::{CustomResourceDefinition, FieldPath};

/// A feature of CRDs that only some versions of Kubernetes have.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feature {
    /// The name of the field or format.
    pub name: &'static str,
    /// The first version in which the feature has an effect by default.
    pub since: KubeVersion,
    /// A description of earlier releases' behavior.
    pub before: &'static str,
    /// The feature gate that turns the feature on and off.
    gate: Option<FeatureGate>,
    find: Find,
}

/// The uses of a feature in a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Find {
    SelectableFields,
    OptionalOldSelf,
    MessageExpression,
    Reason,
    RuleFieldPath,
    Format(Format),
}

/// All features in this module, the newest first.
pub static FEATURES: [Feature; 7] = [
    Feature::for_format(Format::ShortName, "k8s-short-name"),
    Feature::for_format(Format::LongName, "k8s-long-name"),
    SELECTABLE_FIELDS,
    Feature::new(
        30,
        Find::OptionalOldSelf,
        "optionalOldSelf",
        "the API server silently drops the field, and the rule does not run when objects are created",
    )
    .with_gate(FeatureGate::CrdValidationRatcheting),
    Feature::new(
        28,
        Find::Reason,
        "reason",
        "the API server silently drops the field, and errors have the default reason",
    ),
    Feature::new(
        28,
        Find::RuleFieldPath,
        "fieldPath",
        "the API server silently drops the field, and errors name the path of the rule",
    ),
    Feature::new(
        27,
        Find::MessageExpression,
        "messageExpression",
        "the API server silently drops the field, and errors show the message or the rule",
    ),
];

/// The feature `selectableFields` of versions.
pub(super) const SELECTABLE_FIELDS: Feature = Feature::new(
    31,
    Find::SelectableFields,
    "selectableFields",
    "the API server silently drops the field, and rejects requests with field selectors",
)
.with_gate(FeatureGate::CustomResourceFieldSelectors);

/// A feature that a CRD uses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureUse {
    /// The feature that the CRD uses.
    pub feature: &'static Feature,
    /// The path at which the CRD uses the feature.
    pub field: FieldPath,
}

impl Feature {
    const fn new(since: u32, find: Find, name: &'static str, before: &'static str) -> Self {
        Self { name, since: KubeVersion::new(since), before, gate: None, find }
    }

    const fn with_gate(self, gate: FeatureGate) -> Self {
        Self { gate: Some(gate), ..self }
    }

    const fn for_format(format: Format, name: &'static str) -> Self {
        Self::new(
            format.since(),
            Find::Format(format),
            name,
            "the API server does not check the format in objects",
        )
    }

    /// Returns `true` if the feature has an effect in a server with these options.
    #[must_use]
    pub fn is_in(&self, options: ServerOptions) -> bool {
        match self.gate {
            Some(gate) => options.is_enabled(gate),
            None => options.kube_version >= self.since,
        }
    }

    /// Returns a description for text output; `releases`, such as `1.30`, are the versions that do not have the feature. `newest` is the
    /// newest of these versions.
    #[must_use]
    pub fn message(&self, releases: impl Display, newest: KubeVersion) -> String {
        let Self { name, since, before, gate, .. } = self;
        let needs = match gate.filter(|_| newest >= *since) {
            // The gate is off.
            Some(gate) => format!("the feature gate `{gate}`"),
            None => since.to_string(),
        };
        format!("`{name}` has no effect in Kubernetes {releases}: {before}; `{name}` needs {needs}")
    }
}

/// Returns each use of a feature in a CRD, in the order of the CRD.
///
/// ```
/// use crd_core::check::{ServerOptions, features};
/// use crd_core::{CustomResourceDefinition, KubeVersion};
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [{
///     "name": "v1",
///     "selectableFields": [{"jsonPath": ".spec.color"}],
/// }]}}))?;
/// let used = features::used(&crd);
/// assert_eq!((used[0].feature.name, used[0].feature.since), ("selectableFields", KubeVersion::new(31)));
/// assert_eq!(used[0].field.to_string(), "spec.versions[0].selectableFields");
///
/// assert_eq!(features::inert(&crd, ServerOptions::new(KubeVersion::new(30))), used);
/// assert_eq!(features::inert(&crd, ServerOptions::new(KubeVersion::new(31))), []);
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn used(crd: &CustomResourceDefinition) -> Vec<FeatureUse> {
    found(crd, &|_| true)
}

/// Returns the features in a CRD that have no effect in a server, although the server accepts the CRD.
#[must_use]
pub fn inert(crd: &CustomResourceDefinition, options: ServerOptions) -> Vec<FeatureUse> {
    // The newest release has all features.
    if FEATURES.iter().all(|feature| feature.is_in(options)) {
        return Vec::new();
    }
    found(crd, &|feature| !feature.is_in(options))
}

fn found(crd: &CustomResourceDefinition, wanted: &dyn Fn(&Feature) -> bool) -> Vec<FeatureUse> {
    Finder::walk(crd, wanted).uses
}

/// Returns the features that a CRD uses, and the checks whose results can differ between versions.
pub(super) fn survey(crd: &CustomResourceDefinition) -> (Vec<FeatureUse>, Differences) {
    let Finder { uses, differences, .. } = Finder::walk(crd, &|_| true);
    (uses, differences)
}

/// The checks whose results can differ between versions, for a CRD that the newest release accepts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Differences {
    /// `true` if the schemas have rules.
    pub(super) rules: bool,
    /// `true` if older releases can reject a default that the newest release accepts.
    pub(super) defaults: bool,
    /// `true` if further checks can differ: the checks of `additionalProperties` under `allOf` and similar keywords.
    pub(super) others: bool,
}

struct Finder {
    wanted: Vec<&'static Feature>,
    uses: Vec<FeatureUse>,
    differences: Differences,
}

impl Finder {
    fn walk(crd: &CustomResourceDefinition, wanted: &dyn Fn(&Feature) -> bool) -> Self {
        let wanted = FEATURES.iter().filter(|feature| wanted(feature)).collect();
        let mut finder = Self { wanted, uses: Vec::new(), differences: Differences::default() };
        for (i, version) in crd.spec.versions.iter().enumerate() {
            finder.version(version, &FieldPath::new("spec").child("versions").index(i));
        }
        finder
    }

    fn version(&mut self, version: &Version, path: &FieldPath) {
        if version.selectable_fields.as_ref().is_some_and(|fields| !fields.is_empty()) {
            self.note(Find::SelectableFields, || path.child("selectableFields"));
        }
        if let Some(schema) = version.open_api_v3_schema() {
            self.schema(schema, &LazyPath::new(&path.child("schema").child("openAPIV3Schema")));
        }
    }

    fn schema(&mut self, schema: &JsonSchemaProps, place: &LazyPath<'_>) {
        let format = schema.format.as_deref().and_then(Format::from_name);
        if let Some(format) = format.filter(|_| schema.type_.as_deref() == Some("string")) {
            self.note(Find::Format(format), || place.child("format").path());
        }
        let differences = &mut self.differences;
        differences.rules |= has_rules(schema);
        let can_differ = |default| can_differ(schema, default);
        differences.defaults = differences.defaults || schema.default.as_deref().is_some_and(can_differ);
        differences.others = differences.others || junctors(schema).any(has_additional_properties);
        for (i, rule) in schema.x_validations.iter().flatten().enumerate() {
            self.rule(rule, &|field| place.path().child("x-kubernetes-validations").index(i).child(field));
        }
        for (child, schema) in schema.spine() {
            self.schema(schema, &place.schema(child));
        }
    }

    fn rule(&mut self, rule: &ValidationRule, path: &dyn Fn(&'static str) -> FieldPath) {
        let fields = [
            (rule.optional_old_self.is_some(), Find::OptionalOldSelf, "optionalOldSelf"),
            (!rule.message_expression.is_empty(), Find::MessageExpression, "messageExpression"),
            (rule.reason.is_some(), Find::Reason, "reason"),
            (!rule.field_path.is_empty(), Find::RuleFieldPath, "fieldPath"),
        ];
        for (is_set, find, name) in fields {
            if is_set {
                self.note(find, || path(name));
            }
        }
    }

    fn note(&mut self, find: Find, field: impl FnOnce() -> FieldPath) {
        if let Some(feature) = self.wanted.iter().find(|feature| feature.find == find) {
            self.uses.push(FeatureUse { feature, field: field() });
        }
    }
}

fn has_rules(schema: &JsonSchemaProps) -> bool {
    schema.x_validations.as_ref().is_some_and(|rules| !rules.is_empty())
}

/// Returns `true` if older releases can reject a default of a schema that the newest release accepts.
fn can_differ(schema: &JsonSchemaProps, default: &Value) -> bool {
    let differs = |schema: &JsonSchemaProps| {
        schema.multiple_of.is_some() || schema.x_embedded_resource == Some(true) || has_rules(schema)
    };
    has_fraction(default) || schema.any(&differs)
}

/// Returns `true` if a value contains a number that is not written as an integer.
fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(has_fraction),
        Value::Object(fields) => fields.values().any(has_fraction),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Returns `true` if a schema contains `additionalProperties` at any depth.
fn has_additional_properties(schema: &JsonSchemaProps) -> bool {
    schema.any(&|schema| schema.additional_properties.is_some())
}

/// Returns the schemas in a schema's `allOf`, `anyOf`, `oneOf` and `not`.
fn junctors(schema: &JsonSchemaProps) -> impl Iterator<Item = &JsonSchemaProps> {
    let lists = [&schema.all_of, &schema.any_of, &schema.one_of];
    lists.into_iter().flatten().flatten().chain(schema.not.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn features_are_inert_before_their_release() {
        let rule = json!({
            "rule": "true", "messageExpression": "'a'", "reason": "FieldValueForbidden", "fieldPath": ".a",
            "optionalOldSelf": true,
        });
        let schema = json!({"type": "object", "properties": {"spec": {
            "type": "object",
            "properties": {"a": {"type": "string", "format": "k8s-short-name"}, "b": {"type": "string", "format": "date"}},
            "x-kubernetes-validations": [rule],
        }}});
        let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [
            {"name": "v1", "selectableFields": []},
            {"name": "v2", "selectableFields": [{"jsonPath": ".spec.a"}], "schema": {"openAPIV3Schema": schema}},
        ]}}))
        .unwrap();
        let names = |minor| {
            let uses = inert(&crd, ServerOptions::new(KubeVersion::new(minor)));
            uses.iter().map(|found| found.feature.name).collect::<Vec<_>>()
        };
        assert_eq!(names(26).len(), 6);
        assert_eq!(names(29), ["selectableFields", "optionalOldSelf", "k8s-short-name"]);
        assert_eq!(names(30), ["selectableFields", "k8s-short-name"]);
        assert_eq!(names(34), ["k8s-short-name"]);
        assert!(names(35).is_empty() && used(&crd).len() == 6);
        let spec = "spec.versions[1].schema.openAPIV3Schema.properties[spec]";
        let places: Vec<String> = used(&crd).iter().map(|found| found.field.to_string()).collect();
        assert_eq!(places[1], format!("{spec}.x-kubernetes-validations[0].optionalOldSelf"));
        assert_eq!(places[5], format!("{spec}.properties[a].format"));
        assert_eq!(
            inert(&crd, ServerOptions::new(KubeVersion::new(30)))[0]
                .feature
                .message("1.30", KubeVersion::new(30)),
            "`selectableFields` has no effect in Kubernetes 1.30: the API server silently drops the field, and \
             rejects requests with field selectors; `selectableFields` needs 1.31"
        );
    }
}
