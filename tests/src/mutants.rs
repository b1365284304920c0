//! Mutants of an object, which differ from it in one place of their spec. Most of them are invalid.

use serde_json::Value;

/// The values that replace every value, one after the other.
const REPLACEMENTS: [&str; 7] = ["null", "{}", "[]", "\"\"", "\"Bad value!\"", "-1", "true"];

/// Copies of the object in which one value of the spec is missing or replaced.
///
/// # Panics
/// `object` is not an object.
#[must_use]
pub fn mutants(object: &Value) -> Vec<Value> {
    let mut places = Vec::new();
    find(&object["spec"], "/spec", &mut places);
    let mut mutants = Vec::new();
    for (parent, key) in places {
        let with = |change: &dyn Fn(&mut Value)| {
            let mut object = object.clone();
            change(object.pointer_mut(&parent).expect("the place was found"));
            object
        };
        mutants.push(with(&|parent| match parent {
            Value::Array(items) => drop(items.remove(index(&key))),
            parent => drop(parent.as_object_mut().and_then(|fields| fields.remove(&key))),
        }));
        for replacement in REPLACEMENTS {
            mutants.push(with(&|parent| {
                let value = match parent {
                    Value::Array(items) => &mut items[index(&key)],
                    parent => &mut parent[&key],
                };
                *value = serde_json::from_str(replacement).expect("the replacements are JSON");
            }));
        }
    }
    mutants
}

/// Finds all places below a value. A place is a pointer to its parent and a key.
fn find(value: &Value, at: &str, places: &mut Vec<(String, String)>) {
    let mut child = |key: String, value: &Value| {
        let below = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        places.push((at.to_owned(), key));
        find(value, &below, places);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| child(key.clone(), value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, value)| child(i.to_string(), value)),
        _ => {}
    }
}

fn index(key: &str) -> usize {
    key.parse().expect("the keys of a list are numbers")
}
