//! Builds objects with unknown fields, for which every update is rejected, even a change to a label.
//!
//! Ratcheting accepts a value that violates a new constraint, as long as the value does not change. If the value has preserved unknown
//! fields, the API server does not notice that the value is unchanged.

use serde_json::{Map, Value, json};

use super::edits::places_below;
use super::side::{Side, version_of};
use crate::change::Change;
use crate::rows;

/// The maximum number of paths to try for unknown fields.
const MOST: usize = 3;
/// Maximum number of validations to build one object.
const BUILD: usize = 100;

/// Returns paths at which unknown fields can be added, in the value that is validated because of a change.
pub(crate) fn unknown_fields(side: &Side, change: &Change) -> Vec<Vec<String>> {
    let schema = change.version.as_ref().and_then(|version| side.schema(version));
    // The object that lacks the field is judged, not the field.
    let is_of_object = change.row.id == rows::REQUIRED_ADDED.id;
    let at = if is_of_object { change.place.parent() } else { change.place.clone() }.steps();
    let Some(schema) = schema else { return Vec::new() };
    let mut places = places_below(schema, &at, MOST, |schema| schema.extensions.preserve_unknown_fields);
    for place in &mut places {
        place.push("unknown".to_owned());
    }
    places
}

/// Returns variants of an invalid object, with unknown fields at these paths.
pub(crate) fn with_unknown_fields(side: &Side, places: &[Vec<String>], object: &Value) -> Vec<Value> {
    let Some(sampler) = side.sampler(version_of(object)) else { return Vec::new() };
    let unknown = json!("a");
    places
        .iter()
        .take_while(|_| !side.work.is_over())
        .filter_map(|at| side.work.build(BUILD, |budget| sampler.containing(at, Some(&unknown), budget)))
        .flat_map(|found| [merged(found.clone(), object), found])
        .collect()
}

/// Adds the fields of `other` that `object` lacks, and returns the object.
fn merged(mut object: Value, other: &Value) -> Value {
    fn merge(into: &mut Map<String, Value>, other: &Map<String, Value>) {
        for (name, value) in other {
            match (into.get_mut(name), value) {
                (Some(Value::Object(into)), Value::Object(value)) => merge(into, value),
                (Some(_), _) => {}
                (None, _) => _ = into.insert(name.clone(), value.clone()),
            }
        }
    }
    if let (Value::Object(into), Value::Object(other)) = (&mut object, other) {
        merge(into, other);
    }
    object
}
