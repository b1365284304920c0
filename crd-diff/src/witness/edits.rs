//! Edits an object near a path, as a client could do. Most edits keep the value at the path itself.

use std::iter;
use std::ops::ControlFlow;

use crd_core::Structural;
use crd_core::crd::Child;
use crd_core::schema::SchemaType;
use crd_sample::{Sampler, put_at, remove_at, value_at};
use serde_json::{Map, Value, json};

use crate::schema_path::SchemaPath;

/// A generator for edits of objects near a path.
pub(crate) struct Edits<'e> {
    pub(crate) schema: &'e Structural,
    /// A sampler for values with patterns and formats.
    pub(crate) sampler: Option<&'e Sampler>,
    pub(crate) at: &'e SchemaPath,
    /// `true` if the value at the path is also edited if it is a scalar.
    pub(crate) is_of_transition: bool,
    /// `true` if one of the edits sets the value at the path to `null`.
    pub(crate) puts_null: bool,
}

/// The maximum number of fields to edit in a value.
const MOST_FIELDS: usize = 12;
/// The maximum number of values at the path that are tried together with other values of neighboring fields.
const MOST_TIED: usize = 2;
/// The maximum number of random values that are generated for the object or list around the value at the path.
const VALUES: usize = 64;
/// The maximum number of these random values that are tried.
const MOST_MADE: usize = 16;
/// Maximum number of validations to build one object.
const BUILD: usize = 100;
/// The key that an edit adds to a map.
const OTHER_KEY: &str = "other";
/// Maximum number of edits of one object.
const MOST: usize = 80;

impl Edits<'_> {
    /// Calls `take` with edited objects until `take` returns `true`. The edits change the values that contain the path, and the value at
    /// the path if it is an object or a list. Only one edited object is in memory at a time, because it can be large.
    pub(crate) fn each(&self, object: &Value, take: &mut dyn FnMut(Value) -> bool) {
        let mut left = MOST;
        let _ended = self.try_each(object, &mut |edited| {
            left -= 1;
            if take(edited) || left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }

    fn try_each(&self, object: &Value, take: &mut Take<'_>) -> ControlFlow<()> {
        let steps = self.at.steps();
        if self.puts_null {
            put(object, &steps, Value::Null, take)?;
        }
        for end in (1..=steps.len()).rev() {
            let (here, kept) = (&steps[..end], steps.get(end));
            let Some(schema) = schema_at(self.schema, here) else { continue };
            match value_at(object, here) {
                Some(Value::Array(items)) => list(object, here, items, schema, take)?,
                Some(Value::Object(fields)) => {
                    if let Some(values) = schema.map_values().filter(|_| self.is_of_transition) {
                        self.map((object, here), fields, (values, kept), take)?;
                    }
                    let names = schema.properties.keys().filter(|name| kept.is_none_or(|kept| kept != name));
                    for name in names.take(MOST_FIELDS) {
                        let Some(field) = schema.properties.get(name) else { continue };
                        let at: Vec<String> = here.iter().cloned().chain([name.to_owned()]).collect();
                        self.replace(object, &at, field, take)?;
                    }
                }
                // A value of its own is edited only if the change is about it.
                Some(_) if kept.is_none() && self.is_of_transition => {
                    self.replace(object, here, schema, take)?;
                }
                _ => {}
            }
        }
        self.tied(object, &steps, take)
    }

    /// Replaces and removes the value of a key in a map, and adds a key.
    fn map(
        &self,
        (object, here): (&Value, &[String]),
        fields: &Map<String, Value>,
        (schema, kept): (&Structural, Option<&String>),
        take: &mut Take<'_>,
    ) -> ControlFlow<()> {
        let at = |key: &str| here.iter().cloned().chain([key.to_owned()]).collect::<Vec<_>>();
        if let Some(key) = fields.keys().find(|key| Some(*key) != kept) {
            self.replace(object, &at(key), schema, take)?;
        }
        match values(schema).into_iter().next() {
            Some(value) => put(object, &at(OTHER_KEY), value, take),
            None => ControlFlow::Continue(()),
        }
    }

    /// Changes a value together with its neighbors, because a rule or a keyword may connect them. The new values are taken from other
    /// objects that the CRD accepts.
    fn tied(&self, object: &Value, at: &[String], take: &mut Take<'_>) -> ControlFlow<()> {
        let (Some(sampler), Some(there), Some(schema)) =
            (self.sampler, value_at(object, at), schema_at(self.schema, at))
        else {
            return ControlFlow::Continue(());
        };
        if !self.is_of_transition || there.is_object() || there.is_array() {
            return ControlFlow::Continue(());
        }
        let others = values(schema).into_iter().filter(|value| value != there);
        for value in others.take(MOST_TIED) {
            let Some(mut other) = sampler.containing(at, Some(&value), BUILD) else { continue };
            self.keep_keys(object, &mut other, at);
            for end in (1..at.len()).rev() {
                if let Some(around) = value_at(&other, &at[..end]) {
                    put(object, &at[..end], around.clone(), take)?;
                }
            }
        }
        // Where rules tie the values, random ones around the place meet them sooner than chosen ones.
        let above = &at[..at.len() - 1];
        let mut made = sampler.values(above).take(VALUES).filter_map(|around| {
            let mut other = object.clone();
            put_at(&mut other, above, around);
            self.keep_keys(object, &mut other, at);
            value_at(&other, at).is_some_and(|value| value != there).then_some(other)
        });
        made.by_ref().take(MOST_MADE).try_for_each(take)
    }

    /// Copies the list map keys of all items on a path from `object` to `other`. The API server thus treats them as the same items.
    fn keep_keys(&self, object: &Value, other: &mut Value, at: &[String]) {
        for (end, list) in schemas_on_the_way(self.schema, at).take(at.len()) {
            for key in list.extensions.list_map_keys.iter().flatten() {
                let key: Vec<String> = at[..=end].iter().cloned().chain([key.clone()]).collect();
                if let Some(value) = value_at(object, &key) {
                    put_at(other, &key, value.clone());
                }
            }
        }
    }

    /// Replaces the value at a path with several other values in succession, and then removes it.
    fn replace(
        &self,
        object: &Value,
        at: &[String],
        schema: &Structural,
        take: &mut Take<'_>,
    ) -> ControlFlow<()> {
        let there = value_at(object, at);
        let validation = schema.value_validation.as_deref();
        let is_shaped = validation.is_some_and(|all| all.pattern.is_some() || all.format.is_some());
        let made = self.sampler.filter(|_| is_shaped).map(|sampler| sampler.values(at).take(2));
        let mut all = values(schema).into_iter().chain(made.into_iter().flatten());
        all.try_for_each(|value| {
            if Some(&value) == there { ControlFlow::Continue(()) } else { put(object, at, value, take) }
        })?;
        if there.is_some() {
            let mut edited = object.clone();
            remove_at(&mut edited, at);
            take(edited)?;
        }
        ControlFlow::Continue(())
    }
}

/// A function that is called with an edited object. It returns `Break` if no more edits are needed.
type Take<'t> = dyn FnMut(Value) -> ControlFlow<()> + 't;

/// Calls `take` with a copy of the object that has this value at a path.
fn put(object: &Value, at: &[String], value: Value, take: &mut Take<'_>) -> ControlFlow<()> {
    let mut edited = object.clone();
    if put_at(&mut edited, at, value) { take(edited) } else { ControlFlow::Continue(()) }
}

/// Appends items to a list, and removes the last item.
fn list(
    object: &Value,
    at: &[String],
    items: &[Value],
    schema: &Structural,
    take: &mut Take<'_>,
) -> ControlFlow<()> {
    let added = schema.items.iter().flat_map(|schema| values(schema));
    for item in items.first().cloned().into_iter().chain(added) {
        let items: Vec<Value> = items.iter().cloned().chain([item]).collect();
        put(object, at, items.into(), take)?;
    }
    if items.len() > 1 {
        put(object, at, items[..items.len() - 1].to_vec().into(), take)?;
    }
    ControlFlow::Continue(())
}

/// Returns a few values that a schema is likely to accept.
pub(super) fn values(schema: &Structural) -> Vec<Value> {
    let validation = schema.value_validation.as_ref();
    if let Some(values) = validation.and_then(|all| all.enum_.as_ref()) {
        return values.iter().take(3).cloned().collect();
    }
    match &schema.type_ {
        Some(SchemaType::String) => {
            let least = validation.and_then(|all| all.min_length).unwrap_or(1).clamp(1, 300);
            ["a", "b"].map(|text| json!(text.repeat(usize::try_from(least).unwrap_or(1)))).to_vec()
        }
        Some(SchemaType::Integer | SchemaType::Number) => {
            let least = validation.and_then(|all| all.minimum.as_ref()).and_then(serde_json::Number::as_i64);
            let most = validation.and_then(|all| all.maximum.as_ref()).and_then(serde_json::Number::as_i64);
            let start = least.unwrap_or_else(|| most.map_or(1, |most| most.saturating_sub(1)));
            vec![json!(start), json!(start.saturating_add(1)), json!(0)]
        }
        Some(SchemaType::Boolean) => vec![json!(true), json!(false)],
        Some(SchemaType::Array) => vec![json!([])],
        Some(SchemaType::Object) => vec![json!({})],
        _ => vec![json!(1), json!("a")],
    }
}

/// Returns the schema for the value that `at` leads to.
pub(crate) fn schema_at<'s>(schema: &'s Structural, at: &[String]) -> Option<&'s Structural> {
    at.iter().try_fold(schema, |schema, step| below(schema, step))
}

/// Returns the schemas on the path to a value, beginning with `schema`. The list ends where a schema is missing.
pub(crate) fn schemas_on_the_way<'s>(
    schema: &'s Structural,
    at: &[String],
) -> impl Iterator<Item = (usize, &'s Structural)> {
    let mut steps = at.iter();
    let all = iter::successors(Some(schema), move |schema| below(schema, steps.next()?));
    all.enumerate()
}

fn below<'s>(schema: &'s Structural, step: &str) -> Option<&'s Structural> {
    match schema.items.as_deref() {
        Some(items) if step.parse::<usize>().is_ok() => Some(items),
        _ => schema.field(step),
    }
}

/// Returns at most `most` paths at or below `at` for whose schemas `is_wanted` returns `true`. In these paths, a list item has the index
/// `0`, and a map value has the key `key`.
pub(crate) fn places_below(
    schema: &Structural,
    at: &[String],
    most: usize,
    is_wanted: impl Fn(&Structural) -> bool,
) -> Vec<Vec<String>> {
    let mut places = Vec::new();
    let mut open: Vec<(Vec<String>, &Structural)> =
        schema_at(schema, at).map(|schema| (at.to_vec(), schema)).into_iter().collect();
    while let Some((at, schema)) = open.pop() {
        let below = schema.children().filter_map(|(child, schema)| {
            let step = match child {
                Child::Property(name) => name,
                Child::Items => "0",
                Child::Values => "key",
                // Structural schemas have no other children.
                _ => return None,
            };
            Some((at.iter().cloned().chain([step.to_owned()]).collect(), schema))
        });
        let first = open.len();
        open.extend(below);
        open[first..].reverse();
        if is_wanted(schema) {
            places.push(at);
        }
        if places.len() == most {
            break;
        }
    }
    places
}
