//! The API server's verdict on a definition, at the places of the Rust types that it was made from.

use std::collections::HashMap;

use crd_core::check::{ServerOptions, Verdict, written_path};
use crd_core::crd::{JsonSchemaProps, Version};
use crd_core::{CustomResourceDefinition, Diagnostic, FieldPath, KubeVersion, Segment};

use crate::error::Cause;
use crate::source::Sources;
use crate::{Advice, Error};

/// The annotation without which the API server takes no definition of a group of the Kubernetes project.
const APPROVED: &str = "api-approved.kubernetes.io";

/// A definition as its types describe it, before anybody asks whether the API server would accept it.
///
/// [`CustomResource::crd`](crate::CustomResource::crd) is [`UncheckedCrd::check`] of
/// [`CustomResource::unchecked`](crate::CustomResource::unchecked).
///
/// ```
/// use crdkit::{CrdSchema, CustomResource};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "stable.example.com", version = "v1", kind = "Shirt")]
/// struct ShirtSpec { color: String, sizes: Vec<u8> }
///
/// let definition = Shirt::unchecked()?;
/// let advice: Vec<String> = definition.advice().iter().map(ToString::to_string).collect();
/// assert_eq!(advice.len(), 1);
/// assert!(advice[0].contains("\n  --> ShirtSpec.sizes ("), "{}", advice[0]);
/// assert_eq!(definition.check()?.metadata.name, "shirts.stable.example.com");
/// # Ok::<(), crdkit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct UncheckedCrd {
    pub(crate) crd: CustomResourceDefinition,
    pub(crate) places: Places,
    is_unchecked: bool,
    kube_version: KubeVersion,
}

impl UncheckedCrd {
    pub(crate) fn new(crd: CustomResourceDefinition, places: Places) -> Self {
        Self { crd, places, is_unchecked: false, kube_version: KubeVersion::DEFAULT }
    }

    /// The same, whose [`check`](Self::check) asks for nothing: `#[crd(unchecked)]`.
    #[must_use]
    pub(crate) fn unchecked(mut self, is_unchecked: bool) -> Self {
        self.is_unchecked = is_unchecked;
        self
    }

    /// The same, judged by the API server of another release: `#[crd(kube_version = "1.31")]`.
    #[must_use]
    pub fn with_kube_version(mut self, kube_version: KubeVersion) -> Self {
        self.kube_version = kube_version;
        self
    }

    /// The release of the API server that judges the definition.
    #[must_use]
    pub fn kube_version(&self) -> KubeVersion {
        self.kube_version
    }

    /// The definition, if the API server of its release would accept it, which is that of Kubernetes 1.37 by default.
    ///
    /// A version that is not stored is judged as if it were: it is installed together with one that is. A type with
    /// `#[crd(unchecked)]` is not judged.
    ///
    /// # Errors
    /// The API server would refuse the definition. The error holds its causes in its words, each with the Rust type and
    /// field, and with the help that `crdkit check` gives.
    pub fn check(self) -> Result<CustomResourceDefinition, Error> {
        if !self.is_unchecked {
            self.judge(Approval::Needed)?;
        }
        Ok(self.crd)
    }

    /// As [`UncheckedCrd::check`], for who does not install the definition: a group of the Kubernetes project needs no
    /// approval.
    pub(crate) fn check_for_clients(self) -> Result<CustomResourceDefinition, Error> {
        if !self.is_unchecked {
            self.judge_for_clients()?;
        }
        Ok(self.crd)
    }

    pub(crate) fn judge_for_clients(&self) -> Result<(), Error> {
        self.judge(Approval::Ignored)
    }

    /// Judges a definition to which labels and annotations may be added yet: causes in those do not count.
    pub(crate) fn judge_but_for_pairs(&self) -> Result<(), Error> {
        if self.is_unchecked {
            return Ok(());
        }
        self.refuse(|cause| {
            let at = cause.field.to_string();
            !at.starts_with("metadata.annotations") && !at.starts_with("metadata.labels")
        })
    }

    pub(crate) fn as_crd(&self) -> &CustomResourceDefinition {
        &self.crd
    }

    /// The same with another definition of the same types.
    #[must_use]
    pub(crate) fn with_crd(&self, crd: CustomResourceDefinition) -> Self {
        Self { crd, ..self.clone() }
    }

    pub(crate) fn is_unchecked(&self) -> bool {
        self.is_unchecked
    }

    /// The definition, whatever the API server would answer.
    #[must_use]
    pub fn into_crd(self) -> CustomResourceDefinition {
        self.crd
    }

    fn judge(&self, approval: Approval) -> Result<(), Error> {
        self.refuse(|cause| approval == Approval::Needed || !is_approval(cause))
    }

    fn refuse(&self, counts: impl Fn(&Diagnostic) -> bool) -> Result<(), Error> {
        let verdict = Verdict::with_options(&as_stored(&self.crd), ServerOptions::new(self.kube_version));
        let causes: Vec<Cause> = verdict
            .refusal
            .iter()
            .chain(&verdict.errors)
            .filter(|cause| counts(cause))
            .map(|cause| self.places.cause(cause))
            .collect();
        if causes.is_empty() {
            return Ok(());
        }
        let mut title = format!("the API server would refuse `{}`:", self.crd.metadata.name);
        if !cfg!(feature = "verdict") && has_defaults_with_rules(&self.crd) {
            title.push_str(
                "\n(rules were not run over defaults: that needs the feature `verdict` of crdkit, so there may be more)",
            );
        }
        Err(Error::rejected(title, causes))
    }
}

impl From<CustomResourceDefinition> for UncheckedCrd {
    fn from(crd: CustomResourceDefinition) -> Self {
        Self::new(crd, Places::default())
    }
}

/// The treatment of a group of the Kubernetes project without the approval that its definitions need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    /// The definition is refused.
    Needed,
    /// The cause is left out.
    Ignored,
}

/// Returns `true` if the API server would run rules over defaults, which takes the feature `verdict`: a schema with a default
/// has rules, or a schema in it has some.
fn has_defaults_with_rules(crd: &CustomResourceDefinition) -> bool {
    let has_rules =
        |schema: &JsonSchemaProps| schema.x_validations.as_ref().is_some_and(|all| !all.is_empty());
    let mut schemas = crd.spec.versions.iter().filter_map(Version::open_api_v3_schema);
    schemas.any(|schema| schema.any(&|schema| schema.default.is_some() && schema.any(&has_rules)))
}

/// A version that is not stored is installed together with one that is.
pub(crate) fn as_stored(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut crd = crd.clone();
    if let [only] = crd.spec.versions.as_mut_slice() {
        only.storage = true;
    }
    crd
}

/// Returns `true` if the cause is the approval that groups of the Kubernetes project need.
fn is_approval(cause: &Diagnostic) -> bool {
    cause.field == FieldPath::new("metadata").child("annotations").key(APPROVED)
}

/// The places of schemas in the Rust code, by the paths of their values in the object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    type_name: String,
    by_field: HashMap<String, (String, String)>,
    /// The fields of integer types that have values which the API cannot hold, and whether these may be negative.
    wide: HashMap<String, bool>,
    dropped: Vec<Advice>,
    sources: Sources,
}

impl Places {
    pub(crate) fn for_type(type_name: &str, file: &str, lines: &str) -> Self {
        let mut places = Self { type_name: type_name.to_owned(), ..Self::default() };
        places.sources.insert(type_name, file, lines);
        places
    }

    /// Adds the places of types in the Rust code.
    pub(crate) fn add_sources(&mut self, sources: Sources) {
        self.sources.extend(sources);
    }

    /// Adds the place of the values at `field`.
    pub(crate) fn insert(&mut self, field: &str, type_name: &str, place: &str) {
        self.by_field.insert(field.to_owned(), (type_name.to_owned(), place.to_owned()));
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.by_field.extend(other.by_field);
        self.wide.extend(other.wide);
        self.dropped.extend(other.dropped);
        self.sources.extend(other.sources);
    }

    /// Adds the field of an integer type that has values which the API cannot hold.
    pub(crate) fn insert_wide(&mut self, field: &str, has_sign: bool) {
        self.wide.insert(field.to_owned(), has_sign);
    }

    /// Returns whether the integers of `field` may be negative, if their type has values which the API cannot hold.
    pub(crate) fn wide(&self, field: &str) -> Option<bool> {
        self.wide.get(field).copied()
    }

    /// Advice on keywords that were dropped.
    pub(crate) fn dropped(&self) -> Vec<Advice> {
        let located =
            |advice: &Advice| Advice { location: self.sources.location(&advice.place), ..advice.clone() };
        self.dropped.iter().map(located).collect()
    }

    /// Advice at a place in the definition.
    pub(crate) fn advice(
        &self,
        name: &'static str,
        field: &FieldPath,
        message: String,
        help: String,
    ) -> Advice {
        let Cause { place, location, .. } = self.located_cause(field);
        Advice { name, field: field.to_string(), place, location, message, help }
    }

    /// Keeps in mind that a keyword of a schema was dropped.
    pub(crate) fn drop_keyword(&mut self, field: &str, place: &str, keyword: String) {
        self.dropped.push(Advice {
            name: "dropped-keyword",
            field: field.to_owned(),
            place: place.to_owned(),
            location: String::new(),
            message: format!("`{keyword}` is not a keyword of a CRD's schema and is dropped"),
            help: "remove it from the type's `JsonSchema` or from `extend`".to_owned(),
        });
    }

    fn cause(&self, cause: &Diagnostic) -> Cause {
        let mut help = cause.help().unwrap_or_default().to_owned();
        if is_approval(cause) {
            help = format!(
                "add `annotation(\"{APPROVED}\", \"...\")` with the address of the approval, or with `unapproved` and the \
                 reason; or use a group of your own domain"
            );
        }
        Cause { message: cause.to_string(), help, ..self.located_cause(&cause.field) }
    }

    /// The Rust place of a place in the definition; of the innermost schema around it that is known.
    fn located_cause(&self, field: &FieldPath) -> Cause {
        let mut cause = self.unlocated(field);
        cause.location = self.sources.location(&cause.place);
        cause
    }

    fn unlocated(&self, field: &FieldPath) -> Cause {
        let path = written_path(field);
        let segments = path.segments();
        let mut cause = Cause { type_name: self.type_name.clone(), ..Cause::default() };
        let schema =
            |segment: &&Segment| matches!(segment, Segment::Child(name) if &**name == "openAPIV3Schema");
        let Some(start) = segments.iter().position(schema) else {
            cause.place.clone_from(&self.type_name);
            return cause;
        };
        let mut steps = segments[start + 1..].iter();
        let mut at = String::new();
        loop {
            if let Some((type_name, place)) = self.by_field.get(&at) {
                (cause.type_name, cause.place) = (type_name.clone(), place.clone());
            }
            cause.field.clone_from(&at);
            let Some(Segment::Child(keyword)) = steps.next() else { break };
            match &**keyword {
                "properties" => match steps.next() {
                    Some(Segment::Key(name)) => at = format!("{at}.{}", name.replace('.', "\\.")),
                    _ => break,
                },
                "items" => at.push_str("[]"),
                "additionalProperties" => at.push_str("[*]"),
                _ => break,
            }
        }
        if cause.place.is_empty() {
            cause.place.clone_from(&self.type_name);
        }
        cause
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn has_defaults_with_rules_in(property: &Value) -> bool {
        let schema = json!({"type": "object", "properties": {"a": property}});
        let versions = json!([{"name": "v1", "schema": {"openAPIV3Schema": schema}}]);
        let crd = CustomResourceDefinition::from_value(json!({"spec": {"versions": versions}}));
        has_defaults_with_rules(&crd.expect("every field has its type"))
    }

    #[test]
    fn rules_run_over_the_default_of_their_schema_or_of_one_around_it() {
        let rules = json!([{"rule": "true"}]);
        let ruled = json!({"type": "string", "x-kubernetes-validations": rules});
        for (property, expected) in [
            (json!({"default": "x", "x-kubernetes-validations": rules}), true),
            (json!({"default": {}, "properties": {"b": ruled}}), true),
            (json!({"default": {}, "description": "\"x-kubernetes-validations\":"}), false),
            (json!({"x-kubernetes-validations": rules, "description": "\"default\":"}), false),
            (json!({"default": "x", "x-kubernetes-validations": []}), false),
            (json!({"properties": {"b": {"default": "x"}, "c": ruled}}), false),
        ] {
            assert_eq!(has_defaults_with_rules_in(&property), expected, "{property}");
        }
    }
}
