//! The fields of an object, and the fields in which two objects differ.
//!
//! Source: `typed/{tofieldset,compare}.go` of `sigs.k8s.io/structured-merge-diff`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::set::{Element, Set};
use super::shape::{ListShape, Node, Shape};

/// The fields that a manager owns who applies the value.
pub(crate) fn field_set(value: &Value, node: Node<'_>) -> Set {
    let mut set = Set::default();
    fields(value, node, &mut Vec::new(), &mut set);
    set
}

fn fields(value: &Value, node: Node<'_>, path: &mut Vec<Element>, set: &mut Set) {
    match (node.shape(value), value) {
        (Shape::Map(node), Value::Object(fields_of)) => {
            for (name, inner) in fields_of {
                path.push(Element::field(name));
                fields(inner, node.field(name).unwrap_or(Node::Deduced), path, set);
                let is_empty = inner.is_null() || inner.as_object().is_some_and(serde_json::Map::is_empty);
                if is_empty || node.named(name).is_none() {
                    set.insert(path);
                }
                path.pop();
            }
        }
        (Shape::List(list), Value::Array(items)) => {
            let groups = by_element(&list, items);
            for (element, items) in groups {
                path.push(element);
                if let [item] = items.as_slice() {
                    fields(item, list.items, path, set);
                }
                set.insert(path);
                path.pop();
            }
        }
        (Shape::Map(_) | Shape::List(_), _) => {}
        (Shape::Leaf, _) => set.insert(path),
    }
}

fn by_element<'v>(list: &ListShape<'_>, items: &'v [Value]) -> BTreeMap<Element, Vec<&'v Value>> {
    let mut groups: BTreeMap<Element, Vec<&Value>> = BTreeMap::new();
    for item in items {
        groups.entry(list.element(item).unwrap_or(Element::Unnamed)).or_default().push(item);
    }
    groups
}

/// Returns `true` if two values are equal. Numbers are equal as numbers, whichever way they are written.
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

impl Comparison {
    pub(crate) fn new(old: &Value, new: &Value, node: Node<'_>) -> Self {
        let mut comparison = Self::default();
        comparison.compare(Some(old), Some(new), node, &mut Vec::new());
        comparison
    }

    /// The comparison without some fields and all that is below them.
    pub(crate) fn without(self, fields: &Set) -> Self {
        Self {
            removed: self.removed.recursive_difference(fields),
            modified: self.modified.recursive_difference(fields),
            added: self.added.recursive_difference(fields),
        }
    }

    fn compare(&mut self, old: Option<&Value>, new: Option<&Value>, node: Node<'_>, path: &mut Vec<Element>) {
        let is_leaf = match (old, new) {
            (None, None) => return,
            (Some(value), None) | (None, Some(value)) => self.shaped(old, new, node.shape(value), path),
            (Some(before), Some(after)) => {
                let (a, b) = (node.shape(before), node.shape(after));
                // A `null` takes the shape of the other value.
                match (before.is_null(), after.is_null()) {
                    (true, _) => self.shaped(old, new, b, path),
                    (_, true) => self.shaped(old, new, a, path),
                    _ if std::mem::discriminant(&a) == std::mem::discriminant(&b) => {
                        self.shaped(old, new, b, path)
                    }
                    _ => {
                        self.shaped(old, new, a, path);
                        self.shaped(old, new, b, path)
                    }
                }
            }
        };
        if !is_leaf {
            match (old, new) {
                (None, _) => self.added.insert(path),
                (_, None) => self.removed.insert(path),
                _ => {}
            }
        }
    }

    /// Compares two values of a shape. Returns `true` if they are compared as a whole.
    fn shaped(
        &mut self,
        old: Option<&Value>,
        new: Option<&Value>,
        shape: Shape<'_>,
        path: &mut Vec<Element>,
    ) -> bool {
        match shape {
            Shape::Map(node) => {
                let (before, after) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
                let names: BTreeSet<&String> =
                    before.into_iter().chain(after).flat_map(serde_json::Map::keys).collect();
                if names.is_empty() {
                    return self.leaf(old, new, path);
                }
                for name in names {
                    path.push(Element::field(name));
                    let (before, after) =
                        (before.and_then(|map| map.get(name)), after.and_then(|map| map.get(name)));
                    self.compare(before, after, node.field(name).unwrap_or(Node::Deduced), path);
                    path.pop();
                }
                false
            }
            Shape::List(list) => {
                let items =
                    |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
                let (before, after) = (items(old), items(new));
                if before.is_empty() && after.is_empty() {
                    return self.leaf(old, new, path);
                }
                self.lists(&by_element(&list, &before), &by_element(&list, &after), list.items, path);
                false
            }
            Shape::Leaf => self.leaf(old, new, path),
        }
    }

    fn lists(
        &mut self,
        before: &BTreeMap<Element, Vec<&Value>>,
        after: &BTreeMap<Element, Vec<&Value>>,
        node: Node<'_>,
        path: &mut Vec<Element>,
    ) {
        let elements: BTreeSet<&Element> = before.keys().chain(after.keys()).collect();
        for element in elements {
            let items = |side: &BTreeMap<Element, Vec<&Value>>| {
                side.get(element).map(|items| items.iter().map(|item| (*item).clone()).collect::<Vec<_>>())
            };
            let (old, new) = (items(before).unwrap_or_default(), items(after).unwrap_or_default());
            path.push(element.clone());
            match (old.len(), new.len()) {
                (..=1, ..=1) => self.compare(old.first(), new.first(), node, path),
                // Items of the same key are compared as one.
                (2.., 2..) => {
                    if old.len() != new.len() || !old.iter().zip(&new).all(|(old, new)| equal(old, new)) {
                        self.modified.insert(path);
                    }
                }
                (2.., _) => {
                    if let Some(new) = new.first() {
                        self.compare(None, Some(new), node, path);
                    }
                    self.removed.insert(path);
                }
                _ => {
                    if let Some(old) = old.first() {
                        self.compare(Some(old), None, node, path);
                    }
                    self.added.insert(path);
                }
            }
            path.pop();
        }
    }

    fn leaf(&mut self, old: Option<&Value>, new: Option<&Value>, path: &[Element]) -> bool {
        match (old, new) {
            (None, _) => self.added.insert(path),
            (_, None) => self.removed.insert(path),
            (Some(old), Some(new)) if !equal(old, new) => self.modified.insert(path),
            _ => {}
        }
        true
    }
}
