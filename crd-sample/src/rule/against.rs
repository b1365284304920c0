//! Finds changes that probably break a rule in an accepted object.

use crd_core::Structural;
use crd_core::crd::ValidationRule;
use serde_json::Value;

use super::{Plan, guess, plans, pool};
use crate::change::{Change, schema_at};
use crate::maker::{Maker, Style};

/// Maximum number of plans with random values.
const MOST_DRAWS: usize = 24;

/// Returns plans that probably break a rule of the value at `at`, the likeliest first. A plan is a list of changes. The first plans solve
/// the rule for `false`, the next ones use constants from the rule, and the last ones use random values.
pub(crate) fn against(
    rule: &ValidationRule,
    schema: &Structural,
    object: &Value,
    at: &[String],
    maker: &mut Maker,
) -> Vec<Plan> {
    let Some(own) = schema_at(schema, at) else { return Vec::new() };
    let mut all = against_pool(own, at, maker);
    all.extend(plans(rule, false, schema, object, at, maker));
    all.extend(guess::guesses(rule, schema, object, at));
    all.extend(draws(rule, object, at));
    all
}

/// Returns `true` for a transition rule. Such a rule compares with the old object, and does not run when an object is created.
pub(crate) fn is_transition(rule: &ValidationRule) -> bool {
    rule.optional_old_self != Some(true) && rule.uses_old_self()
}

/// Returns plans with strings that violate one of the patterns in the rules.
fn against_pool(schema: &Structural, at: &[String], maker: &mut Maker) -> Vec<Plan> {
    let pool = pool(schema);
    let texts = (0..pool.wanted.len()).filter_map(|index| {
        let others = pool.wanted.iter().enumerate().filter(|(other, _)| *other != index);
        let refused = pool.refused.iter().chain([&pool.wanted[index]]);
        let others = others.map(|(_, other)| other.as_str());
        maker.text(schema, others, refused.map(String::as_str), Style::Full)
    });
    texts.map(|text| vec![Change::Put(at.to_vec(), text.into())]).collect()
}

/// Returns plans of two kinds, alternating: random values for everything that the rule reads, and a random value for the whole value that
/// the rule applies to.
fn draws(rule: &ValidationRule, object: &Value, at: &[String]) -> Vec<Plan> {
    let mut places = guess::places(rule, object, at);
    // What stands within another one is made with it.
    let all = places.clone();
    places.retain(|place| place != at);
    places.retain(|place| !all.iter().any(|other| other.len() > place.len() && other.starts_with(place)));
    let of_places: Plan = places.into_iter().map(Change::Draw).collect();
    let whole = vec![Change::Draw(at.to_vec())];
    let turns = [of_places, whole].into_iter().filter(|plan| !plan.is_empty());
    std::iter::repeat_n(turns.collect::<Vec<_>>(), MOST_DRAWS).flatten().collect()
}
