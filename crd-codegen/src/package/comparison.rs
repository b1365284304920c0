/// Reads each object as its type, writes it, and compares.
#[rustfmt::skip]
fn keeps_every_field<T: serde::de::DeserializeOwned + serde::Serialize>(objects: &[&str]) {
    for object in objects {
        let before: serde_json::Value = serde_json::from_str(object).expect("a sample is JSON");
        let read: T = serde_json::from_str(object).unwrap_or_else(|error| panic!("{error}\n{object}"));
        let after = serde_json::to_value(read).expect("a sample can be written");
        assert!(is_kept(&before, &after), "{object}\nbecame\n{after:#}");
    }
}

#[rustfmt::skip]
fn is_kept(before: &serde_json::Value, after: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            after.keys().all(|key| before.contains_key(key))
                && before.iter().all(|(key, value)| match after.get(key) {
                    Some(after) => is_kept(value, after),
                    None => LOSES_NULL && value.is_null(),
                })
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(before, after)| is_kept(before, after))
        }
        (Value::Number(_) | Value::String(_), Value::Number(_) | Value::String(_)) if CHANGES_FORMS => true,
        _ => before == after,
    }
}
