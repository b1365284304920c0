//! The API server's verdict on a new `CustomResourceDefinition`, with the server's messages in the server's order.
//!
//! Performs all checks of the server version in [`ServerOptions`], including the checks of `x-kubernetes-validations`. With the feature
//! `rules`, rules are also evaluated on defaults. Source: `apiextensions-apiserver`, `validation.go` and the functions that it calls; each
//! module gives its own source.

pub mod advice;
mod decode;
mod defaults;
mod dump;
pub mod features;
mod formats;
mod junctors;
mod lists;
mod means;
mod open_api;
mod patterns;
mod releases;
mod request;
mod root;
mod rule_fields;
mod rules;
mod schema;
mod selectable;
mod sets;
mod sizes;
mod stored;
mod structural;
mod update;
mod warned;

pub use advice::{CrdAdvice, advise, advise_update, lost_between_versions};
pub use crd_go::outline::written_path;
pub use decode::{RejectedRequest, decode};
use std::collections::HashSet;

use serde_json::Value;

use crate::crd::API_VERSION;
use crate::dropped::without_disabled;
pub use crate::options::{FeatureGate, ServerOptions};
use crate::outline::{self, Before, Effective};
use crate::{CauseReason, CustomResourceDefinition, Diagnostic, FieldPath};
use means::Means;
pub use releases::{FeatureRow, ReleaseCompatibility, Support, annotate_min_kube_version};
pub use sizes::{CrdSizes, SizedPart};
use stored::StoredExpressions;
pub use update::update;
use warned::Warned;

/// The API server's response to the creation of a CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// `true` if the CRD is accepted.
    pub accepted: bool,
    /// The reasons why the CRD is rejected.
    pub errors: Vec<Diagnostic>,
    /// The warnings of the response: empty if the CRD is rejected.
    pub warnings: Vec<String>,
    /// For each warning, the path of the first schema that causes it.
    pub warned_fields: Vec<FieldPath>,
    /// The rejection of the whole request because it is too large or cannot be read; `errors` is then empty. One reason is not the API
    /// server's: [`CauseReason::LimitExceeded`](crate::CauseReason) means that the check of a default needs more CPU steps than this crate
    /// allows.
    pub refusal: Option<Diagnostic>,
    /// The decoder's error for a CRD that cannot be read: the end of the message in `refusal`.
    pub undecoded: Option<String>,
    /// The number of CPU steps that the check took, each of about ten nanoseconds.
    pub work: u64,
    /// `true` if the limit for these steps was reached; causes may then be missing.
    pub is_incomplete: bool,
}

impl Verdict {
    /// Decodes a CRD from JSON, fills in its defaults, and checks the CRD as the API server does.
    ///
    /// ```
    /// use crd_core::check::Verdict;
    /// use serde_json::json;
    ///
    /// let verdict = Verdict::for_value(json!({"spec": {"scope": 1}}));
    /// assert!(!verdict.accepted);
    /// let refusal = verdict.refusal.unwrap();
    /// assert_eq!(refusal.field.to_string(), "spec.scope");
    /// assert!(refusal.message.ends_with("of type v1.ResourceScope"));
    /// ```
    #[must_use]
    pub fn for_value(value: Value) -> Self {
        Self::with_definition(value).0
    }

    /// Checks a CRD in JSON like [`Verdict::for_value`], and also returns the CRD if it could be read.
    #[must_use]
    pub fn with_definition(value: Value) -> (Self, Option<CustomResourceDefinition>) {
        Self::with_definition_at(value, ServerOptions::default())
    }

    /// Checks a CRD in JSON like [`Verdict::with_definition`], but for the API server of a chosen release.
    ///
    /// ```
    /// use crd_core::check::{ServerOptions, Verdict};
    /// use crd_core::KubeVersion;
    /// use serde_json::json;
    ///
    /// let crd = json!({
    ///     "metadata": {"name": "crontabs.stable.example.com"},
    ///     "spec": {
    ///         "group": "stable.example.com",
    ///         "names": {"plural": "crontabs", "kind": "CronTab"},
    ///         "scope": "Namespaced",
    ///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
    ///             "type": "object",
    ///             "properties": {"spec": {
    ///                 "type": "object",
    ///                 "properties": {"address": {"type": "string", "maxLength": 40}},
    ///                 "x-kubernetes-validations": [{"rule": "isIP(self.address)"}],
    ///             }}
    ///         }}}]
    ///     }
    /// });
    /// let accepted = |minor| {
    ///     let options = ServerOptions::new(KubeVersion::new(minor));
    ///     Verdict::with_definition_at(crd.clone(), options).0.accepted
    /// };
    /// assert!(accepted(31) && !accepted(30));
    /// ```
    #[must_use]
    pub fn with_definition_at(
        value: Value,
        options: ServerOptions,
    ) -> (Self, Option<CustomResourceDefinition>) {
        Self::for_sent(value, None, options)
    }

    /// Returns the verdict on a CRD.
    ///
    /// ```
    /// use crd_core::{CustomResourceDefinition, check::Verdict};
    /// use serde_json::json;
    ///
    /// let crd = CustomResourceDefinition::from_value(json!({
    ///     "metadata": {"name": "crontabs.stable.example.com"},
    ///     "spec": {
    ///         "group": "stable.example.com",
    ///         "names": {"plural": "crontabs", "kind": "CronTab"},
    ///         "scope": "Namespaced",
    ///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
    ///             "type": "object",
    ///             "properties": {"spec": {"type": "object", "properties": {"cron": {"type": "string", "format": "cron"}}}}
    ///         }}}]
    ///     }
    /// }))?;
    /// let verdict = Verdict::for_crd(&crd);
    /// assert!(verdict.accepted);
    /// assert_eq!(verdict.warnings, ["unrecognized format \"cron\""]);
    /// # Ok::<(), crd_core::DecodeError>(())
    /// ```
    #[must_use]
    pub fn for_crd(crd: &CustomResourceDefinition) -> Self {
        Self::with_options(crd, ServerOptions::default())
    }

    /// Returns the verdict on a CRD in a chosen release of the API server.
    #[must_use]
    pub fn with_options(crd: &CustomResourceDefinition, options: ServerOptions) -> Self {
        match request::too_large(crd) {
            None => Self::for_decoded(crd, None, true, options),
            Some(refusal) => Self::refused(refusal),
        }
    }

    /// Returns the verdict on a CRD that is created or replaces `old`, in a chosen release of the API server.
    #[must_use]
    pub fn for_request(
        crd: &CustomResourceDefinition,
        old: Option<&CustomResourceDefinition>,
        options: ServerOptions,
    ) -> Self {
        Self::for_decoded(crd, old, true, options)
    }

    /// Returns the verdict for a list of causes: a rejection, unless the list is empty.
    #[must_use]
    pub fn from_causes(errors: Vec<Diagnostic>) -> Self {
        Self { accepted: errors.is_empty(), errors, ..Self::default() }
    }

    /// Adds a warning about a field.
    pub fn warn(&mut self, field: FieldPath, text: impl Into<String>) {
        self.warnings.push(text.into());
        self.warned_fields.push(field);
    }

    /// Returns the verdict on a CRD without an `apiVersion`, which kubectl would not send.
    #[must_use]
    pub fn unsent() -> Self {
        let cause = Diagnostic::new(FieldPath::new("apiVersion"), CauseReason::Required, "Required value");
        let help = format!("write `apiVersion: {API_VERSION}`: kubectl rejects objects without it");
        Self::from_causes(vec![cause.with_help(help)])
    }

    /// Checks a CRD in JSON that is created or replaces `old`, and also returns the CRD if it can be read.
    fn for_sent(
        value: Value,
        old: Option<&CustomResourceDefinition>,
        options: ServerOptions,
    ) -> (Self, Option<CustomResourceDefinition>) {
        let has_versions = value.pointer("/spec/versions").is_some_and(Value::is_array);
        match Self::read(value) {
            Ok(crd) => (Self::for_decoded(&crd, old, has_versions, options), Some(crd)),
            Err(rejected) => (*rejected, None),
        }
    }

    /// Reads a CRD. If the CRD cannot be read, the error is the verdict.
    fn read(value: Value) -> Result<CustomResourceDefinition, Box<Self>> {
        if let Some(refusal) = request::too_large(&value) {
            return Err(Box::new(Self::refused(refusal)));
        }
        decode(value).map_err(|RejectedRequest { refusal, error }| {
            Box::new(Self { undecoded: error, ..Self::refused(*refusal) })
        })
    }

    /// Returns `true` if there is no verdict, because the checks would exceed the limit for CPU steps.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.refusal.as_ref().is_some_and(|refusal| refusal.reason == CauseReason::LimitExceeded)
    }

    fn refused(refusal: Diagnostic) -> Self {
        Self { refusal: Some(refusal), ..Self::default() }
    }

    fn for_decoded(
        crd: &CustomResourceDefinition,
        old: Option<&CustomResourceDefinition>,
        has_versions: bool,
        options: ServerOptions,
    ) -> Self {
        Self::for_decoded_with(crd, old, has_versions, options, &mut Means::new(options.work))
    }

    fn for_decoded_with(
        crd: &CustomResourceDefinition,
        old: Option<&CustomResourceDefinition>,
        has_versions: bool,
        options: ServerOptions,
        means: &mut Means,
    ) -> Self {
        let known = without_disabled(crd, old, options);
        let crd = &*known;
        let before = old.map(Before);
        if let Some(before) = before {
            means.stored = StoredExpressions::new(crd, before);
        }
        let effective =
            Effective::new(crd, options.kube_version, has_versions, Some(&*means)).replacing(before);
        let mut errors = outline::check(crd, &effective);
        let (work, stop) = (options.work.saturating_sub(means.meter.left()), means.meter.stopped());
        let is_incomplete = stop.is_some();
        if let Some(stop) = stop {
            // Errors that were found reject the definition all the same; without one there is no answer.
            if errors.is_empty() {
                return Self { work, is_incomplete, ..Self::refused(stop) };
            }
            errors.push(stop);
        }
        let accepted = errors.is_empty();
        let mut found = Vec::new();
        if accepted {
            found = Warned::all(&effective);
            if let Some(old) = old {
                let known = Warned::all(&Effective::new(old, options.kube_version, true, None));
                let known: HashSet<String> = known.into_iter().map(|warned| warned.text).collect();
                found.retain(|warned| !known.contains(&warned.text));
            }
        }
        let warned_fields = Warned::fields(&found, crd, options.kube_version);
        let warnings = found.into_iter().map(|warned| warned.text).collect();
        Self { accepted, errors, warnings, warned_fields, work, is_incomplete, ..Self::default() }
    }
}

/// Checks a CRD, and returns the reasons why the API server rejects the CRD; none if the CRD is accepted.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use serde_json::json;
///
/// let mut crd = json!({
///     "metadata": {"name": "crontabs.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "crontabs", "kind": "CronTab"},
///         "scope": "Namespaced",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
///             "type": "object",
///             "properties": {"spec": {"type": "object"}}
///         }}}]
///     }
/// });
/// assert_eq!(crd_core::check(&CustomResourceDefinition::from_value(crd.clone())?), []);
///
/// crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = json!({"properties": {}});
/// let diagnostics = crd_core::check(&CustomResourceDefinition::from_value(crd)?);
/// assert_eq!(
///     diagnostics[0].to_string(),
///     "spec.validation.openAPIV3Schema.properties[spec].type: Required value: \
///      must not be empty for specified object fields"
/// );
/// # Ok::<(), crd_core::DecodeError>(())
/// ```
#[must_use]
pub fn check(crd: &CustomResourceDefinition) -> Vec<Diagnostic> {
    let Verdict { errors, refusal, .. } = Verdict::for_crd(crd);
    refusal.into_iter().chain(errors).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    fn definition(schema: &Value) -> Value {
        json!({
            "metadata": {"name": "crontabs.stable.example.com"},
            "spec": {
                "group": "stable.example.com",
                "names": {"plural": "crontabs", "kind": "CronTab"},
                "scope": "Namespaced",
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        })
    }

    fn nested(depth: usize, wrap: impl Fn(Value) -> Value) -> Value {
        (0..depth).fold(json!({"type": "string", "pattern": "^a", "default": "a"}), |schema, _| wrap(schema))
    }

    #[test]
    fn schemas_may_be_deep() {
        let object = |schema| json!({"type": "object", "properties": {"a": schema}});
        let verdict = Verdict::for_value(definition(&nested(98, object)));
        assert_eq!((verdict.accepted, verdict.refusal), (true, None));
        let list = |schema| json!({"type": "array", "items": schema});
        let verdict = Verdict::for_value(definition(&object(nested(90, list))));
        assert!(verdict.accepted);
        let junctor = |schema| json!({"anyOf": [schema]});
        let verdict = Verdict::for_value(definition(&nested(98, junctor)));
        assert!(!verdict.errors.is_empty());
        let verdict = Verdict::for_value(definition(&nested(300, object)));
        assert!(verdict.refusal.unwrap().message.contains("nested more than"));
    }

    #[test]
    fn metadata_has_no_list_of_rules_even_if_it_is_empty() {
        let with = |metadata: Value| {
            Verdict::for_value(definition(&json!({"type": "object", "properties": {"metadata": metadata}})))
        };
        assert!(with(json!({"type": "object"})).accepted);
        let verdict = with(json!({"type": "object", "x-kubernetes-validations": []}));
        assert!(
            verdict.errors[0].message.starts_with("Forbidden: must not specify anything other than name")
        );
    }

    #[test]
    fn deep_values_are_validated() {
        let value = (0..500).fold(json!("a"), |value, _| json!({"a": value}));
        let default = json!({
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": true,
            "enum": [value.clone()],
            "default": value,
        });
        let verdict =
            Verdict::for_value(definition(&json!({"type": "object", "properties": {"a": default}})));
        assert!(verdict.refusal.is_some() || verdict.accepted);
    }
}
