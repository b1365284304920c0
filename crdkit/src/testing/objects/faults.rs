//! An object that is accepted -> what can be broken in it, one thing at a time, so that it is refused there.

use crd_core::schema::{AdditionalProperties, SchemaType, ValueValidation};
use crd_core::{FieldPath, Segment, Structural};
use serde_json::{Number, Value, json};

use super::values::IDENTITY;

/// One thing that can be broken.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// The steps to the value that is changed.
    at: Vec<String>,
    change: Change,
    /// What then is wrong, in words.
    pub(super) words: &'static str,
}

#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    /// Takes a field away, which is then missed.
    Remove,
    /// Repeats the first item at the end, where it is too much.
    Repeat(usize),
}

/// All that can be broken in an object.
pub(super) fn of(schema: &Structural, object: &Value) -> Vec<Fault> {
    let mut out = Vec::new();
    let Value::Object(fields) = object else { return out };
    for (name, property) in schema.properties.iter().filter(|(name, _)| !IDENTITY.contains(name)) {
        if let Some(value) = fields.get(name) {
            node(property, value, vec![name.to_owned()], &mut out);
        }
        missing(schema, name, fields.contains_key(name), &[], &mut out);
    }
    out
}

/// The steps of a path, however the API server prints them: `spec.list[0]`, `spec.map[key]` and `spec.map.key`.
pub(super) fn steps(path: &FieldPath) -> String {
    let step = |segment: &Segment| match segment {
        Segment::Child(name) | Segment::Key(name) => name.replace('[', ".").replace(']', ""),
        Segment::Index(index) => index.to_string(),
    };
    path.segments().into_iter().map(step).collect::<Vec<_>>().join(".")
}

impl Fault {
    /// The field that is wrong then, in the form of [`steps`].
    pub(super) fn field(&self) -> String {
        let at = self.at.join(".");
        match &self.change {
            Change::Replace(_) | Change::Remove => at,
            Change::Repeat(index) => format!("{at}.{index}"),
        }
    }

    /// The object with the fault.
    pub(super) fn break_in(&self, object: &Value) -> Value {
        let mut object = object.clone();
        apply(&mut object, &self.at, &self.change);
        object
    }
}

fn apply(value: &mut Value, at: &[String], change: &Change) {
    match (at, change, value) {
        ([name], Change::Remove, Value::Object(fields)) => {
            fields.shift_remove(name);
        }
        ([], Change::Replace(new), value) => *value = new.clone(),
        ([], Change::Repeat(_), Value::Array(items)) => items.extend(items.first().cloned()),
        ([name, rest @ ..], _, Value::Object(fields)) => {
            if let Some(value) = fields.get_mut(name) {
                apply(value, rest, change);
            }
        }
        ([index, rest @ ..], _, Value::Array(items)) => {
            if let Some(value) = index.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                apply(value, rest, change);
            }
        }
        _ => {}
    }
}

fn node(schema: &Structural, value: &Value, at: Vec<String>, out: &mut Vec<Fault>) {
    if value.is_null() {
        return;
    }
    let replace = |change: Option<Value>, words| {
        change.map(|value| Fault { at: at.clone(), change: Change::Replace(value), words })
    };
    out.extend(replace(other_type(schema), "of another type"));
    if let Some(validation) = schema.value_validation.as_deref() {
        for (change, words) in out_of_bounds(schema, validation, value) {
            out.extend(replace(Some(change), words));
        }
    }
    match value {
        Value::Array(items) => list(schema, items, &at, out),
        Value::Object(fields) => {
            let is_resource = schema.is_embedded_resource();
            for (name, property) in schema.properties.iter() {
                missing(schema, name, fields.contains_key(name), &at, out);
                if let Some(value) = fields.get(name).filter(|_| !is_resource || !IDENTITY.contains(&name)) {
                    node(property, value, below(&at, name), out);
                }
            }
            if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
                for (name, value) in fields.iter().filter(|(name, _)| !schema.properties.contains(name)) {
                    node(values, value, below(&at, name), out);
                }
            }
        }
        _ => {}
    }
}

fn below(at: &[String], step: &str) -> Vec<String> {
    at.iter().cloned().chain([step.to_owned()]).collect()
}

/// A required field that has a default comes back.
fn missing(schema: &Structural, name: &str, is_there: bool, at: &[String], out: &mut Vec<Fault>) {
    let has_default = schema.properties.get(name).is_some_and(|property| property.generic.default.is_some());
    if is_there && schema.is_required(name) && !has_default {
        out.push(Fault { at: below(at, name), change: Change::Remove, words: "required, and absent" });
    }
}

fn other_type(schema: &Structural) -> Option<Value> {
    match schema.type_ {
        // Where resources cannot be read, the request as a whole is refused.
        Some(SchemaType::Object) if schema.is_embedded_resource() => None,
        Some(SchemaType::String) => Some(json!(true)),
        Some(SchemaType::Unknown(_)) => None,
        Some(_) => Some(json!("text")),
        None => schema.is_int_or_string().then(|| json!(true)),
    }
}

fn list(schema: &Structural, items: &[Value], at: &[String], out: &mut Vec<Fault>) {
    let is_unique = matches!(schema.extensions.list_type.as_deref(), Some("set" | "map"));
    let validation = schema.value_validation.as_deref();
    let most =
        validation.and_then(|validation| validation.max_items).and_then(|most| usize::try_from(most).ok());
    if is_unique && !items.is_empty() && most.is_none_or(|most| items.len() < most) {
        out.push(Fault { at: at.to_vec(), change: Change::Repeat(items.len()), words: "there twice" });
    }
    if let Some(item_schema) = schema.items.as_deref() {
        for (index, item) in items.iter().enumerate() {
            node(item_schema, item, below(at, &index.to_string()), out);
        }
    }
}

/// Values next to one that is right, each beyond one bound.
fn out_of_bounds(
    schema: &Structural,
    validation: &ValueValidation,
    value: &Value,
) -> Vec<(Value, &'static str)> {
    /// Longer texts and lists are not worth their making.
    const LONGEST: usize = 10_000;
    let size = |limit: Option<i64>| {
        limit.and_then(|limit| usize::try_from(limit).ok()).filter(|size| *size < LONGEST)
    };
    let mut out = Vec::new();
    if validation.enum_.as_ref().is_some_and(|values| !values.contains(&json!("none of these")))
        && value.is_string()
    {
        out.push((json!("none of these"), "none of the enum"));
        return out;
    }
    match value {
        Value::Number(_) => {
            let past = |number: &Option<Number>, exclusive, step| {
                beyond(number.as_ref()?, exclusive == Some(true), step)
            };
            let above = past(&validation.maximum, validation.exclusive_maximum, 1);
            let under = past(&validation.minimum, validation.exclusive_minimum, -1);
            out.extend(above.map(|value| (value, "above the maximum")));
            out.extend(under.map(|value| (value, "below the minimum")));
        }
        Value::String(text) => {
            if let Some(most) = size(validation.max_length) {
                let longer: String = text.chars().chain(std::iter::repeat('a')).take(most + 1).collect();
                out.push((Value::from(longer), "too long"));
            }
            if let Some(least) = size(validation.min_length).filter(|least| *least > 0) {
                out.push((Value::from(text.chars().take(least - 1).collect::<String>()), "too short"));
            }
        }
        Value::Array(items) => {
            let is_free = !matches!(schema.extensions.list_type.as_deref(), Some("set" | "map"));
            if let (Some(most), Some(last), true) = (size(validation.max_items), items.last(), is_free) {
                let longer = items.iter().chain(std::iter::repeat(last)).take(most + 1).cloned();
                out.push((Value::from_iter(longer), "a list of too many"));
            }
            if let Some(least) = size(validation.min_items).filter(|least| *least > 0) {
                out.push((Value::from_iter(items.iter().take(least - 1).cloned()), "a list of too few"));
            }
        }
        _ => {}
    }
    out
}

/// The bound itself where it is excluded, else the next whole step.
fn beyond(bound: &Number, is_exclusive: bool, step: i64) -> Option<Value> {
    let step = if is_exclusive { 0 } else { step };
    match bound.as_i64() {
        Some(whole) => whole.checked_add(step).map(Value::from),
        // Beyond this, a step is none.
        None => {
            bound.as_f64().filter(|bound| bound.abs() < 1e15).map(|bound| Value::from(bound + step as f64))
        }
    }
}
