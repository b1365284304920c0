//! Finds rules that fail on objects that the schema accepts, and immutable fields that can be removed. Each finding has an object as proof.

use std::rc::Rc;

use crd_core::admit::Validator;
use crd_core::cel::{ReadStep, Reads};
use crd_core::crd::{JsonSchemaProps, ValidationRule};
use crd_core::{CustomResourceDefinition, Edit, FieldPath, Remedy};
use crd_sample::{Allowance, Sampler, put_at, remove_at, shrink, value_at};
use serde_json::{Value, json};

use crate::finding::Collected;
use crate::lists::items;
use crate::node::Node;
use crate::rule::Rule;

/// The id of the rule about rules that need a field.
pub(crate) const FAILS: &str = "rule-fails-without-field";
/// The id of the rule about immutable fields.
pub(crate) const EVADED: &str = "immutable-field-can-be-removed";
/// Maximum number of validations for one field.
const OBJECTS: usize = 60;
/// Maximum number of validations to shrink one object.
const SHRINKS: usize = 60;
/// Maximum number of places of one schema in an object that are examined.
const PLACES: usize = 4;

/// Maximum number of suspects of a CRD. The steps of a search are not enough for more suspects.
const SUSPECTS: usize = 2_000;

/// A rule that may fail without a field, or that users may circumvent.
struct Suspect {
    rule: Rc<PlacedRule>,
    /// The path that the rule needs; empty for an immutable field.
    needed: Vec<ReadStep>,
    /// An empty value for the path. If the rule also rejects objects with this value, it rejects objects without the field on purpose.
    empty: Option<Value>,
}

impl Suspect {
    /// Returns the suspicion that a rule fails without a field; `None` if the field is never absent when rules run, because it is required or
    /// has a default.
    fn of_read(rule: &Rc<PlacedRule>, schema: &JsonSchemaProps, needed: Vec<ReadStep>) -> Option<Self> {
        let read = schema_at(schema, &needed);
        let has_default =
            |read: &JsonSchemaProps| read.default.as_deref().is_some_and(|value| !value.is_null());
        if read.is_some_and(has_default) || is_required(schema, &needed) {
            return None;
        }
        let empty = read.and_then(|read| empty_value(read, &rule.text));
        Some(Self { rule: Rc::clone(rule), needed, empty })
    }
}

/// Returns the schema of the value that steps lead to.
fn schema_at<'s>(schema: &'s JsonSchemaProps, steps: &[ReadStep]) -> Option<&'s JsonSchemaProps> {
    steps.iter().try_fold(schema, |schema, step| match step {
        ReadStep::Field(name) => {
            schema.properties.as_ref().and_then(|all| all.get(name)).or_else(|| schema.map_values())
        }
        _ => items(schema).or_else(|| schema.map_values()),
    })
}

/// Returns `true` if the object that should have the field at the end of `steps` is invalid without it.
fn is_required(schema: &JsonSchemaProps, steps: &[ReadStep]) -> bool {
    let Some((ReadStep::Field(name), above)) = steps.split_last() else { return false };
    let required = schema_at(schema, above).and_then(|above| above.required.as_ref());
    required.is_some_and(|required| required.contains(name))
}

/// Returns an empty value, or `None` if rules are unlikely to reject an absent value on purpose. A rule that demands something of an object
/// or a list, such as `has(self.a.b)`, rejects an absent object or list on purpose, and so does a rule that demands a string or a number
/// only under a condition. A rule that always reads a string or a number contradicts a schema in which this value is optional.
fn empty_value(schema: &JsonSchemaProps, rule: &str) -> Option<Value> {
    let has_condition = || ["||", "?", "!("].iter().any(|sign| rule.contains(sign));
    // To a rule, a value of an enum that it does not name is as good as none.
    if let Some(values) = schema.enum_.as_ref().filter(|_| has_condition()) {
        return values
            .iter()
            .find(|value| value.as_str().is_some_and(|value| !rule.contains(value)))
            .cloned();
    }
    match schema.type_.as_deref()? {
        "object" => Some(json!({})),
        "array" => Some(json!([])),
        "string" if has_condition() => Some(json!("")),
        "integer" | "number" if has_condition() => Some(json!(0)),
        _ => None,
    }
}

/// A rule and its location.
struct PlacedRule {
    version: String,
    /// The steps to the value of the rule; `None` stands for any item or entry.
    steps: Vec<Option<String>>,
    /// The place of the rule in the CRD.
    place: FieldPath,
    text: String,
    field: String,
}

impl PlacedRule {
    fn new(node: &Node<'_>, i: usize, rule: &ValidationRule) -> Self {
        Self {
            version: node.version.name.clone(),
            steps: node.steps(),
            place: node.path().child("x-kubernetes-validations").index(i),
            text: rule.rule.clone(),
            field: node.field().to_owned(),
        }
    }
}

/// Adds the findings that objects prove. The search has a budget; without a proof, there is no finding.
pub(crate) fn proofs(
    crd: &CustomResourceDefinition,
    suspects: &Suspects,
    allowance: &Allowance,
    collected: &mut Collected,
) {
    let Suspects { fails, evaded, suspects } = suspects;
    if suspects.is_empty() {
        return;
    }
    let Ok(validator) = Validator::new(crd) else { return };
    for version in crd.spec.versions.iter().filter(|version| version.served && allowance.left() > 0) {
        let mut suspects = suspects.iter().filter(|suspect| suspect.rule.version == version.name).peekable();
        if suspects.peek().is_none() {
            continue;
        }
        let Ok(sampler) = Sampler::with_validator(crd, &version.name, &validator) else { continue };
        let mut search = Search { sampler: sampler.with_allowance(allowance), full: None };
        for suspect in suspects {
            if suspect.needed.is_empty() {
                if let Some(rule) = *evaded
                    && let Some(proof) = search.evasion(suspect)
                {
                    let message = format!(
                        "`{}` is immutable but optional: a client that removes it can then set another value",
                        suspect.rule.field
                    );
                    collected.by(rule).prove(
                        suspect.rule.place.clone(),
                        message,
                        evasion_remedy(suspect),
                        proof,
                    );
                }
            } else if let Some(rule) = *fails
                && let Some(proof) = search.failure(suspect)
            {
                let path = ReadStep::spelled(&suspect.needed);
                let message = format!(
                    "the rule reads `{path}`, which may be absent: the API server then rejects the object, whatever an update changes (\"no such key\")"
                );
                collected.by(rule).prove(suspect.rule.place.child("rule"), message, guard(suspect), proof);
            }
        }
    }
}

/// The rules that read a field that may be absent, and the rules that make an optional field immutable.
pub(crate) struct Suspects {
    fails: Option<&'static Rule>,
    evaded: Option<&'static Rule>,
    suspects: Vec<Suspect>,
}

impl Suspects {
    /// Creates an empty list of suspects for the rules that are on.
    pub(crate) fn new(is_on: &dyn Fn(&str) -> Option<&'static Rule>) -> Self {
        Self { fails: is_on(FAILS), evaded: is_on(EVADED), suspects: Vec::new() }
    }

    /// Adds the suspects among the rules of a schema.
    pub(crate) fn add(&mut self, node: &Node<'_>) {
        for (i, rule) in node.schema.x_validations.iter().flatten().enumerate() {
            if self.suspects.len() >= SUSPECTS {
                return;
            }
            let mut needed = Vec::new();
            if self.evaded.is_some() && node.is_optional() && is_immutability(&rule.rule) {
                needed.push(Vec::new());
            }
            if let Some(reads) = self.fails.and_then(|_| Reads::from_rule(&rule.rule)) {
                let is_own = |steps: &[ReadStep]| {
                    let first = |step: &ReadStep| matches!(step, ReadStep::Field(name) if crd_core::embedded::is_own_field(name));
                    node.is_resource() && steps.first().is_some_and(first)
                };
                needed.extend(
                    reads
                        .needed
                        .into_iter()
                        .filter(|steps| matches!(steps.last(), Some(ReadStep::Field(_))) && !is_own(steps)),
                );
            }
            if !needed.is_empty() {
                let rule = Rc::new(PlacedRule::new(node, i, rule));
                self.suspects.extend(needed.into_iter().filter_map(|needed| match needed.is_empty() {
                    true => Some(Suspect { rule: Rc::clone(&rule), needed, empty: None }),
                    false => Suspect::of_read(&rule, node.schema, needed),
                }));
            }
        }
    }
}

/// Returns `true` for a rule that makes a value immutable.
fn is_immutability(rule: &str) -> bool {
    let words: String = rule.split_whitespace().collect();
    matches!(words.as_str(), "self==oldSelf" | "oldSelf==self")
}

/// The objects of a version.
struct Search {
    sampler: Sampler,
    /// An accepted object with as many fields as possible; `None` before the first search, `Some(None)` if no object was found.
    full: Option<Option<Value>>,
}

impl Search {
    /// Returns accepted objects that have a value to which the suspected rule applies.
    fn objects(&mut self, suspect: &Suspect) -> impl Iterator<Item = Value> + use<> {
        let full = self.full.get_or_insert_with(|| self.sampler.full().ok()).clone();
        let steps: Vec<String> = suspect
            .rule
            .steps
            .iter()
            .enumerate()
            .map(|(i, step)| step.clone().unwrap_or_else(|| self.any_step(&suspect.rule.steps[..i])))
            .collect();
        let sampler = self.sampler.clone();
        full.into_iter()
            .chain(std::iter::once_with(move || sampler.containing(&steps, None, OBJECTS)).flatten())
    }

    /// Returns the step to the first item of a list, or to an entry of a map that the full object has.
    fn any_step(&self, before: &[Option<String>]) -> String {
        let full = self.full.iter().flatten().next();
        let places = full.map(|object| places(object, before)).unwrap_or_default();
        let value = places.first().and_then(|place| value_at(full?, place));
        value.and_then(|value| value.as_object()?.keys().next().cloned()).unwrap_or_else(|| "0".to_owned())
    }

    /// Returns an object that only the suspected rule rejects, because a field is absent.
    fn failure(&mut self, suspect: &Suspect) -> Option<Value> {
        let (last, before) = suspect.needed.split_last()?;
        let ReadStep::Field(last) = last else { return None };
        let steps: Vec<Option<String>> =
            suspect.rule.steps.iter().cloned().chain(before.iter().map(step)).collect();
        for object in self.objects(suspect) {
            for mut place in places(&object, &steps) {
                place.push(last.clone());
                let mut without = object.clone();
                remove_at(&mut without, &place);
                if without != object && self.fails_without(&without, &place, suspect) {
                    return Some(smaller(without, |object| self.fails_without(object, &place, suspect)));
                }
            }
        }
        None
    }

    /// Returns `true` if an object is rejected only because the suspected rule cannot be evaluated without the value at a place. Rules that
    /// demand this value on purpose do not count.
    fn fails_without(&self, object: &Value, place: &[String], suspect: &Suspect) -> bool {
        let above = place.split_last().map(|(_, above)| above).unwrap_or_default();
        value_at(object, place).is_none()
            && value_at(object, above).is_some()
            && self.fails_alone(object, suspect)
            && !suspect
                .empty
                .as_ref()
                .is_some_and(|empty| self.is_rejected_with(object, place, empty, suspect))
    }

    /// Puts a value at a place of an object, and returns `true` if the suspected rule also rejects this object.
    fn is_rejected_with(&self, object: &Value, place: &[String], value: &Value, suspect: &Suspect) -> bool {
        let mut filled = object.clone();
        if !put_at(&mut filled, place, value.clone()) {
            return false;
        }
        let Err(rejection) = self.sampler.validator().create(&filled).result else { return false };
        rejection.failed_rules.iter().any(|failed| failed.rule == suspect.rule.text)
    }

    /// Returns `true` if an object is rejected only because the suspected rule cannot be evaluated.
    fn fails_alone(&self, object: &Value, suspect: &Suspect) -> bool {
        let Err(rejection) = self.sampler.validator().create(object).result else { return false };
        let failed = &rejection.failed_rules;
        failed.len() == rejection.causes.len()
            && failed.iter().all(|failed| !failed.is_broken)
            && failed.iter().any(|failed| failed.rule == suspect.rule.text)
    }

    /// Returns an accepted object from which an immutable field can be removed.
    fn evasion(&mut self, suspect: &Suspect) -> Option<Value> {
        for object in self.objects(suspect) {
            for place in places(&object, &suspect.rule.steps) {
                if self.is_removed(&object, &place) {
                    return Some(smaller(object, |object| {
                        value_at(object, &place).is_some() && self.is_removed(object, &place)
                    }));
                }
            }
        }
        None
    }

    /// Returns `true` if the API server accepts an object, an update that removes the value at a place, and an update that adds the value
    /// again.
    fn is_removed(&self, object: &Value, place: &[String]) -> bool {
        let validator = self.sampler.validator();
        let Ok(stored) = validator.create(object).result else { return false };
        let mut without = stored.clone();
        remove_at(&mut without, place);
        let Ok(removed) = validator.update(without, stored.clone()).result else { return false };
        value_at(&removed, place).is_none() && validator.update(stored, removed).is_accepted()
    }
}

/// Returns a smaller object with the same name that still proves the finding.
fn smaller(object: Value, holds: impl Fn(&Value) -> bool) -> Value {
    let name = object["metadata"]["name"].clone();
    shrink(object, SHRINKS, |object| object["metadata"]["name"] == name && holds(object))
}

fn step(step: &ReadStep) -> Option<String> {
    match step {
        ReadStep::Field(name) => Some(name.clone()),
        _ => None,
    }
}

/// Returns the first places of an object that steps lead to, where `None` is any item or entry.
fn places(object: &Value, steps: &[Option<String>]) -> Vec<Vec<String>> {
    let mut places = vec![Vec::new()];
    for step in steps {
        let mut below = Vec::new();
        for place in places {
            let Some(value) = value_at(object, &place) else { continue };
            let keys: Vec<String> = match (step, value) {
                (Some(name), value) if value.get(name).is_some() => vec![name.clone()],
                (None, Value::Array(items)) => (0..items.len().min(PLACES)).map(|i| i.to_string()).collect(),
                (None, Value::Object(fields)) => fields.keys().take(PLACES).cloned().collect(),
                _ => Vec::new(),
            };
            below.extend(keys.into_iter().map(|key| place.iter().cloned().chain([key]).collect::<Vec<_>>()));
        }
        below.truncate(PLACES);
        places = below;
    }
    places
}

/// Returns the remedy for a rule that needs a field: a condition at its start.
fn guard(suspect: &Suspect) -> Remedy {
    let words = Remedy::new(
        "first check that the field is present, as in `!has(self.a) || self.a > 0`; or put the rule on the field itself, where it runs only if the field is present",
    );
    if suspect.needed.iter().any(|step| !matches!(step, ReadStep::Field(_))) {
        return words;
    }
    let guarded = format!("!has({}) || ({})", ReadStep::spelled(&suspect.needed), suspect.rule.text.trim());
    Remedy::new(format!("write `{guarded}`")).with(Edit::replace(suspect.rule.place.child("rule"), guarded))
}

/// Returns the remedy for an immutable field: an additional rule that prevents its removal.
fn evasion_remedy(suspect: &Suspect) -> Remedy {
    let name = suspect.rule.steps.last().cloned().flatten().unwrap_or_default();
    let name = crd_core::escape_name(&name).map_or(name.clone(), std::borrow::Cow::into_owned);
    Remedy::new(format!(
        "require the field, or add a rule to the object around it: `!has(oldSelf.{name}) || has(self.{name})`"
    ))
}
