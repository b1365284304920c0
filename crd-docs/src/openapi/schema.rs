//! Encodes published schemas as JSON. Empty values are omitted, as in `kube-openapi`'s encoder.
//!
//! Source: `schema/kubeopenapi.go` in apiextensions-apiserver, and `pkg/validation/spec/schema.go` in kube-openapi.

use crd_core::Structural;
use crd_core::crd::{Items, JsonSchemaProps, JsonSchemaPropsOrBool, ValidationRule};
use crd_core::schema::AdditionalProperties;
use serde_json::{Map, Number, Value, json};

/// Converts a schema. Before a schema is converted, `prepare` is called for it, and then for the schemas inside it. To save memory, each
/// part of `schema` is dropped as soon as it is converted.
pub(super) fn published(schema: &mut Structural, prepare: fn(&mut Structural)) -> Map<String, Value> {
    prepare(schema);
    let (mut properties, items) = (std::mem::take(&mut schema.properties), schema.items.take());
    let additional = schema.additional_properties.take();
    let (mut out, extensions) = without_children(std::mem::take(schema));
    if let Some(mut items) = items {
        out.put("items", Value::Object(published(&mut items, prepare)));
    }
    if !properties.is_empty() {
        let mut properties: Vec<(&str, &mut Structural)> = properties.iter_mut().collect();
        properties.sort_unstable_by_key(|(name, _)| *name);
        let convert =
            |(name, property): (&str, _)| (name.to_owned(), Value::Object(published(property, prepare)));
        out.put("properties", Value::Object(properties.into_iter().map(convert).collect()));
    }
    match additional {
        None => {}
        Some(AdditionalProperties::Allowed(allowed)) => {
            out.put("additionalProperties", Value::Bool(allowed));
        }
        Some(AdditionalProperties::Schema(mut values)) => {
            out.put("additionalProperties", Value::Object(published(&mut values, prepare)));
        }
    }
    out.0.extend(extensions.0);
    out.0
}

/// Returns a schema's keywords and extensions, without child schemas.
#[inline(never)]
fn without_children(schema: Structural) -> (Out, Out) {
    let schema = schema.to_json_schema();
    let (mut out, mut extensions) = (Out(Map::new()), Out(Map::new()));
    keywords(&schema, &mut out);
    extend(&schema, &mut extensions);
    (out, extensions)
}

fn keywords(schema: &JsonSchemaProps, out: &mut Out) {
    describe(schema, out);
    restrict(schema, out);
    let lists = [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)];
    for (name, branches) in lists {
        out.list(name, branches.iter().flatten().map(branch).collect());
    }
    if let Some(not) = &schema.not {
        out.put("not", branch(not));
    }
}

/// Converts a schema under `allOf`, `anyOf`, `oneOf` or `not`.
fn branch(schema: &JsonSchemaProps) -> Value {
    let mut out = Out(Map::new());
    keywords(schema, &mut out);
    if let Some(Items::Schema(items)) = &schema.items {
        out.put("items", branch(items));
    }
    if let Some(properties) = schema.properties.as_ref().filter(|properties| !properties.is_empty()) {
        let mut properties: Vec<(&str, &JsonSchemaProps)> = properties.iter().collect();
        properties.sort_unstable_by_key(|(name, _)| *name);
        let properties = properties.into_iter().map(|(name, property)| (name.to_owned(), branch(property)));
        out.put("properties", Value::Object(properties.collect()));
    }
    match &schema.additional_properties {
        None => {}
        Some(JsonSchemaPropsOrBool::Allowed(allowed)) => {
            out.put("additionalProperties", Value::Bool(*allowed));
        }
        Some(JsonSchemaPropsOrBool::Schema(values)) => out.put("additionalProperties", branch(values)),
    }
    extend(schema, &mut out);
    Value::Object(out.0)
}

/// Changes a published schema's properties, and sorts them. The schema gets `properties` if it had none.
pub(super) fn change_properties(
    published: &mut Map<String, Value>,
    change: impl FnOnce(&mut Map<String, Value>),
) {
    let properties = published.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        change(properties);
        properties.sort_keys();
    }
}

/// Sorts the root's extensions. The caller may have added some.
pub(super) fn sort(published: &mut Map<String, Value>) {
    let (mut extensions, rest): (Vec<_>, Vec<_>) =
        std::mem::take(published).into_iter().partition(|(name, _)| name.starts_with("x-"));
    extensions.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    published.extend(rest);
    published.extend(extensions);
}

/// A schema that is being built.
struct Out(Map<String, Value>);

impl Out {
    fn put(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    fn text(&mut self, name: &str, text: Option<&String>) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.put(name, json!(text));
        }
    }

    fn flag(&mut self, name: &str, flag: Option<bool>) {
        if flag == Some(true) {
            self.put(name, Value::Bool(true));
        }
    }

    fn number(&mut self, name: &str, number: Option<&Number>) {
        if let Some(number) = number {
            self.put(name, as_float(number));
        }
    }

    fn count(&mut self, name: &str, count: Option<i64>) {
        if let Some(count) = count {
            self.put(name, json!(count));
        }
    }

    fn list(&mut self, name: &str, items: Vec<Value>) {
        if !items.is_empty() {
            self.put(name, Value::Array(items));
        }
    }
}

fn describe(schema: &JsonSchemaProps, out: &mut Out) {
    out.text("description", schema.description.as_ref());
    out.text("type", schema.type_.as_ref());
    out.flag("nullable", schema.nullable);
    out.text("format", schema.format.as_ref());
    out.text("title", schema.title.as_ref());
    if let Some(default) = schema.default.as_deref().filter(|default| !default.is_null()) {
        out.put("default", as_go(default));
    }
}

fn restrict(schema: &JsonSchemaProps, out: &mut Out) {
    out.number("maximum", schema.maximum.as_ref());
    out.flag("exclusiveMaximum", schema.exclusive_maximum);
    out.number("minimum", schema.minimum.as_ref());
    out.flag("exclusiveMinimum", schema.exclusive_minimum);
    out.count("maxLength", schema.max_length);
    out.count("minLength", schema.min_length);
    out.text("pattern", schema.pattern.as_ref());
    out.count("maxItems", schema.max_items);
    out.count("minItems", schema.min_items);
    out.flag("uniqueItems", schema.unique_items);
    out.number("multipleOf", schema.multiple_of.as_ref());
    out.list("enum", schema.enum_.iter().flatten().map(as_go).collect());
    out.count("maxProperties", schema.max_properties);
    out.count("minProperties", schema.min_properties);
    out.list("required", schema.required.iter().flatten().map(|name| json!(name)).collect());
}

fn extend(schema: &JsonSchemaProps, out: &mut Out) {
    if let Some(docs) = &schema.external_docs {
        let mut value = Out(Map::new());
        value.text("description", Some(&docs.description));
        value.text("url", Some(&docs.url));
        out.put("externalDocs", Value::Object(value.0));
    }
    if let Some(example) = schema.example.as_deref().filter(|example| !is_empty(example)) {
        out.put("example", as_go(example));
    }
    out.flag("x-kubernetes-embedded-resource", schema.x_embedded_resource);
    out.flag("x-kubernetes-int-or-string", schema.x_int_or_string);
    out.list(
        "x-kubernetes-list-map-keys",
        schema.x_list_map_keys.iter().flatten().map(|key| json!(key)).collect(),
    );
    // Types of lists and maps are published as they were written, even where they are empty.
    for (name, text) in
        [("x-kubernetes-list-type", &schema.x_list_type), ("x-kubernetes-map-type", &schema.x_map_type)]
    {
        if let Some(text) = text {
            out.put(name, json!(text));
        }
    }
    out.flag("x-kubernetes-preserve-unknown-fields", schema.x_preserve_unknown_fields);
    out.list("x-kubernetes-validations", schema.x_validations.iter().flatten().map(rule).collect());
}

fn rule(rule: &ValidationRule) -> Value {
    let mut out = Out(Map::new());
    out.put("rule", json!(rule.rule));
    out.text("message", Some(&rule.message));
    out.text("messageExpression", Some(&rule.message_expression));
    if let Some(reason) = &rule.reason {
        out.put("reason", json!(reason));
    }
    out.text("fieldPath", Some(&rule.field_path));
    if let Some(optional) = rule.optional_old_self {
        out.put("optionalOldSelf", json!(optional));
    }
    Value::Object(out.0)
}

/// Returns `true` for `null` and for an empty string, list or object. Examples omit such values.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Converts a number in a schema to a float, like the API server.
fn as_float(number: &Number) -> Value {
    number.as_f64().map_or_else(|| Value::Number(number.clone()), whole)
}

/// Formats a float like Go. A whole float becomes an integer, with zeros after the significant digits.
fn whole(number: f64) -> Value {
    let text = number.to_string();
    let is_zero = number == 0.0 && number.is_sign_negative();
    match (text.parse::<i64>(), text.parse::<u64>()) {
        _ if is_zero => json!(number),
        (Ok(integer), _) => json!(integer),
        (_, Ok(integer)) => json!(integer),
        _ => json!(number),
    }
}

/// Returns a value as if Go had parsed and encoded it: whole floats become integers, and keys are sorted.
fn as_go(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => as_float(number),
        Value::Array(items) => items.iter().map(as_go).collect(),
        Value::Object(fields) => {
            let mut fields: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), as_go(value))).collect();
            fields.sort_keys();
            Value::Object(fields)
        }
        other => other.clone(),
    }
}
