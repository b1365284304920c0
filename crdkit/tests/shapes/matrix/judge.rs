//! A structural schema -> a JSON Schema of 2020-12 that takes what the API server takes and stores unchanged.
//!
//! Values that would be pruned are refused. CEL rules are not run: the API server runs them.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// Judges values by a structural schema.
pub(super) struct Judge(Validator);

impl Judge {
    pub(super) fn from_schema(schema: &Value) -> Self {
        let schema = spine(schema);
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        match options.build(&schema) {
            Ok(validator) => Self(validator),
            Err(error) => panic!("it is not a valid JSON Schema: {error}\n{schema}"),
        }
    }

    /// Returns `true` if the API server would store the value as it is.
    pub(super) fn takes(&self, value: &Value) -> Result<(), String> {
        self.0.validate(value).map_err(|error| format!("at `{}`: {error}", error.instance_path()))
    }
}

/// Returns `true` if two values are the same to JSON, for which 0.0 is 0.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() != b.is_f64() => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

/// Returns the schema of a value, with its keywords about pruning.
fn spine(schema: &Value) -> Value {
    let Some(node) = schema.as_object() else { return json!(true) };
    let is_true = |keyword: &str| node.get(keyword) == Some(&json!(true));
    let mut out = validations(node, spine);
    if is_true("x-kubernetes-int-or-string") {
        out.insert("type".to_owned(), json!(["integer", "string"]));
    } else if let Some(name) = node.get("type") {
        out.insert("type".to_owned(), name.clone());
    }
    // An object without properties and values loses everything, unless it says otherwise.
    let is_object = node.get("type").is_some_and(|name| name == "object");
    if is_object
        && !is_true("x-kubernetes-preserve-unknown-fields")
        && !node.contains_key("additionalProperties")
    {
        out.insert("additionalProperties".to_owned(), json!(false));
        if is_true("x-kubernetes-embedded-resource")
            && let Value::Object(properties) = out.entry("properties").or_insert_with(|| json!({}))
        {
            for name in ["apiVersion", "kind", "metadata"] {
                properties.entry(name).or_insert(json!(true));
            }
        }
    }
    if node.get("x-kubernetes-list-type").is_some_and(|name| name == "set") {
        out.insert("uniqueItems".to_owned(), json!(true));
    }
    if is_true("nullable") && !node.contains_key("enum") {
        // Of a null nothing but type and enum is asked: kube-openapi, validate/schema.go.
        return json!({"anyOf": [{"type": "null"}, out]});
    }
    Value::Object(out)
}

/// Returns the keywords under `oneOf`, `anyOf`, `allOf` and `not`.
fn nested(schema: &Value) -> Value {
    let Some(node) = schema.as_object() else { return json!(true) };
    Value::Object(validations(node, nested))
}

/// Keywords that restrict the value; those about nested values are translated by `inside`.
fn validations(node: &Map<String, Value>, inside: fn(&Value) -> Value) -> Map<String, Value> {
    const SAME: &[&str] = &[
        "enum",
        "maxItems",
        "maxLength",
        "maxProperties",
        "minItems",
        "minLength",
        "minProperties",
        "multipleOf",
        "pattern",
        "required",
        "uniqueItems",
    ];
    let mut out = Map::new();
    for (keyword, value) in node {
        match (keyword.as_str(), value) {
            (same, value) if SAME.contains(&same) => {
                out.insert(same.to_owned(), value.clone());
            }
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter().map(|(name, property)| (name.clone(), inside(property)));
                out.insert("properties".to_owned(), Value::Object(properties.collect()));
            }
            ("items" | "additionalProperties", value) => {
                out.insert(keyword.clone(), inside(value));
            }
            ("oneOf" | "anyOf" | "allOf", Value::Array(branches)) => {
                out.insert(keyword.clone(), branches.iter().map(nested).collect());
            }
            ("not", value) => {
                out.insert("not".to_owned(), nested(value));
            }
            ("format", Value::String(name)) => format(&mut out, name),
            ("minimum" | "maximum", value) => bound(&mut out, node, keyword, value),
            _ => {}
        }
    }
    out
}

fn format(out: &mut Map<String, Value>, name: &str) {
    let mut within = |least: i64, most: i64| {
        out.insert("allOf".to_owned(), json!([{"minimum": least, "maximum": most}]));
    };
    match name {
        "int32" => within(i32::MIN.into(), i32::MAX.into()),
        "int64" => within(i64::MIN, i64::MAX),
        // The server's own words for the same: k8s.io/kube-openapi/pkg/validation/strfmt.
        "date" | "date-time" | "duration" | "email" | "hostname" | "ipv4" | "ipv6" | "uri" | "uuid" => {
            out.insert("format".to_owned(), json!(name));
        }
        _ => {}
    }
}

fn bound(out: &mut Map<String, Value>, node: &Map<String, Value>, keyword: &str, value: &Value) {
    let exclusive = if keyword == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
    let is_exclusive = node.get(exclusive) == Some(&json!(true));
    out.insert(if is_exclusive { exclusive } else { keyword }.to_owned(), value.clone());
}
