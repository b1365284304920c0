//! Effects that one object shows: both definitions answer requests with it, and the answers are compared.

use crd_core::Structural;
use crd_core::admit::Rejection;
use crd_sample::{Sampler, put_at, steps_of, value_at};
use serde_json::{Value, json};

use super::edits::Edits;
use super::side::{Pair, Side, Target, version_of};
use crate::finding::{Class, Witness};
use crate::schema_path::SchemaPath;

/// An effect, with everything that tells which change it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    pub(crate) witness: Witness,
    /// The refusal, if a request was refused.
    pub(crate) refusal: Option<Rejection>,
    /// The places of the causes, or of the values that differ.
    pub(crate) places: Vec<Vec<String>>,
    /// `true` if stored values are lost or changed.
    pub(crate) is_loss: bool,
}

/// The classes that an object of the old definition can show, and that one of the new definition can.
pub(crate) const FORWARD: [Class; 4] = [Class::Stuck, Class::Data, Class::Edit, Class::Write];
pub(crate) const BACKWARD: [Class; 2] = [Class::Read, Class::Rollback];

/// The place of a change, near which objects are edited.
#[derive(Clone, Copy)]
pub(crate) struct Near<'p> {
    pub(crate) place: &'p SchemaPath,
    /// `true` for rules that compare the value itself with the old one.
    pub(crate) is_of_transition: bool,
    /// `true` for changes of `nullable`: a `null` that one definition drops leaves the value as it is.
    pub(crate) is_of_null: bool,
}

impl Near<'_> {
    fn edits<'e>(&'e self, schema: &'e Structural, sampler: Option<&'e Sampler>) -> Edits<'e> {
        let (is_of_transition, puts_null) = (self.is_of_transition, self.is_of_null);
        Edits { schema, sampler, at: self.place, is_of_transition, puts_null }
    }
}

/// Returns all effects of a class that `object` shows.
pub(crate) fn evidence(pair: &Pair, class: Class, object: &Value, at: Near<'_>) -> Vec<Evidence> {
    match class {
        Class::Write => written(pair, object).into_iter().collect(),
        Class::Data => data(pair, object),
        Class::Stuck => stuck(pair, object).into_iter().collect(),
        Class::Edit => edited(pair, object, at),
        Class::Read => read(pair, object, at),
        Class::Rollback => rolled_back(pair, object),
        Class::Server | Class::Apply | Class::Rust => Vec::new(),
    }
}

/// Returns the effects that an object of the old definition shows, at most one of each class.
pub(crate) fn find_effects(pair: &Pair, object: &Value) -> Vec<Evidence> {
    let mut out: Vec<Evidence> = stuck(pair, object).into_iter().collect();
    out.extend(data(pair, object).into_iter().find(|evidence| evidence.is_loss));
    let Some(written) = written(pair, object) else { return out };
    if out.iter().all(|evidence| evidence.witness.class != Class::Stuck) {
        let edited = written.places.iter().take(5).find_map(|steps| {
            let place = steps.iter().fold(SchemaPath::default(), |place, step| place.property(step));
            edited(pair, object, Near { place: &place, is_of_transition: false, is_of_null: false })
                .into_iter()
                .next()
        });
        out.extend(edited);
    }
    out.push(written);
    out
}

/// A request that the old definition accepts and the new one refuses.
fn written(pair: &Pair, object: &Value) -> Option<Evidence> {
    pair.old.create(object).ok()?;
    let refusal = pair.new.create(object).err()?;
    Some(refused(Class::Write, None, object, refusal))
}

/// A stored object that comes back otherwise, or a request that is stored otherwise.
fn data(pair: &Pair, object: &Value) -> Vec<Evidence> {
    let mut found = Vec::new();
    if pair.old.sampler(version_of(object)).is_none() {
        // The version is new: its objects may lose fields on the way through the storage version.
        if let Ok(created) = pair.new.create(object) {
            let mut differences = differences(object, &created);
            differences.retain(|difference| difference.kind == Kind::Lost);
            if !differences.is_empty() {
                found.push(differing(
                    Class::Data,
                    object,
                    created,
                    differences,
                    "when the object is created",
                ));
            }
        }
        return found;
    }
    let Ok(stored) = pair.old.create(object) else { return Vec::new() };
    if let Some((known, read)) = both_read((&pair.old, &pair.new), &stored) {
        let differences = differences(&known, &read);
        if !differences.is_empty() {
            found.push(differing(Class::Data, &known, read, differences, "when the stored object is read"));
        }
    }
    if let Ok(created) = pair.new.create(object) {
        let mut differences = differences(&stored, &created);
        // A value that was dropped and is kept now is what new fields are for.
        differences.retain(|difference| {
            let (sent, kept) = (value_at(object, &difference.at), value_at(&created, &difference.at));
            difference.kind != Kind::Added || sent != kept
        });
        if !differences.is_empty() {
            // Values of the request itself are lost; other differences come from defaults.
            let is_loss = differences.iter().any(|difference| {
                difference.kind != Kind::Added && value_at(object, &difference.at).is_some()
            });
            let mut evidence =
                differing(Class::Data, &stored, created, differences, "when the same object is created");
            evidence.is_loss = is_loss;
            found.push(evidence);
        }
    }
    found
}

/// A stored object of which not even a label can be changed.
fn stuck(pair: &Pair, object: &Value) -> Option<Evidence> {
    let stored = pair.old.create(object).ok()?;
    let labelled = with_label(pair.new.read(&stored, &pair.old).ok()?);
    let refusal = pair.new.update(&labelled, &stored, Target::Object).err()?;
    if is_stuck(&pair.old, &stored) {
        return None;
    }
    Some(refused(Class::Stuck, Some(&stored), &labelled, refusal))
}

/// Changes of other values than the wrong one, which the new definition refuses.
fn edited(pair: &Pair, object: &Value, at: Near<'_>) -> Vec<Evidence> {
    let Ok(stored) = pair.old.create(object) else { return Vec::new() };
    let version = version_of(object);
    let Ok(read) = pair.new.read(&stored, &pair.old) else { return Vec::new() };
    if pair.new.update(&with_label(read.clone()), &stored, Target::Object).is_err() {
        return Vec::new();
    }
    let Some(schema) = pair.old.schema(version) else { return Vec::new() };
    let sampler = pair.old.sampler(version);
    let accepted =
        at.edits(schema, sampler).edited(&read).into_iter().take_while(|_| !pair.work.is_over()).filter_map(
            |edited| {
                let target = Target::for_edit(&read, &edited);
                pair.old.update(&edited, &stored, target).ok()?;
                let refusal = pair.new.update(&edited, &stored, target).err()?;
                Some(refused(Class::Edit, Some(&stored), &edited, refusal))
            },
        );
    accepted.take(3).collect()
}

/// An object of the new definition that the old one never allowed, or that lacks something which the old one guarantees.
fn read(pair: &Pair, object: &Value, at: Near<'_>) -> Vec<Evidence> {
    let Ok(stored) = pair.new.create(object) else { return Vec::new() };
    let mut found = Vec::new();
    match pair.old.create(object) {
        Err(_) => {
            // Readers meet the stored object, with its defaults, and not the request.
            if let Err(refusal) = pair.old.create(&stored)
                && pair.new.create(&stored).is_ok()
            {
                found.push(refused(Class::Read, None, &stored, refusal));
            }
            return found;
        }
        Ok(_) => {
            // The old definition fills in what it guarantees.
            let before = pair.old.create(&stored).unwrap_or_else(|_| stored.clone());
            let mut differences = differences(&before, &stored);
            // Readers lack what was guaranteed, or meet `null`, which was dropped.
            differences.retain(|difference| {
                let is_null = value_at(&stored, &difference.at).is_some_and(Value::is_null);
                difference.kind == Kind::Lost || is_null
            });
            if !differences.is_empty() {
                found.push(differing(
                    Class::Read,
                    &before,
                    stored.clone(),
                    differences,
                    "in answers of the server",
                ));
            }
        }
    }
    // Transitions that the old definition refused.
    let Some(schema) = pair.new.schema(version_of(object)) else { return found };
    let sampler = pair.new.sampler(version_of(object));
    let refusals = at
        .edits(schema, sampler)
        .edited(&stored)
        .into_iter()
        .take_while(|_| !pair.work.is_over())
        .filter_map(|edited| {
            let target = Target::for_edit(&stored, &edited);
            // Readers meet the stored object, with its defaults, and not the request.
            let edited = pair.new.update(&edited, &stored, target).ok()?;
            let refusal = pair.old.update(&edited, &stored, target).err()?;
            // An object that loses fields on its way through another version may be refused by both.
            pair.new.update(&edited, &stored, target).ok()?;
            Some(refused(Class::Read, Some(&stored), &edited, refusal))
        });
    found.extend(refusals.take(3));
    found
}

/// An object of the new definition that loses fields, or cannot be written, under the old one.
fn rolled_back(pair: &Pair, object: &Value) -> Vec<Evidence> {
    let Ok(stored) = pair.new.create(object) else { return Vec::new() };
    let mut found = Vec::new();
    if let Ok(read) = pair.old.read(&stored, &pair.new) {
        let labelled = with_label(read);
        if let Err(refusal) = pair.old.update(&labelled, &stored, Target::Object)
            && !is_stuck(&pair.new, &stored)
        {
            found.push(refused(Class::Rollback, Some(&stored), &labelled, refusal));
        }
    }
    if let Some((known, read)) = both_read((&pair.new, &pair.old), &stored) {
        let mut differences = differences(&known, &read);
        differences.retain(|difference| difference.kind != Kind::Added);
        if !differences.is_empty() {
            found.push(differing(Class::Rollback, &known, read, differences, "under the old definition"));
        }
    }
    if let Err(refusal) = pair.old.create(object) {
        found.push(refused(Class::Rollback, None, object, refusal));
    }
    found
}

/// Returns `true` if not even a label of a stored object can be changed under the definition that stored it. This happens
/// where an object loses a required field on its way through another version.
fn is_stuck(side: &Side, stored: &Value) -> bool {
    side.read(stored, side).is_ok_and(|read| side.update(&with_label(read), stored, Target::Object).is_err())
}

/// A stored object as the definition that stored it answers it, and as the other one does. Reading may change an object under
/// both: on its way through another version it loses fields and gets defaults.
fn both_read((own, other): (&Side, &Side), stored: &Value) -> Option<(Value, Value)> {
    let read = other.read(stored, own).ok()?;
    // An object in the version in which it is stored comes back as it was created.
    if read == *stored && own.storage() == version_of(stored) {
        return None;
    }
    let known = own.read(stored, own).ok()?;
    (known != read).then_some((known, read))
}

fn refused(class: Class, old: Option<&Value>, new: &Value, refusal: Rejection) -> Evidence {
    let places = refusal.causes.iter().map(|cause| &cause.place);
    let places = places.chain(refusal.broken_rules().map(|broken| &broken.at));
    let places = places.map(|place| steps_of(place, new)).collect();
    let witness = Witness { class, old: old.cloned(), new: Some(new.clone()), answer: refusal.to_string() };
    Evidence { witness, refusal: Some(refusal), places, is_loss: false }
}

fn differing(class: Class, old: &Value, new: Value, differences: Vec<Difference>, when: &str) -> Evidence {
    let text = |difference: &Difference| {
        let value =
            |object: &Value| value_at(object, &difference.at).map(Value::to_string).unwrap_or_default();
        let path = difference.at.join(".");
        match difference.kind {
            Kind::Lost => format!("`{path}` is missing"),
            Kind::Added => format!("`{path}` is {}", value(&new)),
            Kind::Changed => format!("`{path}` is {}, not {}", value(&new), value(old)),
        }
    };
    let texts: Vec<String> = differences.iter().take(3).map(text).collect();
    let answer = format!("{} {when}", texts.join(", "));
    Evidence {
        is_loss: differences.iter().any(|difference| difference.kind != Kind::Added),
        places: differences.into_iter().map(|difference| difference.at).collect(),
        witness: Witness { class, old: Some(old.clone()), new: Some(new), answer },
        refusal: None,
    }
}

fn with_label(mut object: Value) -> Value {
    let labels = ["metadata", "labels"].map(str::to_owned);
    if value_at(&object, &labels).is_none_or(Value::is_null) {
        put_at(&mut object, &labels, json!({}));
    }
    put_at(&mut object, &["metadata", "labels", "changed"].map(str::to_owned), json!("true"));
    object
}

/// A value that differs between two objects.
struct Difference {
    at: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lost,
    Added,
    Changed,
}

/// The values outside of metadata that differ.
fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut out = Vec::new();
    let (Value::Object(before), Value::Object(after)) = (before, after) else { return out };
    let ignored = ["apiVersion", "metadata"];
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    for name in names.filter(|name| !ignored.contains(&name.as_str())) {
        compare(before.get(name), after.get(name), std::slice::from_ref(name), &mut out);
    }
    out
}

fn compare(before: Option<&Value>, after: Option<&Value>, at: &[String], out: &mut Vec<Difference>) {
    let below = |step: &str| at.iter().cloned().chain([step.to_owned()]).collect::<Vec<_>>();
    let kind = match (before, after) {
        (None, None) => return,
        (Some(_), None) => Kind::Lost,
        (None, Some(_)) => Kind::Added,
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for name in before.keys().chain(after.keys().filter(|name| !before.contains_key(*name))) {
                compare(before.get(name), after.get(name), &below(name), out);
            }
            return;
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                compare(Some(before), Some(after), &below(&index.to_string()), out);
            }
            return;
        }
        (Some(before), Some(after)) if before == after => return,
        _ => Kind::Changed,
    };
    out.push(Difference { at: at.to_vec(), kind });
}
