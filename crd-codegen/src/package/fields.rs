/// Reads each object as its type, writes it, and compares the fields. The form of times, bytes and quantities may change.
// Without the feature of any version there is no test.
#[allow(dead_code)]
#[rustfmt::skip]
fn keeps_every_field<T: serde::de::DeserializeOwned + serde::Serialize>(objects: &[&str]) {
    for object in objects {
        let before: serde_json::Value = serde_json::from_str(object).expect("a sample is JSON");
        let read: T = serde_json::from_str(object).unwrap_or_else(|error| panic!("{error}\n{object}"));
        let after = serde_json::to_value(read).expect("a sample can be written");
        assert!(has_same_fields(&before, &after), "{object}\nbecame\n{after:#}");
    }
}

#[allow(dead_code)]
#[rustfmt::skip]
fn has_same_fields(before: &serde_json::Value, after: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.len() == after.len()
                && before.iter().all(|(key, value)| after.get(key).is_some_and(|after| has_same_fields(value, after)))
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(before, after)| has_same_fields(before, after))
        }
        (Value::Bool(before), Value::Bool(after)) => before == after,
        (Value::Null, Value::Null) => true,
        (Value::Number(_) | Value::String(_), Value::Number(_) | Value::String(_)) => true,
        _ => false,
    }
}
