//! Generates objects that the API server accepts for a CRD's version.

use std::sync::Arc;

use crd_core::admit::{FieldValidation, Rejection, ServerOptions, StatusReason, Validator};
use crd_core::crd::Version;
use crd_core::{CauseReason, CustomResourceDefinition, Structural};
use serde_json::{Map, Value, json};

use crate::change::{Steps, get, put};
use crate::definition::{created, default_bytes, patterns, readable, steps_of_judgement, structural};
use crate::error::{NoSample, Unusable};
use crate::maker::{IDENTITY, Maker, Style, is_unmade};
use crate::search::Search;
use crate::work::{self, Allowance, STEPS, Work};

/// Maximum number of validations for one sample.
const BUDGET: usize = 3000;
/// Number of bytes in an object for which the validation of the object counts once more.
const COUNTED_BYTES: usize = 20_000;
/// Number of patterns in the CRD for which each validation counts once more.
const COUNTED_PATTERNS: usize = 200;
/// Number of steps that a validation takes for each pattern in the CRD.
const STEPS_OF_PATTERN: usize = 40;
/// If validating an object counts as more validations than this, the CRD is hostile.
const LARGE: usize = 30;
/// Maximum number of starts of a search.
const MOST_STARTS: usize = 4;
/// Maximum number of validations for making one object smaller.
const SHRINK_BUDGET: usize = 3000;

/// Generates sample objects for one version of a CRD.
///
/// Objects are computed from the schema, including patterns, branches of `anyOf` and `oneOf`, and CEL rules. Every object is validated. It
/// is returned only if [`Validator::create`] accepts it, and if the API server would not drop any of its fields. The objects depend only on
/// the seed.
///
/// ```
/// use crd_core::CustomResourceDefinition;
/// use crd_sample::Sampler;
/// use serde_json::json;
///
/// let crd = CustomResourceDefinition::from_value(json!({
///     "metadata": {"name": "shirts.stable.example.com"},
///     "spec": {
///         "group": "stable.example.com",
///         "names": {"plural": "shirts", "kind": "Shirt"},
///         "scope": "Namespaced",
///         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
///             "type": "object",
///             "required": ["spec"],
///             "properties": {"spec": {
///                 "type": "object",
///                 "required": ["color"],
///                 "properties": {
///                     "color": {"type": "string", "enum": ["red", "blue"]},
///                     "size": {"type": "integer", "minimum": 1, "maximum": 60},
///                 },
///                 "x-kubernetes-validations": [{"rule": "self.color != 'red' || has(self.size) && self.size > 9"}],
///             }},
///         }}}],
///     },
/// }))?;
/// let sampler = Sampler::new(&crd, "v1")?;
/// assert_eq!(sampler.minimal()?["spec"], json!({"color": "blue"}));
/// for object in sampler.with_seed(7).accepted().take(20) {
///     assert!(sampler.validator().create(object).is_accepted());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    api_version: String,
    kind: String,
    /// The whole schema. The next field has the schema for creating objects.
    pub(crate) schema: Arc<Structural>,
    pub(crate) created: Arc<Structural>,
    /// A validation counts as 1, plus this number, plus a number for the object's size.
    weight: usize,
    /// The number of steps of a validation that do not depend on the object's size.
    pub(crate) steps_of_judgement: u64,
    validator: Validator,
    pub(crate) seed: u64,
    /// Maximum number of steps for one sample.
    steps: u64,
    /// Maximum total number of steps for all samples.
    allowance: Option<Allowance>,
}

impl Sampler {
    /// Returns a sampler for the version with this name.
    ///
    /// # Errors
    /// - The CRD has no such version, or does not serve it.
    /// - A schema is not structural, or no version is stored.
    /// - A pattern is longer than 16 KiB.
    pub fn new(crd: &CustomResourceDefinition, version: &str) -> Result<Self, Unusable> {
        Self::with_options(crd, version, ServerOptions::default())
    }

    /// Returns a sampler for the version with this name, and for an API server with these options.
    ///
    /// # Errors
    /// - The CRD has no such version, or does not serve it.
    /// - A schema is not structural, or no version is stored.
    /// - A pattern is longer than 16 KiB.
    pub fn with_options(
        crd: &CustomResourceDefinition,
        version: &str,
        options: ServerOptions,
    ) -> Result<Self, Unusable> {
        let validator = Validator::with_options(crd, options).map_err(Unusable::Definition)?;
        Self::with_validator(crd, version, &validator)
    }

    /// Returns a sampler for the version with this name. Objects are checked by `validator`, which must be for the same CRD.
    ///
    /// # Errors
    /// - The CRD has no such version, or does not serve it.
    /// - A pattern is longer than 16 KiB.
    pub fn with_validator(
        crd: &CustomResourceDefinition,
        version: &str,
        validator: &Validator,
    ) -> Result<Self, Unusable> {
        let found = crd.version(version).ok_or_else(|| Unusable::NoVersion(version.to_owned()))?;
        readable(found)?;
        Ok(Self::for_version(crd, found, validator))
    }

    /// Returns samplers for the served versions, in the order of the CRD. Versions with a pattern longer than 16 KiB are left out. The
    /// steps that one sampler may take are divided equally among these samplers.
    ///
    /// ```
    /// # fn example(crd: &crd_core::CustomResourceDefinition) {
    /// for sampler in crd_sample::Sampler::for_served(crd).unwrap_or_default() {
    ///     println!("{}: {:?}", sampler.version(), sampler.minimal());
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    /// - A schema is not structural, or no version is stored.
    pub fn for_served(crd: &CustomResourceDefinition) -> Result<Vec<Self>, Unusable> {
        let readable: Vec<&Version> =
            crd.spec.versions.iter().filter(|version| readable(version).is_ok()).collect();
        let validator = Validator::new(crd).map_err(Unusable::Definition)?;
        let steps = STEPS / readable.len().max(1) as u64;
        let of_version = |version: &&Version| Self { steps, ..Self::for_version(crd, version, &validator) };
        Ok(readable.iter().map(of_version).collect())
    }

    fn for_version(crd: &CustomResourceDefinition, version: &Version, validator: &Validator) -> Self {
        let schema = Arc::new(structural(version));
        let (defaults, patterns) = (default_bytes(&schema), patterns(&schema));
        Self {
            api_version: format!("{}/{}", crd.spec.group, version.name),
            kind: crd.spec.names.kind.clone(),
            created: created(version, &schema),
            weight: defaults / COUNTED_BYTES + patterns / COUNTED_PATTERNS,
            steps_of_judgement: steps_of_judgement(&schema)
                + (defaults / 2 + patterns * STEPS_OF_PATTERN) as u64,
            schema,
            validator: validator.with_field_validation(FieldValidation::Strict),
            seed: 0,
            steps: STEPS,
            allowance: None,
        }
    }

    /// Returns a sampler for the storage version or, if it is not served, for the first served version.
    ///
    /// # Errors
    /// - No version is served.
    /// - A schema is not structural, or no version is stored.
    /// - A pattern is longer than 16 KiB.
    pub fn for_stored(crd: &CustomResourceDefinition) -> Result<Self, Unusable> {
        let mut served = crd.spec.versions.iter().filter(|version| version.served);
        let stored = served.clone().find(|version| version.storage);
        let version = stored.or_else(|| served.next()).ok_or(Unusable::NothingServed)?;
        Self::new(crd, &version.name)
    }

    /// Sets the seed for random numbers. The default is 0.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        Self { seed, ..self.clone() }
    }

    /// Sets a limit for the total number of steps. Several samplers can share one limit. When the steps are used up, no more objects are
    /// found.
    ///
    /// ```
    /// # fn example(sampler: crd_sample::Sampler) {
    /// let allowance = crd_sample::Allowance::new(20_000_000);
    /// let sampler = sampler.with_allowance(&allowance);
    /// let some = sampler.accepted().take(1000).count();
    /// println!("{some} objects, {} steps left", allowance.left());
    /// # }
    /// ```
    #[must_use]
    pub fn with_allowance(self, allowance: &Allowance) -> Self {
        Self { allowance: Some(allowance.clone()), ..self }
    }

    pub(crate) fn work(&self) -> Work {
        Work::new(self.steps, self.allowance.as_ref())
    }

    /// Returns the name of the version.
    #[must_use]
    pub fn version(&self) -> &str {
        self.api_version.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the version's schema.
    #[must_use]
    pub fn schema(&self) -> &Arc<Structural> {
        &self.schema
    }

    /// Returns the validator for the objects.
    #[must_use]
    pub fn validator(&self) -> &Validator {
        &self.validator
    }

    /// Returns a minimal accepted object. If one more field were removed, the API server would reject the object. But the object has a
    /// `spec` if the schema has one, even if `spec` is optional.
    ///
    /// # Errors
    /// - No accepted object was found within the budget. The error has the API server's response to the object with the fewest causes.
    pub fn minimal(&self) -> Result<Value, NoSample> {
        let mut work = self.work();
        let found = self.find(Style::Minimal, None, &mut work)?;
        // `spec` is what a sample is about, even where it may be absent.
        let keeps = |object: &Value| {
            IDENTITY
                .iter()
                .chain(&["spec"])
                .all(|name| object.get(name).is_some() == found.get(name).is_some())
                && object["metadata"] == found["metadata"]
        };
        Ok(self.smallest(found.clone(), &mut work, &keeps))
    }

    /// Returns an accepted object with as many fields as possible.
    ///
    /// # Errors
    /// - No accepted object was found within the budget. The error has the API server's response to the object with the fewest causes.
    pub fn full(&self) -> Result<Value, NoSample> {
        self.find(Style::Full, None, &mut self.work())
    }

    /// Returns accepted objects that together have every possible field. The first is [`full`](Self::full). The others have fields that
    /// cannot occur together with fields in earlier objects, for example because they belong to another branch of a union.
    ///
    /// # Errors
    /// - No accepted object was found within the budget. The error has the API server's response to the object with the fewest causes.
    pub fn alternatives(&self) -> Result<Vec<Value>, NoSample> {
        let mut work = self.work();
        let mut found = vec![self.find(Style::Full, None, &mut work)?];
        let mut open = Vec::new();
        choices(&self.created, &Steps::new(), 0, &mut open);
        for place in open {
            if work.is_done() {
                break;
            }
            if found.iter().any(|object| get(object, &place).is_some()) {
                continue;
            }
            if let Ok(object) = self.find(Style::Minimal, Some(&place), &mut work) {
                let keeps = |object: &Value| {
                    get(object, &place).is_some()
                        && object["metadata"].is_object()
                        && object.get("kind").is_some()
                };
                found.push(self.smallest(object, &mut work, &keeps));
            }
        }
        Ok(found)
    }

    /// Returns random accepted objects. The sequence ends only if no further object is found.
    ///
    /// ```
    /// # fn example(sampler: &crd_sample::Sampler) {
    /// for object in sampler.accepted().take(100) {
    ///     println!("{object}");
    /// }
    /// # }
    /// ```
    pub fn accepted(&self) -> impl Iterator<Item = Value> {
        let mut maker = Maker::new(self.seed, self.validator.patterns(), self.work());
        let mut misses = 0;
        std::iter::from_fn(move || {
            while misses < 20 {
                maker.work = self.work();
                match self.try_find(&mut maker, Style::Random, None, 200) {
                    Ok(object) => {
                        misses = 0;
                        return Some(object);
                    }
                    Err(_) => misses += 1,
                }
            }
            None
        })
    }

    pub(crate) fn maker(&self) -> Maker {
        let mut maker =
            Maker::new(self.seed, self.validator.patterns(), Work::new(u64::MAX, self.allowance.as_ref()));
        maker.is_varied = true;
        maker
    }

    fn find(&self, style: Style, pinned: Option<&[String]>, work: &mut Work) -> Result<Value, NoSample> {
        let mut maker = Maker::new(self.seed, self.validator.patterns(), work.clone());
        let found = self.find_with(&mut maker, style, pinned);
        *work = maker.work;
        found
    }

    fn find_with(
        &self,
        maker: &mut Maker,
        style: Style,
        pinned: Option<&[String]>,
    ) -> Result<Value, NoSample> {
        let mut start = |number: usize| {
            maker.restart(self.seed.wrapping_add(number as u64));
            // The first start takes the first branches and typical values.
            maker.is_varied = number > 0 || self.seed != 0;
            self.try_find(maker, style, pinned, BUDGET / (number + 1))
        };
        let refusal = match start(0) {
            Ok(object) => return Ok(object),
            Err(refusal) => refusal,
        };
        if is_beyond_limits(&refusal) {
            return Err(NoSample { refusal });
        }
        (1..MOST_STARTS).find_map(|number| start(number).ok()).ok_or(NoSample { refusal })
    }

    pub(crate) fn try_find(
        &self,
        maker: &mut Maker,
        style: Style,
        pinned: Option<&[String]>,
        budget: usize,
    ) -> Result<Value, Box<Rejection>> {
        let object = self.object_with(maker, style, pinned.unwrap_or_default());
        // Large objects are judged less often.
        let size = self.judgement_of(&object);
        let mut search = Search {
            schema: &self.created,
            validator: &self.validator,
            maker,
            style,
            budget: (budget / size).max(if size > LARGE { 3 } else { 150 }),
            pinned,
            target: None,
            is_desperate: false,
            steps_of_judgement: self.steps_of_judgement,
        };
        search.accepted(object)
    }

    /// Generates an object with a value at a given path, without validating the object.
    pub(crate) fn object_with(&self, maker: &mut Maker, style: Style, place: &[String]) -> Value {
        let mut object = self.object(maker, style);
        for end in 1..=place.len() {
            let at = &place[..end];
            let schema = crate::change::schema_at(&self.created, at);
            let Some(schema) = schema.filter(|_| get(&object, at).is_none_or(Value::is_null)) else {
                continue;
            };
            let made = maker.value(schema, &at[end - 1], style);
            // A value that can be null is made until it is another one.
            let is_enough = !made.is_null() || !schema.is_nullable();
            let made = if is_enough { made } else { maker.value(schema, &at[end - 1], Style::Minimal) };
            put(&mut object, at, made);
        }
        object
    }

    /// Returns the number of validations as which validating this object counts.
    fn judgement_of(&self, object: &Value) -> usize {
        1 + self.weight + object.to_string().len() / COUNTED_BYTES
    }

    /// Generates an object without validating it.
    pub(crate) fn object(&self, maker: &mut Maker, style: Style) -> Value {
        let mut fields = Map::new();
        fields.insert("apiVersion".to_owned(), json!(self.api_version));
        fields.insert("kind".to_owned(), json!(self.kind));
        fields.insert("metadata".to_owned(), json!({"name": "example"}));
        let mut made = maker.fields(&self.created, style, &IDENTITY);
        if let Some(spec) = self.created.properties.get("spec").filter(|_| style == Style::Minimal)
            && !made.contains_key("spec")
        {
            let value = maker.value(spec, "spec", style);
            if !is_unmade(spec, &value) {
                made.insert("spec".to_owned(), value);
            }
        }
        fields.extend(made);
        fields.into()
    }

    /// Makes an accepted object smaller, as long as the API server accepts it and `keeps` returns `true`.
    fn smallest(&self, object: Value, work: &mut Work, keeps: &dyn Fn(&Value) -> bool) -> Value {
        let mut left = 0..SHRINK_BUDGET / self.judgement_of(&object);
        crate::shrink::without_fields(object, |object| {
            if work.is_done() || left.next().is_none() {
                return None;
            }
            work.take(self.steps_of_judgement + work::steps_of(object));
            Some(keeps(object) && self.validator.accepts(object))
        })
    }
}

/// Maximum number of fields to examine for alternatives.
const MOST_ALTERNATIVES: usize = 400;
/// Maximum length of a field's path, in bytes. Fields with longer paths are ignored.
const LONGEST_ALTERNATIVE: usize = 10_000;
/// Maximum depth to which unions are searched.
const DEEPEST_ALTERNATIVE: usize = 6;

/// Collects fields near the root, because such fields may be alternatives to other fields.
fn choices(schema: &Structural, at: &[String], depth: usize, out: &mut Vec<Steps>) {
    for (name, property) in schema.properties.iter() {
        let at = crate::change::below(at, name);
        let bytes: usize = at.iter().map(String::len).sum();
        if out.len() >= MOST_ALTERNATIVES || bytes > LONGEST_ALTERNATIVE {
            return;
        }
        if at.len() == 1 && IDENTITY.contains(&name) {
            continue;
        }
        out.push(at.clone());
        if depth < DEEPEST_ALTERNATIVE {
            choices(property, &at, depth + 1, out);
        }
    }
}

/// Returns `true` if validating an object exceeded a limit. Objects with other values would then exceed the limit, too.
fn is_beyond_limits(refusal: &Rejection) -> bool {
    refusal.reason == StatusReason::LimitExceeded
        || refusal.causes.iter().any(|cause| cause.reason == CauseReason::LimitExceeded)
}
