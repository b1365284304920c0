//! Chooses integers and numbers within bounds.

use serde_json::{Number, Value};

use crate::constraints::{Bound, Constraints};
use crate::random::Random;

/// The largest integer up to which a float represents all integers.
const SAFE: i64 = 9_007_199_254_740_991;
/// Where a schema sets no bounds, numbers stay within this limit.
const FAR: i64 = 1_000_000;

/// Builds an integer within the bounds. It is random if `random` is given, or else as near to `wanted` as possible.
pub(crate) fn integer(constraints: &Constraints<'_>, wanted: i64, random: Option<&mut Random>) -> Value {
    let (least, most) = range(constraints);
    let factor = constraints.multiples.iter().filter_map(|number| number.as_i64()).find(|factor| *factor > 1);
    let factor = factor.unwrap_or(1);
    let first = least.div_euclid(factor) + i64::from(least.rem_euclid(factor) != 0);
    // Nothing lies between: admission reports what is wrong.
    let last = most.div_euclid(factor).max(first);
    let near = (wanted / factor).clamp(first, last);
    let is_fine =
        |count: i64| !constraints.rejected_values.contains(&&Value::from(count.saturating_mul(factor)));
    let chosen = match random {
        None => near,
        Some(random) => match random.below(6) {
            0 => first,
            1 => last,
            2 if first > -FAR || last < FAR => random.between(first.max(-FAR), last.min(FAR).max(first)),
            _ => random.between(first.max(near.saturating_sub(5)), last.min(near.saturating_add(20))),
        },
    };
    let chosen = [chosen, near, first, last, near.saturating_add(1), first.saturating_add(1)]
        .into_iter()
        .find(|count| (first..=last).contains(count) && is_fine(*count))
        .unwrap_or(chosen);
    Value::from(chosen.saturating_mul(factor))
}

/// Builds a number within the bounds. It is random if `random` is given.
pub(crate) fn number(constraints: &Constraints<'_>, random: Option<&mut Random>) -> Value {
    let bound = |bound: &Option<Bound>| bound.as_ref().and_then(|bound| bound.number.as_f64());
    let is_exclusive = |bound: &Option<Bound>| bound.as_ref().is_some_and(|bound| bound.is_exclusive);
    let far = FAR as f64;
    let (minimum, maximum) = (bound(&constraints.minimum), bound(&constraints.maximum));
    let least = minimum.unwrap_or_else(|| maximum.map_or(0.0, |most| most.min(0.0) - far));
    let most = maximum.unwrap_or_else(|| least.max(0.0) + far).max(least);
    let within = |number: &f64| {
        (*number > least || *number == least && !is_exclusive(&constraints.minimum))
            && (*number < most || *number == most && !is_exclusive(&constraints.maximum))
    };
    let factor =
        constraints.multiples.iter().filter_map(|number| number.as_f64()).find(|factor| *factor > 0.0);
    if let Some(factor) = factor {
        let (first, last) = ((least / factor).ceil() as i64, (most / factor).floor() as i64);
        let count =
            random.map_or(1.clamp(first, last.max(first)), |random| random.between(first, last.max(first)));
        let candidates = [count, first, first.saturating_add(1), last].map(|count| count as f64 * factor);
        return shortest(candidates.into_iter().find(within).unwrap_or(count as f64 * factor));
    }
    let middle = least + (most - least) / 2.0;
    let mut candidates = vec![1.0, 0.5, 0.0, least, most, middle];
    if let Some(random) = random {
        let chosen = match random.below(4) {
            0 => least,
            1 => most,
            _ => least + random.fraction() * (most - least),
        };
        candidates.insert(0, chosen);
    }
    shortest(candidates.into_iter().find(within).unwrap_or(middle))
}

/// Returns the smallest and the largest integer that the constraints allow.
pub(crate) fn range(constraints: &Constraints<'_>) -> (i64, i64) {
    let (mut least, mut most) = if constraints.formats.contains(&"int32") {
        (i64::from(i32::MIN), i64::from(i32::MAX))
    } else {
        (-SAFE, SAFE)
    };
    if let Some(bound) = &constraints.minimum {
        let number = whole(&bound.number, f64::ceil);
        let step = i64::from(bound.is_exclusive && is_whole(&bound.number));
        least = least.max(number.saturating_add(step));
    }
    if let Some(bound) = &constraints.maximum {
        let number = whole(&bound.number, f64::floor);
        let step = i64::from(bound.is_exclusive && is_whole(&bound.number));
        most = most.min(number.saturating_sub(step));
    }
    (least, most)
}

/// Returns a number in the form in which the API server stores it. A whole number has no decimal point, because `2.0` and `2` are the same
/// number in JSON.
pub(crate) fn shortest(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < SAFE as f64 {
        Value::from(number as i64)
    } else {
        number.into()
    }
}

fn is_whole(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn whole(number: &Number, round: fn(f64) -> f64) -> i64 {
    // Casts of floats stop at the ends.
    number.as_i64().unwrap_or_else(|| round(number.as_f64().unwrap_or(0.0)) as i64)
}
