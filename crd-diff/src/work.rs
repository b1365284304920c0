//! The work of a comparison, counted in steps that are the same on every machine.

use std::cell::Cell;

use crd_core::CustomResourceDefinition;
use crd_core::admit::Refusal;
use serde_json::Value;

/// Definitions that have more bytes together, without descriptions, are not compared.
const LARGEST: u64 = 5 << 19;
/// Definitions whose paths have more bytes together are not compared.
const LONGEST: u64 = 32 << 20;
/// The steps of a request with an empty object.
const REQUEST: u64 = 1000;
/// The steps for one byte of an object or of an answer.
const BYTE: u64 = 8;
/// The steps for one byte of a schema that is compiled.
const COMPILE: u64 = 10;
/// Bytes of schemas that admission walks at each request count as steps after division by this number.
const SCHEMA: u64 = 64;

/// Returns `true` if the definitions are too large to be compared.
pub(crate) fn is_too_large(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> bool {
    let values = [old.to_value(), new.to_value()];
    values.iter().map(bytes).sum::<u64>() > LARGEST
        || values.iter().map(|value| paths(value, 0)).sum::<u64>() > LONGEST
}

/// Returns `true` if a definition is one of the largest.
pub(crate) fn is_large(crd: &CustomResourceDefinition) -> bool {
    const LARGE: u64 = 256 << 10;
    bytes(&crd.to_value()) > LARGE
}

/// The bytes of the paths of all values in lists and maps: names count once for each value below them.
fn paths(value: &Value, above: u64) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(|item| paths(item, above + 2)).sum(),
        Value::Object(fields) => {
            let below = |(name, value): (&String, &Value)| paths(value, above + name.len() as u64);
            above + fields.iter().map(below).sum::<u64>()
        }
        _ => 0,
    }
}

/// The bytes of all defaults, which requests fill in.
fn defaults(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(defaults).sum(),
        Value::Object(fields) => {
            let below = |(name, value): (&String, &Value)| {
                if name == "default" { bytes(value) } else { defaults(value) }
            };
            fields.iter().map(below).sum()
        }
        _ => 0,
    }
}

/// The bytes of a value as JSON, roughly, without descriptions.
pub(crate) fn bytes(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 6,
        Value::String(text) => text.len() as u64 + 3,
        Value::Array(items) => items.iter().map(bytes).sum::<u64>() + 2,
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match value {
                Value::String(_) if name == "description" => 0,
                value => name.len() as u64 + 4 + bytes(value),
            };
            fields.iter().map(field).sum::<u64>() + 2
        }
    }
}

/// The steps that are left.
#[derive(Debug, Default)]
pub(crate) struct Work {
    left: Cell<u64>,
    /// The steps of a request besides those of its object.
    request: Cell<u64>,
}

impl Work {
    pub(crate) fn new(steps: u64, old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Self {
        let values = [old.to_value(), new.to_value()];
        let of = |count: fn(&Value) -> u64| values.iter().map(count).sum::<u64>();
        let request = REQUEST + of(bytes) / SCHEMA + BYTE * of(defaults);
        Self { left: Cell::new(steps), request: Cell::new(request) }
    }

    /// Returns `true` if no step is left.
    pub(crate) fn is_over(&self) -> bool {
        self.left.get() == 0
    }

    /// Counts a request with its object.
    pub(crate) fn request(&self, object: &Value) {
        self.take(self.of_request() + BYTE * bytes(object));
    }

    fn of_request(&self) -> u64 {
        self.request.get().max(REQUEST)
    }

    /// Counts the compilation of a definition or a schema.
    pub(crate) fn compile(&self, schema: &Value) {
        self.take(COMPILE * bytes(schema));
    }

    /// Counts the bytes of an answer to a request with an object: the stored object, or the causes. Where defaults make an
    /// object much larger, all requests count more from then on, as do those in the search for an object.
    pub(crate) fn answer(&self, object: &Value, answer: &Result<Value, Refusal>) {
        let bytes = match answer {
            Ok(stored) => {
                let stored = bytes(stored);
                let filled = stored.saturating_sub(bytes(object));
                self.request.set(self.of_request().max(BYTE * filled));
                stored
            }
            Err(refusal) => refusal.causes.iter().map(|cause| cause.message.len() as u64).sum(),
        };
        self.take(BYTE * bytes);
    }

    /// Counts the objects that are judged to build one, at most `most`. `build` gets the number that may be judged.
    pub(crate) fn build(&self, most: usize, build: impl FnOnce(usize) -> Option<Value>) -> Option<Value> {
        let allowed = usize::try_from(self.left.get() / self.of_request()).unwrap_or(usize::MAX).min(most);
        if allowed == 0 {
            self.left.set(0);
            return None;
        }
        let built = build(allowed);
        match &built {
            Some(object) => self.request(object),
            None => self.take(self.of_request().saturating_mul(allowed as u64)),
        }
        built
    }

    fn take(&self, steps: u64) {
        self.left.set(self.left.get().saturating_sub(steps));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_count_for_all_values_below_them() {
        let nested = json!({"name": {"a": {}, "b": {"c": {}}}});
        // The paths are ``, `name`, `namea`, `nameb` and `namebc`.
        assert_eq!(paths(&nested, 0), 4 + 5 + 5 + 6);
    }

    #[test]
    fn descriptions_do_not_count() {
        let with = |text: &str| bytes(&json!({"a": {"description": text, "type": "string"}}));
        assert_eq!(with(""), with("a long text"));
        // A field of that name counts.
        assert!(bytes(&json!({"description": {"type": "string"}})) > 20);
    }
}
