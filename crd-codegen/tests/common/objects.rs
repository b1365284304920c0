//! The places of objects in a schema.

use serde_json::Value;

/// The objects of a schema, by the paths to them.
pub(crate) fn objects(schema: &Value, path: &str, found: &mut Vec<String>) {
    if schema["properties"].is_object() {
        found.push(path.to_owned());
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let name = name.replace('~', "~0").replace('/', "~1");
        objects(property, &format!("{path}/properties/{name}"), found);
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            objects(&schema[keyword], &format!("{path}/{keyword}"), found);
        }
    }
}
