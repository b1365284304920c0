//! A change of one value in an object -> the object with the change.

use serde_json::Value;

/// One value that becomes another, or goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edit {
    /// The steps to the value.
    at: Vec<String>,
    /// `None` takes it away.
    new: Option<Value>,
}

impl Edit {
    /// Puts a value where there is one, or where an object has no field of that name yet.
    pub(super) fn put(at: Vec<String>, value: Value) -> Self {
        Self { at, new: Some(value) }
    }

    /// Takes a field away.
    pub(super) fn remove(at: Vec<String>) -> Self {
        Self { at, new: None }
    }

    /// The object with the change.
    pub(super) fn of(&self, object: &Value) -> Value {
        let mut object = object.clone();
        apply(&mut object, &self.at, self.new.as_ref());
        object
    }
}

fn apply(value: &mut Value, at: &[String], new: Option<&Value>) {
    match (at, new, value) {
        ([], Some(new), value) => *value = new.clone(),
        ([name], None, Value::Object(fields)) => {
            fields.shift_remove(name);
        }
        ([name], Some(new), Value::Object(fields)) => {
            fields.insert(name.clone(), new.clone());
        }
        ([name, rest @ ..], _, Value::Object(fields)) => {
            if let Some(value) = fields.get_mut(name) {
                apply(value, rest, new);
            }
        }
        ([index, rest @ ..], _, Value::Array(items)) => {
            if let Some(value) = index.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                apply(value, rest, new);
            }
        }
        _ => {}
    }
}
