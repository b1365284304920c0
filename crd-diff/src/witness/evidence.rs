//! Finds out how an object is affected. Runs requests with the object under both CRDs, and compares the results.

use crd_core::Structural;
use crd_core::admit::Rejection;
use crd_sample::{Sampler, put_at, steps_of, value_at};
use serde_json::{Value, json};

use super::edits::Edits;
use super::side::{Side, Target, version_of};
use super::tried::Tried;
use crate::finding::{Class, Witness};
use crate::schema_path::SchemaPath;

/// A failure that was found with an object, and the data from which the responsible change can be identified.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    pub(crate) witness: Witness,
    /// The rejection, if a request was rejected.
    pub(crate) refusal: Option<Rejection>,
    /// The paths in the causes of a rejection, or the paths of the values that differ.
    pub(crate) places: Vec<Vec<String>>,
    /// The paths of lost values.
    pub(crate) lost: Vec<Vec<String>>,
    /// The paths of stored values that are lost or changed.
    pub(crate) losses: Vec<Vec<String>>,
}

/// The classes of failures for objects of the old CRD, and for objects of the new CRD.
pub(crate) const FORWARD: [Class; 4] = [Class::Stuck, Class::Data, Class::Edit, Class::Write];
pub(crate) const BACKWARD: [Class; 2] = [Class::Read, Class::Rollback];

/// The maximum number of rejected edits to collect for one object.
const MOST_EDITED: usize = 3;
/// The maximum number of paths in an existing object near which edits are tried.
const MOST_PLACES: usize = 5;

/// The path of a change, near which objects are edited.
#[derive(Clone, Copy)]
pub(crate) struct Near<'p> {
    pub(crate) place: &'p SchemaPath,
    /// `true` for transition rules, which compare the value at the path with the old value.
    pub(crate) is_of_transition: bool,
    /// `true` for changes to `nullable`. One of the edits then sets the value to `null`, and one of the CRDs drops the `null`.
    pub(crate) is_of_null: bool,
}

impl Near<'_> {
    fn edits<'e>(&'e self, schema: &'e Structural, sampler: Option<&'e Sampler>) -> Edits<'e> {
        let (is_of_transition, puts_null) = (self.is_of_transition, self.is_of_null);
        Edits { schema, sampler, at: self.place, is_of_transition, puts_null }
    }
}

/// Returns the failures of a class for this object.
pub(crate) fn evidence(tried: &Tried<'_>, class: Class, at: Near<'_>) -> Vec<Evidence> {
    match class {
        Class::Write => written(tried).into_iter().collect(),
        Class::Data => data(tried),
        Class::Stuck => stuck(tried).into_iter().collect(),
        Class::Edit => edits(tried, at),
        Class::Read => read(tried).into_iter().chain(edits_of_readers(tried, at)).collect(),
        Class::Rollback => rolled_back(tried),
        Class::Server | Class::Apply | Class::Rust => Vec::new(),
    }
}

/// Returns the first failure of a class for this object for which `is_wanted` returns `true`. For some classes, a few edits of the object
/// are tried.
pub(crate) fn first_evidence(
    tried: &Tried<'_>,
    class: Class,
    at: Near<'_>,
    is_wanted: impl Fn(&Evidence) -> bool,
) -> Option<Evidence> {
    let (mut found, mut left) = (None, MOST_EDITED);
    let mut end = |evidence| {
        left -= 1;
        found = Some(evidence).filter(&is_wanted);
        found.is_some() || left == 0
    };
    match class {
        Class::Edit => each_edit(tried, at, &mut end),
        Class::Read => {
            let itself = read(tried).into_iter().find(&is_wanted);
            if itself.is_some() {
                return itself;
            }
            each_edit_of_readers(tried, at, &mut end);
        }
        _ => return evidence(tried, class, at).into_iter().find(is_wanted),
    }
    found
}

/// Returns the classes of failures for an existing object of the old CRD. If `is_new` returns `false` for a class, the failure itself may
/// be `None`.
pub(crate) fn find_effects(
    tried: &Tried<'_>,
    is_new: &dyn Fn(Class) -> bool,
) -> Vec<(Class, Option<Evidence>)> {
    let mut out = Vec::new();
    if tried.is_stuck() {
        out.push((Class::Stuck, is_new(Class::Stuck).then(|| stuck(tried)).flatten()));
    }
    let lost = data(tried).into_iter().find(|evidence| !evidence.losses.is_empty());
    out.extend(lost.map(|lost| (Class::Data, Some(lost))));
    let (Ok(_), Err(refusal)) = (tried.by_old(), tried.by_new()) else { return out };
    if !tried.is_stuck() {
        let edited = first_edited(tried, refusal, is_new(Class::Edit));
        out.extend(edited.map(|edited| (Class::Edit, edited)));
    }
    out.push((Class::Write, is_new(Class::Write).then(|| written(tried)).flatten()));
    out
}

/// Tries edits near the rejected values, and returns the first edit that only the new CRD rejects. The failure is only described if
/// `is_wanted` is `true`, because the description of a large object is expensive.
fn first_edited(tried: &Tried<'_>, refusal: &Rejection, is_wanted: bool) -> Option<Option<Evidence>> {
    let (mut places, mut found) = (Vec::new(), None);
    for steps in places_of(refusal, tried.object) {
        let place = SchemaPath::of_steps(&steps);
        if places.contains(&place) {
            continue;
        }
        let near = Near { place: &place, is_of_transition: false, is_of_null: false };
        refused_edits(tried, near, &mut |stored, edited, refusal| {
            found = Some(is_wanted.then(|| refused(Class::Edit, Some(stored), edited, refusal)));
            true
        });
        places.push(place);
        if found.is_some() || places.len() == MOST_PLACES {
            break;
        }
    }
    found
}

/// Returns a failure if the old CRD accepts the object, and the new CRD rejects it.
fn written(tried: &Tried<'_>) -> Option<Evidence> {
    tried.by_old().ok()?;
    let refusal = tried.by_new().err()?;
    Some(refused(Class::Write, None, tried.object, refusal.clone()))
}

/// Returns the failures if the stored object is read differently under the new CRD, or if the request is stored differently.
fn data(tried: &Tried<'_>) -> Vec<Evidence> {
    let (pair, object) = (tried.pair, tried.object);
    let mut found = Vec::new();
    if pair.old.sampler(version_of(object)).is_none() {
        // The version is new: its objects may lose fields on the way through the storage version.
        if let Ok(created) = tried.by_new() {
            let mut differences = differences(object, created);
            differences.retain(|difference| difference.kind == Kind::Lost);
            if !differences.is_empty() {
                let when = "when the object is created";
                let mut evidence = differing(Class::Data, object, created.clone(), differences, when);
                evidence.witness.is_stored = false;
                found.push(evidence);
            }
        }
        return found;
    }
    let Ok(stored) = tried.by_old() else { return Vec::new() };
    if let Some(read) = tried.read()
        && let Some(known) = otherwise_read(&pair.old, stored, read)
    {
        let differences = differences(&known, read);
        if !differences.is_empty() {
            let when = "when the stored object is read";
            found.push(differing(Class::Data, &known, read.clone(), differences, when));
        }
    }
    if let Ok(created) = tried.by_new() {
        let mut differences = differences(stored, created);
        // A value that was dropped and is kept now is what new fields are for.
        differences.retain(|difference| {
            let (sent, kept) = (value_at(object, &difference.at), value_at(created, &difference.at));
            difference.kind != Kind::Added || sent != kept
        });
        if !differences.is_empty() {
            // Values of the request itself are lost; other differences come from defaults.
            let when = "when the same object is created";
            let mut evidence = differing(Class::Data, stored, created.clone(), differences, when);
            evidence.losses.retain(|at| value_at(object, at).is_some());
            evidence.witness.is_stored = false;
            found.push(evidence);
        }
    }
    found
}

/// Returns a failure if the object loses fields when it is written in another version, with the conversion `None`.
pub(super) fn passed_through(tried: &Tried<'_>, version: &str) -> Option<Evidence> {
    let new = &tried.pair.new;
    let created = tried.by_new().ok()?;
    let mut written = created.clone();
    written["apiVersion"] = format!("{}/{version}", new.crd.spec.group).into();
    let passed = new.create(&written).ok()?;
    let mut differences = differences(created, &passed);
    differences.retain(|difference| difference.kind == Kind::Lost);
    let when = format!("when the object is written in version {version}");
    (!differences.is_empty()).then(|| differing(Class::Data, created, passed, differences, &when))
}

/// Returns a failure if the new CRD rejects every update of the stored object, even a change to a label.
fn stuck(tried: &Tried<'_>) -> Option<Evidence> {
    let (labelled, refusal) = tried.label().filter(|_| tried.is_stuck())?;
    Some(refused(Class::Stuck, tried.by_old().ok(), labelled, refusal.clone()))
}

/// Returns failures for edits of the stored object that only the new CRD rejects.
fn edits(tried: &Tried<'_>, at: Near<'_>) -> Vec<Evidence> {
    let mut found = Vec::new();
    each_edit(tried, at, &mut |evidence| {
        found.push(evidence);
        found.len() == MOST_EDITED
    });
    found
}

/// Calls `take` for each edit of the stored object that only the new CRD rejects, until `take` returns `true`.
fn each_edit(tried: &Tried<'_>, at: Near<'_>, take: &mut dyn FnMut(Evidence) -> bool) {
    refused_edits(tried, at, &mut |stored, edited, refusal| {
        take(refused(Class::Edit, Some(stored), edited, refusal))
    });
}

/// Calls `take` for each edit that only the new CRD rejects, until `take` returns `true`. The arguments are the stored object, the edited
/// object and the rejection.
fn refused_edits(tried: &Tried<'_>, at: Near<'_>, take: &mut dyn FnMut(&Value, &Value, Rejection) -> bool) {
    let (pair, version) = (tried.pair, version_of(tried.object));
    let (Ok(stored), Some(read), None) = (tried.by_old(), tried.read(), tried.label()) else { return };
    let Some(schema) = pair.old.schema(version) else { return };
    at.edits(schema, pair.old.sampler(version)).each(read, &mut |edited| {
        if pair.work.is_over() {
            return true;
        }
        let target = Target::for_edit(read, &edited);
        // Most edits are accepted by both: the new CRD is asked first.
        match pair.new.update(&edited, stored, target) {
            Err(refusal) if pair.old.update(&edited, stored, target).is_ok() => {
                take(stored, &edited, refusal)
            }
            _ => false,
        }
    });
}

/// Returns a failure if readers cannot expect such an object: the old CRD rejects the object, or guarantees a value that the object lacks.
fn read(tried: &Tried<'_>) -> Vec<Evidence> {
    let pair = tried.pair;
    let Ok(stored) = tried.by_new() else { return Vec::new() };
    if tried.by_old().is_err() {
        // Readers meet the stored object, with its defaults, and not the request.
        let refusal = pair.old.create(stored).err().filter(|_| pair.new.create(stored).is_ok());
        return refusal.map(|refusal| refused(Class::Read, None, stored, refusal)).into_iter().collect();
    }
    // The old definition fills in what it guarantees.
    let before = match tried.by_old() {
        Ok(before) if stored == tried.object => before.clone(),
        _ => pair.old.create(stored).unwrap_or_else(|_| stored.clone()),
    };
    let mut differences = differences(&before, stored);
    // Readers lack what was guaranteed, or meet `null`, which was dropped.
    differences.retain(|difference| {
        let is_null = value_at(stored, &difference.at).is_some_and(Value::is_null);
        difference.kind == Kind::Lost || is_null
    });
    if differences.is_empty() {
        return Vec::new();
    }
    vec![differing(Class::Read, &before, stored.clone(), differences, "in answers of the server")]
}

/// Returns failures for edits that only the old CRD rejects. Both CRDs must accept the object itself.
fn edits_of_readers(tried: &Tried<'_>, at: Near<'_>) -> Vec<Evidence> {
    let mut found = Vec::new();
    each_edit_of_readers(tried, at, &mut |evidence| {
        found.push(evidence);
        found.len() == MOST_EDITED
    });
    found
}

/// Calls `take` for each edit that only the old CRD rejects, until `take` returns `true`. Both CRDs must accept the object itself.
fn each_edit_of_readers(tried: &Tried<'_>, at: Near<'_>, take: &mut dyn FnMut(Evidence) -> bool) {
    let (pair, version) = (tried.pair, version_of(tried.object));
    let (Ok(stored), Ok(_), Some(schema)) = (tried.by_new(), tried.by_old(), pair.new.schema(version)) else {
        return;
    };
    let sampler = pair.new.sampler(version);
    let transition = |edited: Value| {
        let target = Target::for_edit(stored, &edited);
        // Readers meet the stored object, with its defaults, and not the request.
        let edited = pair.new.update(&edited, stored, target).ok()?;
        let refusal = pair.old.update(&edited, stored, target).err()?;
        // An object that loses fields on its way through another version may be rejected by both.
        pair.new.update(&edited, stored, target).ok()?;
        Some(refused(Class::Read, Some(stored), &edited, refusal))
    };
    at.edits(schema, sampler).each(stored, &mut |edited| {
        pair.work.is_over() || transition(edited).is_some_and(&mut *take) || pair.work.is_over()
    });
}

/// Returns the failures if the object, stored under the new CRD, loses fields or cannot be written under the old CRD.
fn rolled_back(tried: &Tried<'_>) -> Vec<Evidence> {
    let pair = tried.pair;
    let Ok(stored) = tried.by_new() else { return Vec::new() };
    let mut found = Vec::new();
    if let Ok(read) = pair.old.read(stored, &pair.new) {
        let labelled = with_label(read.clone());
        let is_kept = read == *stored && tried.by_old() == Ok(stored) && !pair.old.has_transitions();
        if !is_kept
            && let Err(refusal) = pair.old.update(&labelled, stored, Target::Object)
            && !is_stuck(&pair.new, stored)
        {
            found.push(refused(Class::Rollback, Some(stored), &labelled, refusal));
        }
        if let Some(known) = otherwise_read(&pair.new, stored, &read) {
            let mut differences = differences(&known, &read);
            differences.retain(|difference| difference.kind != Kind::Added);
            if !differences.is_empty() {
                let when = "under the old CRD";
                found.push(differing(Class::Rollback, &known, read, differences, when));
            }
        }
    }
    if let Err(refusal) = tried.by_old() {
        found.push(refused(Class::Rollback, None, tried.object, refusal.clone()));
    }
    found
}

/// Returns `true` if even the CRD under which an object was stored rejects every update of the object. One reason is that the object loses
/// a required field in the conversion to another version.
pub(super) fn is_stuck(side: &Side, stored: &Value) -> bool {
    side.read(stored, side).is_ok_and(|read| side.update(&with_label(read), stored, Target::Object).is_err())
}

/// Reads a stored object under the CRD with which it was stored. Returns `None` if the result equals `read`, which was read under the other
/// CRD. Even under the same CRD, reading may drop fields or fill in defaults in the conversion to another version.
fn otherwise_read(own: &Side, stored: &Value, read: &Value) -> Option<Value> {
    // An object in the version in which it is stored comes back as it was created.
    if read == stored && own.storage() == version_of(stored) {
        return None;
    }
    own.read(stored, own).ok().filter(|known| known != read)
}

/// Returns the paths in an object that a rejection refers to.
fn places_of(refusal: &Rejection, object: &Value) -> impl Iterator<Item = Vec<String>> {
    let places = refusal.causes.iter().map(|cause| &cause.place);
    let places = places.chain(refusal.broken_rules().map(|broken| &broken.at));
    places.map(|place| steps_of(place, object))
}

fn refused(class: Class, old: Option<&Value>, new: &Value, refusal: Rejection) -> Evidence {
    let places = places_of(&refusal, new).collect();
    let (is_stored, answer) = (old.is_some(), refusal.to_string());
    let witness = Witness { class, old: old.cloned(), is_stored, new: Some(new.clone()), answer };
    Evidence { witness, refusal: Some(refusal), places, lost: Vec::new(), losses: Vec::new() }
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
    let places = |is_wanted: fn(Kind) -> bool| {
        let wanted = differences.iter().filter(|difference| is_wanted(difference.kind));
        wanted.map(|difference| difference.at.clone()).collect()
    };
    Evidence {
        lost: places(|kind| kind == Kind::Lost),
        losses: places(|kind| kind != Kind::Added),
        places: differences.into_iter().map(|difference| difference.at).collect(),
        witness: Witness { class, old: Some(old.clone()), is_stored: true, new: Some(new), answer },
        refusal: None,
    }
}

pub(super) fn with_label(mut object: Value) -> Value {
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

/// Returns the values outside metadata that differ.
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
