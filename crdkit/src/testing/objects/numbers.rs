//! Bounds -> integers and numbers within, in which both ends are frequent.

use crd_core::schema::ValueValidation;
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::{Number, Value};

/// The largest integer that a float holds, and how far objects go where a schema sets no bounds.
const SAFE: i64 = 9_007_199_254_740_991;

/// Integers.
pub(super) fn integers(validation: &ValueValidation) -> BoxedStrategy<Value> {
    let (least, most) = match validation.format.as_deref() {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (-SAFE, SAFE),
    };
    let least = validation.minimum.as_ref().map_or(least, |number| {
        let bound = whole(number, f64::ceil).max(least);
        if validation.exclusive_minimum == Some(true) && is_whole(number) {
            bound.saturating_add(1)
        } else {
            bound
        }
    });
    let most = validation.maximum.as_ref().map_or(most, |number| {
        let bound = whole(number, f64::floor).min(most);
        if validation.exclusive_maximum == Some(true) && is_whole(number) {
            bound.saturating_sub(1)
        } else {
            bound
        }
    });
    let factor = validation.multiple_of.as_ref().filter(|number| is_whole(number)).and_then(Number::as_i64);
    let factor = factor.filter(|factor| *factor > 0).unwrap_or(1);
    let (least, most) =
        (least.div_euclid(factor) + i64::from(least.rem_euclid(factor) != 0), most.div_euclid(factor));
    // No number lies between: admission reports it.
    let most = most.max(least);
    let (low, high) = (0.clamp(least, most), 20.clamp(least, most));
    prop_oneof![4 => low..=high, 2 => least..=most, 1 => Just(least), 1 => Just(most)]
        .prop_map(move |number| Value::from(number.saturating_mul(factor)))
        .boxed()
}

/// Numbers.
pub(super) fn numbers(validation: &ValueValidation) -> BoxedStrategy<Value> {
    const FAR: f64 = 1_000_000.0;
    let bound = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
    let (minimum, maximum) = (bound(&validation.minimum), bound(&validation.maximum));
    let least = minimum.unwrap_or_else(|| maximum.map_or(-FAR, |most| most.min(0.0) - FAR));
    let most = maximum.unwrap_or_else(|| least.max(0.0) + FAR).max(least);
    let is_open = |exclusive: Option<bool>| exclusive == Some(true);
    let ends: Vec<f64> = [
        (!is_open(validation.exclusive_minimum)).then_some(least),
        (!is_open(validation.exclusive_maximum)).then_some(most),
    ]
    .into_iter()
    .flatten()
    .collect();
    let between = match bound(&validation.multiple_of).filter(|factor| *factor > 0.0) {
        Some(factor) => {
            let (first, last) = ((least / factor).ceil() as i64, (most / factor).floor() as i64);
            (first..=last.max(first)).prop_map(move |count| count as f64 * factor).boxed()
        }
        None if ends.is_empty() => (least..=most).boxed(),
        None => prop_oneof![5 => least..=most, 1 => proptest::sample::select(ends)].boxed(),
    };
    // JSON knows no two forms of a whole number, and the API server stores the shorter one.
    let shortest = |number: f64| {
        if number.fract() == 0.0 && number.abs() < SAFE as f64 {
            Value::from(number as i64)
        } else {
            number.into()
        }
    };
    between.prop_map(shortest).boxed()
}

fn is_whole(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn whole(number: &Number, round: fn(f64) -> f64) -> i64 {
    // Casts of floats stop at the ends.
    number.as_i64().unwrap_or_else(|| round(number.as_f64().unwrap_or(0.0)) as i64)
}
