//! Merges an applied object into the live object, and removes fields.
//!
//! Source: `typed/{merge,remove,validate}.go` of `sigs.k8s.io/structured-merge-diff`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::compare::items;
use super::set::{Element, Set};
use super::shape::{ListShape, Node, Shape};

/// Merges an applied value into a live value.
pub(crate) fn merge(live: Option<&Value>, applied: Option<&Value>, node: Node<'_>) -> Option<Value> {
    let Some(value) = applied else { return live.cloned() };
    let shape = match live {
        Some(live) if value.is_null() => node.shape(live),
        _ => node.shape(value),
    };
    match shape {
        Shape::Map(node) => {
            let (live_fields, fields) = (live.and_then(Value::as_object), value.as_object());
            let is_empty = |map: Option<&Map<String, Value>>| map.is_none_or(Map::is_empty);
            if is_empty(live_fields) && is_empty(fields) {
                return Some(value.clone());
            }
            let mut merged = Map::new();
            for (name, inner) in live_fields.into_iter().flatten() {
                let node = node.field(name).unwrap_or(Node::Deduced);
                let inner = merge(Some(inner), fields.and_then(|fields| fields.get(name)), node);
                merged.extend(inner.map(|inner| (name.clone(), inner)));
            }
            for (name, inner) in fields.into_iter().flatten() {
                if live_fields.is_some_and(|live| live.contains_key(name)) {
                    continue;
                }
                let node = node.field(name).unwrap_or(Node::Deduced);
                let inner = merge(None, Some(inner), node);
                merged.extend(inner.map(|inner| (name.clone(), inner)));
            }
            Some(Value::Object(merged))
        }
        Shape::List(list) => {
            let (live_items, items) = (items(live), items(Some(value)));
            if live_items.is_empty() && items.is_empty() {
                return Some(value.clone());
            }
            Some(lists(live_items, items, &list).into())
        }
        Shape::Leaf => Some(value.clone()),
    }
}

/// Merges an applied list into a live list. Items that are in both lists take the order of the applied list. All other items stay next to
/// their old neighbors.
fn lists(live: &[Value], applied: &[Value], list: &ListShape<'_>) -> Vec<Value> {
    let elements = |items: &[Value]| -> Vec<Element> {
        items.iter().filter_map(|item| list.element(item).ok()).collect()
    };
    let (left, right) = (elements(live), elements(applied));
    let mut observed_left: BTreeMap<&Element, Option<&Value>> = BTreeMap::new();
    for (element, item) in left.iter().zip(live) {
        // Items of the same key are not merged.
        observed_left.entry(element).and_modify(|item| *item = None).or_insert(Some(item));
    }
    let observed_right: BTreeMap<&Element, &Value> = right.iter().zip(applied).collect();
    let mut shared = right.iter().filter(|element| observed_left.contains_key(element));
    let mut next_shared = shared.next();
    let mut merged: Vec<&Element> = Vec::new();
    let mut out = Vec::new();
    let both = |element: &Element| {
        let live = observed_left.get(element).copied().flatten();
        merge(live, observed_right.get(element).copied(), list.items)
    };
    let (mut l, mut r) = (0, 0);
    while l < left.len() || r < right.len() {
        if let (Some(a), Some(b)) = (left.get(l), right.get(r)) {
            if a == b {
                merged.push(b);
                out.extend(both(b));
                (l, r) = (l + 1, r + 1);
                next_shared = shared.next();
                continue;
            }
            if observed_right.contains_key(a) && next_shared.is_some_and(|next| next != a) {
                l += 1;
                continue;
            }
        }
        if let Some(element) = left.get(l) {
            if !observed_right.contains_key(element) {
                out.extend(live.get(l).cloned());
                l += 1;
                continue;
            }
            if merged.contains(&element) {
                l += 1;
            }
        }
        if let Some(element) = right.get(r) {
            merged.push(element);
            out.extend(both(element));
            r += 1;
            if next_shared == Some(element) {
                next_shared = shared.next();
            }
        }
    }
    out
}

/// Specifies what becomes of a map or a list when its last item is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emptied {
    /// The map or list is kept, although it is empty, as in Kubernetes 1.36.
    Kept,
    /// The map or list becomes `null`.
    Null,
}

/// Removes the set's paths from a value. Returns `None` if nothing is left. `emptied` applies to maps and lists inside the value.
pub(crate) fn remove(value: &Value, set: &Set, node: Node<'_>, emptied: Emptied) -> Option<Value> {
    match (node.shape(value), value) {
        (Shape::Map(node), Value::Object(fields)) => {
            let (mut kept, mut has_matches) = (Map::new(), false);
            for (name, inner) in fields {
                let element = Element::field(name);
                if set.members.contains(&element) {
                    continue;
                }
                let below = set.children.get(&element).filter(|below| !below.is_empty());
                has_matches |= below.is_some();
                let node = node.field(name).unwrap_or(Node::Deduced);
                kept.insert(
                    name.clone(),
                    below.map_or_else(|| inner.clone(), |below| rest(inner, below, node, emptied)),
                );
            }
            (has_matches && emptied == Emptied::Kept || !kept.is_empty()).then_some(Value::Object(kept))
        }
        (Shape::List(list), Value::Array(items)) => {
            let (mut kept, mut has_matches) = (Vec::new(), false);
            for item in items {
                let element = list.element(item).unwrap_or(Element::Unnamed);
                if set.members.contains(&element) {
                    continue;
                }
                let below = set.children.get(&element).filter(|below| !below.is_empty());
                has_matches |= below.is_some();
                kept.push(below.map_or_else(|| item.clone(), |below| rest(item, below, list.items, emptied)));
            }
            (has_matches && emptied == Emptied::Kept || !kept.is_empty()).then_some(Value::Array(kept))
        }
        (Shape::Leaf, scalar) if !scalar.is_object() && !scalar.is_array() => Some(scalar.clone()),
        // An atomic map or list goes as a whole.
        _ => None,
    }
}

/// Removes the set's paths from a value inside an object. If nothing is left, returns an empty list or map, or `null`.
fn rest(value: &Value, below: &Set, node: Node<'_>, emptied: Emptied) -> Value {
    remove(value, below, node, emptied).unwrap_or_else(|| match value {
        _ if emptied == Emptied::Null => Value::Null,
        Value::Object(_) => Value::Object(Map::new()),
        Value::Array(_) => Value::Array(Vec::new()),
        _ => Value::Null,
    })
}
