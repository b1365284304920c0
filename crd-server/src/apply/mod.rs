//! Owners of fields, and server-side apply.
//!
//! Source: `pkg/util/managedfields` of `k8s.io/apimachinery` and `merge/update.go` of `sigs.k8s.io/structured-merge-diff`.

mod compare;
mod entry;
mod merge;
mod set;
mod shape;

use serde_json::Value;

use crate::status::Failure;
use compare::{Comparison, field_set};
pub(crate) use entry::{Entry, decode, encode, is_reset};
use set::{Element, Set};
pub(crate) use shape::Node;

/// The manager of the fields that an object has when it is applied for the first time.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Fields of metadata that nobody owns.
const UNOWNED: [&str; 9] = [
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
];

/// A write whose fields get an owner.
#[derive(Clone, Debug)]
pub(crate) struct Writer<'a> {
    /// The type of objects.
    pub(crate) node: Node<'a>,
    pub(crate) manager: &'a str,
    pub(crate) api_version: &'a str,
    /// Empty for the object itself.
    pub(crate) subresource: &'a str,
    /// Top-level fields that the write does not change.
    pub(crate) reset: &'a [&'a str],
    pub(crate) now: &'a str,
}

/// An applied object, merged into the live one.
#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) object: Value,
    pub(crate) entries: Vec<Entry>,
}

impl Writer<'_> {
    fn entry(&self, is_apply: bool, set: Set) -> Entry {
        Entry {
            manager: self.manager.to_owned(),
            is_apply,
            api_version: self.api_version.to_owned(),
            subresource: self.subresource.to_owned(),
            time: None,
            set,
        }
    }

    fn reset_fields(&self) -> Set {
        self.reset.iter().fold(Set::default(), |set, name| set.union(&Set::of_fields(&[*name])))
    }

    /// The owners after a write that is not an apply.
    pub(crate) fn update(&self, old: &Value, new: &Value, entries: Vec<Entry>) -> Vec<Entry> {
        let comparison = Comparison::new(old, new, self.node).without(&self.reset_fields());
        let taken = comparison.modified.union(&comparison.added);
        let mut entries = without_fields(entries, &taken.union(&comparison.removed));
        let mut owned = self.entry(false, owned(&taken));
        if owned.set.is_empty() {
            return entries;
        }
        if let Some(at) = entries.iter().position(|entry| entry.is_same_manager(&owned)) {
            let previous = entries.remove(at);
            owned.set = owned.set.union(&previous.set);
        }
        owned.time = (self.subresource != "scale").then(|| self.now.to_owned());
        entries.push(owned);
        entries
    }

    /// Applies an object.
    pub(crate) fn apply(
        &self,
        live: &Value,
        applied: &Value,
        mut entries: Vec<Entry>,
        is_new: bool,
        force: bool,
    ) -> Result<Applied, Failure> {
        let mut errors = Vec::new();
        merge::validate(applied, self.node, "", &mut errors);
        check(applied, &errors)?;
        if entries.is_empty() && !is_new {
            let empty = serde_json::json!({"apiVersion": live["apiVersion"], "kind": live["kind"]});
            let before = Writer { manager: BEFORE_FIRST_APPLY, subresource: "", reset: &[], ..self.clone() };
            entries = before.update(&empty, live, entries);
        }
        let merged = merge::merge(Some(live), Some(applied), self.node).unwrap_or_default();
        let set = field_set(applied, self.node).recursive_difference(&self.reset_fields());
        let mut owned = self.entry(true, owned(&set));
        let previous =
            entries.iter().position(|entry| entry.is_same_manager(&owned)).map(|at| entries.remove(at));
        let object = match &previous {
            Some(previous) if !previous.set.is_empty() => self.prune(&merged, &entries, &set, &previous.set),
            _ => merged,
        };
        let comparison = Comparison::new(live, &object, self.node).without(&self.reset_fields());
        let taken = comparison.modified.union(&comparison.added);
        if !force {
            conflicts(&entries, &taken)?;
        }
        let mut entries = without_fields(entries, &taken.union(&comparison.removed));
        owned.time = if crd_go::json::deep_equal(live, &object) {
            previous.and_then(|previous| previous.time)
        } else {
            Some(self.now.to_owned())
        };
        if !owned.set.is_empty() {
            entries.push(owned);
        }
        Ok(Applied { object, entries })
    }

    /// Removes fields that the manager applied before, does not apply any more, and nobody else owns.
    fn prune(&self, merged: &Value, entries: &[Entry], new: &Set, last: &Set) -> Value {
        let remove = |set: &Set| merge::remove(merged, set, self.node).unwrap_or_default();
        let named = |set: &Set| with_named_fields(set, self.node);
        let last = named(last);
        let all = named(&field_set(merged, self.node));
        let managed = entries.iter().fold(new.clone(), |set, entry| set.union(&entry.set));
        let pruned = named(&field_set(&remove(&last), self.node));
        let owned = remove(&all.difference(&pruned.union(&named(&managed))));
        let owned = named(&field_set(&owned, self.node));
        remove(&all.difference(&owned).intersection(&last))
    }
}

/// Refuses an applied object that its type does not allow.
fn check(applied: &Value, errors: &[String]) -> Result<(), Failure> {
    let text = match errors {
        [] => return Ok(()),
        [error] => error.clone(),
        errors => format!("errors:\n  {}", errors.join("\n  ")),
    };
    let field = |path: &[&str]| crate::json::text(applied, path);
    let object = format!(
        "{}/{}; {}, Kind={}",
        field(&["metadata", "namespace"]),
        field(&["metadata", "name"]),
        field(&["apiVersion"]),
        field(&["kind"])
    );
    Err(Failure::internal(format!("failed to create typed patch object ({object}): {text}")))
}

/// A set without the fields that nobody owns.
fn owned(set: &Set) -> Set {
    let unowned = ["apiVersion", "kind", "metadata"]
        .iter()
        .fold(Set::default(), |set, name| set.union(&Set::of_fields(&[*name])));
    let unowned = UNOWNED.iter().fold(unowned, |set, name| set.union(&Set::of_fields(&["metadata", *name])));
    set.difference(&unowned)
}

/// Takes fields from their owners. Who owns nothing any more is left out.
fn without_fields(entries: Vec<Entry>, fields: &Set) -> Vec<Entry> {
    let entries = entries.into_iter().map(|mut entry| {
        entry.set = entry.set.difference(fields);
        entry
    });
    entries.filter(|entry| !entry.set.is_empty()).collect()
}

/// A set with the fields through which its paths lead, where these have names of their own in the schema.
fn with_named_fields(set: &Set, node: Node<'_>) -> Set {
    let mut named = Set { members: set.members.clone(), children: std::collections::BTreeMap::new() };
    for (element, child) in &set.children {
        let inner = match element {
            Element::Field(name) => {
                if node.named(name).is_some() {
                    named.members.insert(element.clone());
                }
                node.field(name).unwrap_or(Node::Deduced)
            }
            Element::Key(_) | Element::Item(_) => node.items(),
        };
        named.children.insert(element.clone(), with_named_fields(child, inner));
    }
    named
}

/// Refuses an apply that changes fields of others.
fn conflicts(entries: &[Entry], taken: &Set) -> Result<(), Failure> {
    let mut found: Vec<(&Entry, Vec<String>)> = entries
        .iter()
        .map(|entry| (entry, entry.set.intersection(taken).paths()))
        .filter(|(_, paths)| !paths.is_empty())
        .collect();
    found.sort_by_key(|(entry, _)| entry.sort_key());
    let count: usize = found.iter().map(|(_, paths)| paths.len()).sum();
    let message = match found.as_slice() {
        [] => return Ok(()),
        [(entry, paths)] if count == 1 => {
            format!("Apply failed with 1 conflict: conflict with {}: {}", entry.print(), paths.concat())
        }
        found => {
            let texts = found.iter().map(|(entry, paths)| {
                let paths: String = paths.iter().map(|path| format!("\n- {path}")).collect();
                format!("conflicts with {}:{paths}", entry.print())
            });
            format!("Apply failed with {count} conflicts: {}", texts.collect::<Vec<_>>().join("\n"))
        }
    };
    let causes = found.iter().flat_map(|(entry, paths)| {
        let message = format!("conflict with {}", entry.print());
        paths.iter().map(move |path| {
            serde_json::json!({"reason": "FieldManagerConflict", "message": message.clone(), "field": path})
        })
    });
    Err(Failure::new(409, "Conflict", message).with_causes(causes))
}

#[cfg(test)]
mod tests;
