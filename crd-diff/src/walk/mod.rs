//! Compares two schemas and all schemas inside them.

mod integers;
mod keywords;
mod lists;
mod parts;
mod pattern;
mod properties;
mod rules;
mod types;

use std::cell::RefCell;

use crd_core::{FieldPath, Structural};

use crate::change::{Change, Probe};
use crate::rows::Row;
use crate::schema_path::{SchemaPath, Step};
use crate::work::With;

/// Compares the schemas of two versions. `roots` are the paths of the schemas in the CRDs.
pub(crate) fn compare(
    old: &Structural,
    new: &Structural,
    roots: (&FieldPath, &FieldPath),
    version: &str,
    with: With<'_>,
) -> Vec<Change> {
    let mut walk = Walk {
        roots,
        above: RefCell::default(),
        version,
        with,
        is_owned_whole: false,
        is_in_list: false,
        is_in_metadata: false,
        keys: Vec::new(),
        role: Role::default(),
        changes: Vec::new(),
    };
    walk.node(old, new, &SchemaPath::default());
    walk.changes
}

/// The state of a comparison of two schemas.
pub(crate) struct Walk<'w> {
    roots: (&'w FieldPath, &'w FieldPath),
    /// The elements of the last path, with the full paths after each element.
    above: RefCell<Vec<(Step, (FieldPath, FieldPath))>>,
    version: &'w str,
    with: With<'w>,
    /// `true` inside an atomic list or map, which field managers own as a whole.
    is_owned_whole: bool,
    /// `true` while items of a list are compared.
    is_in_list: bool,
    /// `true` inside `metadata`, for which a CRD need not have a schema.
    is_in_metadata: bool,
    /// The `x-kubernetes-list-map-keys` of the list whose items are compared next.
    keys: Vec<String>,
    /// The role of the property that is compared next.
    role: Role,
    changes: Vec<Change>,
}

/// The role of a property in its parent object.
#[derive(Clone, Copy, Debug, Default)]
struct Role {
    /// `true` if both CRDs require the property.
    is_required: bool,
    /// `true` if the field identifies the items of a list.
    is_key: bool,
}

impl Walk<'_> {
    /// Compares the schemas at a path, and all schemas inside them.
    fn node(&mut self, old: &Structural, new: &Structural, at: &SchemaPath) {
        let (role, keys) = (std::mem::take(&mut self.role), std::mem::take(&mut self.keys));
        if old == new {
            return;
        }
        let is_same_kind = self.types(old, new, at);
        self.generic((old, new), at, role);
        if is_same_kind {
            self.keywords(old, new, at);
            self.lists(old, new, at);
        }
        self.rules(old, new, at);
        self.openness(old, new, at);
        if !is_same_kind {
            return;
        }
        let outside = (self.is_owned_whole, self.is_in_list);
        self.is_owned_whole |= is_atomic(old) || is_atomic(new);
        self.properties(old, new, at, &keys);
        if let (Some(old_items), Some(new_items)) = (&old.items, &new.items) {
            self.is_in_list = true;
            self.keys = new.extensions.list_map_keys.clone().unwrap_or_default();
            self.node(old_items, new_items, &at.below(Step::Items));
            self.is_in_list = outside.1;
        }
        if let (Some(old), Some(new)) = (old.map_values(), new.map_values()) {
            self.node(old, new, &at.below(Step::Values));
        }
        self.is_owned_whole = outside.0;
    }

    /// Returns a change to the schema at a path. If `keyword` is not empty, the change's full paths lead to this keyword in the schema.
    fn change(&self, row: &'static Row, at: &SchemaPath, keyword: &str) -> Change {
        let fields = self.fields(at);
        let field = |path: FieldPath| if keyword.is_empty() { path } else { path.child(keyword) };
        let mut change = Change::new(row, at.clone()).fields(field(fields.0), field(fields.1));
        change.version = Some(self.version.to_owned());
        change.is_in_list = self.is_in_list;
        change
    }

    /// Returns the full paths in the old and in the new CRD. The paths of enclosing schemas are reused, because there can be thousands of
    /// deeply nested changes.
    fn fields(&self, at: &SchemaPath) -> (FieldPath, FieldPath) {
        let mut above = self.above.borrow_mut();
        let shared = above.iter().zip(at.walk()).take_while(|((step, _), other)| step == *other).count();
        above.truncate(shared);
        let roots = || (self.roots.0.clone(), self.roots.1.clone());
        for step in &at.walk()[shared..] {
            let (old, new) = above.last().map_or_else(roots, |(_, fields)| fields.clone());
            above.push((step.clone(), (step.below(&old), step.below(&new))));
        }
        above.last().map_or_else(roots, |(_, fields)| fields.clone())
    }

    /// Returns a change that affects the values which only one of the two schemas accepts.
    fn differing(
        &self,
        row: &'static Row,
        at: &SchemaPath,
        keyword: &str,
        pair: (&Structural, &Structural),
    ) -> Change {
        self.change(row, at, keyword).probe(self.differing_values(at, pair))
    }

    /// Returns a probe for values that only one of the two schemas accepts.
    fn differing_values(&self, at: &SchemaPath, pair: (&Structural, &Structural)) -> Probe {
        if self.is_in_metadata {
            return Probe::DifferingFrom(at.clone(), Box::new((pair.0.clone(), pair.1.clone())));
        }
        Probe::Differing(at.clone())
    }

    fn push(&mut self, change: Change) {
        self.changes.push(change);
    }
}

/// Returns `true` if a field manager that applies a part of a value owns the whole value.
fn is_atomic(schema: &Structural) -> bool {
    schema.items.is_some() && list_type(schema) == "atomic" || map_type(schema) == "atomic"
}

fn list_type(schema: &Structural) -> &str {
    schema.extensions.list_type.as_deref().unwrap_or("atomic")
}

fn map_type(schema: &Structural) -> &str {
    schema.extensions.map_type.as_deref().unwrap_or("granular")
}

/// Returns `true` if the schema changes which parts of a value are owned separately. Without a schema, a list is owned as a whole, and each
/// entry of a map separately.
fn has_owners(schema: &Structural) -> bool {
    if ["set", "map"].contains(&list_type(schema)) || map_type(schema) == "atomic" {
        return true;
    }
    // An atomic list is owned as a whole, with or without a schema.
    schema.properties.values().chain(schema.map_values()).any(has_owners)
}
