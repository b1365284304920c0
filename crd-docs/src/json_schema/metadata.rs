//! The schema of `metadata`, which all objects share.

use crd_core::schema::Structural;
use serde_json::{Map, Value, json};

use super::{Context, SchemaOptions, node};
use crate::openapi::object_meta;

/// Returns the schema for a kind's `metadata`, including the CRD's restrictions on names.
pub(super) fn metadata_schema(written: Option<&Structural>, context: Context<'_>) -> Value {
    let reference = json!({"$ref": path("ObjectMeta", context.options)});
    let names = written.map(|written| {
        let lenient = Context { options: context.options.with_strict(false), ..context };
        let mut schema = node::convert(written, lenient);
        schema.remove("description");
        schema
    });
    match names.filter(|names| names.contains_key("properties")) {
        Some(names) => json!({"allOf": [reference, names]}),
        None => reference,
    }
}

/// Returns the schemas that `metadata` refers to, keyed by short name.
pub(super) fn definitions(options: SchemaOptions) -> Value {
    let schemas =
        object_meta().iter().map(|(name, schema)| (short(name).to_owned(), convert(schema, options)));
    Value::Object(schemas.collect())
}

fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn path(name: &str, options: SchemaOptions) -> String {
    format!("#/{}/{}", options.draft.definitions(), short(name))
}

fn convert(schema: &Value, options: SchemaOptions) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let mut out = Map::new();
    for (name, value) in schema {
        let value = match (name.as_str(), value) {
            ("default", _) => continue,
            (name, _) if name.starts_with("x-") => continue,
            ("$ref", Value::String(reference)) => json!(path(reference, options)),
            ("properties", Value::Object(properties)) => {
                let convert = |(name, schema): (&String, &Value)| (name.clone(), convert(schema, options));
                Value::Object(properties.iter().map(convert).collect())
            }
            ("allOf", Value::Array(branches)) => {
                branches.iter().map(|branch| convert(branch, options)).collect()
            }
            ("items" | "additionalProperties", value) => convert(value, options),
            (_, value) => value.clone(),
        };
        out.insert(name.clone(), value);
    }
    // `creationTimestamp: null` is what encoders in Go write. The API server reads `null` instead of a map or a list as an empty one.
    let is_time = out.get("format").is_some_and(|format| format == "date-time");
    if let Some(Value::String(name)) = out.get("type")
        && (is_time || name == "array" || out.contains_key("additionalProperties"))
    {
        let types = json!([name, "null"]);
        out.insert("type".to_owned(), types);
    }
    // The keys of managed fields are paths.
    if options.strict && out.contains_key("properties") {
        out.insert("additionalProperties".to_owned(), json!(false));
    }
    Value::Object(out)
}
