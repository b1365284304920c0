//! Types, `nullable`, defaults and embedded resources.

use crd_core::Structural;
use crd_core::schema::SchemaType;
use serde_json::{Value, json};

use super::{Walk, has_owners};
use crate::change::Probe;
use crate::place::Place;
use crate::rows::{self, Row};

impl Walk<'_> {
    /// Compares the types. Returns `true` if values of both have the same form, so that the rest can be compared.
    pub(super) fn types(&mut self, old: &Structural, new: &Structural, at: &Place) -> bool {
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
        self.push(change);
        let is_number = |name: &str| ["integer", "number"].contains(&name);
        is_number(&before) && is_number(&after)
    }

    /// Compares `nullable`, `default`, and the mark of embedded resources.
    pub(super) fn generic(&mut self, old: &Structural, new: &Structural, at: &Place) {
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
        let (before, after) = (old.generic.default.as_deref(), new.generic.default.as_deref());
        let row = match (before, after) {
            (None, Some(_)) => Some(&rows::DEFAULT_ADDED),
            (Some(_), None) => Some(&rows::DEFAULT_REMOVED),
            (Some(before), Some(after)) if before != after => Some(&rows::DEFAULT_CHANGED),
            _ => None,
        };
        if let Some(row) = row {
            let value = |default: Option<&Value>| default.cloned().unwrap_or_default();
            let change = self.change(row, at, "default").values(value(before), value(after));
            self.push(change.probe(Probe::Absent(at.clone())).probe(Probe::Any));
        }
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
}

/// The type as messages name it.
fn type_name(schema: &Structural) -> String {
    match &schema.type_ {
        _ if schema.is_int_or_string() => "int-or-string".to_owned(),
        Some(SchemaType::Unknown(name)) => name.to_string(),
        Some(name) => name.as_str().to_owned(),
        None => "any".to_owned(),
    }
}
