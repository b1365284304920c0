//! Features that a definition uses and that came with a release of Kubernetes.

use crd_cel::introduced;
use crd_go::KubeVersion;

use crate::crd::{JsonSchemaProps, ValidationRule, Version};
use crate::place::Place;
use crate::values::formats::Format;
use crate::{CustomResourceDefinition, FieldPath};

/// The answer of older servers to a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OlderServers {
    /// They accept the definition, and the feature does nothing. The text tells why.
    Inert(&'static str),
    /// They refuse the definition.
    Refused,
}

/// A field of a definition that came with a release: before, servers drop it silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldFeature {
    /// The name of the field.
    pub name: &'static str,
    /// The first release that has the field without a feature gate.
    pub since: KubeVersion,
    /// The effect of its absence in older releases.
    pub before: &'static str,
}

const fn field(name: &'static str, minor: u32, before: &'static str) -> FieldFeature {
    FieldFeature { name, since: KubeVersion::new(minor), before }
}

pub(super) const SELECTABLE_FIELDS: FieldFeature = field(
    "selectableFields",
    31,
    "the server drops the list, and refuses requests that select by these fields",
);
const OPTIONAL_OLD_SELF: FieldFeature =
    field("optionalOldSelf", 30, "the server drops it, and does not run the rule when an object is created");
const REASON: FieldFeature =
    field("reason", 28, "the server drops it, and causes have the reason `FieldValueInvalid`");
const FIELD_PATH: FieldFeature =
    field("fieldPath", 28, "the server drops it, and causes name the place of the rule");
const MESSAGE_EXPRESSION: FieldFeature =
    field("messageExpression", 27, "the server drops it, and causes have the fixed message");
const VALIDATIONS: FieldFeature = field("x-kubernetes-validations", 25, "the server drops all rules");

/// All fields that came with a release after structural schemas.
///
/// Source: the feature gates of `apiextensions-apiserver` and the KEPs that added the fields.
pub const FIELDS: [FieldFeature; 6] =
    [SELECTABLE_FIELDS, OPTIONAL_OLD_SELF, REASON, FIELD_PATH, MESSAGE_EXPRESSION, VALIDATIONS];

/// A feature that a definition uses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feature {
    /// The name: a field, a format, or a function of rules.
    pub name: String,
    /// The place in the definition as it was written.
    pub field: FieldPath,
    /// The first release that has it in new definitions.
    pub since: KubeVersion,
    /// The answer of older servers.
    pub before: OlderServers,
}

impl Feature {
    /// The name as part of a sentence: code is in backquotes.
    #[must_use]
    pub fn title(&self) -> String {
        let is_code = !self.name.contains(' ') || self.name.contains(':');
        if is_code { format!("`{}`", self.name) } else { self.name.clone() }
    }

    /// Returns `true` if a server of that release accepts the feature, and the feature does nothing there.
    #[must_use]
    pub fn is_inert_in(&self, release: KubeVersion) -> bool {
        release < self.since && matches!(self.before, OlderServers::Inert(_))
    }
}

/// Returns the features of a definition that came with Kubernetes 1.25 or later, in the order of the definition.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_core::check::features;
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": [{
///     "name": "v1",
///     "selectableFields": [{"jsonPath": ".spec.color"}],
///     "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
///         "type": "object",
///         "properties": {"color": {"type": "string", "format": "k8s-short-name"}},
///     }}}},
/// }]}}))?;
/// let found: Vec<String> = features(&crd).iter().map(|found| format!("{} {}", found.name, found.since)).collect();
/// assert_eq!(found, ["selectableFields 1.31", "format: k8s-short-name 1.35"]);
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn features(crd: &CustomResourceDefinition) -> Vec<Feature> {
    let base = FieldPath::new("spec").child("versions");
    let place = Place::new(&base);
    let mut found = Features::default();
    for (i, version) in crd.spec.versions.iter().enumerate() {
        found.version(version, &place.index(i));
    }
    found.all
}

#[derive(Default)]
struct Features {
    all: Vec<Feature>,
}

impl Features {
    fn version(&mut self, version: &Version, place: &Place<'_>) {
        if version.selectable_fields.is_some() {
            self.field(SELECTABLE_FIELDS, place);
        }
        if let Some(schema) = version.open_api_v3_schema() {
            self.schema(schema, &place.child("schema").child("openAPIV3Schema"));
        }
    }

    fn schema(&mut self, schema: &JsonSchemaProps, place: &Place<'_>) {
        if let Some(format) = schema.format.as_deref()
            && let Some(since) = Format::from_name(format).and_then(Format::introduced)
        {
            self.all.push(Feature {
                name: format!("format: {format}"),
                field: place.child("format").path(),
                since,
                before: OlderServers::Inert("the server does not check the format"),
            });
        }
        if let Some(rules) = schema.x_validations.as_deref().filter(|rules| !rules.is_empty()) {
            self.field(VALIDATIONS, place);
            let place = place.child(VALIDATIONS.name);
            for (i, rule) in rules.iter().enumerate() {
                self.rule(rule, &place.index(i));
            }
        }
        for (child, schema) in schema.spine() {
            self.schema(schema, &place.schema(child));
        }
    }

    fn rule(&mut self, rule: &ValidationRule, place: &Place<'_>) {
        let has_message = !rule.message_expression.is_empty();
        for (feature, is_used) in [
            (OPTIONAL_OLD_SELF, rule.optional_old_self.is_some()),
            (REASON, rule.reason.is_some()),
            (FIELD_PATH, !rule.field_path.is_empty()),
            (MESSAGE_EXPRESSION, has_message),
        ] {
            if is_used {
                self.field(feature, place);
            }
        }
        self.expression(&rule.rule, &place.child("rule"));
        if has_message {
            self.expression(&rule.message_expression, &place.child(MESSAGE_EXPRESSION.name));
        }
    }

    fn expression(&mut self, text: &str, place: &Place<'_>) {
        self.all.extend(introduced(text).into_iter().map(|function| Feature {
            since: function.in_new_rules(),
            name: function.name,
            field: place.path(),
            before: OlderServers::Refused,
        }));
    }

    fn field(&mut self, feature: FieldFeature, place: &Place<'_>) {
        self.all.push(Feature {
            name: feature.name.to_owned(),
            field: place.child(feature.name).path(),
            since: feature.since,
            before: OlderServers::Inert(feature.before),
        });
    }
}
