//! Finds fields that an object loses because it is stored in another version.

use crd_core::FieldPath;
use crd_core::check::{CrdAdvice, advice};
use serde_json::Value;

use crate::definitions::Kinds;

/// Maximum number of lost fields that are reported for an object.
const MOST: usize = 20;

/// Returns a copy of a sent object, if the API server stores it in another version.
pub(super) fn sent(object: &Value, kinds: &Kinds) -> Option<Value> {
    kinds.other_stored_version(object).map(|_| object.clone())
}

/// Returns advice about an accepted object's fields that are lost because the storage version does not have them.
pub(super) fn when_stored(sent: Value, stored: &Value, kinds: &Kinds) -> Vec<CrdAdvice> {
    let Some((version, validator)) = kinds.other_stored_version(&sent).zip(kinds.validator(&sent)) else {
        return Vec::new();
    };
    // What the version of the request drops is not meant.
    let Ok(object) = validator.before_storage().create(sent).result else { return Vec::new() };
    let mut lost = Vec::new();
    for (name, value) in object.as_object().into_iter().flatten().filter(|(name, _)| *name != "metadata") {
        compare(value, stored.get(name), &FieldPath::new(name.as_str()), &mut lost);
    }
    let named = |field: FieldPath| {
        let message = format!(
            "objects are stored in version {version}, which does not have the field: the value is lost"
        );
        let help = format!("give version {version} the field, or convert objects with a webhook");
        CrdAdvice::new(advice::FIELD_LOST_BETWEEN_VERSIONS, field, message, Some(help))
    };
    lost.into_iter().take(MOST).map(named).collect()
}

/// Adds the paths of the values that are not stored to `lost`.
fn compare(value: &Value, stored: Option<&Value>, at: &FieldPath, lost: &mut Vec<FieldPath>) {
    match (value, stored) {
        _ if lost.len() >= MOST => {}
        (_, None) => lost.push(at.clone()),
        (Value::Object(fields), Some(Value::Object(stored))) => {
            fields
                .iter()
                .for_each(|(name, value)| compare(value, stored.get(name), &at.child(name.as_str()), lost));
        }
        (Value::Array(items), Some(Value::Array(stored))) if items.len() == stored.len() => {
            for (index, (item, stored)) in items.iter().zip(stored).enumerate() {
                compare(item, Some(stored), &at.index(index), lost);
            }
        }
        _ => {}
    }
}
