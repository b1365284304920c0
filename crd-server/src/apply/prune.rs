//! Removes fields that a manager no longer applies and no other manager owns.
//!
//! Source: `prune` in `merge/update.go` of `sigs.k8s.io/structured-merge-diff`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::compare::field_set;
use super::entry::Entry;
use super::merge::{self, Emptied};
use super::set::{Element, Set};
use super::shape::Node;
use super::types::Types;

/// Returns the merged object without the fields that the manager no longer applies. `new` is the manager's entry, and `last` is its
/// previous entry.
pub(super) fn prune(
    merged: &Value,
    others: &[Entry],
    new: &Entry,
    last: &Entry,
    types: &dyn Types,
) -> Result<Value, String> {
    let version = last.api_version.as_str();
    let Some(node) = types.node(version) else { return Ok(merged.clone()) };
    let (merged, _) = types
        .converted(merged, version)
        .map_err(|error| format!("failed to convert merged object to last applied version: {error}"))?;
    let last_fields = with_named_fields(&last.set, node);
    let emptied = types.emptied();
    let mut pruned = removed(&merged, &last_fields, node, emptied);
    let mut owned: BTreeMap<&str, Set> = BTreeMap::new();
    for entry in others.iter().chain([new]) {
        let fields = owned.entry(entry.api_version.as_str()).or_default();
        *fields = fields.union(&entry.set);
    }
    // What is owned in the version of the removal comes first.
    let first = owned.remove(version).map(|fields| (version, fields));
    for (version, fields) in first.into_iter().chain(owned) {
        pruned = with_owned(&merged, &pruned, version, &fields, types)?;
    }
    let (pruned, _) = types.converted(&pruned, version).map_err(|error| {
        format!(
            "failed add back dangling items: failed to convert pruned object to last applied version: {error}"
        )
    })?;
    let all = with_named_fields(&field_set(&merged, node), node);
    let kept = with_named_fields(&field_set(&pruned, node), node);
    let pruned = removed(&merged, &all.difference(&kept).intersection(&last_fields), node, emptied);
    Ok(types.convert(&pruned, &new.api_version)?.into_owned())
}

/// Adds the fields that managers own in a version from the merged object to the pruned object.
fn with_owned(
    merged: &Value,
    pruned: &Value,
    version: &str,
    owned: &Set,
    types: &dyn Types,
) -> Result<Value, String> {
    if types.node(version).is_none() {
        return Ok(pruned.clone());
    }
    let failed = |which: &str, error| {
        format!("failed add back owned items: failed to convert {which} object at version {version}: {error}")
    };
    let (merged, _) = types.converted(merged, version).map_err(|error| failed("merged", error))?;
    let (pruned, node) = types.converted(pruned, version).map_err(|error| failed("pruned", error))?;
    let all = with_named_fields(&field_set(&merged, node), node);
    let kept = with_named_fields(&field_set(&pruned, node), node);
    Ok(removed(&merged, &all.difference(&kept.union(&with_named_fields(owned, node))), node, types.emptied()))
}

fn removed(value: &Value, set: &Set, node: Node<'_>, emptied: Emptied) -> Value {
    merge::remove(value, set, node, emptied).unwrap_or_default()
}

/// Adds each path's ancestors to the set if the schema declares them.
fn with_named_fields(set: &Set, node: Node<'_>) -> Set {
    let mut named = Set { members: set.members.clone(), children: BTreeMap::new() };
    for (element, child) in &set.children {
        let inner = match element {
            Element::Field(name) => {
                if node.named(name).is_some() {
                    named.members.insert(element.clone());
                }
                node.field(name).unwrap_or(Node::Deduced)
            }
            Element::Key(_) | Element::Item(_) | Element::Index(_) | Element::Unnamed => node.items(),
        };
        named.children.insert(element.clone(), with_named_fields(child, inner));
    }
    named
}
