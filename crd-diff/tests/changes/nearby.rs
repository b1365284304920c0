//! Random objects near the places of changes.

use crd_core::Structural;
use crd_sample::{Sampler, put_at, remove_at, value_at};
use serde_json::{Value, json};

use super::mutations::Random;

/// The values of each place that come from one schema.
const VALUES: usize = 16;
/// The objects that have a value at a place.
const CONTAINING: usize = 4;
/// The objects that are judged to build one of them.
const BUDGET: usize = 200;

/// Objects that are changed near some places, and values to put there.
pub(crate) struct Nearby {
    objects: Vec<Value>,
    places: Vec<(Vec<String>, Vec<Value>)>,
}

impl Nearby {
    /// `objects` are changed besides those that have values at the places. The samplers are those of both definitions.
    pub(crate) fn new(samplers: &[&Sampler], objects: &[Value], places: &[Vec<String>], seed: u64) -> Self {
        let mut all: Vec<Vec<String>> = Vec::new();
        for place in places {
            // The place, those around it, and those of its fields below.
            all.extend((1..=place.len()).rev().take(3).map(|end| place[..end].to_vec()));
        }
        all.dedup();
        let mut containing: Vec<Value> = objects.to_vec();
        let mut of_places = Vec::new();
        for (number, place) in all.into_iter().enumerate() {
            let mut values = constants();
            for sampler in samplers {
                let sampler = sampler.with_seed(seed + number as u64);
                values.extend(sampler.values(&place).take(VALUES));
                for attempt in 0..CONTAINING as u64 {
                    let value = values.get(values.len() - 1 - attempt as usize).filter(|_| attempt > 0);
                    containing.extend(sampler.with_seed(seed + attempt).containing(&place, value, BUDGET));
                }
            }
            of_places.push((place, values));
        }
        Self { objects: containing, places: of_places }
    }

    /// Returns a random object.
    pub(crate) fn object(&self, random: &mut Random) -> Option<Value> {
        let mut object = self.objects.get(random.below(self.objects.len()))?.clone();
        for _ in 0..=random.below(3) {
            self.change(&mut object, random);
        }
        Some(object)
    }

    /// Edits of an object.
    pub(crate) fn edits(&self, object: &Value, count: usize, random: &mut Random) -> Vec<Value> {
        let edit = |_| {
            let mut edited = object.clone();
            self.change(&mut edited, random);
            edited
        };
        (0..count).map(edit).filter(|edited| edited != object).collect()
    }

    /// Changes one value.
    fn change(&self, object: &mut Value, random: &mut Random) {
        let Some((place, values)) = self.places.get(random.below(self.places.len())) else { return };
        let mut at = there(object, place, random);
        let names: Vec<String> = match value_at(object, &at) {
            Some(Value::Object(fields)) => fields.keys().cloned().collect(),
            Some(Value::Array(items)) => (0..items.len()).map(|index| index.to_string()).collect(),
            _ => Vec::new(),
        };
        match random.below(6) {
            0 => remove_at(object, &at),
            1 => {
                let other = self.objects.get(random.below(self.objects.len()));
                match other.and_then(|other| value_at(other, &at)) {
                    Some(value) => _ = put_at(object, &at, value.clone()),
                    None => remove_at(object, &at),
                }
            }
            2 if !names.is_empty() => {
                let name = names[random.below(names.len())].clone();
                // An item is repeated, a field is taken away.
                let item = value_at(object, &at).filter(|there| there.is_array());
                match item.and_then(|items| items.get(name.parse::<usize>().ok()?)).cloned() {
                    Some(item) => {
                        at.push(names.len().to_string());
                        put_at(object, &at, item);
                    }
                    None => {
                        at.push(name);
                        remove_at(object, &at);
                    }
                }
            }
            3 if !names.is_empty() => {
                at.push(names[random.below(names.len())].clone());
                put_at(object, &at, values[random.below(values.len())].clone());
            }
            _ => {
                put_at(object, &at, values[random.below(values.len())].clone());
            }
        }
    }
}

/// Returns the steps to one of the values of an object at a place.
fn there(object: &Value, place: &[String], random: &mut Random) -> Vec<String> {
    let mut at: Vec<String> = Vec::new();
    for step in place {
        let step = match value_at(object, &at) {
            Some(Value::Array(items)) => random.below(items.len()).to_string(),
            Some(Value::Object(fields)) if step == "key" && !fields.contains_key(step) => {
                fields.keys().nth(random.below(fields.len())).unwrap_or(step).clone()
            }
            _ => step.clone(),
        };
        at.push(step);
    }
    at
}

/// Returns `true` if a list stands in the place of a string. The API server accepts that where the string has a format (kube-openapi,
/// `validate/type.go`), a mistake on which no client builds.
pub(crate) fn has_list_for_string(schema: &Structural, value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            let is_string = schema.type_.as_ref().is_some_and(|name| name.as_str() == "string");
            let of_item =
                |item| schema.items.as_ref().is_some_and(|schema| has_list_for_string(schema, item));
            is_string || items.iter().any(of_item)
        }
        Value::Object(fields) => {
            let of_field = |(name, value): (&String, &Value)| {
                schema.field(name).is_some_and(|schema| has_list_for_string(schema, value))
            };
            fields.iter().any(of_field)
        }
        _ => false,
    }
}

/// Values of all types, near the limits that random changes set.
fn constants() -> Vec<Value> {
    let mut all = vec![json!(null), json!(true), json!(false), json!({}), json!([]), json!(1.5), json!(-1)];
    all.extend(["", "a", "b", "ab", "abcd", "x y", "aaaaaaaaaaaa", "2024-01-01"].map(Value::from));
    all.extend([0, 1, 2, 3, 4, 5, 8, 12, 19, 20, 21].map(Value::from));
    all.extend([json!({"a": "b"}), json!({"a": 1, "b": 2}), json!(["a"]), json!(["a", "a"]), json!([1])]);
    all
}
