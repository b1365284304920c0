//! Adds missing fields to objects.

use serde_json::Value;

/// Adds fields that are absent or `null`. A field that is `null` in `with` is added only if it is a time. Other `null` fields are lists or
/// maps that a user must set.
pub(super) fn fill(value: &mut Value, with: &Value) {
    let (Value::Object(fields), Value::Object(with)) = (value, with) else { return };
    for (name, value) in with {
        match fields.get_mut(name) {
            Some(inner) if !inner.is_null() => fill(inner, value),
            _ if value.is_null() && !name.ends_with("Time") && !name.ends_with("Timestamp") => {}
            _ => {
                fields.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Returns the lists with these names inside the value at a path.
pub(super) fn lists<'v>(
    object: &'v mut Value,
    path: &str,
    names: &[&str],
) -> impl Iterator<Item = &'v mut Vec<Value>> {
    let fields = object.pointer_mut(path).and_then(Value::as_object_mut);
    let fields = fields.into_iter().flatten().filter(|(name, _)| names.contains(&name.as_str()));
    fields.filter_map(|(_, value)| value.as_array_mut())
}
