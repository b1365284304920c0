//! The answers of two definitions to objects, and the classes that they show.

use std::collections::BTreeMap;

use crd_core::admit::{Rejection, Validator};
use crd_core::crd::Version;
use crd_core::{CustomResourceDefinition, Structural};
use crd_diff::{Class, Witness};
use crd_sample::steps_of;
use serde_json::{Value, json};

use super::edits::for_rejected_edit;
use super::nearby::has_list_for_string;
use super::server::lost;

/// A definition that answers requests.
pub(crate) struct Side {
    validator: Validator,
    /// The `apiVersion` of stored objects.
    storage: String,
    /// The versions whose status is a subresource.
    with_status: Vec<String>,
    schemas: BTreeMap<String, Structural>,
}

impl Side {
    pub(crate) fn new(crd: &CustomResourceDefinition) -> Option<Self> {
        let has_status =
            |version: &&Version| version.subresources.as_ref().is_some_and(|all| all.status.is_some());
        let versions = crd.spec.versions.iter().filter(has_status);
        let with_status = versions.map(|version| version.name.clone()).collect();
        let schema = |version: &Version| {
            Some((version.name.clone(), Structural::from_json_schema(version.open_api_v3_schema()?).ok()?))
        };
        let schemas = crd.spec.versions.iter().filter_map(schema).collect();
        let storage = &crd.spec.versions.iter().find(|version| version.storage)?.name;
        let storage = format!("{}/{storage}", crd.spec.group);
        Some(Self { validator: Validator::new(crd).ok()?, storage, with_status, schemas })
    }

    /// Returns `true` if a list stands in the place of a string.
    pub(crate) fn has_list_for_string(&self, object: &Value) -> bool {
        self.schemas.get(version_of(object)).is_some_and(|schema| has_list_for_string(schema, object))
    }

    /// Returns `true` if the object is certainly refused.
    pub(crate) fn refuses(&self, object: &Value) -> bool {
        !self.validator.accepts(object)
    }

    fn has_status(&self, object: &Value) -> bool {
        self.with_status.iter().any(|name| name == version_of(object))
    }

    /// Creates an object, and writes its status where that is a subresource.
    fn create(&self, object: &Value) -> Result<Value, Rejection> {
        let stored = self.validator.create(object).result?;
        match object.get("status") {
            Some(status) if self.has_status(object) && stored.get("status") != Some(status) => {
                self.validator.update_status(object, &stored).result
            }
            _ => Ok(stored),
        }
    }

    /// Replaces an object, or its status where that is a subresource and an edit is about it.
    fn update(&self, object: &Value, stored: &Value, is_of_status: bool) -> Result<Value, Rejection> {
        if is_of_status && self.has_status(object) {
            return self.validator.update_status(object, stored).result;
        }
        self.validator.update(object, stored).result
    }

    /// Reads an object that a definition stored, in the version in which it was created.
    fn read(&self, stored: &Value, by: &Self) -> Result<Value, Rejection> {
        if stored["apiVersion"] == *by.storage {
            return self.validator.read(stored, version_of(stored));
        }
        let mut in_storage = stored.clone();
        in_storage["apiVersion"] = by.storage.as_str().into();
        self.validator.read(&in_storage, version_of(stored))
    }

    /// Changes a label of an object that a definition stored.
    fn label(&self, stored: &Value, by: &Self) -> Result<Value, Rejection> {
        let mut object = self.read(stored, by)?;
        object["metadata"]["labels"] = json!({"changed": "true"});
        self.update(&object, stored, false)
    }
}

fn version_of(object: &Value) -> &str {
    object["apiVersion"].as_str().unwrap().rsplit('/').next().unwrap()
}

/// Asks admission again about a witness that has a refusal. Returns the answer, if it is another one.
pub(crate) fn confirm(old: &Side, new: &Side, witness: &Witness) -> Option<String> {
    let (first, second) = match witness.class {
        Class::Write | Class::Edit | Class::Stuck => (old, new),
        Class::Read | Class::Rollback => (new, old),
        _ => return None,
    };
    let Some(object) = &witness.new else { panic!("{witness:?}") };
    if !witness.answer.contains("invalid") {
        return None;
    }
    let answer = match &witness.old {
        None if first.create(object).is_err() => return Some(format!("not accepted: {witness:?}")),
        None => second.create(object),
        Some(stored) => {
            let found =
                if witness.class == Class::Read { stored } else { &second.read(stored, first).unwrap() };
            second.update(object, stored, object.get("status") != found.get("status"))
        }
    };
    let answer = answer.map_or_else(|refusal| refusal.to_string(), |_| "accepted".to_owned());
    (answer != witness.answer).then(|| format!("{answer:?} to {witness:?}"))
}

/// Classes, one of which is shown, with the answer.
pub(crate) type Shown = (Vec<Class>, String);

/// Returns the classes that an object of one of the definitions shows. If both store the same, nothing differs unless a rule compares it
/// with itself; `is_thorough` asks for that, too.
pub(crate) fn shown(old: &Side, new: &Side, object: &Value, is_thorough: bool) -> Vec<Shown> {
    let mut out: Vec<Shown> = Vec::new();
    let text = |answer: Result<Value, Rejection>| {
        answer.map_or_else(|refusal| refusal.to_string(), |_| String::new())
    };
    let (before, after) = (old.create(object), new.create(object));
    // What a definition drops, it does not describe: such a request is a mistake that it does not notice.
    let keeps =
        |stored: &Result<Value, Rejection>| stored.as_ref().is_ok_and(|stored| !is_dropped(object, stored));
    match (&before, &after) {
        (Ok(before), Ok(after)) if before == after && !is_thorough => return out,
        (Err(_), Err(_)) => return out,
        (Ok(_), Err(_)) if keeps(&before) => out.push((vec![Class::Write], text(after.clone()))),
        (Err(_), Ok(stored)) => {
            out.extend(keeps(&after).then(|| (vec![Class::Rollback], text(before.clone()))));
            // Readers meet the stored object, with its defaults, and not the request.
            if let (Err(refusal), Ok(_)) = (old.create(stored), new.create(stored)) {
                out.push((vec![Class::Read], refusal.to_string()));
            }
        }
        _ => {}
    }
    // An object may lose fields on its way through another version under both definitions. The change does not cause that.
    if let Ok(stored) = &before
        && let Ok(read) = new.read(stored, old)
    {
        if old.read(stored, old).is_ok_and(|known| known != read) {
            out.push((vec![Class::Data], format!("{stored} is read as {read}")));
        }
        if let (Err(refusal), Ok(_)) = (new.label(stored, old), old.label(stored, old)) {
            out.push((vec![Class::Stuck], refusal.to_string()));
        }
    }
    if let Ok(stored) = &after
        && let Ok(read) = old.read(stored, new)
    {
        if new.read(stored, new).is_ok_and(|known| lost(&known, &read)) {
            out.push((vec![Class::Rollback], format!("{stored} is read as {read}")));
        }
        if let (Err(refusal), Ok(_)) = (old.label(stored, new), new.label(stored, new)) {
            out.push((vec![Class::Rollback], refusal.to_string()));
        }
    }
    out
}

/// Returns `true` if values of a request are not stored.
fn is_dropped(sent: &Value, stored: &Value) -> bool {
    match (sent, stored) {
        (Value::Object(sent), Value::Object(stored)) => sent.iter().any(|(name, value)| {
            stored.get(name).map_or(!value.is_null(), |stored| is_dropped(value, stored))
        }),
        (Value::Array(sent), Value::Array(stored)) if sent.len() == stored.len() => {
            sent.iter().zip(stored).any(|(sent, stored)| is_dropped(sent, stored))
        }
        _ => false,
    }
}

/// Returns the classes that refused edits show: those of an object of the old definition that only the new one refuses, and the other
/// way round. `edit` edits an object.
pub(crate) fn shown_by_edits(
    old: &Side,
    new: &Side,
    object: &Value,
    edit: &mut dyn FnMut(&Value) -> Vec<Value>,
) -> Vec<Shown> {
    let mut out = Vec::new();
    for (before, after, is_forward) in [(old, new, true), (new, old, false)] {
        let Ok(stored) = before.create(object) else { continue };
        let Ok(read) = after.read(&stored, before) else { continue };
        if after.label(&stored, before).is_err() {
            continue;
        }
        for edited in edit(&read) {
            let is_of_status = edited.get("status") != read.get("status");
            let Ok(result) = before.update(&edited, &stored, is_of_status) else { continue };
            // An object that loses fields on its way through another version is refused at its first edit, which this one is not yet for a
            // definition that drops it.
            let is_dropped_edit =
                || before.update(&read, &stored, is_of_status).is_ok_and(|unedited| unedited == result);
            if before.create(&read).is_err() && is_dropped_edit() {
                continue;
            }
            if is_dropped(&edited, &result) || [old, new].iter().any(|side| side.has_list_for_string(&edited))
            {
                continue;
            }
            // Readers meet the stored object, with its defaults, and not the request.
            let edited = if is_forward { edited } else { result };
            let Err(refusal) = after.update(&edited, &stored, is_of_status) else { continue };
            // An object that loses fields on its way through another version may be refused by both.
            if before.update(&edited, &stored, is_of_status).is_err() {
                continue;
            }
            let places = |refusal: &Rejection, object: &Value| -> Vec<Vec<String>> {
                refusal.causes.iter().map(|cause| steps_of(&cause.place, object)).collect()
            };
            let classes = if is_forward {
                let known = after.create(&read).err().map(|refusal| places(&refusal, &read));
                for_rejected_edit((&read, &edited), &places(&refusal, &edited), &known.unwrap_or_default())
            } else {
                vec![Class::Read, Class::Rollback]
            };
            out.push((classes, format!("{read} edited to {edited}: {refusal}")));
        }
    }
    out
}
