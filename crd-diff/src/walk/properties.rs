//! Compares properties, required fields, and the treatment of keys that are not properties.

use crd_core::Structural;
use crd_core::schema::{AdditionalProperties, SchemaType};
use serde_json::{Value, json};

use super::{Role, Walk, has_owners};
use crate::change::{Change, Probe};
use crate::finding::Class;
use crate::rows;
use crate::schema_path::{SchemaPath, Step};

/// The keyword with the schema for keys that are not properties.
const VALUES: &str = "additionalProperties";

/// A schema's treatment of a key in an object.
enum Effective<'s> {
    /// The key is a property or a map key, and its value has this schema.
    Schema(&'s Structural),
    /// Any value is kept, including everything inside it.
    Any,
    /// Any value is kept, but objects in the value lose their fields. This is the effect of `additionalProperties` without a schema.
    Emptied,
    /// The API server drops the key.
    Dropped,
}

impl Walk<'_> {
    /// Compares the properties. A property in only one of the schemas is compared with the other schema's treatment of this key.
    ///
    /// `keys` are the list map keys, if the objects are items of a list.
    pub(super) fn properties(
        &mut self,
        old: &Structural,
        new: &Structural,
        at: &SchemaPath,
        keys: &[String],
    ) {
        if at.is_root() {
            self.metadata(old, new);
        }
        let is_identity = |name: &str| at.is_root() && ["apiVersion", "kind", "metadata"].contains(&name);
        for (name, before) in old.properties.iter().filter(|(name, _)| !is_identity(name)) {
            let at = at.property(name);
            let role = Role {
                is_required: old.is_required(name) && new.is_required(name),
                is_key: keys.iter().any(|key| key == name),
            };
            match effective(new, name) {
                Effective::Schema(after) => {
                    self.role = role;
                    self.node(before, after, &at);
                }
                others @ (Effective::Any | Effective::Emptied) => {
                    let mut change = self.change(&rows::PROPERTY_OPENED, &at, "");
                    change.has_other_owners = !self.is_owned_whole && has_owners(before);
                    let after = open(&others);
                    let pair = Box::new((before.clone(), after.clone()));
                    let change = wrong_types(change.values(shown(before), Value::Null), &at);
                    let change = emptied(change, &others, (before, &at), Class::Data);
                    self.push(change.probe(Probe::DifferingFrom(at.clone(), pair)));
                    self.default(before, &after, &at, role);
                }
                Effective::Dropped => self.removed((old, new), name, before, at),
            }
        }
        let is_new = |name: &str| !is_identity(name) && !old.properties.contains(name);
        for (name, after) in new.properties.iter().filter(|(name, _)| is_new(name)) {
            self.added((old, new), name, after, at.property(name));
        }
        self.required(old, new, at);
    }

    /// Compares a property that has no schema in the old CRD.
    fn added(
        &mut self,
        (old, new): (&Structural, &Structural),
        name: &str,
        after: &Structural,
        at: SchemaPath,
    ) {
        match effective(old, name) {
            Effective::Schema(before) => self.node(before, after, &at),
            others @ (Effective::Any | Effective::Emptied) => {
                let mut change = self.change(&rows::PROPERTY_DESCRIBED, &at, "");
                change.has_other_owners = !self.is_owned_whole && has_owners(after);
                let before = open(&others);
                let pair = Box::new((before.clone(), after.clone()));
                let change = wrong_types(change.values(Value::Null, shown(after)), &at);
                let change = emptied(change, &others, (after, &at), Class::Rollback);
                let change =
                    if matches!(others, Effective::Any) { narrowed(change, after, &at) } else { change };
                self.push(change.probe(Probe::DifferingFrom(at.clone(), pair)));
                let is_required = old.is_required(name) && new.is_required(name);
                self.default(&before, after, &at, Role { is_required, is_key: false });
            }
            Effective::Dropped => {
                let change = self.change(&rows::PROPERTY_ADDED, &at, "");
                let change = change.values(Value::Null, shown(after)).follows(&[Class::Rollback]);
                self.push(change.probe(Probe::Present(at.clone())));
                if let Some(default) = &after.generic.default {
                    let change = self.change(&rows::DEFAULT_ADDED, &at, "default");
                    let change = change.values(Value::Null, (**default).clone());
                    self.push(change.probe(Probe::Absent(at)).probe(Probe::Any));
                }
            }
        }
    }

    /// Adds the change for a removed property.
    fn removed(
        &mut self,
        (old, new): (&Structural, &Structural),
        name: &str,
        before: &Structural,
        at: SchemaPath,
    ) {
        let mut change = self.change(&rows::PROPERTY_REMOVED, &at, "");
        change.has_other_owners = is_closed_to_apply(new);
        change = change.values(shown(before), Value::Null).probe(Probe::Present(at.clone()));
        change = change.follows(&[Class::Data]);
        match (old.is_required(name), new.is_required(name)) {
            // Objects that lack the field are against the old definition.
            (true, false) if !is_defaulted(old, name) => {
                change = change.probe(Probe::Absent(at)).expect(&[Class::Read, Class::Rollback]);
            }
            // No object has the field, which is required all the same.
            (_, true) => change = change.follows(&[Class::Write]),
            _ => {}
        }
        self.push(change);
    }

    /// Compares the schemas of `metadata.name` and `metadata.generateName`. A CRD cannot restrict other metadata.
    fn metadata(&mut self, old: &Structural, new: &Structural) {
        let mut text = Structural::default();
        text.type_ = Some(SchemaType::String);
        for name in ["name", "generateName"] {
            let of = |schema: &Structural| {
                let found = schema.properties.get("metadata").and_then(|schema| schema.properties.get(name));
                found.cloned().unwrap_or_else(|| text.clone())
            };
            self.is_in_metadata = true;
            self.node(&of(old), &of(new), &SchemaPath::default().property("metadata").property(name));
            self.is_in_metadata = false;
        }
    }

    fn required(&mut self, old: &Structural, new: &Structural, at: &SchemaPath) {
        let names = |schema: &Structural| {
            let validation = schema.value_validation.as_ref();
            validation.and_then(|validation| validation.required.clone()).unwrap_or_default()
        };
        for name in names(new).iter().filter(|name| !old.is_required(name)) {
            let row = if is_defaulted(new, name) { &rows::REQUIRED_DEFAULTED } else { &rows::REQUIRED_ADDED };
            let place = at.property(name);
            let mut change = self.change(row, &place, "").values(false, true);
            if row.id == rows::REQUIRED_ADDED.id {
                change = change.follows(&[Class::Write]);
            }
            let (old_field, new_field) = self.fields(at);
            change.fields = (old_field, new_field.child("required"));
            self.push(change.probe(Probe::Absent(place)).probe(Probe::Any));
        }
        for name in names(old).iter().filter(|name| !new.is_required(name)) {
            // That the property is gone is a change of its own.
            let is_dropped = matches!(effective(new, name), Effective::Dropped);
            if is_dropped && old.properties.contains(name) {
                continue;
            }
            let place = at.property(name);
            let mut change = self.change(&rows::REQUIRED_REMOVED, &place, "").values(true, false);
            // A field with a default is optional in code.
            change.has_other_code = !is_dropped && !is_defaulted(old, name);
            let (old_field, new_field) = self.fields(at);
            change.fields = (old_field.child("required"), new_field);
            self.push(change.probe(Probe::Absent(place)).probe(Probe::Any));
        }
    }

    /// Compares the treatment of keys that are not properties: preserved, validated with a schema, or dropped.
    pub(super) fn openness(&mut self, old: &Structural, new: &Structural, at: &SchemaPath) {
        let keyword = "x-kubernetes-preserve-unknown-fields";
        let key = at.below(Step::Values);
        let (before, after) = (others(old), others(new));
        let (row, row_keyword) = match (&before, &after) {
            (Effective::Any | Effective::Emptied, Effective::Dropped) => (&rows::PRESERVE_REMOVED, keyword),
            (Effective::Dropped, Effective::Any | Effective::Emptied) => (&rows::PRESERVE_ADDED, keyword),
            (Effective::Any, Effective::Emptied) => (&rows::PRESERVE_NARROWED, keyword),
            (Effective::Emptied, Effective::Any) => (&rows::PRESERVE_WIDENED, keyword),
            (Effective::Any | Effective::Emptied, Effective::Schema(_)) => (&rows::VALUES_DESCRIBED, VALUES),
            (Effective::Schema(_), Effective::Any | Effective::Emptied) => (&rows::PROPERTY_OPENED, VALUES),
            (Effective::Schema(_), Effective::Dropped) => (&rows::VALUES_REMOVED, VALUES),
            (Effective::Dropped, Effective::Schema(_)) => (&rows::VALUES_ADDED, VALUES),
            _ => return,
        };
        if !is_object(old) || !is_object(new) {
            return;
        }
        let mut change = self.change(row, &key, "");
        let owners = |keys: &Effective<'_>| matches!(keys, Effective::Schema(values) if has_owners(values));
        let is_any = |keys: &Effective<'_>| matches!(keys, Effective::Any | Effective::Emptied);
        let is_untyped = is_any(&before) && owners(&after) || owners(&before) && is_any(&after);
        let is_dropped = matches!(after, Effective::Dropped);
        change.has_other_owners = !self.is_owned_whole && is_untyped || is_dropped && is_closed_to_apply(new);
        let (old_field, new_field) = self.fields(at);
        change.fields = (old_field.child(row_keyword), new_field.child(row_keyword));
        change = change.values(described(old), described(new)).probe(Probe::Present(key.clone()));
        change = match (&before, &after) {
            (_, Effective::Dropped) | (Effective::Any, Effective::Emptied) => change.follows(&[Class::Data]),
            (Effective::Dropped, _) | (Effective::Emptied, Effective::Any) => {
                change.follows(&[Class::Rollback])
            }
            _ => change,
        };
        for value in [json!("a"), json!(1), json!({"a": 1}), json!(["a"]), json!(true)] {
            change = change.probe(Probe::Value(key.clone(), value));
        }
        if let Effective::Schema(values) = before {
            change = emptied(change, &after, (values, &key), Class::Data);
        }
        if let Effective::Schema(values) = after {
            change = emptied(change, &before, (values, &key), Class::Rollback);
            if matches!(before, Effective::Any) {
                change = narrowed(change, values, &key);
            }
        }
        self.push(change);
    }
}

/// Adds probes with values of different types.
fn wrong_types(change: Change, at: &SchemaPath) -> Change {
    let values = [json!(1), json!("a"), json!({"a": 1}), json!([1])];
    values.into_iter().fold(change, |change, value| change.probe(Probe::Value(at.clone(), value)))
}

/// Adds an expected class for lost fields, if one CRD drops all fields in a value, and the other CRD has a schema for them.
fn emptied(
    change: Change,
    others: &Effective<'_>,
    (schema, at): (&Structural, &SchemaPath),
    class: Class,
) -> Change {
    match field_below(schema, at) {
        Some(field) if matches!(others, Effective::Emptied) => {
            change.expect(&[class]).probe(Probe::Present(field))
        }
        _ => change,
    }
}

/// Adds an expected class for lost fields, if a new schema drops fields in a value that was unrestricted before.
pub(super) fn narrowed(change: Change, schema: &Structural, at: &SchemaPath) -> Change {
    match losing(schema) {
        Some(value) => change.expect(&[Class::Data]).probe(Probe::Value(at.clone(), value)),
        None => change,
    }
}

/// Returns a value with a field that the API server drops because it is not in the schema.
fn losing(schema: &Structural) -> Option<Value> {
    if is_object(schema) && matches!(others(schema), Effective::Dropped) {
        return Some(json!({"unknown": 1}));
    }
    if let Some(items) = &schema.items {
        return Some(json!([losing(items)?]));
    }
    let (name, value) = schema.properties.iter().find_map(|(name, schema)| Some((name, losing(schema)?)))?;
    Some(json!({name: value}))
}

/// Returns the path of a field, at or below `at`, that the API server does not drop.
fn field_below(schema: &Structural, at: &SchemaPath) -> Option<SchemaPath> {
    if let Some(name) = schema.properties.keys().next() {
        return Some(at.property(name));
    }
    if let Some(items) = &schema.items {
        return field_below(items, &at.below(Step::Items));
    }
    let is_kept = is_object(schema) && !matches!(others(schema), Effective::Dropped);
    is_kept.then(|| at.below(Step::Values))
}

/// Returns `true` if the API server rejects apply requests with fields that are not in the schema. Objects without any properties in the
/// schema are not checked.
fn is_closed_to_apply(schema: &Structural) -> bool {
    schema.properties.keys().next().is_some()
}

fn effective<'s>(schema: &'s Structural, name: &str) -> Effective<'s> {
    schema.properties.get(name).map_or_else(|| others(schema), Effective::Schema)
}

/// Returns `true` if the API server fills in a default for the field.
fn is_defaulted(schema: &Structural, name: &str) -> bool {
    matches!(effective(schema, name), Effective::Schema(schema)
        if schema.generic.default.as_deref().is_some_and(|default| !default.is_null()))
}

/// Returns a schema's treatment of keys that are not properties.
fn others(schema: &Structural) -> Effective<'_> {
    match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => Effective::Schema(values),
        // The API server keeps the keys even with `false`: pruning/algorithm.go.
        Some(AdditionalProperties::Allowed(_)) => Effective::Emptied,
        None if schema.extensions.preserve_unknown_fields => Effective::Any,
        None => Effective::Dropped,
    }
}

/// Returns `true` if values with this schema may be objects.
pub(super) fn is_object(schema: &Structural) -> bool {
    schema.type_.as_ref().is_none_or(|name| name.as_str() == "object") && !schema.is_int_or_string()
}

/// Returns a schema that accepts every value, and that keeps or drops fields in the value according to the given treatment.
fn open(others: &Effective<'_>) -> Structural {
    let mut schema = Structural::default();
    schema.extensions.preserve_unknown_fields = !matches!(others, Effective::Emptied);
    schema
}

fn described(schema: &Structural) -> Value {
    match others(schema) {
        Effective::Schema(values) => shown(values),
        Effective::Any | Effective::Emptied => true.into(),
        Effective::Dropped => false.into(),
    }
}

/// Returns a schema in the form for messages, without nested schemas.
fn shown(schema: &Structural) -> Value {
    let mut value = schema.to_json_schema().to_value();
    if let Some(fields) = value.as_object_mut() {
        for key in ["properties", "items", "additionalProperties", "description"] {
            crd_go::json::remove(fields, key);
        }
    }
    value
}
