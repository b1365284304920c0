//! Classes that values at the place of a change decide, without an object of the whole definition.

use std::collections::HashMap;

use crd_core::Structural;
use crd_core::admit::{FieldValidation, Rejection, Validator};
use crd_core::crd::ValidationRule;
use crd_sample::{Allowance, Sampler};
use serde_json::{Value, json};

use super::side::Pair;
use crate::change::{Change, Probe};
use crate::finding::Class;
use crate::work::{BYTE, bytes};

/// The values that are asked for one change.
const MOST_VALUES: usize = 40;
/// The characters of the longest string that is made for a limit.
const LONGEST: u64 = 4096;

/// The classes of the changes that were decided, by their schemas: the same change occurs at many places of large definitions.
#[derive(Default)]
pub(crate) struct Decided(HashMap<String, Vec<Class>>);

/// The most schemas that are compared alone.
const MOST_DECIDED: usize = 30;
/// The steps of the search for a value of one schema.
const STEPS: u64 = 200_000;
/// Schemas with more nodes are not compared alone, which would take long.
const LARGE: usize = 300;

impl Decided {
    /// Returns the classes that follow because one schema at the place of a change accepts a value which the other refuses by a keyword
    /// or the rule of the change.
    pub(crate) fn classes(&mut self, pair: &Pair, change: &Change) -> Vec<Class> {
        let found = change.version.as_deref().and_then(|version| pair.schemas(version, &change.place));
        // Defaults within defaults can make a large object of each value.
        let is_small = |schema: &Structural| size(schema) <= LARGE && !schema.any(&has_object_default);
        let Some((old, new)) = found.filter(|(old, new)| is_small(old) && is_small(new)) else {
            return Vec::new();
        };
        let text = |schema: &Structural| schema.to_json_schema().to_value().to_string();
        let key = format!("{} {} {} {}", change.row.id, change.new, text(old), text(new));
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        if self.0.len() >= MOST_DECIDED {
            return Vec::new();
        }
        let classes = decide(pair, change, old, new);
        self.0.insert(key, classes.clone());
        classes
    }
}

fn has_object_default(schema: &Structural) -> bool {
    schema.generic.default.as_ref().is_some_and(|default| default.is_object() || default.is_array())
}

fn decide(pair: &Pair, change: &Change, old: &Structural, new: &Structural) -> Vec<Class> {
    let allowance = Allowance::new(STEPS);
    let sampler = |schema: &Structural| pair.old.sampler_of(schema, &allowance);
    let (Some(before), Some(after)) = (sampler(old), sampler(new)) else { return Vec::new() };
    let answers = |sampler: &Sampler, value: &Value| {
        let judge = sampler.validator().with_field_validation(FieldValidation::Ignore);
        let answer = answer(&judge, value);
        // Defaults can make a large object of a small value.
        allowance.take(BYTE * answer.as_ref().map_or(0, bytes));
        answer
    };
    let rule = change.rules.0.as_ref();
    let is_of_change = |refusal: &Rejection| match rule {
        Some(rule) => refusal.failed_rules.iter().any(|failed| failed.rule == rule.rule && failed.is_broken),
        None => {
            let mut keywords = refusal.causes.iter().filter_map(|cause| cause.keyword);
            keywords.any(|keyword| change.row.keywords.contains(&keyword))
        }
    };
    let against = rule.filter(|rule| !rule.uses_old_self()).and_then(|rule| {
        let (mut negated, mut schema) = (ValidationRule::default(), old.clone());
        negated.rule = format!("!({}\n)", rule.rule);
        schema.validations.push(negated);
        sampler(&schema)?.minimal().ok()?.get("spec").cloned()
    });
    let all = rule.is_none().then(|| differing([&after, &before], &allowance)).into_iter().flatten();
    let named = if rule.is_some() { Vec::new() } else { values(change) };
    for value in against.into_iter().chain(named).chain(all) {
        if allowance.left() == 0 {
            break;
        }
        match (answers(&before, &value), answers(&after, &value)) {
            (Ok(_), Err(refusal)) if is_of_change(&refusal) => return vec![Class::Write],
            (Err(refusal), Ok(_)) if is_of_change(&refusal) => return vec![Class::Read, Class::Rollback],
            _ => {}
        }
    }
    Vec::new()
}

/// Returns values on both sides of the limits of both schemas, while there are steps.
fn differing<'s>(samplers: [&'s Sampler; 2], allowance: &'s Allowance) -> impl Iterator<Item = Value> + 's {
    let of = |sampler: &'s Sampler| {
        let near = sampler.boundaries().take(MOST_VALUES).map(|boundary| boundary.object);
        let broken = sampler.broken().take(MOST_VALUES).map(|broken| broken.object);
        let objects = near.chain(broken).chain(sampler.accepted().take(10));
        objects.take_while(|_| allowance.left() > 0).filter_map(|object| object.get("spec").cloned())
    };
    samplers.into_iter().flat_map(of)
}

fn answer(judge: &Validator, value: &Value) -> Result<Value, Rejection> {
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Value", "metadata": {"name": "example"}, "spec": value,
    });
    judge.create(&object).result
}

/// The values that a change names, and strings near its limits.
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

fn size(schema: &Structural) -> usize {
    let below = schema.properties.values().chain(schema.items.as_deref()).chain(schema.map_values());
    1 + below.map(size).sum::<usize>()
}
