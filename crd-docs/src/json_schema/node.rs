//! Converts the nodes of a structural schema.

use std::collections::HashSet;

use crd_core::OrderedMap;
use crd_core::crd::ValidationRule;
use crd_core::schema::{
    AdditionalProperties, NestedAdditionalProperties, NestedValidation, SchemaType, Structural,
    ValueValidation,
};
use serde_json::{Map, Number, Value, json};

use super::{Context, Draft, metadata};

/// Converts a structural schema.
pub(super) fn convert(schema: &Structural, context: Context<'_>) -> Map<String, Value> {
    convert_in(schema, false, context)
}

/// Converts a schema. `open` is `true` for the items of a list that preserves unknown fields. The items then preserve unknown fields, too:
/// see `pruning/algorithm.go`.
fn convert_in(schema: &Structural, open: bool, context: Context<'_>) -> Map<String, Value> {
    let open = open || schema.extensions.preserve_unknown_fields;
    let mut out = Map::new();
    let mut comments = Vec::new();
    describe(schema, &mut out, &mut comments);
    put_type(schema, &mut out);
    if let Some(validation) = &schema.value_validation {
        restrict(validation, Some(schema), context, &mut out, &mut comments);
        let junctors = junctors(validation, Some(schema), context);
        if accepts_null(schema) && !junctors.is_empty() {
            put(&mut out, "anyOf", json!([{"type": "null"}, junctors]));
        } else {
            out.extend(junctors);
        }
    }
    if let Some(items) = &schema.items {
        put(&mut out, "items", Value::Object(convert_in(items, open, context)));
    }
    if schema.extensions.list_type.as_deref() == Some("set") {
        put(&mut out, "uniqueItems", json!(true));
    }
    if !schema.properties.is_empty() || schema.is_embedded_resource() {
        let is_required = |name: &str| {
            let validation = schema.value_validation.as_deref();
            validation.is_some_and(|validation| required(validation, Some(schema)).any(|other| other == name))
        };
        let mut properties = map(&schema.properties, |name, property| {
            let converted = convert(property, context);
            if is_required(name) { converted } else { with_dropped_null(converted) }
        });
        if schema.is_embedded_resource() {
            let metadata = metadata::metadata_schema(schema.properties.get("metadata"), context);
            embed(metadata, &mut properties, &mut out);
        }
        put(&mut out, "properties", Value::Object(properties));
    }
    match &schema.additional_properties {
        Some(AdditionalProperties::Schema(values)) => {
            let values = with_dropped_null(convert(values, context));
            put(&mut out, "additionalProperties", Value::Object(values));
        }
        Some(AdditionalProperties::Allowed(true)) => {}
        Some(AdditionalProperties::Allowed(false)) | None => {
            let prunes = schema.type_ == Some(SchemaType::Object) && !open;
            if context.options.strict && prunes {
                put(&mut out, "additionalProperties", json!(false));
            }
        }
    }
    comment(comments, &mut out);
    out
}

/// Makes a field's schema accept `null`. Before validation, the API server replaces such a `null` with the field's default, or drops the
/// field: see `PruneNonNullableNullsWithoutDefaults` in `defaulting/prune.go`.
fn with_dropped_null(mut schema: Map<String, Value>) -> Map<String, Value> {
    let mut types = match schema.get("type") {
        Some(Value::String(only)) => vec![json!(only)],
        Some(Value::Array(several)) => several.clone(),
        // Without a type, `null` is accepted already.
        _ => return schema,
    };
    if types.iter().any(|name| name == "null") {
        return schema;
    }
    types.push(json!("null"));
    put(&mut schema, "type", Value::Array(types));
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    let junctors: Map<String, Value> = ["allOf", "anyOf", "oneOf", "not"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), schema.remove(name)?)))
        .collect();
    if !junctors.is_empty() {
        put(&mut schema, "anyOf", json!([{"type": "null"}, junctors]));
    }
    schema
}

/// Converts the schemas under `allOf`, `anyOf`, `oneOf` and `not`. `schema` is the CRD's schema for the same value, outside these keywords.
fn convert_nested(
    nested: &NestedValidation,
    schema: Option<&Structural>,
    context: Context<'_>,
) -> Map<String, Value> {
    let mut out = Map::new();
    let mut comments = Vec::new();
    if let Some(type_) = nested.forbidden.as_ref().and_then(|forbidden| forbidden.type_.as_ref()) {
        put(&mut out, "type", json!(type_.as_str()));
    }
    restrict(&nested.value_validation, schema, context, &mut out, &mut comments);
    out.extend(junctors(&nested.value_validation, schema, context));
    if let Some(items) = &nested.items {
        let schema = schema.and_then(|schema| schema.items.as_deref());
        put(&mut out, "items", Value::Object(convert_nested(items, schema, context)));
    }
    if !nested.properties.is_empty() {
        let property = |name: &str, property: &NestedValidation| {
            convert_nested(property, schema.and_then(|schema| schema.field(name)), context)
        };
        put(&mut out, "properties", Value::Object(map(&nested.properties, property)));
    }
    if let Some(NestedAdditionalProperties::Schema(values)) = &nested.additional_properties {
        let schema = schema.and_then(Structural::map_values);
        put(&mut out, "additionalProperties", Value::Object(convert_nested(values, schema, context)));
    }
    let rules = nested.forbidden.iter().flat_map(|forbidden| &forbidden.validations);
    comments.extend(rules.map(|rule| format!("rule: {}", rule.rule)));
    comment(comments, &mut out);
    out
}

fn put(out: &mut Map<String, Value>, name: &str, value: Value) {
    out.insert(name.to_owned(), value);
}

fn map<T>(
    properties: &OrderedMap<T>,
    convert: impl Fn(&str, &T) -> Map<String, Value>,
) -> Map<String, Value> {
    properties
        .iter()
        .map(|(name, property)| (name.to_owned(), Value::Object(convert(name, property))))
        .collect()
}

fn comment(comments: Vec<String>, out: &mut Map<String, Value>) {
    if !comments.is_empty() {
        put(out, "$comment", json!(format!("not checked: {}", comments.join("; "))));
    }
}

fn describe(schema: &Structural, out: &mut Map<String, Value>, comments: &mut Vec<String>) {
    let generic = &schema.generic;
    let description = generic.description.as_deref().unwrap_or_default();
    for (name, text) in [("title", &generic.title), ("description", &generic.description)] {
        if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
            put(out, name, json!(text));
        }
    }
    let mut more: Vec<String> = schema.validations.iter().map(rule).collect();
    comments.extend(schema.validations.iter().map(|rule| format!("rule: {}", rule.rule)));
    if let Some(keys) = schema.extensions.list_map_keys.as_ref().filter(|keys| !keys.is_empty()) {
        more.push(format!("- Items differ in `{}`.", keys.join("`, `")));
        comments.push(format!("items differ in {}", keys.join(", ")));
    }
    if let Some(docs) = &generic.external_docs {
        more.push(format!("- {} <{}>", docs.description, docs.url));
    }
    if !more.is_empty() {
        let text = format!("{description}\n\n{}", more.join("\n"));
        put(out, "markdownDescription", json!(text.trim_start()));
    }
    if let Some(default) = generic.default.as_deref() {
        put(out, "default", default.clone());
    }
    if let Some(example) = generic.example.as_deref() {
        put(out, "examples", json!([example]));
    }
}

fn rule(rule: &ValidationRule) -> String {
    let fence = if rule.rule.contains('`') { "``" } else { "`" };
    let code = format!("{fence} {} {fence}", rule.rule.replace('\n', " "));
    if rule.message.is_empty() {
        format!("- {code}")
    } else {
        format!("- {}: {code}", rule.message.replace('\n', " "))
    }
}

/// Returns `true` if the schema's type allows `null`. If there is no type, the API server also accepts `null`, unless the enum forbids it.
fn accepts_null(schema: &Structural) -> bool {
    schema.is_nullable() || schema.type_.is_none()
}

fn put_type(schema: &Structural, out: &mut Map<String, Value>) {
    let mut types = match &schema.type_ {
        _ if schema.is_int_or_string() => vec!["integer", "string"],
        Some(type_) => vec![type_.as_str()],
        None => return,
    };
    if accepts_null(schema) {
        types.push("null");
    }
    let value = if let [only] = types.as_slice() { json!(only) } else { json!(types) };
    put(out, "type", value);
}

/// Adds the fields that every embedded resource has.
fn embed(metadata: Value, properties: &mut Map<String, Value>, out: &mut Map<String, Value>) {
    for name in ["apiVersion", "kind"] {
        properties.entry(name).or_insert_with(|| json!({"type": "string"}));
    }
    put(properties, "metadata", metadata);
    let required = out.entry("required").or_insert_with(|| json!([]));
    if let Value::Array(required) = required {
        for name in ["apiVersion", "kind"] {
            if !required.iter().any(|required| required == name) {
                required.push(json!(name));
            }
        }
    }
}

fn restrict(
    validation: &ValueValidation,
    schema: Option<&Structural>,
    context: Context<'_>,
    out: &mut Map<String, Value>,
    comments: &mut Vec<String>,
) {
    strings(validation, context, out, comments);
    let (least, most) = (&validation.minimum, &validation.maximum);
    bound(
        ("minimum", "exclusiveMinimum"),
        least.as_ref(),
        validation.exclusive_minimum,
        context.options.draft,
        out,
    );
    bound(
        ("maximum", "exclusiveMaximum"),
        most.as_ref(),
        validation.exclusive_maximum,
        context.options.draft,
        out,
    );
    if let Some(number) = &validation.multiple_of {
        put(out, "multipleOf", json!(number));
    }
    let min_properties = validation.min_properties.map(|count| {
        let filled_in = filled_in(schema);
        if filled_in > 0 {
            comments.push(format!("minProperties: {count}, of which {filled_in} have defaults"));
        }
        count - filled_in
    });
    for (name, count) in [
        ("minLength", validation.min_length),
        ("maxLength", validation.max_length),
        ("minItems", validation.min_items),
        ("maxItems", validation.max_items),
        ("minProperties", min_properties),
        ("maxProperties", validation.max_properties),
    ] {
        // JSON Schema has no negative counts; a lower bound of that kind says nothing.
        if let Some(count) = count.filter(|count| *count >= 0) {
            put(out, name, json!(count));
        }
    }
    if let Some(values) = &validation.enum_ {
        put(out, "enum", Value::Array(distinct(values)));
    }
    let required: Vec<&String> = required(validation, schema).collect();
    if !required.is_empty() {
        put(out, "required", json!(required));
    }
}

/// Returns the required properties that have no default. The API server fills in the others before validation.
pub(super) fn required<'v>(
    validation: &'v ValueValidation,
    schema: Option<&Structural>,
) -> impl Iterator<Item = &'v String> {
    let required = validation.required.iter().flatten();
    required.filter(move |name| !schema.is_some_and(|schema| fills_in(schema, name)))
}

/// Returns `true` if the API server fills in the property.
fn fills_in(schema: &Structural, name: &str) -> bool {
    schema.properties.get(name).is_some_and(is_filled_in)
}

/// Returns the number of properties that the API server fills in.
fn filled_in(schema: Option<&Structural>) -> i64 {
    let properties = schema.iter().flat_map(|schema| schema.properties.iter());
    properties.filter(|(_, property)| is_filled_in(property)).count() as i64
}

fn is_filled_in(property: &Structural) -> bool {
    property.generic.default.as_deref().is_some_and(|default| !default.is_null())
}

/// Returns an enum's values without duplicates. As in the API server, `null` is allowed only if the enum has it.
fn distinct(values: &[Value]) -> Vec<Value> {
    let mut seen = HashSet::new();
    values.iter().filter(|value| seen.insert(value.to_string())).cloned().collect()
}

fn strings(
    validation: &ValueValidation,
    context: Context<'_>,
    out: &mut Map<String, Value>,
    comments: &mut Vec<String>,
) {
    if let Some(written) = validation.pattern.as_ref().filter(|pattern| !pattern.is_empty()) {
        match context.pattern(written) {
            Some(pattern) => put(out, "pattern", json!(pattern)),
            None => comments.push(format!("pattern: {written}")),
        }
    }
    match validation.format.as_deref().unwrap_or_default() {
        "" => {}
        // A path is a URI for the API server.
        "uri" => put(out, "format", json!("uri-reference")),
        format @ ("date-time" | "date" | "email" | "hostname" | "ipv4" | "ipv6" | "int32" | "int64"
        | "float" | "double") => {
            put(out, "format", json!(format));
        }
        // JSON Schema has other rules for formats of these names, or none.
        format => comments.push(format!("format: {format}")),
    }
}

fn bound(
    (name, exclusive_name): (&str, &str),
    bound: Option<&Number>,
    exclusive: Option<bool>,
    draft: Draft,
    out: &mut Map<String, Value>,
) {
    let Some(bound) = bound else { return };
    match (exclusive == Some(true), draft) {
        (true, Draft::Draft4) => {
            put(out, name, json!(bound));
            put(out, exclusive_name, json!(true));
        }
        (true, _) => put(out, exclusive_name, json!(bound)),
        (false, _) => put(out, name, json!(bound)),
    }
}

/// Returns the schemas under `allOf`, `anyOf`, `oneOf` and `not`.
fn junctors(
    validation: &ValueValidation,
    schema: Option<&Structural>,
    context: Context<'_>,
) -> Map<String, Value> {
    let mut junctors = Map::new();
    let is_int_or_string = schema.is_some_and(Structural::is_int_or_string);
    let lists = [("allOf", &validation.all_of), ("anyOf", &validation.any_of), ("oneOf", &validation.one_of)];
    for (name, branches) in lists {
        // The type of an integer-or-string says it already.
        let is_type = |branch: &NestedValidation| match name {
            "anyOf" => has_type_only(branch),
            "allOf" => branch.value_validation.any_of.iter().flatten().any(has_type_only),
            _ => false,
        };
        let branches: Vec<&NestedValidation> =
            branches.iter().flatten().filter(|branch| !(is_int_or_string && is_type(branch))).collect();
        if branches.is_empty() {
            continue;
        }
        let branches =
            branches.into_iter().map(|branch| Value::Object(convert_nested(branch, schema, context)));
        put(&mut junctors, name, branches.collect());
    }
    if let Some(not) = &validation.not {
        put(&mut junctors, "not", Value::Object(convert_nested(not, schema, context)));
    }
    junctors
}

/// Returns `true` for a schema with only a type, such as the two schemas under the `anyOf` of an int-or-string.
fn has_type_only(branch: &NestedValidation) -> bool {
    let has_type = branch.forbidden.as_ref().is_some_and(|forbidden| forbidden.type_.is_some());
    has_type && branch.value_validation == ValueValidation::default()
}
