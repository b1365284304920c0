//! Remembers the values with which failures were found. If the same change occurs in another field or in another version, these values are
//! tried first.

use std::collections::HashMap;

use crd_sample::value_at;
use serde_json::Value;

use super::search::Shown;
use crate::change::{Change, Probe};
use crate::schema_path::{SchemaPath, Step};

/// Maximum number of values that are kept for one change.
const MOST_VALUES: usize = 6;
/// Maximum size of a value that is kept, in bytes.
const LARGEST: usize = 64 << 10;

/// For each change, the values with which failures were found.
#[derive(Default)]
pub(crate) struct Repeated(HashMap<String, Vec<Value>>);

impl Repeated {
    /// Prepends the values that were found for an equal change to the probes of this change.
    pub(crate) fn add_to(&self, change: &mut Change) {
        let Some(values) = key(change).and_then(|key| self.0.get(&key)) else { return };
        let at = held(change);
        let known = values.iter().map(|value| Probe::Value(at.clone(), value.clone()));
        let known: Vec<Probe> = known.collect();
        change.probes.splice(..0, known);
    }

    /// Keeps the values with which failures were found for a change.
    pub(crate) fn keep(&mut self, change: &Change, shown: &Shown) {
        let Some(key) = key(change) else { return };
        let at = held(change).steps();
        let witnesses = shown.evidence.iter().map(|evidence| &evidence.witness);
        let objects = witnesses.flat_map(|witness| [&witness.new, &witness.old]).flatten();
        let kept = self.0.entry(key).or_default();
        for value in objects.filter_map(|object| value_at(object, &at)) {
            if kept.len() < MOST_VALUES && !kept.contains(value) && value.to_string().len() <= LARGEST {
                kept.push(value.clone());
            }
        }
    }
}

/// Returns a text that is the same for equal changes to fields with the same name. Returns `None` for changes to whole objects.
fn key(change: &Change) -> Option<String> {
    let name = change.place.walk().iter().rev().find_map(|step| match step {
        Step::Property(name) => Some(name),
        Step::Items | Step::Values => None,
    })?;
    let is_whole = held(change).is_root();
    (!is_whole).then(|| format!("{} {name} {} {}", change.row.id, change.old, change.new))
}

/// Returns the path of the value to keep: the changed field, or its parent if the failure occurs without the field.
fn held(change: &Change) -> SchemaPath {
    let is_absent = change.probes.iter().any(|probe| matches!(probe, Probe::Absent(_)));
    if is_absent { change.place.parent() } else { change.place.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Class, Witness};
    use crate::rows;
    use crate::witness::Evidence;
    use serde_json::json;

    #[test]
    fn a_value_that_showed_a_change_is_tried_at_other_places() {
        let change = |above: &str| {
            let place = SchemaPath::default().property(above).property("name");
            Change::new(&rows::MAX_LENGTH_TIGHTENED, place).values(Value::Null, 3)
        };
        let object = json!({"a": {"name": "long"}});
        let witness = Witness {
            class: Class::Write,
            old: None,
            is_stored: false,
            new: Some(object),
            answer: String::new(),
        };
        let [places, lost, losses] = [const { Vec::new() }; 3];
        let shown = Shown::from(Evidence { witness, refusal: None, places, lost, losses });
        let mut repeated = Repeated::default();
        repeated.keep(&change("a"), &shown);
        let mut other = change("b");
        repeated.add_to(&mut other);
        assert!(
            matches!(&other.probes[..], [Probe::Value(at, value)] if *at == other.place && value == "long")
        );
    }
}
