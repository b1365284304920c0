//! Adapts owned fields to a changed schema: lists and maps that have become atomic are owned as a whole.
//!
//! Source: `typed/reconcile_schema.go` of `sigs.k8s.io/structured-merge-diff`.

use super::set::{Element, Set};
use super::shape::Node;

/// Returns the set adapted to the schema.
pub(super) fn reconciled(set: Set, node: Node<'_>) -> Set {
    let mut atomic = Set::default();
    visit(Some(&set), node, false, &mut Vec::new(), &mut atomic);
    if atomic.is_empty() { set } else { set.recursive_difference(&atomic).union(&atomic) }
}

/// Collects the paths of atomic lists and maps that contain owned fields.
fn visit(set: Option<&Set>, node: Node<'_>, is_whole: bool, path: &mut Vec<Element>, atomic: &mut Set) {
    if node.is_deduced_map() || !(node.is_map() || node.is_list()) {
        return;
    }
    let owns_fields = set.is_some_and(|set| !set.is_empty());
    if node.is_atomic() {
        if !is_whole && (owns_fields || node.is_list()) {
            atomic.insert(path);
        }
        return;
    }
    let Some(set) = set else { return };
    let elements = set.children.keys().filter(|element| !set.members.contains(element)).chain(&set.members);
    for element in elements {
        let child = set.children.get(element);
        let inner = match element {
            _ if node.is_list() => Some(node.items()),
            Element::Field(name) => node.field(name),
            Element::Key(_) | Element::Item(_) | Element::Index(_) | Element::Unnamed => None,
        };
        let Some(inner) = inner else { continue };
        path.push(element.clone());
        visit(child, inner, set.members.contains(element) && child.is_none(), path, atomic);
        path.pop();
    }
}
