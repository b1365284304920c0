//! Finds the classes that can be proved with values of the changed field alone, without complete objects.

use std::collections::HashMap;

use crd_core::admit::{FieldValidation, Rejection, Validator};
use crd_core::crd::ValidationRule;
use crd_core::{Keyword, Structural};
use crd_sample::{Allowance, Sampler, value_at};
use serde_json::{Value, json};

use super::combinations::combinations;
use super::side::Pair;
use crate::change::{Change, Probe};
use crate::finding::Class;
use crate::rows;
use crate::work::{BYTE, LARGEST_STORED, bytes};

/// The maximum number of values to try for one change.
const MOST_VALUES: usize = 40;
/// Maximum length of a string that is built to test a limit.
const LONGEST: u64 = 60_000;
/// The number of steps for a request, without the steps for its values.
const REQUEST: u64 = 100;

/// A cache of the proved classes. The keys are changes with their schemas, because the same change may occur in many fields of a large CRD.
#[derive(Default)]
pub(crate) struct Decided {
    classes: HashMap<String, Vec<Class>>,
    asked: usize,
}

/// The maximum number of changes for which values of the changed field are tried.
const MOST_ASKED: usize = 200;
/// The maximum number of these changes that are not found in the cache.
const MOST_DECIDED: usize = 30;
/// The maximum number of steps for one change.
const STEPS: u64 = 200_000;
/// The maximum number of nodes in a changed schema. Larger schemas would take too long.
const LARGE: usize = 300;

impl Decided {
    /// Returns `true` if the maximum number of changes is not reached.
    pub(crate) fn may_ask(&self) -> bool {
        self.asked < MOST_ASKED
    }

    /// Searches for values that one of the schemas accepts, and that the other rejects because of the changed keyword or rule. Returns the
    /// classes that these values prove.
    pub(crate) fn classes(&mut self, pair: &Pair, change: &Change) -> Vec<Class> {
        self.asked += 1;
        let found = change.version.as_deref().and_then(|version| pair.schemas(version, &change.place));
        // Defaults within defaults can make a large object of each value.
        let is_costly = |schema: &Structural| has_object_default(schema) || has_large_automaton(schema);
        let is_small = |schema: &Structural| size(schema) <= LARGE && !schema.any(&is_costly);
        let Some((old, new)) = found.filter(|(old, new)| is_small(old) && is_small(new)) else {
            return Vec::new();
        };
        let text = |schema: &Structural| schema.to_json_schema().to_value().to_string();
        let key = format!("{} {} {} {}", change.row.id, change.new, text(old), text(new));
        if let Some(known) = self.classes.get(&key) {
            return known.clone();
        }
        if self.classes.len() >= MOST_DECIDED {
            return Vec::new();
        }
        let classes = decide(pair, change, old, new);
        self.classes.insert(key, classes.clone());
        classes
    }
}

/// Returns `true` for a schema with a pattern that repeats a Unicode class. The automaton for such a pattern is large, and is built
/// whenever the schema is compiled.
pub(super) fn has_large_automaton(schema: &Structural) -> bool {
    let pattern = schema.value_validation.as_deref().and_then(|keywords| keywords.pattern.as_deref());
    pattern.is_some_and(|pattern| {
        pattern.contains('{') && ["\\p", "\\P"].iter().any(|class| pattern.contains(class))
    })
}

fn has_object_default(schema: &Structural) -> bool {
    schema.generic.default.as_ref().is_some_and(|default| default.is_object() || default.is_array())
}

fn decide(pair: &Pair, change: &Change, old: &Structural, new: &Structural) -> Vec<Class> {
    let allowance = Allowance::new(STEPS);
    let sampler = |schema: &Structural| pair.old.sampler_of(schema, &allowance);
    let (Some(before), Some(after)) = (sampler(old), sampler(new)) else { return Vec::new() };
    let sides = Sides { before: &before, after: &after, allowance: &allowance, change };
    let (added, removed) = &change.rules;
    // A rule that is gone is in the old schema.
    let rule = added.as_ref().or(removed.as_ref());
    let combined = [(new, &after), (old, &before)].into_iter();
    let combined = combined.flat_map(|(schema, sampler)| combinations(schema, rule, sampler));
    if let Some(rule) = added.as_ref().filter(|rule| rule.uses_old_self()) {
        // An item of a list need not have an old value.
        let is_shown = !change.is_in_list && sides.refuse_edit(combined, rule);
        return if is_shown { vec![Class::Edit] } else { Vec::new() };
    }
    let against = added.as_ref().and_then(|rule| {
        let (mut negated, mut schema) = (ValidationRule::default(), old.clone());
        negated.rule = format!("!({}\n)", rule.rule);
        schema.validations.push(negated);
        sampler(&schema)?.minimal().ok()?.get("spec").cloned()
    });
    let all = rule.is_none().then(|| differing([&after, &before], &allowance)).into_iter().flatten();
    let named = if rule.is_some() { Vec::new() } else { values(change) };
    let long = longer_list(change, old, &before);
    sides.classes(against.into_iter().chain(named).chain(long).chain(all).chain(combined))
}

/// The changed schema before and after the change, ready to validate values.
struct Sides<'s> {
    before: &'s Sampler,
    after: &'s Sampler,
    allowance: &'s Allowance,
    change: &'s Change,
}

impl Sides<'_> {
    /// Returns the classes that the values prove. The search continues after a value that only the new schema accepts, because only the old
    /// schema may accept another value.
    fn classes(&self, values: impl Iterator<Item = Value>) -> Vec<Class> {
        let (mut is_written, mut is_read) = (false, false);
        for value in values.take_while(|_| self.allowance.left() > 0) {
            match (self.answer(self.before, &value), self.answer(self.after, &value)) {
                (Ok(_), Err(refusal)) => {
                    is_written |= self.is_of_change(&refusal) && is_kept(self.before, &value);
                }
                (Err(refusal), Ok(_)) => {
                    is_read |= self.is_of_change(&refusal) && is_kept(self.after, &value);
                }
                _ => {}
            }
            if is_written {
                break;
            }
        }
        let read: &[Class] = if is_read { &[Class::Read, Class::Rollback] } else { &[] };
        is_written.then_some(Class::Write).into_iter().chain(read.iter().copied()).collect()
    }

    /// Returns `true` if the old schema accepts an update from one of the values to another, but the new rule rejects this update.
    fn refuse_edit(&self, values: impl Iterator<Item = Value>, rule: &ValidationRule) -> bool {
        let is_broken = |refusal: Rejection| {
            refusal.failed_rules.iter().any(|failed| failed.rule == rule.rule && failed.is_broken)
        };
        let values: Vec<Value> =
            values.filter(|value| self.answer(self.before, value).is_ok()).take(MOST_VALUES).collect();
        let mut pairs = values.iter().flat_map(|one| values.iter().map(move |two| (one, two)));
        pairs.any(|(stored, edited)| {
            stored != edited
                && self.update(self.after, stored, edited).is_err_and(is_broken)
                && self.update(self.before, stored, edited).is_ok()
        })
    }

    fn answer(&self, sampler: &Sampler, value: &Value) -> Result<Value, Rejection> {
        let answer = answer(&sampler.validator().with_field_validation(FieldValidation::Ignore), value);
        // Defaults can make a large object of a small value.
        self.allowance.take(REQUEST + BYTE * answer.as_ref().map_or(0, bytes));
        answer
    }

    /// Validates an update of a value, if steps are left.
    fn update(&self, sampler: &Sampler, stored: &Value, edited: &Value) -> Result<Option<Value>, Rejection> {
        if self.allowance.left() == 0 {
            return Ok(None);
        }
        self.allowance.take(REQUEST + BYTE * (bytes(stored) + bytes(edited)));
        let judge = sampler.validator().with_field_validation(FieldValidation::Ignore);
        judge.update(object(edited), object(stored)).result.map(Some)
    }

    /// Returns `true` if the changed rule or keyword causes the rejection.
    fn is_of_change(&self, refusal: &Rejection) -> bool {
        let (added, removed) = &self.change.rules;
        if added.is_none() && removed.is_none() {
            let mut keywords = refusal.causes.iter().filter_map(|cause| cause.keyword);
            // Objects may show a change of the type by any keyword, and values by this one.
            let is_type = |keyword| keyword == Keyword::Type && self.change.row.id == rows::TYPE_CHANGED.id;
            return keywords.any(|keyword| self.change.row.keywords.contains(&keyword) || is_type(keyword));
        }
        let rules = || [added, removed].into_iter().flatten();
        refusal
            .failed_rules
            .iter()
            .any(|failed| failed.is_broken && rules().any(|rule| failed.rule == rule.rule))
    }
}

/// Returns values on both sides of the schemas' limits, while steps are left.
fn differing<'s>(samplers: [&'s Sampler; 2], allowance: &'s Allowance) -> impl Iterator<Item = Value> + 's {
    let of = |sampler: &'s Sampler| {
        let near = sampler.boundaries().take(MOST_VALUES).map(|boundary| boundary.object);
        let broken = sampler.broken().take(MOST_VALUES).map(|broken| broken.object);
        let objects = near.chain(broken).chain(sampler.accepted().take(10));
        objects.take_while(|_| allowance.left() > 0).filter_map(|object| object.get("spec").cloned())
    };
    samplers.into_iter().flat_map(of)
}

/// Returns `true` if all fields of an accepted value are kept. Clients do not rely on fields that are dropped.
fn is_kept(sampler: &Sampler, value: &Value) -> bool {
    answer(&sampler.validator().with_field_validation(FieldValidation::Strict), value).is_ok()
}

pub(super) fn answer(judge: &Validator, value: &Value) -> Result<Value, Rejection> {
    judge.create(object(value)).result
}

fn object(value: &Value) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Value", "metadata": {"name": "example"}, "spec": value,
    })
}

/// Returns the values from the change's probes, and strings near its limits.
fn values(change: &Change) -> Vec<Value> {
    let named = change.probes.iter().filter_map(|probe| match probe {
        Probe::Value(at, value) if *at == change.place && !value.is_null() => Some(value.clone()),
        _ => None,
    });
    let limits = [&change.old, &change.new].into_iter().filter_map(Value::as_u64);
    let near = limits.flat_map(|limit| [limit, limit.saturating_add(1), limit.saturating_sub(1)]);
    let strings = near
        .filter(|length| *length <= LONGEST)
        .map(|length| json!("a".repeat(usize::try_from(length).unwrap_or_default())));
    let plain = ["a", "a b", "1", "x-y.z"].map(Value::from);
    named.chain(strings).chain(plain).take(MOST_VALUES).collect()
}

/// Returns a list with more items than the new `maxItems` allows. The items differ in the values that must be unique.
fn longer_list(change: &Change, old: &Structural, sampler: &Sampler) -> Option<Value> {
    const MOST_ITEMS: u64 = 10_000;
    const BUILD: usize = 60;
    let most = change.new.as_u64().filter(|_| change.row.id == rows::MAX_ITEMS_TIGHTENED.id)?;
    let most = usize::try_from(most).ok().filter(|_| most <= MOST_ITEMS)?;
    let place = ["spec".to_owned(), "0".to_owned()];
    let item = value_at(&sampler.containing(&place, None, BUILD)?, &place)?.clone();
    let other = |value: &Value, number: usize| match value {
        Value::String(text) => json!(format!("{text}{number}")),
        Value::Number(_) => json!(number),
        value => value.clone(),
    };
    let keys = old.extensions.list_map_keys.as_deref().unwrap_or_default();
    let items = (0..=most).map(|number| match &item {
        Value::Object(fields) => {
            let mut fields = fields.clone();
            for key in keys {
                if let Some(value) = fields.get_mut(key) {
                    *value = other(value, number);
                }
            }
            Value::Object(fields)
        }
        value => other(value, number),
    });
    let list: Value = items.collect();
    (bytes(&list) < LARGEST_STORED as u64).then_some(list)
}

fn size(schema: &Structural) -> usize {
    let below = schema.properties.values().chain(schema.items.as_deref()).chain(schema.map_values());
    1 + below.map(size).sum::<usize>()
}
