//! Changes a valid value so that it probably has only the given fault.

use crd_core::Structural;
use crd_core::schema::{AdditionalProperties, SchemaType, ValueValidation};
use serde_json::{Map, Number, Value, json};

use super::Fault;
use crate::maker::{Maker, Style, identity, is_unique};

/// Strings, lists and maps with this length or more are too expensive to build.
const LONGEST: usize = 10_000;

/// Returns values that probably have only this fault, the likeliest first. Returns nothing for rules and for missing fields, because other
/// functions break these.
pub(super) fn values(fault: &Fault, schema: &Structural, value: &Value, maker: &mut Maker) -> Vec<Value> {
    let none = ValueValidation::default();
    let validation = schema.value_validation.as_deref().unwrap_or(&none);
    match (fault, value) {
        (Fault::Type, _) => other_types(schema),
        (Fault::Enum, _) => outside(validation, value),
        (Fault::Maximum, _) => {
            let exclusive = validation.exclusive_maximum == Some(true);
            beyond(validation.maximum.as_ref(), exclusive, 1, validation)
        }
        (Fault::Minimum, _) => {
            let exclusive = validation.exclusive_minimum == Some(true);
            beyond(validation.minimum.as_ref(), exclusive, -1, validation)
        }
        (Fault::MultipleOf, Value::Number(number)) => beside(number),
        (Fault::MaxLength, Value::String(text)) => longer(text, size(validation.max_length), schema, maker),
        (Fault::MinLength, Value::String(text)) => {
            let length = size(validation.min_length).and_then(|least| least.checked_sub(1));
            length.map(|length| text.chars().take(length).collect::<String>().into()).into_iter().collect()
        }
        (Fault::Pattern, Value::String(text)) => {
            let pattern = validation.pattern.as_deref().unwrap_or_default();
            let made = maker.text_against(schema, pattern).filter(|made| made != text);
            made.map(Value::from).into_iter().chain(misspelled(text)).collect()
        }
        (Fault::Format, Value::String(text)) => misspelled(text),
        (Fault::MaxItems, Value::Array(items)) => {
            let most = size(validation.max_items);
            most.and_then(|most| more_items(schema, items, most + 1, maker)).into_iter().collect()
        }
        (Fault::MinItems, Value::Array(items)) => {
            let length = size(validation.min_items).and_then(|least| least.checked_sub(1));
            length.map(|length| items.iter().take(length).cloned().collect()).into_iter().collect()
        }
        (Fault::Duplicate, Value::Array(items)) => {
            vec![items.iter().chain(items.first()).cloned().collect()]
        }
        (Fault::MaxProperties, Value::Object(fields)) => {
            let most = size(validation.max_properties);
            most.and_then(|most| more_fields(schema, fields, most + 1, maker)).into_iter().collect()
        }
        (Fault::MinProperties, Value::Object(fields)) => {
            let length = size(validation.min_properties).and_then(|least| least.checked_sub(1));
            length.map(|length| fewer_fields(schema, fields, length)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn size(limit: Option<i64>) -> Option<usize> {
    limit.and_then(|limit| usize::try_from(limit).ok()).filter(|size| *size < LONGEST)
}

fn other_types(schema: &Structural) -> Vec<Value> {
    match schema.type_ {
        Some(SchemaType::String) => vec![json!(true), json!(1)],
        None => vec![json!(true), json!([])],
        Some(_) => vec![json!("text")],
    }
}

fn outside(validation: &ValueValidation, value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) => {
            let mut texts = vec![Value::from("none of these")];
            texts.extend(misspelled(text));
            texts
        }
        Value::Number(_) => {
            let numbers = validation.enum_.iter().flatten().filter_map(Value::as_f64);
            let most = numbers.fold(0.0, f64::max);
            [1, 2, 10].iter().map(|step| Value::from((most as i64).saturating_add(*step))).collect()
        }
        Value::Bool(value) => vec![json!(!value)],
        _ => Vec::new(),
    }
}

/// Returns numbers that violate a bound. If the bound is exclusive, the bound itself comes first. Otherwise, the bound plus `step`
/// comes first. If the schema has `multipleOf`, the next multiple follows.
fn beyond(bound: Option<&Number>, is_exclusive: bool, step: i64, validation: &ValueValidation) -> Vec<Value> {
    let Some(bound) = bound else { return Vec::new() };
    let next = if is_exclusive { 0 } else { step };
    let mut values = Vec::new();
    match bound.as_i64() {
        Some(whole) => {
            values.extend(whole.checked_add(next).map(Value::from));
            let factor =
                validation.multiple_of.as_ref().and_then(Number::as_i64).filter(|factor| *factor > 1);
            values.extend(factor.and_then(|factor| {
                // With a bound that is one itself, the next one is beyond in any case.
                let multiple = whole.div_euclid(factor) + i64::from(step > 0);
                let multiple = if step < 0 && multiple * factor == whole { multiple - 1 } else { multiple };
                multiple.checked_mul(factor).map(Value::from)
            }));
            values.extend(whole.checked_add(step.saturating_mul(1000)).map(Value::from));
        }
        // Beyond this, a step is none.
        None => {
            let bound = bound.as_f64().filter(|bound| bound.abs() < 1e15);
            values.extend(bound.map(|bound| Value::from(bound + next as f64)));
        }
    }
    values
}

/// Returns numbers next to a multiple. These are probably not multiples.
fn beside(number: &Number) -> Vec<Value> {
    match number.as_i64() {
        Some(whole) => {
            let wholes = [1, -1].into_iter().filter_map(|step| whole.checked_add(step)).map(Value::from);
            wholes.chain([0.5, -0.5].map(|step| Value::from(whole as f64 + step))).collect()
        }
        None => {
            let number = number.as_f64().unwrap_or_default();
            [0.001, -0.001, 0.5, -0.5].map(|step| Value::from(number + step)).into_iter().collect()
        }
    }
}

/// Returns longer strings. The string is extended by letters, by digits, or by a copy of itself.
fn longer(text: &str, most: Option<usize>, schema: &Structural, maker: &mut Maker) -> Vec<Value> {
    let Some(most) = most else { return Vec::new() };
    let with = |more: &mut dyn Iterator<Item = char>| -> Value {
        text.chars().chain(more).take(most + 1).collect::<String>().into()
    };
    let mut values: Vec<Value> = maker.text_too_long(schema, most + 1).map(Value::from).into_iter().collect();
    values.extend([with(&mut std::iter::repeat('a')), with(&mut std::iter::repeat('0'))]);
    if !text.is_empty() {
        values.push(with(&mut text.chars().cycle()));
    }
    values
}

/// Returns strings that a pattern or a format probably rejects. Strings with the same length come first.
fn misspelled(text: &str) -> Vec<Value> {
    let same = |replace: &dyn Fn(usize, char) -> char| -> String {
        text.chars().enumerate().map(|(i, c)| replace(i, c)).collect()
    };
    let count = text.chars().count();
    let last = count.saturating_sub(1);
    let mut texts = vec![
        same(&|i, c| if i == 0 { '!' } else { c }),
        same(&|i, c| if i == last { '!' } else { c }),
        same(&|_, _| '!'),
        // Sums of digits are wrong, and so are days and addresses.
        same(&|_, c| if c.is_ascii_digit() { '9' } else { c }),
        same(&|i, c| if i == last && c.is_ascii_digit() { if c == '0' { '1' } else { '0' } } else { c }),
        same(&|_, c| if c.is_ascii_digit() { 'z' } else { c }),
        same(&|i, c| if i == 0 { '\n' } else { c }),
        same(&|_, c| c.to_ascii_uppercase()),
        same(&|_, _| 'a'),
        same(&|_, _| '0'),
        format!("!{text}"),
        format!("{text}!"),
        format!("{text}\n"),
        format!("{text} {text}"),
        text.chars().take(last).collect(),
        String::new(),
        "!".to_owned(),
        "a".to_owned(),
    ];
    texts.retain(|new| new != text);
    texts.dedup();
    texts.into_iter().map(Value::from).collect()
}

pub(super) fn more_items(
    schema: &Structural,
    items: &[Value],
    count: usize,
    maker: &mut Maker,
) -> Option<Value> {
    let item_schema = schema.items.as_deref()?;
    let keys = schema.extensions.list_map_keys.as_deref().unwrap_or_default();
    let mut all = items.to_vec();
    let mut tries = 0;
    while all.len() < count && tries < 4 * count + 20 {
        tries += 1;
        let made = match all.last() {
            Some(last) if !is_unique(schema) => last.clone(),
            _ => maker.value(item_schema, "", if is_unique(schema) { Style::Random } else { Style::Minimal }),
        };
        let is_same =
            |other: &Value| identity(other, keys, item_schema) == identity(&made, keys, item_schema);
        if !is_unique(schema) || !all.iter().any(is_same) {
            all.push(made);
        }
    }
    (all.len() == count).then(|| all.into())
}

/// Adds fields until the object has `count` fields. Missing properties come first, and then entries with new names.
pub(super) fn more_fields(
    schema: &Structural,
    fields: &Map<String, Value>,
    count: usize,
    maker: &mut Maker,
) -> Option<Value> {
    let mut all = fields.clone();
    for (name, property) in schema.properties.iter() {
        if all.len() < count && !all.contains_key(name) {
            all.insert(name.to_owned(), maker.value(property, name, Style::Minimal));
        }
    }
    let entry = match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => Some(maker.value(values, "", Style::Minimal)),
        Some(AdditionalProperties::Allowed(true)) => Some(json!(true)),
        _ => schema.extensions.preserve_unknown_fields.then(|| json!(true)),
    };
    if let Some(entry) = entry {
        for name in (0..count).map(|i| format!("more-{i}")) {
            if all.len() < count {
                all.entry(name).or_insert_with(|| entry.clone());
            }
        }
    }
    (all.len() == count).then(|| all.into())
}

/// Removes optional fields from the end, until `count` fields are left.
pub(super) fn fewer_fields(schema: &Structural, fields: &Map<String, Value>, count: usize) -> Value {
    let mut all = fields.clone();
    let is_spare = |name: &String| {
        let has_default = |property: &Structural| property.generic.default.is_some();
        !schema.is_required(name) && !schema.properties.get(name).is_some_and(has_default)
    };
    let mut names: Vec<String> = fields.keys().filter(|name| is_spare(name)).cloned().collect();
    while all.len() > count {
        let Some(name) = names.pop() else { break };
        crd_go::json::remove(&mut all, &name);
    }
    all.into()
}
