//! A value of which something is true -> a smaller value of which it is true.

use serde_json::{Map, Value, json};

use crate::change::{Steps, below, get, put, remove_all};

/// Returns a smallest value for which `holds` answers as it did for `value`, which has to be `true`: no single field or
/// item can be taken away, and no string, number or truth value be made simpler, without changing the answer.
///
/// Fields go first in halves, then one by one (delta debugging), from the outermost inwards. `holds` is asked at most
/// `budget` times; after that the smallest value so far is returned.
///
/// ```
/// use serde_json::json;
///
/// let value = json!({"name": "web", "ports": [{"port": 80}, {"port": 443, "name": "https"}], "labels": {"a": "b"}});
/// let has_https = |value: &serde_json::Value| value["ports"].as_array().is_some_and(|ports| ports.iter().any(|port|
/// port["port"] == 443)); assert_eq!(crd_sample::shrink(value, 1000, has_https), json!({"ports": [{"port": 443}]}));
/// ```
#[must_use]
pub fn shrink(value: Value, budget: usize, mut holds: impl FnMut(&Value) -> bool) -> Value {
    run(Shrinker { value, left: budget, holds: &mut holds, simplifies: true })
}

/// As [`shrink`], which leaves strings, numbers and truth values as they are.
pub(crate) fn without_fields(value: Value, budget: usize, mut holds: impl FnMut(&Value) -> bool) -> Value {
    run(Shrinker { value, left: budget, holds: &mut holds, simplifies: false })
}

fn run(mut shrinker: Shrinker<'_>) -> Value {
    loop {
        let before = shrinker.left;
        let is_smaller = shrinker.node(&Steps::new());
        if !is_smaller || shrinker.left == 0 || shrinker.left == before {
            return shrinker.value;
        }
    }
}

struct Shrinker<'h> {
    value: Value,
    left: usize,
    holds: &'h mut dyn FnMut(&Value) -> bool,
    /// `true` if scalars are simplified, too.
    simplifies: bool,
}

impl Shrinker<'_> {
    /// Makes the value at a place smaller. Returns `true` if something could be.
    fn node(&mut self, at: &[String]) -> bool {
        let Some(value) = get(&self.value, at) else { return false };
        match value {
            Value::Object(fields) => {
                let names: Vec<String> = fields.keys().cloned().collect();
                let mut is_smaller = self.without(at, names);
                let left = get(&self.value, at).and_then(Value::as_object);
                let left: Vec<String> = left.map(Map::keys).into_iter().flatten().cloned().collect();
                for name in left {
                    is_smaller |= self.node(&below(at, name));
                }
                is_smaller
            }
            Value::Array(items) => {
                // From the end, so that the indices of the others stay.
                let indices = (0..items.len()).rev().map(|index| index.to_string()).collect();
                let mut is_smaller = self.without(at, indices);
                let left = get(&self.value, at).and_then(Value::as_array).map_or(0, Vec::len);
                for index in 0..left {
                    is_smaller |= self.node(&below(at, index.to_string()));
                }
                is_smaller
            }
            _ if !self.simplifies => false,
            scalar => {
                let simpler = simpler(scalar);
                simpler.into_iter().any(|new| {
                    let mut value = self.value.clone();
                    put(&mut value, at, new) && self.take(value)
                })
            }
        }
    }

    /// Takes fields or items away: all, then halves, then single ones.
    fn without(&mut self, at: &[String], mut steps: Vec<String>) -> bool {
        let mut is_smaller = false;
        let mut size = steps.len();
        while size > 0 {
            let mut start = 0;
            while start < steps.len() && self.left > 0 {
                let end = steps.len().min(start + size);
                let mut value = self.value.clone();
                remove_all(&mut value, at, &steps[start..end]);
                if self.take(value) {
                    is_smaller = true;
                    steps.drain(start..end);
                    let count = steps.len();
                    if get(&self.value, at).is_some_and(Value::is_array) {
                        steps = (0..count).rev().map(|index| index.to_string()).collect();
                    }
                } else {
                    start = end;
                }
            }
            size /= 2;
        }
        is_smaller
    }

    /// Takes a value in the place of the present one, if it has the same answer.
    fn take(&mut self, value: Value) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let is_taken = (self.holds)(&value);
        if is_taken {
            self.value = value;
        }
        is_taken
    }
}

/// Simpler values of the same type, the simplest first.
fn simpler(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(true) => vec![json!(false)],
        Value::String(text) => {
            let count = text.chars().count();
            let prefix = |length: usize| json!(text.chars().take(length).collect::<String>());
            let mut lengths = vec![0, 1, count / 2, count.saturating_sub(1)];
            lengths.retain(|length| *length < count);
            lengths.dedup();
            lengths.into_iter().map(prefix).collect()
        }
        Value::Number(number) => match number.as_i64() {
            Some(0) => Vec::new(),
            Some(number) => {
                let mut numbers = vec![0, number / 2, number - number.signum()];
                numbers.retain(|other| *other != number);
                numbers.dedup();
                numbers.into_iter().map(Value::from).collect()
            }
            None => number.as_f64().map(f64::trunc).map(crate::numbers::shortest).into_iter().collect(),
        },
        _ => Vec::new(),
    }
}
