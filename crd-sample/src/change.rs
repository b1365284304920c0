//! Changes values at a path in an object, and finds the schema for a path.

use std::collections::HashSet;

use crd_core::{FieldPath, Segment, Structural};
use serde_json::{Map, Value};

/// A path to a value in an object. The steps are field names, map keys and list indices.
pub(crate) type Steps = Vec<String>;

/// A change to one value, at a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// Sets this value.
    Put(Steps, Value),
    /// Sets another value that fits the schema.
    Make(Steps),
    /// Sets a random value that fits the schema.
    Draw(Steps),
    /// Removes the value.
    Remove(Steps),
}

/// Returns the path with one more step.
pub(crate) fn below(at: &[String], step: impl Into<String>) -> Steps {
    at.iter().cloned().chain([step.into()]).collect()
}

/// Returns the value at a path.
pub(crate) fn get<'v>(value: &'v Value, at: &[String]) -> Option<&'v Value> {
    at.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    })
}

/// Returns the schema for a path.
pub(crate) fn schema_at<'s>(schema: &'s Structural, at: &[String]) -> Option<&'s Structural> {
    at.iter().try_fold(schema, |schema, step| match schema.items.as_deref() {
        Some(items) if step.parse::<usize>().is_ok() => Some(items),
        _ => schema.field(step),
    })
}

/// Sets the value at a path. The parent object or list must exist. The index after a list's last item appends the value. Returns `false` if
/// the path does not exist.
pub(crate) fn put(object: &mut Value, at: &[String], new: Value) -> bool {
    let Some((last, above)) = at.split_last() else {
        *object = new;
        return true;
    };
    match get_mut(object, above) {
        Some(Value::Object(fields)) => {
            fields.insert(last.clone(), new);
            true
        }
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items[index] = new;
                true
            }
            Ok(index) if index == items.len() => {
                items.push(new);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Removes the value at a path.
pub(crate) fn remove(object: &mut Value, at: &[String]) {
    let Some((last, above)) = at.split_last() else { return };
    match get_mut(object, above) {
        Some(Value::Object(fields)) => {
            crd_go::json::remove(fields, last);
        }
        Some(Value::Array(items)) => {
            if let Some(index) = last.parse().ok().filter(|index: &usize| *index < items.len()) {
                items.remove(index);
            }
        }
        _ => {}
    }
}

/// Removes several fields from an object, or several items from a list.
pub(crate) fn remove_all(object: &mut Value, above: &[String], steps: &[String]) {
    match get_mut(object, above) {
        Some(Value::Object(fields)) => {
            let gone: HashSet<&String> = steps.iter().collect();
            fields.retain(|name, _| !gone.contains(name));
        }
        Some(Value::Array(items)) => {
            let gone: HashSet<usize> = steps.iter().filter_map(|step| step.parse().ok()).collect();
            let mut index = 0..;
            items.retain(|_| index.next().is_none_or(|index| !gone.contains(&index)));
        }
        _ => {}
    }
}

fn get_mut<'v>(value: &'v mut Value, at: &[String]) -> Option<&'v mut Value> {
    at.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        value => value.get_mut(step),
    })
}

/// Splits a path from an API server message into steps. The API server formats some keys as fields, and some indices as parts of a name, so
/// each step is looked up in the object. The value at the path may be absent.
pub(crate) fn steps_of(path: &FieldPath, object: &Value) -> Steps {
    let text = |segment: &Segment| match segment {
        Segment::Child(name) | Segment::Key(name) => name.to_string(),
        Segment::Index(index) => index.to_string(),
    };
    let mut steps = Steps::new();
    for segment in path.segments() {
        let text = text(segment);
        let here = get(object, &steps);
        let is_there = |here: &Map<String, Value>| here.contains_key(&text);
        if !text.contains(['.', '[']) || here.and_then(Value::as_object).is_some_and(is_there) {
            steps.push(text);
            continue;
        }
        split(&text, object, &mut steps);
    }
    steps
}

/// Splits a name such as `list[0].a.b` into steps. Each step is the longest key that exists in the object.
fn split(text: &str, object: &Value, steps: &mut Steps) {
    let parts: Vec<&str> = text.split(['.', '[']).map(|part| part.trim_end_matches(']')).collect();
    let mut rest = parts.as_slice();
    while !rest.is_empty() {
        let here = get(object, steps).and_then(Value::as_object);
        let known = (1..=rest.len())
            .rev()
            .find(|count| here.is_some_and(|here| here.contains_key(&rest[..*count].join("."))));
        let count = known.unwrap_or(1);
        steps.push(rest[..count].join("."));
        rest = &rest[count..];
    }
}
