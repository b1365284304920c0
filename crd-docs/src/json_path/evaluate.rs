//! Evaluates JSON paths over objects, with missing keys allowed.
//!
//! Source: `client-go/util/jsonpath/jsonpath.go`. Where Go visits a map in random order, it is visited in the order of
//! its keys.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use super::compare::compare;
use super::{Bound, Node};

/// A step that cannot be taken, such as an index beyond the end of a list or a comparison of different types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the path cannot be followed in this object")
    }
}

impl std::error::Error for Failed {}

/// The values that may be looked at for a row of a table: every `..` of a hostile path multiplies them.
pub(crate) const MOST_WORK: usize = 2_000_000;

type Found<'v> = Result<Vec<Cow<'v, Value>>, Failed>;

/// The remaining work.
struct Work<'w>(&'w mut usize);

impl Work<'_> {
    fn take(&mut self, amount: usize) -> Result<(), Failed> {
        let left = self.0.checked_sub(amount);
        *self.0 = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Failed)
    }
}

/// Returns the first value of the first node. All nodes have to be followed without failure.
pub(super) fn first<'v>(
    nodes: &[Node],
    object: &'v Value,
    work: &mut usize,
) -> Result<Option<Cow<'v, Value>>, Failed> {
    let mut work = Work(work);
    let mut first = None;
    for (i, node) in nodes.iter().enumerate() {
        let found = walk(vec![Cow::Borrowed(object)], node, &mut work)?.into_iter().next();
        if i == 0 {
            first = found;
        }
    }
    Ok(first)
}

fn walk<'v>(values: Vec<Cow<'v, Value>>, node: &Node, work: &mut Work<'_>) -> Found<'v> {
    work.take(1 + values.len())?;
    let mut found = Vec::new();
    match node {
        Node::List(nodes) => return list(values, nodes, work),
        Node::Text(text) => found.push(Cow::Owned(json!(text))),
        Node::Field(name) => found.extend(values.iter().filter_map(|value| field(value, name))),
        // `range` and `end` are of templates with several braces, which no column has.
        Node::Identifier(_) => return if values.is_empty() { Ok(values) } else { Err(Failed) },
        Node::Slice(bounds) => {
            for value in &values {
                if slice(value, *bounds, &mut found)?.is_break() {
                    break;
                }
            }
        }
        Node::Filter { left, operator, right } => {
            let sides = (left.as_slice(), operator.as_str(), right.as_slice());
            values.iter().try_for_each(|value| filter(value, sides, work, &mut found))?;
        }
        Node::Number(number) => found.extend(values.iter().map(|_| Cow::Owned(json!(number)))),
        Node::Bool(bool) => found.extend(values.iter().map(|_| Cow::Owned(json!(bool)))),
        Node::Wildcard => found.extend(values.iter().flat_map(children)),
        Node::Recursive => values.iter().try_for_each(|value| descend(value, work, &mut found))?,
        Node::Union(paths) => {
            for path in paths {
                found.extend(list(values.clone(), path, work)?);
            }
        }
    }
    Ok(found)
}

fn list<'v>(mut values: Vec<Cow<'v, Value>>, nodes: &[Node], work: &mut Work<'_>) -> Found<'v> {
    for node in nodes {
        values = walk(values, node, work)?;
    }
    Ok(values)
}

fn field<'v>(value: &Cow<'v, Value>, name: &str) -> Option<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(value) => value.as_object()?.get(name).map(Cow::Borrowed),
        // Only texts and numbers are owned, which have no fields.
        Cow::Owned(_) => None,
    }
}

/// The values directly in a value: of a map, of a list, and the bytes of a string.
fn children<'v>(value: &Cow<'v, Value>) -> Vec<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(Value::Object(fields)) => sorted(fields).map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::String(text)) | Cow::Owned(Value::String(text)) => bytes(text),
        _ => Vec::new(),
    }
}

fn bytes<'v>(text: &str) -> Vec<Cow<'v, Value>> {
    text.bytes().map(|byte| Cow::Owned(json!(byte))).collect()
}

fn sorted(fields: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    fields.into_iter().map(|(_, value)| value)
}

/// Adds a value and all in it that is not empty, outer ones first.
#[expect(clippy::ptr_arg, reason = "what is borrowed in it outlives the step")]
fn descend<'v>(
    value: &Cow<'v, Value>,
    work: &mut Work<'_>,
    found: &mut Vec<Cow<'v, Value>>,
) -> Result<(), Failed> {
    work.take(1)?;
    if let Value::String(text) = value.as_ref() {
        if !text.is_empty() {
            found.push(value.clone());
        }
        return Ok(());
    }
    let children = children(value);
    if !children.is_empty() {
        found.push(value.clone());
    }
    children.iter().try_for_each(|child| descend(child, work, found))
}

fn items<'v>(value: &Cow<'v, Value>) -> Result<&'v [Value], Failed> {
    match value {
        Cow::Borrowed(Value::Array(items)) => Ok(items),
        _ => Err(Failed),
    }
}

#[expect(clippy::ptr_arg, reason = "what is borrowed in it outlives the step")]
fn slice<'v>(
    value: &Cow<'v, Value>,
    [first, last, step]: [Bound; 3],
    found: &mut Vec<Cow<'v, Value>>,
) -> Result<ControlFlow<()>, Failed> {
    if value.is_null() {
        return Ok(ControlFlow::Continue(()));
    }
    let items = items(value)?;
    let length = i64::try_from(items.len()).map_err(|_| Failed)?;
    let mut from = if first.known { first.value } else { 0 };
    if from < 0 {
        from += length;
    }
    let mut to = if last.known { last.value } else { length };
    if to < 0 || to == 0 && last.derived {
        to += length;
    }
    if from == to {
        // client-go returns here, and looks at no other value.
        return Ok(ControlFlow::Break(()));
    }
    if !(0..length).contains(&from) || !(0..=length).contains(&to) || from > to {
        return Err(Failed);
    }
    if step.known && step.value <= 0 {
        return Err(Failed);
    }
    let step = if step.known { usize::try_from(step.value).unwrap_or(usize::MAX) } else { 1 };
    let (from, to) = (usize::try_from(from).map_err(|_| Failed)?, usize::try_from(to).map_err(|_| Failed)?);
    found.extend(items[from..to].iter().step_by(step).map(Cow::Borrowed));
    Ok(ControlFlow::Continue(()))
}

#[expect(clippy::ptr_arg, reason = "what is borrowed in it outlives the step")]
fn filter<'v>(
    value: &Cow<'v, Value>,
    (left, operator, right): (&[Node], &str, &[Node]),
    work: &mut Work<'_>,
    found: &mut Vec<Cow<'v, Value>>,
) -> Result<(), Failed> {
    for item in items(value)? {
        if operator == "exists" {
            if exists(item, left, work) {
                found.push(Cow::Borrowed(item));
            }
            continue;
        }
        let Some(left) = only(list(vec![Cow::Borrowed(item)], left, work)?)? else { continue };
        let Some(right) = only(list(vec![Cow::Borrowed(item)], right, work)?)? else { continue };
        if compare(&left, operator, &right)? {
            found.push(Cow::Borrowed(item));
        }
    }
    Ok(())
}

/// Returns `true` if the steps find something. A step that fails counts as having found what it started from.
fn exists(item: &Value, nodes: &[Node], work: &mut Work<'_>) -> bool {
    let mut values = vec![Cow::Borrowed(item)];
    for node in nodes {
        let was_empty = values.is_empty();
        match walk(values, node, work) {
            Ok(found) => values = found,
            Err(Failed) => return !was_empty,
        }
    }
    !values.is_empty()
}

/// The only value; several cannot be compared.
fn only(mut values: Vec<Cow<'_, Value>>) -> Result<Option<Cow<'_, Value>>, Failed> {
    match values.len() {
        0 | 1 => Ok(values.pop()),
        _ => Err(Failed),
    }
}
