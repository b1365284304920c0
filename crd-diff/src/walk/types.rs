//! Compares types, `nullable`, defaults and embedded resources.

use crd_core::Structural;
use crd_core::crd::ValidationRule;
use crd_core::schema::SchemaType;
use serde_json::{Value, json};

use super::properties::{is_object, narrowed};
use super::{Role, Walk, has_owners};
use crate::change::Probe;
use crate::finding::Class;
use crate::rows::{self, Row};
use crate::schema_path::{SchemaPath, Step};

impl Walk<'_> {
    /// Compares the types of two schemas. Returns `true` if other keywords can be compared too, because the types are equal or both
    /// numeric.
    pub(super) fn types(&mut self, old: &Structural, new: &Structural, at: &SchemaPath) -> bool {
        let (before, after) = (type_name(old), type_name(new));
        if before == after {
            return true;
        }
        let row: &'static Row = match (before.as_str(), after.as_str()) {
            ("integer", "number") | ("integer" | "string", "int-or-string") => &rows::TYPE_WIDENED,
            ("number", "integer") | ("int-or-string", "integer" | "string") => &rows::TYPE_NARROWED,
            (_, "any") => &rows::PROPERTY_OPENED,
            ("any", _) => &rows::PROPERTY_DESCRIBED,
            _ => &rows::TYPE_CHANGED,
        };
        let mut change = self.differing(row, at, "type", (old, new)).values(before.clone(), after.clone());
        let scalars = [json!(1), json!(1.5), json!("a"), json!("1"), json!(true), json!({}), json!([])];
        for value in scalars {
            change = change.probe(Probe::Value(at.clone(), value));
        }
        // Lists and maps without a type have the owners of values without a schema.
        let is_untyped = [&before, &after].iter().any(|name| *name == "any");
        change.has_other_owners = !self.is_owned_whole && is_untyped && (has_owners(old) || has_owners(new));
        // If the new type does not keep unknown fields, the walk of properties reports those that objects lose.
        if before == "any" && old.extensions.preserve_unknown_fields && !is_object(new) {
            change = narrowed(change, new, at);
        }
        self.push(change);
        let is_number = |name: &str| ["integer", "number"].contains(&name);
        is_number(&before) && is_number(&after)
    }

    /// Compares `nullable`, `default` and `x-kubernetes-embedded-resource` in two schemas.
    pub(super) fn generic(&mut self, (old, new): (&Structural, &Structural), at: &SchemaPath, role: Role) {
        let null = || Probe::Value(at.clone(), Value::Null);
        match (old.is_nullable(), new.is_nullable()) {
            (true, false) => {
                let change = self.change(&rows::NULLABLE_REMOVED, at, "nullable").values(true, false);
                self.push(change.probe(null()));
            }
            (false, true) => {
                let change = self.change(&rows::NULLABLE_ADDED, at, "nullable").values(false, true);
                self.push(change.probe(null()));
            }
            _ => {}
        }
        self.default(old, new, at, role);
        let keyword = "x-kubernetes-embedded-resource";
        let row = match (old.is_embedded_resource(), new.is_embedded_resource()) {
            (false, true) => &rows::EMBEDDED_ADDED,
            (true, false) => &rows::EMBEDDED_REMOVED,
            _ => return,
        };
        let (before, after) = (old.is_embedded_resource(), new.is_embedded_resource());
        let change = self.differing(row, at, keyword, (old, new)).values(before, after);
        self.push(change.probe(Probe::Value(at.clone(), json!({}))).probe(Probe::Present(at.clone())));
    }

    /// Compares the defaults in two schemas.
    pub(super) fn default(&mut self, old: &Structural, new: &Structural, at: &SchemaPath, role: Role) {
        let (before, after) = (old.generic.default.as_deref(), new.generic.default.as_deref());
        let row = match (before, after) {
            (None, Some(_)) => Some(&rows::DEFAULT_ADDED),
            (Some(_), None) => Some(&rows::DEFAULT_REMOVED),
            (Some(before), Some(after)) if before != after => Some(&rows::DEFAULT_CHANGED),
            _ => None,
        };
        if let Some(row) = row {
            let value = |default: Option<&Value>| default.cloned().unwrap_or_default();
            let mut change = self.change(row, at, "default").values(value(before), value(after));
            // A required field without a default is not optional in code, and one without a default may hold `null`.
            let is_nullable = old.is_nullable() || new.is_nullable();
            change.has_other_code = before.is_some() != after.is_some() && (role.is_required || is_nullable);
            // A definition with the default takes a required field that is left out, and `null` for an item, which the other one rejects.
            let is_item = matches!(at.walk().last(), Some(Step::Items)) && !is_nullable;
            if role.is_required || is_item {
                change = match (before, after) {
                    (None, _) => change.expect(&[Class::Rollback]),
                    (_, None) => change.expect(&[Class::Write]),
                    _ => change,
                };
            }
            // The first value of a field that was absent becomes a change of the default.
            if before.is_none() && new.validations.iter().any(ValidationRule::uses_old_self) {
                change = change.expect(&[Class::Edit]);
            }
            // An item without a key is the same as another one under one definition, and not under the other.
            if let (true, Some(before), Some(after)) = (role.is_key, before, after) {
                let twins = Probe::Twins(at.clone(), [before.clone(), after.clone()]);
                change = change.expect(&[Class::Write, Class::Rollback]).probe(twins);
            }
            let null = Probe::Value(at.clone(), Value::Null);
            self.push(change.probe(Probe::Absent(at.clone())).probe(null).probe(Probe::Any));
        }
    }
}

/// Returns the type's name for messages.
fn type_name(schema: &Structural) -> String {
    match &schema.type_ {
        _ if schema.is_int_or_string() => "int-or-string".to_owned(),
        Some(SchemaType::Unknown(name)) => name.to_string(),
        Some(name) => name.as_str().to_owned(),
        None => "any".to_owned(),
    }
}
