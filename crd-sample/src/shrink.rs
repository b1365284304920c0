//! Reduces a value while a condition holds.

use serde_json::{Value, json};

use crate::change::{Steps, below, get, put, remove_all};

/// Returns a minimal value for which `holds` returns `true`. If one more field or item were removed from this value, or one more
/// string, number or boolean were simplified, `holds` would return `false`. `holds` must return `true` for `value`.
///
/// The algorithm is delta debugging: it removes all fields of an object at once, then half of them at a time, then a quarter, and so on.
/// Outer fields come before inner fields. `holds` is called at most `budget` times. The smallest value so far is then returned.
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
    let mut left = 0..budget;
    run(Shrinker::new(value), |value| left.next().map(|_| holds(value)))
}

/// Shrinks a value like [`shrink`], until `holds` returns `None`. Strings, numbers and booleans are not simplified.
pub(crate) fn without_fields(value: Value, holds: impl FnMut(&Value) -> Option<bool>) -> Value {
    run(Shrinker { simplifies: false, ..Shrinker::new(value) }, holds)
}

fn run(mut shrinker: Shrinker, mut holds: impl FnMut(&Value) -> Option<bool>) -> Value {
    while let Some(smaller) = shrinker.propose() {
        match holds(smaller) {
            Some(true) => shrinker.accept(),
            Some(false) => {}
            None => break,
        }
    }
    shrinker.into_smallest()
}

/// Shrinks a value like [`shrink`], but step by step: the caller checks each proposed value.
///
/// ```
/// use crd_sample::Shrinker;
/// use serde_json::json;
///
/// let mut shrinker = Shrinker::new(json!({"name": "web", "port": 443}));
/// while let Some(smaller) = shrinker.propose() {
///     if smaller["port"] == 443 {
///         shrinker.accept();
///     }
/// }
/// assert_eq!(shrinker.into_smallest(), json!({"port": 443}));
/// ```
#[derive(Clone, Debug)]
pub struct Shrinker {
    smallest: Value,
    /// The remaining tasks. The next one is last.
    tasks: Vec<Task>,
    /// The last proposed value, with the task that created it.
    proposed: Option<(Value, Task)>,
    /// `true` if a value has been accepted since the last start at the root.
    is_smaller: bool,
    /// `true` if scalars are also simplified.
    simplifies: bool,
}

/// A task that produces smaller values.
#[derive(Clone, Debug)]
enum Task {
    /// Expands to all tasks for the value at a path.
    Node(Steps),
    /// Expands to all tasks for the children of the value at a path.
    Children(Steps),
    /// Removes `size` of the fields or items `steps` at a time, beginning with the index `start`. After the last ones, fewer are removed at
    /// a time.
    Without { at: Steps, steps: Vec<String>, size: usize, start: usize },
    /// Replaces a value with simpler values. The last one is the simplest.
    Simpler { at: Steps, values: Vec<Value> },
}

impl Shrinker {
    /// Creates a shrinker that starts from `value`.
    #[must_use]
    pub fn new(value: Value) -> Self {
        let tasks = vec![Task::Node(Steps::new())];
        Self { smallest: value, tasks, proposed: None, is_smaller: false, simplifies: true }
    }

    /// Returns the smallest accepted value, or the original value if none was accepted.
    #[must_use]
    pub fn smallest(&self) -> &Value {
        &self.smallest
    }

    /// Returns the smallest accepted value, or the original value if none was accepted.
    #[must_use]
    pub fn into_smallest(self) -> Value {
        self.smallest
    }

    /// Returns the next smaller value. The previous value counts as rejected, unless [`Shrinker::accept`] was called. Returns `None` if all
    /// smaller values were rejected.
    pub fn propose(&mut self) -> Option<&Value> {
        if let Some((_, task)) = self.proposed.take() {
            self.tasks.push(task.after_rejection());
        }
        loop {
            let Some(task) = self.tasks.pop() else {
                if !std::mem::take(&mut self.is_smaller) {
                    return None;
                }
                self.tasks.push(Task::Node(Steps::new()));
                continue;
            };
            if let Some(proposed) = self.take_up(task) {
                return Some(&self.proposed.insert(proposed).0);
            }
        }
    }

    /// Accepts the last proposed value.
    pub fn accept(&mut self) {
        let Some((value, task)) = self.proposed.take() else { return };
        self.smallest = value;
        self.is_smaller = true;
        if let Task::Without { at, mut steps, size, start } = task {
            steps.drain(start..steps.len().min(start + size));
            if get(&self.smallest, &at).is_some_and(Value::is_array) {
                steps = indices(steps.len());
            }
            self.tasks.push(Task::Without { at, steps, size, start });
        }
    }

    /// Returns a task's next value. Returns `None` if other tasks replace the task, or if there are no more values.
    fn take_up(&mut self, task: Task) -> Option<(Value, Task)> {
        match task {
            Task::Node(at) => {
                let steps = match get(&self.smallest, &at)? {
                    Value::Object(fields) => fields.keys().cloned().collect(),
                    Value::Array(items) => indices(items.len()),
                    scalar => {
                        let mut values = if self.simplifies { simpler(scalar) } else { Vec::new() };
                        values.reverse();
                        self.tasks.push(Task::Simpler { at, values });
                        return None;
                    }
                };
                let size = steps.len();
                self.tasks.push(Task::Children(at.clone()));
                self.tasks.push(Task::Without { at, steps, size, start: 0 });
                None
            }
            Task::Children(at) => {
                let steps: Vec<String> = match get(&self.smallest, &at)? {
                    Value::Object(fields) => fields.keys().rev().cloned().collect(),
                    Value::Array(items) => indices(items.len()),
                    _ => return None,
                };
                self.tasks.extend(steps.into_iter().map(|step| Task::Node(below(&at, step))));
                None
            }
            Task::Without { size: 0, .. } => None,
            Task::Without { at, steps, size, start } if start >= steps.len() => {
                self.tasks.push(Task::Without { at, steps, size: size / 2, start: 0 });
                None
            }
            Task::Without { ref at, ref steps, size, start } => {
                let mut value = self.smallest.clone();
                remove_all(&mut value, at, &steps[start..steps.len().min(start + size)]);
                Some((value, task))
            }
            Task::Simpler { ref at, ref values } => {
                let mut value = self.smallest.clone();
                put(&mut value, at, values.last()?.clone()).then_some((value, task))
            }
        }
    }
}

impl Task {
    /// Returns the rest of the task after a value was rejected.
    fn after_rejection(self) -> Self {
        match self {
            Self::Without { at, steps, size, start } => {
                Self::Without { at, steps, size, start: start + size }
            }
            Self::Simpler { at, mut values } => {
                values.pop();
                Self::Simpler { at, values }
            }
            task => task,
        }
    }
}

/// Returns a list's indices from last to first, so that the other indices stay valid when an item is removed.
fn indices(count: usize) -> Vec<String> {
    (0..count).rev().map(|index| index.to_string()).collect()
}

/// Returns simpler values of the same type, the simplest first.
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
