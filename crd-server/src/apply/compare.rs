//! Finds an object's fields, and the fields in which two objects differ.
//!
//! Source: `typed/{tofieldset,compare}.go` of `sigs.k8s.io/structured-merge-diff`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::set::{Element, Set};
use super::shape::{ListShape, Node, Shape};

/// Returns the fields that a manager owns after applying `value`.
pub(crate) fn field_set(value: &Value, node: Node<'_>) -> Set {
    fields(value, node).0
}

/// Returns the fields inside a value, and a boolean that is `true` if the value is owned as a whole.
///
/// The set is built from the inside out, because building each field's path from the root would take quadratic time in deep objects.
fn fields(value: &Value, node: Node<'_>) -> (Set, bool) {
    let mut set = Set::default();
    match (node.shape(value), value) {
        (Shape::Map(node), Value::Object(fields_of)) => {
            for (name, inner) in fields_of {
                let (below, is_leaf) = fields(inner, node.field(name).unwrap_or(Node::Deduced));
                let is_empty = inner.is_null() || inner.as_object().is_some_and(serde_json::Map::is_empty);
                set.add(Element::field(name), below, is_leaf || is_empty || node.named(name).is_none());
            }
        }
        (Shape::List(list), Value::Array(items)) => {
            for (element, items) in by_element(&list, items) {
                let below = match items.as_slice() {
                    [item] => fields(item, list.items).0,
                    _ => Set::default(),
                };
                set.add(element, below, true);
            }
        }
        (Shape::Map(_) | Shape::List(_), _) => {}
        (Shape::Leaf, _) => return (set, true),
    }
    (set, false)
}

fn by_element<'v>(list: &ListShape<'_>, items: &'v [Value]) -> BTreeMap<Element, Vec<&'v Value>> {
    let mut groups: BTreeMap<Element, Vec<&Value>> = BTreeMap::new();
    for item in items {
        groups.entry(list.element(item).unwrap_or(Element::Unnamed)).or_default().push(item);
    }
    groups
}

/// Returns `true` if two values are equal. Numbers are compared by value, not by notation.
///
/// Source: `EqualsUsing` in `value/value.go` of `sigs.k8s.io/structured-merge-diff`.
pub(crate) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| equal(value, other)))
        }
        (a, b) => a == b,
    }
}

/// The fields in which two objects differ.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) removed: Set,
    pub(crate) modified: Set,
    pub(crate) added: Set,
}

/// Specifies whether a value itself was added, removed or modified, regardless of the values inside it.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    removed: bool,
    modified: bool,
    added: bool,
}

impl Comparison {
    pub(crate) fn new(old: &Value, new: &Value, node: Node<'_>) -> Self {
        compare(Some(old), Some(new), node).0
    }

    fn add(&mut self, element: &Element, (below, own): (Self, Own)) {
        self.removed.add(element.clone(), below.removed, own.removed);
        self.modified.add(element.clone(), below.modified, own.modified);
        self.added.add(element.clone(), below.added, own.added);
    }

    fn union(&self, other: &Self) -> Self {
        Self {
            removed: self.removed.union(&other.removed),
            modified: self.modified.union(&other.modified),
            added: self.added.union(&other.added),
        }
    }

    /// Returns the comparison without the given fields and everything below them.
    pub(crate) fn without(self, fields: &Set) -> Self {
        Self {
            removed: self.removed.recursive_difference(fields),
            modified: self.modified.recursive_difference(fields),
            added: self.added.recursive_difference(fields),
        }
    }
}

/// Returns the fields in which two values differ, and whether the value itself was added, removed or modified.
fn compare(old: Option<&Value>, new: Option<&Value>, node: Node<'_>) -> (Comparison, Own) {
    let (below, mut own, is_leaf) = match (old, new) {
        (None, None) => return (Comparison::default(), Own::default()),
        (Some(value), None) | (None, Some(value)) => shaped(old, new, node.shape(value)),
        (Some(before), Some(after)) => {
            let (a, b) = (node.shape(before), node.shape(after));
            // A `null` takes the shape of the other value.
            match (before.is_null(), after.is_null()) {
                (true, _) => shaped(old, new, b),
                (_, true) => shaped(old, new, a),
                _ if std::mem::discriminant(&a) == std::mem::discriminant(&b) => shaped(old, new, b),
                _ => {
                    let (first, own, _) = shaped(old, new, a);
                    let (second, other, is_leaf) = shaped(old, new, b);
                    // Both values are present, so that neither adds or removes them.
                    let own = Own { modified: own.modified || other.modified, ..Own::default() };
                    (first.union(&second), own, is_leaf)
                }
            }
        }
    };
    if !is_leaf {
        own.added |= old.is_none();
        own.removed |= new.is_none() && old.is_some();
    }
    (below, own)
}

/// Compares two values as maps, lists or leaves. Returns the same differences as `compare`, and a boolean that is `true` if the values are
/// compared as a whole.
fn shaped(old: Option<&Value>, new: Option<&Value>, shape: Shape<'_>) -> (Comparison, Own, bool) {
    let mut below = Comparison::default();
    match shape {
        Shape::Map(node) => {
            let (before, after) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
            let names: BTreeSet<&String> =
                before.into_iter().chain(after).flat_map(serde_json::Map::keys).collect();
            if names.is_empty() {
                return (below, leaf(old, new), true);
            }
            for name in names {
                let (before, after) =
                    (before.and_then(|map| map.get(name)), after.and_then(|map| map.get(name)));
                let found = compare(before, after, node.field(name).unwrap_or(Node::Deduced));
                below.add(&Element::field(name), found);
            }
        }
        Shape::List(list) => {
            let (before, after) = (items(old), items(new));
            if before.is_empty() && after.is_empty() {
                return (below, leaf(old, new), true);
            }
            below = lists(&by_element(&list, before), &by_element(&list, after), list.items);
        }
        Shape::Leaf => return (below, leaf(old, new), true),
    }
    (below, Own::default(), false)
}

/// Returns a list's items, or an empty slice if the list is absent.
pub(super) fn items(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Compares the items of two lists. Items with equal keys are compared with each other.
fn lists(
    before: &BTreeMap<Element, Vec<&Value>>,
    after: &BTreeMap<Element, Vec<&Value>>,
    node: Node<'_>,
) -> Comparison {
    let mut below = Comparison::default();
    let elements: BTreeSet<&Element> = before.keys().chain(after.keys()).collect();
    for element in elements {
        let [old, new] = [before, after].map(|side| side.get(element).map_or(&[][..], Vec::as_slice));
        let (first_old, first_new) = (old.first().copied(), new.first().copied());
        let found = match (old.len(), new.len()) {
            (..=1, ..=1) => compare(first_old, first_new, node),
            // Items of the same key are compared as one.
            (2.., 2..) => {
                let is_same = old.len() == new.len() && old.iter().zip(new).all(|(old, new)| equal(old, new));
                (Comparison::default(), Own { modified: !is_same, ..Own::default() })
            }
            (2.., _) => {
                let (below, own) = compare(None, first_new, node);
                (below, Own { removed: true, ..own })
            }
            _ => {
                let (below, own) = compare(first_old, None, node);
                (below, Own { added: true, ..own })
            }
        };
        below.add(element, found);
    }
    below
}

/// Compares two values as a whole.
fn leaf(old: Option<&Value>, new: Option<&Value>) -> Own {
    let modified = matches!((old, new), (Some(old), Some(new)) if !equal(old, new));
    Own { added: old.is_none(), removed: old.is_some() && new.is_none(), modified }
}
