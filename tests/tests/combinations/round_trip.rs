/// Numbers and strings of the same text are equal, as in quantities.
const ARE_EQUIVALENT: bool = false;

#[test]
fn real_objects_are_kept() {
    let mut changed = Vec::new();
    for text in include_str!("../objects.jsonl").lines() {
        let before: serde_json::Value = serde_json::from_str(text).unwrap();
        let after = match (before["apiVersion"].as_str().unwrap(), before["kind"].as_str().unwrap()) {
            // arms
            _ => continue,
        };
        match after {
            Ok(after) if after == before || ARE_EQUIVALENT && with_texts(&after) == with_texts(&before) => {}
            Ok(after) => changed.push(format!("{before}\nbecame\n{after}")),
            Err(error) => changed.push(format!("{before}\nis refused: {error}")),
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// Returns the value with all numbers as strings.
fn with_texts(value: &serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Number(number) => number.to_string().into(),
        serde_json::Value::Array(values) => values.iter().map(with_texts).collect(),
        serde_json::Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), with_texts(value))).collect()
        }
        other => other.clone(),
    }
}

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(
    text: &str,
) -> serde_json::Result<serde_json::Value> {
    serde_json::to_value(serde_json::from_str::<T>(text)?)
}
