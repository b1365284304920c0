//! Properties, required fields, and the keys that have no property of their own.

use crd_core::Structural;
use crd_core::schema::{AdditionalProperties, SchemaType};
use serde_json::{Value, json};

use super::{Walk, has_owners};
use crate::change::{Change, Probe};
use crate::place::{Place, Step};
use crate::rows;

/// The schema of a key of an object.
enum Effective<'s> {
    /// A property, or the values of a map.
    Schema(&'s Structural),
    /// Any value is kept.
    Any,
    /// The key is dropped.
    Dropped,
}

impl Walk<'_> {
    /// Compares the properties, and what the other definition makes of keys that only one of them names.
    pub(super) fn properties(&mut self, old: &Structural, new: &Structural, at: &Place) {
        if at.is_root() {
            self.metadata(old, new);
        }
        let is_identity = |name: &str| at.is_root() && ["apiVersion", "kind", "metadata"].contains(&name);
        for (name, before) in old.properties.iter().filter(|(name, _)| !is_identity(name)) {
            let at = at.property(name);
            match effective(new, name) {
                Effective::Schema(after) => self.node(before, after, &at),
                Effective::Any => {
                    let mut change = self.change(&rows::PROPERTY_OPENED, &at, "");
                    change.has_other_owners = !self.is_owned_whole && has_owners(before);
                    let pair = Box::new((before.clone(), open()));
                    let change = wrong_types(change.values(shown(before), Value::Null), &at);
                    self.push(change.probe(Probe::Differing(at, pair)));
                }
                Effective::Dropped => {
                    let mut change = self.change(&rows::PROPERTY_REMOVED, &at, "");
                    change.has_other_owners = is_closed_to_apply(new);
                    self.push(change.values(shown(before), Value::Null).probe(Probe::Present(at)));
                }
            }
        }
        let is_new = |name: &str| !is_identity(name) && !old.properties.contains(name);
        for (name, after) in new.properties.iter().filter(|(name, _)| is_new(name)) {
            let at = at.property(name);
            match effective(old, name) {
                Effective::Schema(before) => self.node(before, after, &at),
                Effective::Any => {
                    let mut change = self.change(&rows::PROPERTY_DESCRIBED, &at, "");
                    change.has_other_owners = !self.is_owned_whole && has_owners(after);
                    let pair = Box::new((open(), after.clone()));
                    let change = change.values(Value::Null, shown(after));
                    let change = wrong_types(change, &at);
                    self.push(change.probe(Probe::Differing(at, pair)));
                }
                Effective::Dropped => {
                    let change = self.change(&rows::PROPERTY_ADDED, &at, "");
                    self.push(change.values(Value::Null, shown(after)).probe(Probe::Present(at.clone())));
                    if let Some(default) = &after.generic.default {
                        let change = self.change(&rows::DEFAULT_ADDED, &at, "default");
                        let change = change.values(Value::Null, (**default).clone());
                        self.push(change.probe(Probe::Absent(at)).probe(Probe::Any));
                    }
                }
            }
        }
        self.required(old, new, at);
    }

    /// Compares the restrictions of the name, the only ones that metadata of the root can have.
    fn metadata(&mut self, old: &Structural, new: &Structural) {
        let mut text = Structural::default();
        text.type_ = Some(SchemaType::String);
        for name in ["name", "generateName"] {
            let of = |schema: &Structural| {
                let found = schema.properties.get("metadata").and_then(|schema| schema.properties.get(name));
                found.cloned().unwrap_or_else(|| text.clone())
            };
            self.node(&of(old), &of(new), &Place::default().property("metadata").property(name));
        }
    }

    fn required(&mut self, old: &Structural, new: &Structural, at: &Place) {
        let names = |schema: &Structural| {
            let validation = schema.value_validation.as_ref();
            validation.and_then(|validation| validation.required.clone()).unwrap_or_default()
        };
        for name in names(new).iter().filter(|name| !old.is_required(name)) {
            let is_defaulted = matches!(effective(new, name), Effective::Schema(schema)
                if schema.generic.default.as_deref().is_some_and(|default| !default.is_null()));
            let row = if is_defaulted { &rows::REQUIRED_DEFAULTED } else { &rows::REQUIRED_ADDED };
            let place = at.property(name);
            let mut change = self.change(row, &place, "").values(false, true);
            change.fields = (at.schema_path(self.roots.0), at.schema_path(self.roots.1).child("required"));
            self.push(change.probe(Probe::Absent(place)).probe(Probe::Any));
        }
        for name in names(old).iter().filter(|name| !new.is_required(name)) {
            if matches!(effective(new, name), Effective::Dropped) {
                continue;
            }
            let place = at.property(name);
            let mut change = self.change(&rows::REQUIRED_REMOVED, &place, "").values(true, false);
            change.fields = (at.schema_path(self.roots.0).child("required"), at.schema_path(self.roots.1));
            self.push(change.probe(Probe::Absent(place)).probe(Probe::Any));
        }
    }

    /// Compares what becomes of keys without a property: preserved, described by a schema, or dropped.
    pub(super) fn openness(&mut self, old: &Structural, new: &Structural, at: &Place) {
        let keyword = "x-kubernetes-preserve-unknown-fields";
        let key = at.below(Step::Values);
        let row = match (others(old), others(new)) {
            (Effective::Any, Effective::Dropped) => &rows::PRESERVE_REMOVED,
            (Effective::Dropped, Effective::Any) => &rows::PRESERVE_ADDED,
            (Effective::Any, Effective::Schema(_)) => &rows::VALUES_DESCRIBED,
            (Effective::Schema(_), Effective::Any) => &rows::PROPERTY_OPENED,
            (Effective::Schema(_), Effective::Dropped) => &rows::VALUES_REMOVED,
            (Effective::Dropped, Effective::Schema(_)) => &rows::VALUES_ADDED,
            _ => return,
        };
        if !is_object(old) || !is_object(new) {
            return;
        }
        let row_keyword = if std::ptr::eq(row, &raw const rows::PRESERVE_REMOVED)
            || std::ptr::eq(row, &raw const rows::PRESERVE_ADDED)
        {
            keyword
        } else {
            "additionalProperties"
        };
        let mut change = self.change(row, &key, "");
        let owners = |schema| matches!(others(schema), Effective::Schema(values) if has_owners(values));
        let is_any = |schema| matches!(others(schema), Effective::Any);
        let is_untyped = is_any(old) && owners(new) || owners(old) && is_any(new);
        let is_dropped = matches!(others(new), Effective::Dropped);
        change.has_other_owners = !self.is_owned_whole && is_untyped || is_dropped && is_closed_to_apply(new);
        change.fields = (
            at.schema_path(self.roots.0).child(row_keyword),
            at.schema_path(self.roots.1).child(row_keyword),
        );
        change = change.values(described(old), described(new)).probe(Probe::Present(key.clone()));
        for value in [json!("a"), json!(1), json!({"a": 1}), json!(["a"]), json!(true)] {
            change = change.probe(Probe::Value(key.clone(), value));
        }
        self.push(change);
    }
}

/// Adds values of all types at a place.
fn wrong_types(change: Change, at: &Place) -> Change {
    let values = [json!(1), json!("a"), json!({"a": 1}), json!([1])];
    values.into_iter().fold(change, |change, value| change.probe(Probe::Value(at.clone(), value)))
}

/// Returns `true` if the API server refuses to apply fields that the schema does not declare. It does not look into objects without
/// any properties.
fn is_closed_to_apply(schema: &Structural) -> bool {
    schema.properties.keys().next().is_some()
}

fn effective<'s>(schema: &'s Structural, name: &str) -> Effective<'s> {
    schema.properties.get(name).map_or_else(|| others(schema), Effective::Schema)
}

/// The schema of keys without a property.
fn others(schema: &Structural) -> Effective<'_> {
    match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => Effective::Schema(values),
        Some(AdditionalProperties::Allowed(true)) => Effective::Any,
        _ if schema.extensions.preserve_unknown_fields => Effective::Any,
        Some(AdditionalProperties::Allowed(false)) | None => Effective::Dropped,
    }
}

/// Returns `true` if values of the schema may be objects.
fn is_object(schema: &Structural) -> bool {
    schema.type_.as_ref().is_none_or(|name| name.as_str() == "object") && !schema.is_int_or_string()
}

/// A schema that keeps any value.
fn open() -> Structural {
    let mut schema = Structural::default();
    schema.extensions.preserve_unknown_fields = true;
    schema
}

fn described(schema: &Structural) -> Value {
    match others(schema) {
        Effective::Schema(values) => shown(values),
        Effective::Any => true.into(),
        Effective::Dropped => false.into(),
    }
}

/// A schema as findings show it: in one line, without what is below it.
fn shown(schema: &Structural) -> Value {
    let mut value = schema.to_json_schema().to_value();
    if let Some(fields) = value.as_object_mut() {
        for key in ["properties", "items", "additionalProperties", "description"] {
            fields.shift_remove(key);
        }
    }
    value
}
