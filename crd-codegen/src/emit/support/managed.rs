/// Returns the fields of an object that a manager has applied.
pub(crate) mod managed {
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Map, Value};

    /// Returns the fields of an object that this manager has applied according to its metadata, with its
    /// name.
    pub(crate) fn extract<F: Serialize, A: DeserializeOwned>(
        full: &F,
        manager: &str,
        subresource: &str,
    ) -> serde_json::Result<Option<A>> {
        let full = serde_json::to_value(full)?;
        let entries = full["metadata"]["managedFields"].as_array();
        let entry = entries.into_iter().flatten().find(|entry| {
            entry["manager"] == manager
                && entry["operation"] == "Apply"
                && entry["subresource"].as_str().unwrap_or_default() == subresource
        });
        let Some(entry) = entry else { return Ok(None) };
        let mut applied = part(&full, &entry["fieldsV1"]);
        applied["apiVersion"] = full["apiVersion"].clone();
        applied["kind"] = full["kind"].clone();
        for field in ["name", "namespace"] {
            if !full["metadata"][field].is_null() {
                applied["metadata"][field] = full["metadata"][field].clone();
            }
        }
        serde_json::from_value(applied).map(Some)
    }

    /// Returns the part of a value that is in a set of fields. An empty set selects the whole value.
    fn part(value: &Value, fields: &Value) -> Value {
        let Some(fields) = fields.as_object().filter(|fields| !fields.is_empty()) else {
            return value.clone();
        };
        match value {
            Value::Object(object) => {
                let parts = object.iter().filter_map(|(name, value)| {
                    let fields = fields.get(&format!("f:{name}"))?;
                    Some((name.clone(), part(value, fields)))
                });
                Value::Object(parts.collect())
            }
            Value::Array(items) => items.iter().filter_map(|item| item_part(item, fields)).collect(),
            other => other.clone(),
        }
    }

    /// Returns the part of a list item, if the item is in the set.
    fn item_part(item: &Value, fields: &Map<String, Value>) -> Option<Value> {
        for (key, fields) in fields {
            let (prefix, key) = key.split_at_checked(2)?;
            let Ok(key) = serde_json::from_str::<Value>(key) else { continue };
            if prefix == "v:" && key == *item {
                return Some(key);
            }
            let Some(keys) = key.as_object().filter(|_| prefix == "k:") else { continue };
            if keys.iter().all(|(name, value)| item[name] == *value) {
                let mut found = part(item, fields);
                for (name, value) in keys {
                    found[name] = value.clone();
                }
                return Some(found);
            }
        }
        None
    }
}
