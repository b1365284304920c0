//! Builds objects with values that rules cannot read.
//!
//! When a rule reads a value, the value must have the type in the schema, and strings with some formats are decoded. If this is not
//! possible, the rule fails with an error. Ratcheting accepts unchanged values that a rule rejects, but not errors. An object with an
//! unreadable value can therefore no longer be changed. Even valid strings may be unreadable: base64 with `+` or `/`, and times with a
//! lower-case `t`.

use std::cell::LazyCell;

use crd_core::Structural;
use crd_core::cel::{ReadStep, Reads};
use crd_core::crd::ValidationRule;
use crd_core::rules::is_readable;
use crd_core::schema::SchemaType;
use crd_sample::put_at;
use serde_json::{Value, json};

use super::edits::{places_below, schema_at, schemas_on_the_way};
use super::side::Pair;
use crate::change::Change;
use crate::schema_path::KEY;

/// The maximum number of paths to try for a new rule.
const MOST_PLACES: usize = 4;
/// The maximum number of paths for which the search checks whether a new rule reads them.
const MOST_DECODED: usize = 50;
/// The maximum number of generated values for a path among which unreadable values are searched.
const VALUES: usize = 64;
/// The maximum number of unreadable values to try for a path.
const MOST_VALUES: usize = 3;
/// The maximum number of objects in which a value is tried, because some rules read the value only if the object has certain other values.
const OTHERS: usize = 12;
/// Maximum number of validations to build one object.
const BUILD: usize = 100;

/// Calls `take` with objects of the old CRD that contain values which rules in the new CRD cannot read. Ends and returns `true` if `take`
/// returns `true`.
pub(super) fn each(pair: &Pair, change: &Change, take: &mut dyn FnMut(&Value) -> bool) -> bool {
    let Some(version) = &change.version else { return false };
    let (Some(sampler), Some(old), Some(new)) =
        (pair.old.sampler(version), pair.old.schema(version), pair.new.schema(version))
    else {
        return false;
    };
    let others = LazyCell::new(|| sampler.accepted().take(OTHERS).collect::<Vec<_>>());
    for at in places(change, old, new) {
        let Some(schema) = schema_at(new, &at) else { continue };
        let is_tried = |value: &Value| !value.is_null() && !is_readable(schema, value);
        let mut values: Vec<Value> =
            sampler.values(&at).take(VALUES).filter(is_tried).take(MOST_VALUES).collect();
        let before = schema_at(old, &at);
        values.extend(named().filter(|value| is_tried(value) && may_be_stored(before, value)));
        for (number, value) in values.iter().enumerate() {
            if pair.work.is_over() || values[..number].contains(value) {
                continue;
            }
            let build = |budget| sampler.containing(&at, Some(value), budget);
            let Some(object) = pair.work.build(BUILD, build) else { continue };
            let beside = |other: &Value| {
                let mut object = other.clone();
                put_at(&mut object, &at, value.clone()).then_some(object)
            };
            if take(&object) || others.iter().filter_map(beside).any(|object| take(&object)) {
                return true;
            }
        }
    }
    false
}

/// Returns the paths of values that rules may be unable to read because of a change. For a new rule, these are the paths of the strings
/// that the rule decodes. For other changes, this is the path of the change, if a rule reads it and some values become unreadable.
fn places(change: &Change, old: &Structural, new: &Structural) -> Vec<Vec<String>> {
    let at = change.place.steps();
    if let Some(rule) = &change.rules.0 {
        let mut places = places_below(new, &at, MOST_DECODED, is_decoded);
        places.retain(|place| may_read(rule, &place[at.len()..]));
        places.truncate(MOST_PLACES);
        return places;
    }
    let is_read =
        |schema: Option<&Structural>, value: &Value| schema.is_none_or(|schema| is_readable(schema, value));
    let (before, after) = (schema_at(old, &at), schema_at(new, &at));
    let is_changed = named().any(|value| is_read(before, &value) && !is_read(after, &value));
    let reads = |(end, schema): (usize, &Structural)| {
        schema.validations.iter().any(|rule| may_read(rule, &at[end..]))
    };
    if is_changed && schemas_on_the_way(new, &at).any(reads) { vec![at] } else { Vec::new() }
}

/// Returns `true` if an enclosing schema in one of the CRDs has a rule that the other CRD lacks, and the rule may read the changed field. A
/// rule may have been moved between the field's schema and an enclosing schema.
pub(crate) fn has_other_rule_above(pair: &Pair, change: &Change) -> bool {
    let Some(version) = change.version.as_deref() else { return false };
    let at = change.place.steps();
    [&pair.old, &pair.new].into_iter().filter_map(|side| side.schema(version)).any(|schema| {
        schemas_on_the_way(schema, &at).take(at.len()).any(|(end, schema)| {
            schema.validations.iter().any(|rule| !pair.share_rule(&rule.rule) && may_read(rule, &at[end..]))
        })
    })
}

/// Returns `true` if a rule may read an inner value, because the rule refers to this value, or uses an enclosing value as a whole.
pub(super) fn may_read(rule: &ValidationRule, at: &[String]) -> bool {
    let Some(reads) = Reads::from_rule(&rule.rule) else { return false };
    let is_step = |(read, step): (&ReadStep, &String)| match read {
        ReadStep::Field(name) => name == step || step == KEY,
        _ => true,
    };
    let is_around = |path: &&Vec<ReadStep>| path.len() <= at.len() && path.iter().zip(at).all(is_step);
    let around = reads.paths.iter().filter(is_around).map(Vec::len).max().unwrap_or_default();
    let goes_on = |path: &Vec<ReadStep>| path.len() > around && path.iter().zip(&at[..around]).all(is_step);
    around == at.len() || !reads.paths.iter().any(goes_on)
}

/// Returns `true` if rules decode strings with this schema.
fn is_decoded(schema: &Structural) -> bool {
    schema.type_ == Some(SchemaType::String) && !is_readable(schema, &json!("?"))
}

/// Returns `true` if the old CRD may accept a value for this schema.
fn may_be_stored(schema: Option<&Structural>, value: &Value) -> bool {
    let is_string = |schema: &Structural| schema.type_ == Some(SchemaType::String) && value.is_string();
    schema.is_none_or(|schema| is_string(schema) || is_readable(schema, value))
}

/// Returns values of all types. For the formats that rules decode, there are readable strings, and valid strings that are unreadable.
fn named() -> impl Iterator<Item = Value> {
    let strings = ["a", "Zm9v", "++//", "2024-01-01", "2024-01-01T00:00:00Z", "2024-01-01t00:00:00z", "1h"];
    strings.map(Value::from).into_iter().chain([json!(1), json!(1.5), json!(true), json!({}), json!([])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_read_what_they_name_and_what_is_within_values_that_they_use_whole() {
        let may_read = |text: &str, at: &[&str]| {
            let mut rule = ValidationRule::default();
            rule.rule = text.to_owned();
            let at: Vec<String> = at.iter().map(|step| (*step).to_owned()).collect();
            may_read(&rule, &at)
        };
        for (rule, at) in [
            ("self > 1", &[][..]),
            ("has(self.a)", &["a"]),
            ("has(self.a.b)", &["a"]),
            ("self.l.all(x, has(x.a))", &["l", "0", "a"]),
            ("self.all(k, self[k] != '')", &[KEY]),
            ("self.m['x'] != ''", &["m", KEY]),
            ("self == oldSelf", &["a", "b"]),
            ("self.a == oldSelf.a", &["a", "b"]),
        ] {
            assert!(may_read(rule, at), "{rule} {at:?}");
        }
        for (rule, at) in [
            ("has(self.a)", &["b"][..]),
            ("has(self.a.b)", &["a", "c"]),
            ("self.l.all(x, has(x.a))", &["l", "0", "b"]),
            ("self.a == oldSelf.a", &["b"]),
        ] {
            assert!(!may_read(rule, at), "{rule} {at:?}");
        }
    }
}
