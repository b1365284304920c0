//! Records field managers, and implements server-side apply.
//!
//! Source: `pkg/util/managedfields` of `k8s.io/apimachinery` and `merge/update.go` of `sigs.k8s.io/structured-merge-diff`.

mod compare;
mod conflict;
mod declared;
mod entry;
mod last_applied;
mod limit;
mod literal;
mod merge;
mod paths;
mod prune;
mod reconcile;
mod scale;
mod set;
mod shape;
mod types;
mod validate;

use std::sync::LazyLock;

use serde_json::Value;

use crate::json::text;
use crate::status::Failure;
use compare::{Comparison, equal, field_set};
use conflict::Conflict;
use declared::Declared;
pub(crate) use entry::{Entry, decode, encode, is_reset};
use last_applied::KUBECTL;
pub(crate) use last_applied::{ANNOTATION, annotation};
pub(crate) use merge::Emptied;
pub(crate) use scale::{SCALE, ScaleTypes, object_entries, scale_entries};
pub(crate) use set::Set;
pub(crate) use shape::Node;
pub(crate) use types::Types;
use validate::{Duplicates, validate};

/// The field manager that owns the existing fields when an object is applied for the first time.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Metadata fields that no manager owns.
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

/// The data about a write that determine its field managers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer<'a> {
    /// The object's type in each version.
    pub(crate) types: &'a dyn Types,
    pub(crate) manager: &'a str,
    /// The object's `apiVersion` in the request.
    pub(crate) api_version: &'a str,
    /// The request's subresource; empty for the object itself.
    pub(crate) subresource: &'a str,
    pub(crate) now: &'a str,
}

/// An applied object, merged into the live object.
#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) object: Value,
    pub(crate) entries: Vec<Entry>,
    /// `true` if the object differs from the live object.
    pub(crate) is_changed: bool,
}

/// The reason why an object cannot be applied.
enum NotApplied {
    Conflicts(Vec<Conflict>),
    Failed(Failure),
}

impl From<String> for NotApplied {
    fn from(message: String) -> Self {
        Self::Failed(Failure::internal(message))
    }
}

impl<'a> Writer<'a> {
    fn entry(&self, is_apply: bool, set: Set) -> Entry {
        Entry {
            manager: if self.manager.is_empty() { "unknown" } else { self.manager }.to_owned(),
            is_apply,
            api_version: self.api_version.to_owned(),
            subresource: self.subresource.to_owned(),
            time: None,
            set,
        }
    }

    fn node(&self) -> Result<Node<'a>, String> {
        let unknown = || format!("no corresponding type for {}", self.api_version);
        self.types.node(self.api_version).ok_or_else(unknown)
    }

    /// Returns the field managers after any write other than server-side apply.
    ///
    /// # Errors
    /// - An object does not match the schema of its version, or of another version in which managers own fields.
    pub(crate) fn update(&self, old: &Value, new: &Value, entries: Vec<Entry>) -> Result<Vec<Entry>, String> {
        let node = self.node()?;
        for (which, object) in [("new", new), ("live", old)] {
            validate(object, node, None, Duplicates::Allowed).map_err(|error| {
                format!("failed to convert {which} object ({}) to smd typed: {error}", described(object))
            })?;
        }
        self.updated(old, new, node, entries)
            .map_err(|error| format!("failed to update ManagedFields ({}): {error}", described(new)))
    }

    fn updated(
        &self,
        old: &Value,
        new: &Value,
        node: Node<'_>,
        entries: Vec<Entry>,
    ) -> Result<Vec<Entry>, String> {
        let entries = self.reconciled(old, entries)?;
        let own = Comparison::new(old, new, node).without(&self.types.reset_fields(self.api_version));
        let taken = own.modified.union(&own.added);
        let (mut entries, conflicts) = self.lost(old, new, own, entries)?;
        give_up(&mut entries, &conflicts);
        let mut owned = self.entry(false, owned(&taken));
        if !owned.set.is_empty() {
            if let Some(at) = entries.iter().position(|entry| entry.is_same_manager(&owned)) {
                owned.set = owned.set.union(&entries.remove(at).set);
            }
            owned.time = Some(self.now.to_owned());
            entries.push(owned);
        }
        Ok(limit::limited(entries))
    }

    /// Returns the manager's entry after it has applied an object.
    ///
    /// # Errors
    /// - The object does not match the schema of its version.
    pub(crate) fn applier(&self, object: &Value) -> Result<Entry, String> {
        let node = self.node()?;
        validate(object, node, None, Duplicates::Allowed)?;
        let reset = self.types.reset_fields(self.api_version);
        Ok(self.entry(true, owned(&field_set(object, node).recursive_difference(&reset))))
    }

    /// Applies an object to the live object. `empty` is an empty object of the same type, or `None` if the live object is new.
    pub(crate) fn apply(
        &self,
        live: &Value,
        applied: &Value,
        mut entries: Vec<Entry>,
        empty: Option<&Value>,
        force: bool,
    ) -> Result<Applied, Failure> {
        if let Some(empty) = empty.filter(|_| entries.is_empty()) {
            let before = Writer { manager: BEFORE_FIRST_APPLY, ..*self };
            entries = before.update(empty, live, entries).map_err(|error| {
                Failure::internal(format!("failed to create manager for existing fields: {error}"))
            })?;
        }
        let mut outcome = self.try_apply(live, applied, &entries, force);
        if self.manager == KUBECTL
            && let Err(NotApplied::Conflicts(conflicts)) = &mut outcome
            && let Some(allowed) = last_applied::fields(live, self.types, self.api_version)
        {
            for conflict in conflicts.iter_mut() {
                conflict.fields = conflict.fields.difference(&allowed);
            }
            conflicts.retain(|conflict| !conflict.fields.is_empty());
            if conflicts.is_empty() {
                outcome = self.try_apply(live, applied, &entries, true);
            }
        }
        match outcome {
            Ok(mut outcome) => {
                if self.manager == KUBECTL {
                    last_applied::renew(&mut outcome.object, applied);
                }
                Ok(outcome)
            }
            Err(NotApplied::Conflicts(conflicts)) => Err(conflict::reject(conflicts)),
            Err(NotApplied::Failed(failure)) => Err(failure),
        }
    }

    fn try_apply(
        &self,
        live: &Value,
        applied: &Value,
        entries: &[Entry],
        force: bool,
    ) -> Result<Applied, NotApplied> {
        let node = self.node()?;
        let typed = |which: &str, object: &Value, declared, duplicates| {
            validate(object, node, declared, duplicates).map_err(|error| {
                let described = described(object);
                let message = format!("failed to create typed {which} object ({described}): {error}");
                let mut failure = Failure::internal(message);
                failure.places = error.places;
                NotApplied::Failed(failure)
            })
        };
        let declared = Declared::of(applied, node);
        typed("patch", applied, declared.as_ref(), Duplicates::Rejected)?;
        typed("live", live, None, Duplicates::Allowed)?;
        let mut entries = self.reconciled(live, entries.to_vec())?;
        let merged = merge::merge(Some(live), Some(applied), node).unwrap_or_default();
        let reset = self.types.reset_fields(self.api_version);
        let mut owner = self.entry(true, field_set(applied, node).recursive_difference(&reset));
        let last =
            entries.iter().position(|entry| entry.is_same_manager(&owner)).map(|at| entries.remove(at));
        let object = match last.as_ref().filter(|last| !last.set.is_empty()) {
            Some(last) => prune::prune(&merged, &entries, &owner, last, self.types)
                .map_err(|error| format!("failed to prune fields: {error}"))?,
            None => merged,
        };
        let own = Comparison::new(live, &object, node).without(&reset);
        let (mut entries, conflicts) = self.lost(live, &object, own, entries)?;
        if !force && !conflicts.is_empty() {
            return Err(NotApplied::Conflicts(conflicts));
        }
        give_up(&mut entries, &conflicts);
        owner.set = owned(&owner.set);
        // An object in which only numbers are written in another way stays as it is.
        let is_changed = !equal(live, &object);
        let object = if is_changed { object } else { live.clone() };
        owner.time = if is_changed { Some(self.now.to_owned()) } else { last.and_then(|last| last.time) };
        if !owner.set.is_empty() {
            entries.push(owner);
        }
        Ok(Applied { object, entries, is_changed })
    }

    /// Returns the field managers' entries, adapted to the current schemas.
    fn reconciled(&self, live: &Value, mut entries: Vec<Entry>) -> Result<Vec<Entry>, String> {
        if self.types.drops_unknown_versions() {
            let is_version = |version: &str| version.matches('/').count() < 2;
            entries.retain(|entry| {
                self.types.node(&entry.api_version).is_some() || !is_version(&entry.api_version)
            });
        }
        let reconciled = |mut entry: Entry| {
            let (_, node) = self.types.converted(live, &entry.api_version)?;
            entry.set = reconcile::reconciled(entry.set, node);
            Ok(entry)
        };
        entries.into_iter().map(reconciled).collect()
    }

    /// Returns the entries without removed fields, and the conflicts: the owned fields that the write changes. Objects are compared in each
    /// entry's version.
    fn lost(
        &self,
        old: &Value,
        new: &Value,
        own: Comparison,
        entries: Vec<Entry>,
    ) -> Result<(Vec<Entry>, Vec<Conflict>), String> {
        let mut comparisons = vec![(self.api_version.to_owned(), own)];
        let (mut kept, mut conflicts) = (Vec::new(), Vec::new());
        for mut entry in entries {
            if !comparisons.iter().any(|(version, _)| *version == entry.api_version) {
                let comparison = self.types.compare(old, new, &entry.api_version)?;
                comparisons.push((entry.api_version.clone(), comparison));
            }
            let found = comparisons.iter().find(|(version, _)| *version == entry.api_version);
            let Some((_, comparison)) = found else { continue };
            let fields = entry.set.intersection(&comparison.modified.union(&comparison.added));
            if !fields.is_empty() {
                conflicts.push(Conflict { entry: entry.clone(), fields });
            }
            entry.set = entry.set.difference(&comparison.removed);
            kept.push(entry);
        }
        Ok((kept, conflicts))
    }
}

/// Removes the conflicting fields from the other managers, and drops managers that no longer own anything.
fn give_up(entries: &mut Vec<Entry>, conflicts: &[Conflict]) {
    for entry in entries.iter_mut() {
        if let Some(conflict) = conflicts.iter().find(|conflict| conflict.entry.is_same_manager(entry)) {
            entry.set = entry.set.difference(&conflict.fields);
        }
    }
    entries.retain(|entry| !entry.set.is_empty());
}

/// Returns an object's description for errors: its namespace, name and type.
pub(crate) fn described(object: &Value) -> String {
    let field = |path: &[&str]| text(object, path);
    let (namespace, name) = (field(&["metadata", "namespace"]), field(&["metadata", "name"]));
    let api_version = field(&["apiVersion"]);
    // Go prints the core group, which has no name, in front of its version.
    let slash = if api_version.is_empty() || api_version.contains('/') { "" } else { "/" };
    format!("{namespace}/{name}; {slash}{api_version}, Kind={}", field(&["kind"]))
}

/// Returns a set without the fields that no manager owns.
fn owned(set: &Set) -> Set {
    static FIELDS: LazyLock<Set> = LazyLock::new(|| {
        let names = ["apiVersion", "kind", "metadata"].iter().map(|name| Set::from_fields(&[*name]));
        let metadata = UNOWNED.iter().map(|name| Set::from_fields(&["metadata", *name]));
        names.chain(metadata).fold(Set::default(), |set, field| set.union(&field))
    });
    set.difference(&FIELDS)
}

#[cfg(test)]
mod tests;
