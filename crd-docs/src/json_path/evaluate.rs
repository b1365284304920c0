//! Evaluates JSON paths over objects. A missing key is not an error.
//!
//! Source: `client-go/util/jsonpath/jsonpath.go`. Go visits a map's entries in random order, and this module visits them in the order of
//! the keys.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crd_go::budget::{Budget, Exhausted};

use super::compare::compare;
use super::{Bound, Node};

/// The reason why a path finds nothing in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failed {
    /// The path cannot be followed. For example, an index is beyond the end of a list, or values of different types are compared.
    Step,
    /// The path takes more steps than are allowed.
    Exhausted,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Step => "the path cannot be followed in this object",
            Self::Exhausted => "the path takes more work than is allowed",
        })
    }
}

impl From<Exhausted> for Failed {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

impl std::error::Error for Failed {}

/// The values found, in order.
type Values<'v> = Vec<&'v Value>;

type Found<'v> = Result<Values<'v>, Failed>;

/// Returns the number of steps that an object's row may take, without the table's shared reserve. There are a few steps for each value, and
/// also for each byte of a string, because a path can visit single bytes. This limit is for hostile paths, in which each `..` or `[*,*]`
/// multiplies the number of visited values.
pub(crate) fn share(object: &Value) -> u64 {
    fn size(value: &Value) -> u64 {
        1 + match value {
            Value::Object(fields) => fields.values().map(size).sum(),
            Value::Array(items) => items.iter().map(size).sum(),
            Value::String(text) => text.len() as u64,
            _ => 0,
        }
    }
    500 + (16 * size(object)).min(MOST_VALUES)
}

/// Maximum number of steps that a row gets for the size of the object.
const MOST_VALUES: u64 = 2_000_000;

/// Returns the first value that the first node finds. Fails if at least one node cannot be followed.
pub(super) fn first<'v>(
    nodes: &'v [Node],
    object: &'v Value,
    work: &mut Budget<'_>,
) -> Result<Option<&'v Value>, Failed> {
    let mut first = None;
    for (i, node) in nodes.iter().enumerate() {
        let found = walk(vec![object], node, work)?.into_iter().next();
        if i == 0 {
            first = found;
        }
    }
    Ok(first)
}

fn walk<'v>(values: Values<'v>, node: &'v Node, work: &mut Budget<'_>) -> Found<'v> {
    work.take(1 + values.len() as u64)?;
    let mut found = Vec::new();
    match node {
        Node::List(nodes) => return list(values, nodes, work),
        // A text between two fields stands alone; a literal in a filter takes the place of each value.
        Node::Text(text) => found.push(text),
        Node::Field(name) => found.extend(values.iter().filter_map(|value| value.as_object()?.get(name))),
        // `range` and `end` are of templates with several braces, which no column has.
        Node::Identifier(_) => return if values.is_empty() { Ok(values) } else { Err(Failed::Step) },
        Node::Slice(bounds) => {
            for value in &values {
                if slice(value, *bounds, work, &mut found)?.is_break() {
                    break;
                }
            }
        }
        Node::Filter { left, operator, right } => {
            let sides = (left.as_slice(), operator.as_str(), right.as_slice());
            values.iter().try_for_each(|value| filter(value, sides, work, &mut found))?;
        }
        Node::Literal(literal) => found.extend(values.iter().map(|_| literal)),
        Node::Wildcard => values.iter().try_for_each(|value| children(value, work, &mut found))?,
        Node::Recursive => values.iter().try_for_each(|value| descend(value, work, &mut found))?,
        Node::Union(paths) => {
            for path in paths {
                work.take(values.len() as u64)?;
                found.extend(list(values.clone(), path, work)?);
            }
        }
    }
    Ok(found)
}

fn list<'v>(mut values: Values<'v>, nodes: &'v [Node], work: &mut Budget<'_>) -> Found<'v> {
    for node in nodes {
        values = walk(values, node, work)?;
    }
    Ok(values)
}

/// Adds a value's direct children: a map's values, a list's items, or a string's bytes.
fn children<'v>(value: &'v Value, work: &mut Budget<'_>, found: &mut Values<'v>) -> Result<(), Failed> {
    match value {
        Value::Object(fields) => {
            work.take(fields.len() as u64)?;
            found.extend(sorted(fields));
        }
        Value::Array(items) => {
            work.take(items.len() as u64)?;
            found.extend(items);
        }
        Value::String(text) => {
            work.take(text.len() as u64)?;
            found.extend(text.bytes().map(|byte| &BYTES[usize::from(byte)]));
        }
        _ => {}
    }
    Ok(())
}

/// All bytes as JSON values, for paths that visit strings.
static BYTES: LazyLock<[Value; 256]> = LazyLock::new(|| std::array::from_fn(|byte| json!(byte)));

fn sorted(fields: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    fields.into_iter().map(|(_, value)| value)
}

/// Adds a value and all non-empty values inside it, outer ones first.
fn descend<'v>(value: &'v Value, work: &mut Budget<'_>, found: &mut Values<'v>) -> Result<(), Failed> {
    work.take(1)?;
    if let Value::String(text) = value {
        if !text.is_empty() {
            found.push(value);
        }
        return Ok(());
    }
    let mut inner = Values::new();
    children(value, work, &mut inner)?;
    if !inner.is_empty() {
        found.push(value);
    }
    inner.iter().try_for_each(|child| descend(child, work, found))
}

fn items(value: &Value) -> Result<&[Value], Failed> {
    match value {
        Value::Array(items) => Ok(items),
        _ => Err(Failed::Step),
    }
}

fn slice<'v>(
    value: &'v Value,
    [first, last, step]: [Bound; 3],
    work: &mut Budget<'_>,
    found: &mut Values<'v>,
) -> Result<ControlFlow<()>, Failed> {
    if value.is_null() {
        return Ok(ControlFlow::Continue(()));
    }
    let items = items(value)?;
    let length = i64::try_from(items.len()).map_err(|_| Failed::Step)?;
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
        return Err(Failed::Step);
    }
    if step.known && step.value <= 0 {
        return Err(Failed::Step);
    }
    let step = if step.known { usize::try_from(step.value).unwrap_or(usize::MAX) } else { 1 };
    let (from, to) =
        (usize::try_from(from).map_err(|_| Failed::Step)?, usize::try_from(to).map_err(|_| Failed::Step)?);
    work.take(((to - from) / step) as u64)?;
    found.extend(items[from..to].iter().step_by(step));
    Ok(ControlFlow::Continue(()))
}

fn filter<'v>(
    value: &'v Value,
    (left, operator, right): (&'v [Node], &str, &'v [Node]),
    work: &mut Budget<'_>,
    found: &mut Values<'v>,
) -> Result<(), Failed> {
    for item in items(value)? {
        work.take(1)?;
        if operator == "exists" {
            if exists(item, left, work)? {
                found.push(item);
            }
            continue;
        }
        let Some(left) = only(list(vec![item], left, work)?)? else { continue };
        let Some(right) = only(list(vec![item], right, work)?)? else { continue };
        if compare(left, operator, right)? {
            found.push(item);
        }
    }
    Ok(())
}

/// Returns `true` if the nodes find something. If a node fails, the values before this node count as found.
fn exists(item: &Value, nodes: &[Node], work: &mut Budget<'_>) -> Result<bool, Failed> {
    let mut values = vec![item];
    for node in nodes {
        let was_empty = values.is_empty();
        match walk(values, node, work) {
            Ok(found) => values = found,
            Err(Failed::Step) => return Ok(!was_empty),
            Err(Failed::Exhausted) => return Err(Failed::Exhausted),
        }
    }
    Ok(!values.is_empty())
}

/// Returns the only value, or `None` if there is none. Several values are an error, because they cannot be compared.
fn only(mut values: Values<'_>) -> Result<Option<&Value>, Failed> {
    match values.len() {
        0 | 1 => Ok(values.pop()),
        _ => Err(Failed::Step),
    }
}
