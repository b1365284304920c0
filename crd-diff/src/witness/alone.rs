//! Determines whether a change causes a rejection. For this purpose, the request is repeated under the old CRD with only this change, and
//! under the new CRD without this change.

use std::rc::Rc;

use crd_core::admit::Rejection;
use crd_core::{CustomResourceDefinition, FieldPath, Segment};
use serde_json::{Map, Value};

use super::evidence::Evidence;
use super::side::{Pair, Side, Target};
use crate::change::Change;
use crate::finding::Class;
use crate::rows;

/// The old CRD with only one change, and the new CRD without this change. A CRD that cannot be built, or that the API server rejects, is
/// `None`.
pub(super) struct Alone {
    change: (FieldPath, FieldPath, &'static str, Value),
    alone: Option<Side>,
    others: Option<Side>,
}

/// Returns `true` if a change causes a rejection. This is the case if the old CRD with only this change rejects the object for one of the
/// causes, or if the new CRD without this change does not. Also returns `true` if neither of these CRDs can be used.
pub(super) fn is_cause(pair: &Pair, change: &Change, found: &Evidence, causes: &[String]) -> bool {
    if pair.work.is_over() {
        return false;
    }
    let definitions = of_change(pair, change);
    let ask = |side: &Side| {
        let witness = &found.witness;
        let request = witness.new.as_ref()?;
        let answer = match &witness.old {
            Some(stored) => {
                let target = match witness.class {
                    Class::Stuck | Class::Rollback => Target::Object,
                    _ => Target::for_edit(stored, request),
                };
                side.update(request, stored, target)
            }
            None => side.create(request),
        };
        let has = |refusal: Rejection| refusal.causes.iter().any(|cause| causes.contains(&cause.to_string()));
        Some(answer.err().is_some_and(has))
    };
    let with = definitions.alone.as_ref().and_then(ask);
    let without = definitions.others.as_ref().and_then(ask);
    // After a rollback it is the old definition that rejects, which the change alone mends.
    let is_back = matches!(found.witness.class, Class::Read | Class::Rollback);
    let by_change = with.map(|is_refused| is_refused != is_back);
    let by_others = without.map(|is_refused| is_refused != is_back);
    by_change == Some(true) || by_others == Some(false) || by_change.is_none() && by_others.is_none()
}

/// Returns the CRDs for a change; the CRDs for the last change are cached.
fn of_change(pair: &Pair, change: &Change) -> Rc<Alone> {
    let (old, new) = &change.fields;
    let key = (old.clone(), new.clone(), change.row.id, change.new.clone());
    let mut kept = pair.alone.borrow_mut();
    if let Some(known) = kept.as_ref().filter(|known| known.change == key) {
        return Rc::clone(known);
    }
    let side = |side: &Side, at: &FieldPath, other: &Side, from: &FieldPath| {
        let mut crd = side.crd.to_value();
        take_over(&mut crd, at, &other.crd.to_value(), from, change)?;
        pair.work.compile(&crd);
        side.answering(CustomResourceDefinition::from_value(crd).ok()?)
    };
    let alone = side(&pair.old, old, &pair.new, new);
    let others = side(&pair.new, new, &pair.old, old);
    let made = Rc::new(Alone { change: key, alone, others });
    *kept = Some(Rc::clone(&made));
    made
}

/// Replaces the value at a path in a CRD with the value in another CRD.
fn take_over(
    into: &mut Value,
    at: &FieldPath,
    other: &Value,
    from: &FieldPath,
    change: &Change,
) -> Option<()> {
    // Of schemas with different types, nothing else is compared.
    if matches!(at.last()?, Segment::Child(name) if &**name == "type") {
        let schema = value_of(other, from.parent()?)?.as_object()?.clone();
        *place_mut(into, at.parent()?)? = schema;
        return Some(());
    }
    let (name, is_property) = match at.last()? {
        Segment::Child(name) => (name.to_string(), false),
        Segment::Key(name) => (name.to_string(), true),
        Segment::Index(_) => return None,
    };
    let is_required = [rows::REQUIRED_ADDED.id, rows::REQUIRED_REMOVED.id].contains(&change.row.id);
    // A schema that is not there does not tell what its keywords are.
    if !is_property {
        value_of(other, from.parent()?)?;
    }
    let value = value_of(other, from).cloned();
    let parent = at.parent()?;
    if is_required {
        return toggle_required(place_mut(into, parent)?, change, value.as_ref());
    }
    if change.row.id == rows::PROPERTY_REMOVED.id {
        // That the property is required goes with it.
        let required = from.parent().and_then(FieldPath::parent).map(|schema| schema.child("required"));
        let required = required.and_then(|at| value_of(other, &at));
        toggle_required(place_mut(into, parent.parent()?)?, change, required)?;
    }
    let schema = place_mut(into, parent)?;
    match value {
        Some(value) => {
            schema.insert(name, value);
        }
        None => {
            crd_go::json::remove(schema, &name)?;
        }
    }
    Some(())
}

/// Makes the changed field required or optional, as in the other CRD. Other fields in `required` are kept.
fn toggle_required(schema: &mut Map<String, Value>, change: &Change, other: Option<&Value>) -> Option<()> {
    let steps = change.place.steps();
    let field = Value::from(steps.last()?.as_str());
    let is_wanted = other.and_then(Value::as_array).is_some_and(|names| names.contains(&field));
    let names = schema.entry("required").or_insert_with(|| Value::Array(Vec::new())).as_array_mut()?;
    names.retain(|name| *name != field);
    if is_wanted {
        names.push(field);
    }
    if names.is_empty() {
        crd_go::json::remove(schema, "required");
    }
    Some(())
}

fn value_of<'v>(value: &'v Value, at: &FieldPath) -> Option<&'v Value> {
    at.segments().into_iter().try_fold(value, |value, segment| match segment {
        Segment::Child(name) | Segment::Key(name) => value.get(&**name),
        Segment::Index(index) => value.get(*index),
    })
}

fn place_mut<'v>(value: &'v mut Value, at: &FieldPath) -> Option<&'v mut Map<String, Value>> {
    let found = at.segments().into_iter().try_fold(value, |value, segment| match segment {
        Segment::Child(name) | Segment::Key(name) => value.get_mut(&**name),
        Segment::Index(index) => value.get_mut(*index),
    });
    found?.as_object_mut()
}
