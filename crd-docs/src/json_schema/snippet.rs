//! Editor snippets: an object whose required fields have placeholders.

use crd_core::schema::{SchemaType, Structural};
use serde_json::{Map, Value, json};

/// Maximum number of fields in a snippet.
const MOST_FIELDS: usize = 100;

/// Returns a kind's snippets in the format of yaml-language-server.
pub(super) fn from_schema(schema: &Structural, api_version: &str, kind: &str) -> Value {
    let mut stops = Stops(0);
    let mut body = Map::new();
    body.insert("apiVersion".to_owned(), json!(api_version));
    body.insert("kind".to_owned(), json!(kind));
    body.insert("metadata".to_owned(), json!({"name": stops.next("name")}));
    for (name, value) in stops.required(schema) {
        body.entry(name).or_insert(value);
    }
    json!([{"label": kind, "description": format!("{kind} with its required fields"), "body": body}])
}

/// The number of placeholders so far.
struct Stops(usize);

impl Stops {
    fn next(&mut self, text: &str) -> Value {
        self.0 += 1;
        // What would end the place in the editor is left out.
        let text: String = text.chars().filter(|c| !matches!(c, '$' | '{' | '}' | '\\')).collect();
        json!(format!("${{{}:{text}}}", self.0))
    }

    fn required(&mut self, schema: &Structural) -> Map<String, Value> {
        let mut out = Map::new();
        for (name, property) in schema.properties.iter() {
            if schema.is_required(name) && self.0 < MOST_FIELDS {
                out.insert(name.to_owned(), self.value(name, property));
            }
        }
        out
    }

    fn value(&mut self, name: &str, schema: &Structural) -> Value {
        let generic = &schema.generic;
        if let Some(value) = generic.default.as_deref().or(generic.example.as_deref()) {
            return value.clone();
        }
        let first =
            schema.value_validation.as_ref().and_then(|validation| validation.enum_.as_ref()?.first());
        if let Some(value) = first {
            return value.clone();
        }
        match (&schema.type_, &schema.items) {
            (Some(SchemaType::Object), _) => Value::Object(self.required(schema)),
            (Some(SchemaType::Array), Some(items)) => json!([self.value(name, items)]),
            _ => self.next(name),
        }
    }
}
