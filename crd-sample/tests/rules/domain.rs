//! All values of a schema, where they are few.

use serde_json::{Map, Value, json};

/// Larger domains are not enumerated.
const MOST: usize = 1500;
/// The entries of a map.
const KEYS: [&str; 2] = ["key", "other"];

/// Returns all values that meet a schema, rules aside. `None` if there are too many.
pub(crate) fn values(schema: &Value) -> Option<Vec<Value>> {
    let mut all = match schema["type"].as_str()? {
        "boolean" => vec![json!(false), json!(true)],
        "integer" => {
            let bound = |keyword: &str| schema[keyword].as_i64();
            (bound("minimum")?..=bound("maximum")?).map(Value::from).collect()
        }
        "string" => schema["enum"].as_array()?.clone(),
        "array" => lists(&values(&schema["items"])?, schema["maxItems"].as_u64()?)?,
        _ if schema.get("additionalProperties").is_some() => {
            let entry = values(&schema["additionalProperties"])?;
            objects(KEYS.iter().map(|key| ((*key).to_owned(), entry.clone(), false)))?
        }
        _ => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let properties = schema["properties"].as_object()?;
            let fields: Option<Vec<_>> = properties
                .iter()
                .map(|(name, property)| {
                    Some((name.clone(), values(property)?, required.contains(&json!(name))))
                })
                .collect();
            objects(fields?.into_iter())?
        }
    };
    if schema["nullable"] == true {
        all.push(Value::Null);
    }
    (all.len() <= MOST).then_some(all)
}

fn lists(items: &[Value], most: u64) -> Option<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..most {
        let longer = longest
            .iter()
            .flat_map(|list| items.iter().map(|item| [list.as_slice(), std::slice::from_ref(item)].concat()));
        longest = longer.take(MOST + 1).collect();
        all.extend(longest.iter().cloned());
        if all.len() > MOST {
            return None;
        }
    }
    Some(all.into_iter().map(Value::from).collect())
}

/// Returns all objects of fields with these names and values, of which the required ones are always there.
fn objects(fields: impl Iterator<Item = (String, Vec<Value>, bool)>) -> Option<Vec<Value>> {
    let mut all: Vec<Map<String, Value>> = vec![Map::new()];
    for (name, values, is_required) in fields {
        let mut next = if is_required { Vec::new() } else { all.clone() };
        for object in &all {
            for value in &values {
                let mut object = object.clone();
                object.insert(name.clone(), value.clone());
                next.push(object);
            }
        }
        if next.len() > MOST {
            return None;
        }
        all = next;
    }
    Some(all.into_iter().map(Value::from).collect())
}
