//! The two CRDs, ready to validate objects.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use crd_core::admit::{InvalidDefinition, Rejection, ServerOptions, Validator};
use crd_core::crd::{StatusSubresource, ValidationRule, Version};
use crd_core::schema::ValueValidation;
use crd_core::{CustomResourceDefinition, Structural};
use crd_sample::{Allowance, Sampler};
use serde_json::Value;

use super::alone::Alone;
use super::edits::{schema_at, schemas_on_the_way};
use crate::options::DiffOptions;
use crate::schema_path::SchemaPath;
use crate::work::Work;

/// A rule that is always true, and reads no values. A reduced CRD has this rule if the whole CRD has rules, because the message of a
/// rejection depends on the existence of rules.
pub(super) const RULE_ELSEWHERE: &str = "has(self.kind) || true";

/// One of the CRDs, ready to validate and generate objects.
pub(crate) struct Side {
    pub(crate) crd: CustomResourceDefinition,
    validator: Validator,
    /// The samplers for served versions. A status subresource is sampled like any other field.
    samplers: BTreeMap<String, Sampler>,
    schemas: BTreeMap<String, Arc<Structural>>,
    /// Versions with a status subresource.
    with_status: Vec<String>,
    /// `true` if there are transition rules, which compare values with their old values.
    has_transitions: bool,
    options: ServerOptions,
    /// The remaining steps of the comparison.
    pub(crate) work: Rc<Work>,
}

/// The part of an object that a request replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The object, without a status subresource.
    Object,
    /// The status subresource.
    Status,
}

impl Target {
    /// Returns the part that a client must send after this edit.
    pub(crate) fn for_edit(found: &Value, edited: &Value) -> Self {
        if found.get("status") == edited.get("status") { Self::Object } else { Self::Status }
    }
}

/// The old and the new CRD, ready to validate objects.
pub(crate) struct Pair {
    pub(crate) old: Side,
    pub(crate) new: Side,
    /// The maximum number of objects to try for one change.
    pub(crate) budget: usize,
    /// The expressions and the messages of the rules that both CRDs have.
    shared_rules: HashSet<String>,
    /// The old CRD with only the change that was examined last, and the new CRD without this change.
    pub(super) alone: RefCell<Option<Rc<Alone>>>,
    pub(crate) work: Rc<Work>,
}

impl Pair {
    /// Returns both CRDs, ready to validate objects.
    ///
    /// # Errors
    /// The API server rejects one of the CRDs.
    pub(crate) fn new(
        [old, new]: [CustomResourceDefinition; 2],
        options: &DiffOptions,
        work: &Rc<Work>,
    ) -> Result<Self, InvalidDefinition> {
        let side = |crd| Side::new(crd, options.server_options(), work);
        let (old, new) = (side(old)?, side(new)?);
        let shared_rules = old.rules().intersection(&new.rules()).cloned().collect();
        let alone = RefCell::default();
        Ok(Self { old, new, budget: options.budget, shared_rules, alone, work: Rc::clone(work) })
    }

    /// Limits the number of causes in rejections.
    pub(crate) fn with_causes(mut self, most: usize) -> Self {
        for side in [&mut self.old, &mut self.new] {
            side.validator = side.validator.with_causes(most);
        }
        self
    }

    /// Returns the schemas of both CRDs at a path in a version.
    pub(crate) fn schemas(&self, version: &str, at: &SchemaPath) -> Option<(&Structural, &Structural)> {
        let steps = at.steps();
        let [old, new] = [&self.old, &self.new].map(|side| schema_at(side.schema(version)?, &steps));
        Some((old?, new?))
    }

    /// Returns `true` if, in one of the CRDs, a rule or a keyword of an enclosing schema may read the value at a path.
    pub(crate) fn is_seen_from_above(&self, version: &str, at: &SchemaPath) -> bool {
        [&self.old, &self.new].into_iter().any(|side| side.sees_from_above(version, at))
    }

    /// Returns `true` if both CRDs have a rule with this expression or message. A violation of such a rule is not caused by a change to the
    /// rule.
    pub(crate) fn share_rule(&self, rule: &str) -> bool {
        self.shared_rules.contains(rule.trim())
    }
}

impl Side {
    fn new(
        mut crd: CustomResourceDefinition,
        options: ServerOptions,
        work: &Rc<Work>,
    ) -> Result<Self, InvalidDefinition> {
        let validator = Validator::with_options(&crd, options)?;
        let with_status = with_status(&crd);
        let status = take_status(&mut crd);
        let judge = match with_status.is_empty() {
            true => validator.clone(),
            false => Validator::with_options(&crd, options)?,
        };
        let mut samplers = BTreeMap::new();
        for version in &crd.spec.versions {
            if let Ok(sampler) = Sampler::with_validator(&crd, &version.name, &judge) {
                samplers.insert(version.name.clone(), sampler.with_allowance(work.allowance()));
            }
        }
        put_status(&mut crd, status);
        let schema = |version: &Version| {
            let schema = version.open_api_v3_schema()?;
            let sampled = samplers.get(&version.name).map(|sampler| Arc::clone(sampler.schema()));
            let schema = sampled.or_else(|| Structural::from_json_schema(schema).ok().map(Arc::new))?;
            Some((version.name.clone(), schema))
        };
        let schemas: BTreeMap<_, _> = crd.spec.versions.iter().filter_map(schema).collect();
        let work = Rc::clone(work);
        let has_transitions = schemas.values().any(|schema| has_transitions(schema));
        Ok(Self { crd, validator, samplers, schemas, with_status, has_transitions, options, work })
    }

    /// Prepares another CRD with the same options, only for validating objects. Returns `None` if the API server rejects the CRD.
    pub(super) fn answering(&self, crd: CustomResourceDefinition) -> Option<Self> {
        let validator = Validator::with_options(&crd, self.options).ok()?;
        let (options, work, with_status) = (self.options, Rc::clone(&self.work), with_status(&crd));
        let (samplers, schemas, has_transitions) = (BTreeMap::new(), BTreeMap::new(), true);
        Some(Self { crd, validator, samplers, schemas, with_status, has_transitions, options, work })
    }

    /// Returns the expressions and the messages of all rules.
    fn rules(&self) -> HashSet<String> {
        let mut all = HashSet::new();
        self.schemas.values().for_each(|schema| rules(schema, &mut all));
        all
    }

    /// Returns the sampler for a served version.
    pub(crate) fn sampler(&self, version: &str) -> Option<&Sampler> {
        self.samplers.get(version)
    }

    /// Returns a sampler for a copy of the CRD, in which `change` modifies the schema of a version.
    pub(crate) fn sampler_with(
        &self,
        version: &str,
        change: impl FnOnce(&mut Structural) -> Option<()>,
    ) -> Option<Sampler> {
        self.work.compile(&self.crd.to_value());
        let mut crd = self.crd.clone();
        take_status(&mut crd);
        let found = crd.spec.versions.iter_mut().find(|other| other.name == version)?;
        let schema = found.schema.as_mut()?.open_api_v3_schema.as_mut()?;
        let mut structural = Structural::from_json_schema(schema).ok()?;
        change(&mut structural)?;
        **schema = structural.to_json_schema();
        let sampler = Sampler::with_options(&crd, version, self.options).ok()?;
        Some(sampler.with_allowance(self.work.allowance()))
    }

    /// Returns `true` if a rule or a keyword of an enclosing schema may read the value at a path.
    pub(crate) fn sees_from_above(&self, version: &str, at: &SchemaPath) -> bool {
        let Some(schema) = self.schema(version) else { return false };
        let steps = at.steps();
        schemas_on_the_way(schema, &steps).take(steps.len()).any(|(_, schema)| {
            let mut rules = schema.validations.iter().filter(|rule| rule.rule != RULE_ELSEWHERE);
            schema.value_validation.as_deref().is_some_and(sees_fields) || rules.next().is_some()
        })
    }

    /// Returns `true` if there are transition rules, which compare values with their old values.
    pub(crate) fn has_transitions(&self) -> bool {
        self.has_transitions
    }

    pub(crate) fn schema(&self, version: &str) -> Option<&Structural> {
        self.schemas.get(version).map(|schema| &**schema)
    }

    pub(crate) fn storage(&self) -> &str {
        self.crd.storage_version().map_or("", |version| &version.name)
    }

    /// Creates an object, and writes its status subresource if there is one. Returns the stored object.
    pub(crate) fn create(&self, object: &Value) -> Result<Value, Rejection> {
        let stored = self.counted(object, || self.validator.create(object).result)?;
        match object.get("status") {
            Some(status) if self.has_status(object) && stored.get("status") != Some(status) => {
                self.counted(object, || self.validator.update_status(object, &stored).result)
            }
            _ => Ok(stored),
        }
    }

    /// Replaces a stored object or its status subresource.
    pub(crate) fn update(&self, object: &Value, stored: &Value, target: Target) -> Result<Value, Rejection> {
        self.counted(object, || match target {
            Target::Status if self.has_status(object) => self.validator.update_status(object, stored).result,
            _ => self.validator.update(object, stored).result,
        })
    }

    /// Reads an object in the version in which it was created. The object was stored under the CRD `by`.
    pub(crate) fn read(&self, stored: &Value, by: &Self) -> Result<Value, Rejection> {
        let version = version_of(stored);
        self.counted(stored, || {
            if version == by.storage() {
                return self.validator.read(stored, version);
            }
            // Only the defaults of the stored version are filled in: a default of another one comes with requests.
            let mut in_storage = stored.clone();
            in_storage["apiVersion"] = format!("{}/{}", by.crd.spec.group, by.storage()).into();
            self.validator.read(&in_storage, version)
        })
    }

    /// Runs a request, and counts its steps.
    fn counted(
        &self,
        object: &Value,
        request: impl FnOnce() -> Result<Value, Rejection>,
    ) -> Result<Value, Rejection> {
        self.work.request(object);
        let answer = request();
        self.work.answer(object, &answer);
        answer
    }

    /// Returns a sampler for objects whose only field `spec` has this schema.
    pub(crate) fn sampler_of(&self, schema: &Structural, allowance: &Allowance) -> Option<Sampler> {
        let schema = schema.to_json_schema().to_value();
        self.work.compile(&schema);
        let crd = CustomResourceDefinition::from_value(serde_json::json!({
            "metadata": {"name": "values.example.com"},
            "spec": {
                "group": "example.com", "scope": "Cluster", "names": {"plural": "values", "kind": "Value"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": schema},
                }}}],
            },
        }));
        let sampler = Sampler::with_options(&crd.ok()?, "v1", self.options).ok()?;
        Some(sampler.with_allowance(allowance))
    }

    /// Returns `true` if the object's version has a status subresource.
    pub(crate) fn has_status(&self, object: &Value) -> bool {
        let version = version_of(object);
        self.with_status.iter().any(|name| name == version)
    }
}

/// Returns `true` if there are keywords, besides `required`, that depend on which fields an object has.
pub(crate) fn sees_fields(keywords: &ValueValidation) -> bool {
    let is_counted = keywords.min_properties.is_some() || keywords.max_properties.is_some();
    let junctors = [&keywords.all_of, &keywords.any_of, &keywords.one_of];
    is_counted || keywords.not.is_some() || junctors.iter().any(|all| all.is_some())
}

fn has_transitions(schema: &Structural) -> bool {
    schema.any(&|schema| schema.validations.iter().any(ValidationRule::uses_old_self))
}

/// Returns the version in an object's `apiVersion`.
pub(crate) fn version_of(object: &Value) -> &str {
    let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    api_version.rsplit('/').next().unwrap_or_default()
}

fn rules(schema: &Structural, out: &mut HashSet<String>) {
    let texts = schema.validations.iter().flat_map(|rule| [rule.rule.trim(), rule.message.trim()]);
    out.extend(texts.filter(|text| !text.is_empty()).map(str::to_owned));
    schema.children().for_each(|(_, schema)| rules(schema, out));
}

/// Returns the names of the versions with a status subresource.
fn with_status(crd: &CustomResourceDefinition) -> Vec<String> {
    let has_status =
        |version: &&Version| version.subresources.as_ref().is_some_and(|all| all.status.is_some());
    crd.spec.versions.iter().filter(has_status).map(|version| version.name.clone()).collect()
}

/// Removes and returns the status subresources of all versions. The status is then a field like any other.
fn take_status(crd: &mut CustomResourceDefinition) -> Vec<Option<StatusSubresource>> {
    let taken = |version: &mut Version| version.subresources.as_mut()?.status.take();
    crd.spec.versions.iter_mut().map(taken).collect()
}

/// Restores the status subresources that `take_status` has removed.
fn put_status(crd: &mut CustomResourceDefinition, status: Vec<Option<StatusSubresource>>) {
    for (version, status) in crd.spec.versions.iter_mut().zip(status) {
        if let Some(subresources) = &mut version.subresources {
            subresources.status = status;
        }
    }
}
