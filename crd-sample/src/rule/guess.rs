//! Guesses changes to the values that a rule reads. Values are removed, or replaced with constants from the rule or with other values that
//! fit the schema.

use crd_core::Structural;
use crd_core::cel::{ReadStep, Reads};
use crd_core::crd::ValidationRule;
use serde_json::{Value, json};

use super::Plan;
use crate::change::{Change, Steps, below, get, schema_at};

/// Maximum number of elements to examine in a list or a map.
const MOST_ELEMENTS: usize = 3;
/// Maximum number of optional fields for plans that keep only one of them.
const MOST_SIBLINGS: usize = 40;
/// Maximum number of guesses for a rule.
const MOST_GUESSES: usize = 120;

/// Returns plans that may change the rule's result, the likeliest first.
pub(crate) fn guesses(
    rule: &ValidationRule,
    schema: &Structural,
    object: &Value,
    at: &[String],
) -> Vec<Plan> {
    let Some(reads) = Reads::from_rule(&rule.rule) else { return Vec::new() };
    let places = read(&reads, object, at);
    // Without these the rule has no answer.
    let mut needed = Vec::new();
    for path in &reads.needed {
        walk(object, at.to_vec(), path, &mut needed);
    }
    needed.retain(|place| get(object, place).is_none());
    let mut plans: Vec<Plan> = needed.into_iter().map(|place| vec![Change::Make(place)]).collect();
    // With the value of the rule, all that it reads would go.
    let within: Vec<&Steps> = places.iter().filter(|place| *place != at).collect();
    plans.extend(removals(&within, schema, object));
    let constants = constants(&reads.constants);
    let columns: Vec<Vec<Plan>> =
        places.iter().map(|place| plans_at(place, schema, object, &constants)).collect();
    // One of each in turn, so that no place waits for all of another one.
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        plans.extend(columns.iter().filter_map(|column| column.get(row).cloned()));
    }
    plans.truncate(MOST_GUESSES);
    plans
}

/// Returns the paths that a rule reads, as far as they can be determined.
pub(super) fn places(rule: &ValidationRule, object: &Value, at: &[String]) -> Vec<Steps> {
    Reads::from_rule(&rule.rule).map_or_else(Vec::new, |reads| read(&reads, object, at))
}

/// Returns the paths in the object that a rule reads. The last path leads to the rule's own value, because a rule can read the whole
/// value, or the size of the value.
fn read(reads: &Reads, object: &Value, at: &[String]) -> Vec<Steps> {
    let mut places: Vec<Steps> = Vec::new();
    for path in &reads.paths {
        walk(object, at.to_vec(), path, &mut places);
    }
    if !places.iter().any(|place| place == at) {
        places.push(at.to_vec());
    }
    places
}

/// Returns plans that remove all optional values that a rule reads, or all but one. These are for rules that allow only some of several
/// fields, because such rules can be written in many ways.
fn removals(places: &[&Steps], schema: &Structural, object: &Value) -> Vec<Plan> {
    let is_optional = |place: &&Steps| {
        let Some((name, above)) = place.split_last() else { return false };
        get(object, place).is_some() && schema_at(schema, above).is_some_and(|above| !above.is_required(name))
    };
    let optional: Vec<&Steps> = places.iter().copied().filter(is_optional).collect();
    // Those directly below each other go with the first.
    let outer: Vec<&Steps> = optional
        .iter()
        .copied()
        .filter(|place| !optional.iter().any(|other| other.len() < place.len() && place.starts_with(other)))
        .collect();
    if !(2..=MOST_SIBLINGS).contains(&outer.len()) {
        return Vec::new();
    }
    let without = |kept: Option<usize>| {
        let gone = outer.iter().enumerate().filter(|(index, _)| Some(*index) != kept);
        gone.map(|(_, place)| Change::Remove((*place).clone())).collect()
    };
    let singles = outer.iter().map(|place| vec![Change::Remove((*place).clone())]);
    let one_left = (0..outer.len()).map(|kept| without(Some(kept)));
    // Of many fields, it is the likeliest that only one may be set.
    let first = (outer.len() > 2).then(|| without(Some(0)));
    first.into_iter().chain(singles).chain(one_left).chain([without(None)]).collect()
}

/// Collects the paths in the object for a path in the rule, up to the first absent value.
fn walk(object: &Value, from: Steps, path: &[ReadStep], out: &mut Vec<Steps>) {
    let value = get(object, &from);
    let (Some((step, rest)), Some(value)) = (path.split_first(), value) else {
        if !out.contains(&from) {
            out.push(from);
        }
        return;
    };
    let steps: Vec<String> = match (step, value) {
        (ReadStep::Field(name), _) => vec![name.clone()],
        (ReadStep::Each, Value::Array(items)) => {
            (0..items.len().min(MOST_ELEMENTS)).map(|index| index.to_string()).collect()
        }
        (ReadStep::Each, Value::Object(fields)) => fields.keys().take(MOST_ELEMENTS).cloned().collect(),
        _ => Vec::new(),
    };
    for step in steps {
        walk(object, below(&from, step), rest, out);
    }
}

fn plans_at(at: &[String], schema: &Structural, object: &Value, constants: &[Value]) -> Vec<Plan> {
    let Some(own_schema) = schema_at(schema, at) else { return Vec::new() };
    let value = get(object, at);
    let put = |value: Value| vec![Change::Put(at.to_vec(), value)];
    let mut plans: Vec<Plan> = Vec::new();
    let values = own_schema.value_validation.as_ref().and_then(|validation| validation.enum_.as_ref());
    let others = values.into_iter().flatten().filter(|other| Some(*other) != value && !other.is_null());
    plans.extend(others.take(8).cloned().map(put));
    match value {
        Some(Value::Bool(truth)) => plans.push(put(json!(!truth))),
        Some(Value::String(_)) => {
            plans.extend(constants.iter().filter(|other| other.is_string()).cloned().map(put));
        }
        Some(Value::Number(_)) => {
            plans.extend(constants.iter().filter(|other| other.is_number()).cloned().map(put));
        }
        Some(Value::Array(items)) => {
            plans.push(put(json!([])));
            if let Some((_, but_last)) = items.split_last() {
                plans.push(put(but_last.to_vec().into()));
            }
            plans.push(vec![Change::Make(below(at, items.len().to_string()))]);
        }
        Some(Value::Object(_)) if own_schema.map_values().is_some() => {
            plans.push(put(json!({})));
            let keys = constants.iter().filter_map(Value::as_str);
            plans.extend(keys.map(|key| vec![Change::Make(below(at, key))]));
        }
        _ => {}
    }
    plans.push(vec![Change::Make(at.to_vec())]);
    if value.is_some() {
        plans.push(vec![Change::Remove(at.to_vec())]);
        plans.push(vec![Change::Make(at.to_vec())]);
    }
    if own_schema.is_nullable() && value.is_some_and(|value| !value.is_null()) {
        plans.push(put(Value::Null));
    }
    plans
}

/// Returns the constants in a rule, and the integers next to integer constants.
fn constants(written: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for value in written {
        match value.as_i64() {
            Some(number) => all.extend([0, 1, -1].map(|step| json!(number.saturating_add(step)))),
            None => all.push(value.clone()),
        }
    }
    let texts: Vec<&str> = written.iter().filter_map(Value::as_str).collect();
    all.extend(texts.iter().map(|text| json!(format!("{text}x"))));
    all.extend([json!("x"), json!(""), json!(0), json!(-1), json!(1_000_000)]);
    let mut distinct: Vec<Value> = Vec::new();
    for value in all {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}
