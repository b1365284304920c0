//! A rule and its value -> changes of the values that the rule reads, some of which may break it.
//!
//! The change that breaks a rule cannot be calculated. Likely candidates are in the rule: the values that it reads, and the
//! constants that it compares them with.

use crd_core::Structural;
use crd_core::cel::{ReadStep, Reads};
use crd_core::crd::ValidationRule;
use crd_core::schema::SchemaType;
use serde_json::{Value, json};

use super::edits::Edit;
use super::faults::below;
use super::samples::Samples;

/// The number of elements of a list or a map that are changed.
const MOST_ELEMENTS: usize = 3;

/// Changes of the value at `at`, the likeliest first. There are none for a rule that does not run on new objects.
pub(super) fn edits(
    rule: &ValidationRule,
    schema: &Structural,
    value: &Value,
    at: &[String],
    samples: &Samples,
) -> Vec<Edit> {
    let Some(reads) = Reads::of(&rule.rule) else { return Vec::new() };
    if reads.uses_old_self && rule.optional_old_self != Some(true) {
        return Vec::new();
    }
    let mut places = Vec::new();
    let this = ValuePlace { at: at.to_vec(), schema, value: Some(value), may_go: false };
    // The value as a whole is looked at too: by `self` alone, or by its size.
    for path in std::iter::once([].as_slice()).chain(reads.paths.iter().map(Vec::as_slice)) {
        walk(&this, path, &mut places);
    }
    let constants = constants(&reads.constants, &places);
    // Rules compare strings and numbers; of larger values they ask for presence or size. The value as a whole is the last.
    places.sort_by_key(|place: &ValuePlace<'_>| place.at.len() == at.len() && !place.is_scalar());
    let mut edits: Vec<Vec<Edit>> = places.iter().map(|place| place.edits(&constants, samples)).collect();
    // One of each in turn, so that no place waits for all of another one.
    let rounds = edits.iter().map(Vec::len).max().unwrap_or(0);
    let mut all = Vec::new();
    for round in 0..rounds {
        all.extend(edits.iter_mut().filter_map(|edits| edits.get(round).cloned()));
    }
    all
}

/// A value that a rule reads, in an object.
struct ValuePlace<'a> {
    at: Vec<String>,
    schema: &'a Structural,
    /// `None` if it is absent.
    value: Option<&'a Value>,
    may_go: bool,
}

/// Finds the values at a path; if they are absent, the first absent step of the path.
fn walk<'a>(from: &ValuePlace<'a>, path: &[ReadStep], out: &mut Vec<ValuePlace<'a>>) {
    let (Some((step, rest)), Some(_)) = (path.split_first(), from.value) else {
        if !out.iter().any(|place| place.at == from.at) {
            out.push(ValuePlace { at: from.at.clone(), ..*from });
        }
        return;
    };
    let steps: Vec<String> = match (step, from.value) {
        (ReadStep::Field(name), _) => vec![name.clone()],
        (_, Some(Value::Array(items))) => {
            (0..items.len().min(MOST_ELEMENTS)).map(|i| i.to_string()).collect()
        }
        (_, Some(Value::Object(fields))) => fields.keys().take(MOST_ELEMENTS).cloned().collect(),
        _ => Vec::new(),
    };
    for step in steps {
        if let Some(place) = from.step(&step) {
            walk(&place, rest, out);
        }
    }
}

impl ValuePlace<'_> {
    fn step(&self, step: &str) -> Option<Self> {
        let at = below(&self.at, step);
        match self.value? {
            Value::Array(items) => {
                let value = items.get(step.parse::<usize>().ok()?)?;
                Some(ValuePlace {
                    at,
                    schema: self.schema.items.as_deref()?,
                    value: Some(value),
                    may_go: false,
                })
            }
            Value::Object(fields) => {
                let schema = self.schema.field(step)?;
                let may_go = !self.schema.is_required(step);
                Some(ValuePlace {
                    at,
                    schema,
                    value: fields.get(step).filter(|value| !value.is_null()),
                    may_go,
                })
            }
            _ => None,
        }
    }

    fn is_scalar(&self) -> bool {
        !matches!(self.value, Some(Value::Object(_) | Value::Array(_)))
    }

    fn edits(&self, constants: &[Value], samples: &Samples) -> Vec<Edit> {
        let mut new: Vec<Value> = Vec::new();
        match (self.value, &self.schema.type_) {
            (Some(Value::Bool(value)), _) => new.push(json!(!value)),
            (Some(Value::String(_)), _) => {
                new.extend(constants.iter().filter(|value| value.is_string()).cloned());
            }
            (Some(Value::Number(_)), Some(SchemaType::Number)) => {
                new.extend(constants.iter().filter(|value| value.is_number()).cloned());
            }
            (Some(Value::Number(_)), _) => {
                new.extend(constants.iter().filter(|value| value.is_i64()).cloned());
            }
            (Some(Value::Array(items)), _) => new.extend(self.lists(items, samples)),
            (Some(Value::Object(fields)), _) => {
                if let Some(values) = self.schema.map_values() {
                    let value = fields.values().next().cloned();
                    let value = value.or_else(|| samples.of(values).first().cloned());
                    for (name, value) in constants.iter().filter_map(Value::as_str).zip(value.iter().cycle())
                    {
                        let mut fields = fields.clone();
                        fields.insert(name.to_owned(), value.clone());
                        new.push(fields.into());
                    }
                    new.push(json!({}));
                }
            }
            (None | Some(Value::Null), _) => {}
        }
        let mut samples = samples.of(self.schema).to_vec();
        if self.value.is_none() {
            samples.retain(|value| !value.is_null());
            // An empty one is what is put in most often.
            samples.sort_by_key(|value| value.as_object().is_none_or(|fields| !fields.is_empty()));
        }
        new.extend(samples);
        new.retain(|new| Some(new) != self.value);
        let going = self.may_go && self.value.is_some();
        let gone = going.then(|| Edit::remove(self.at.clone()));
        gone.into_iter().chain(new.into_iter().map(|new| Edit::put(self.at.clone(), new))).collect()
    }

    /// Without items, without the last, with the first twice, with one more.
    fn lists(&self, items: &[Value], samples: &Samples) -> Vec<Value> {
        let mut lists = vec![json!([])];
        if let Some((_, but_last)) = items.split_last() {
            lists.push(but_last.to_vec().into());
        }
        let more = self.schema.items.as_deref().map(|items| samples.of(items));
        for item in items.first().into_iter().chain(more.iter().flat_map(|more| more.iter())) {
            lists.push(items.iter().chain([item]).cloned().collect());
        }
        lists
    }
}

/// The constants of a rule, the values that it reads, and the numbers next to them.
fn constants(written: &[Value], places: &[ValuePlace<'_>]) -> Vec<Value> {
    let read = places.iter().filter(|place| place.is_scalar()).filter_map(|place| place.value);
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    for value in written.iter().chain(read) {
        match value {
            Value::String(text) => texts.push(text.as_str()),
            Value::Number(number) => match number.as_i64() {
                Some(whole) => {
                    numbers.extend([0, 1, -1].map(|step| Value::from(whole.saturating_add(step))));
                }
                None => numbers.extend(
                    number
                        .as_f64()
                        .iter()
                        .flat_map(|number| [0.0, 0.5, -0.5].map(|step| Value::from(number + step))),
                ),
            },
            _ => {}
        }
    }
    let mut all: Vec<Value> = texts.iter().map(|text| Value::from(*text)).collect();
    all.extend(texts.iter().flat_map(|text| [format!("x{text}"), format!("{text}x")]).map(Value::from));
    all.extend([json!("x"), json!("X1."), json!("")]);
    all.extend(numbers);
    all.extend([json!(0), json!(-1), json!(1_000_000)]);
    let mut distinct: Vec<Value> = Vec::new();
    all.into_iter().for_each(|value| {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    });
    distinct
}
