//! Definitions that are recombined from others: parts of one replace parts of the same kind in another.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value};

/// The definitions, and their parts by kind.
pub(crate) struct Pool {
    definitions: Vec<Value>,
    parts: BTreeMap<String, Vec<Value>>,
}

/// Values that replace any other.
const CONSTANTS: [&str; 10] =
    ["null", "{}", "[]", "\"\"", "\"a\"", "-1", "0", "9223372036854775807", "true", "false"];
/// The largest number of parts of one kind, and their largest size in bytes.
const MOST_PARTS: usize = 3_000;
const LARGEST_PART: usize = 4_000;

impl Pool {
    pub(crate) fn new(definitions: Vec<Value>) -> Self {
        let mut pool = Self { definitions: Vec::new(), parts: BTreeMap::new() };
        for definition in definitions {
            pool.take(&definition["spec"], "spec");
            pool.definitions.push(definition);
        }
        pool
    }

    /// Collects the parts of a value.
    fn take(&mut self, value: &Value, kind: &str) {
        let parts = self.parts.entry(kind.to_owned()).or_default();
        if parts.len() < MOST_PARTS && value.to_string().len() <= LARGEST_PART {
            parts.push(value.clone());
        }
        for (key, child) in children(value) {
            self.take(child, &kind_of(kind, &key));
        }
    }

    /// Returns a definition of the pool with some changes, or none.
    pub(crate) fn definition(&self, u: &mut Unstructured<'_>) -> Result<Value> {
        let mut definition = u.choose(&self.definitions)?.clone();
        for _ in 0..u.int_in_range(0..=4)? {
            let mut places = Vec::new();
            find(&definition["spec"], "/spec", "spec", &mut places);
            let (pointer, kind) = u.choose(&places)?;
            if let Some(place) = definition.pointer_mut(pointer) {
                self.change(u, place, kind)?;
            }
        }
        Ok(definition)
    }

    fn change(&self, u: &mut Unstructured<'_>, place: &mut Value, kind: &str) -> Result<()> {
        let donor = match self.parts.get(kind) {
            Some(parts) if !parts.is_empty() => u.choose(parts)?,
            _ => return Ok(()),
        };
        match u.int_in_range(0..=5)? {
            0 => *place = serde_json::from_str(u.choose(&CONSTANTS)?).unwrap_or_default(),
            1 | 2 => place.clone_from(donor),
            3 => match place {
                Value::Object(fields) if !fields.is_empty() => {
                    let (key, _) = nth(fields, u.choose_index(fields.len())?);
                    fields.remove(&key);
                }
                Value::Array(items) if !items.is_empty() => drop(items.remove(u.choose_index(items.len())?)),
                _ => {}
            },
            // A field or an item more.
            _ => match (place, donor) {
                (Value::Object(fields), Value::Object(others)) if !others.is_empty() => {
                    let (key, value) = nth(others, u.choose_index(others.len())?);
                    fields.insert(key, value);
                }
                (Value::Array(items), Value::Array(others)) if !others.is_empty() => {
                    items.push(u.choose(others)?.clone());
                }
                _ => {}
            },
        }
        Ok(())
    }
}

fn nth(fields: &Map<String, Value>, at: usize) -> (String, Value) {
    fields.iter().nth(at).map(|(key, value)| (key.clone(), value.clone())).unwrap_or_default()
}

fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().map(|item| (String::new(), item)).collect(),
        _ => Vec::new(),
    }
}

/// Returns the kind of a child: all schemas are of one kind, other values have the name of their key.
fn kind_of(parent: &str, key: &str) -> String {
    let is_schema = match parent {
        "properties" | "allOf" | "anyOf" | "oneOf" => true,
        _ => matches!(key, "openAPIV3Schema" | "items" | "additionalProperties" | "not"),
    };
    match key {
        _ if is_schema => "schema".to_owned(),
        "" => format!("{parent}[]"),
        key => key.to_owned(),
    }
}

/// Finds the places below a value, each with its kind.
fn find(value: &Value, pointer: &str, kind: &str, places: &mut Vec<(String, String)>) {
    places.push((pointer.to_owned(), kind.to_owned()));
    for (at, (key, child)) in children(value).into_iter().enumerate() {
        let step = if value.is_array() { at.to_string() } else { key.replace('~', "~0").replace('/', "~1") };
        find(child, &format!("{pointer}/{step}"), &kind_of(kind, &key), places);
    }
}
