//! Fields of objects.

use serde_json::{Map, Value};

/// Removes a field and keeps the order of the others: if `serde_json` preserves order, its `remove` would move the last
/// field.
///
/// ```
/// let mut object = serde_json::json!({"a": 1, "b": 2, "c": 3});
/// let removed = object.as_object_mut().and_then(|fields| crd_go::json::remove(fields, "a"));
/// assert_eq!(removed, Some(1.into()));
/// assert_eq!(object.to_string(), r#"{"b":2,"c":3}"#);
/// ```
pub fn remove(fields: &mut Map<String, Value>, name: &str) -> Option<Value> {
    let removed = fields.get_mut(name).map(Value::take)?;
    fields.retain(|key, _| key != name);
    Some(removed)
}
