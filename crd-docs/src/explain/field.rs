//! Explains fields: their names, types, enums and descriptions.

use serde_json::Value;

use super::wrap::{indent, wrap};
use super::{ExplainOptions, Schema, all_of, child, reference, resolve, rules};

/// Adds a schema's fields. `seen` contains the references on the path to the schema, and a repeated reference is not followed.
pub(super) fn field_list<'s>(
    schema: &'s Schema,
    level: usize,
    options: ExplainOptions,
    seen: &[&'s str],
    out: &mut String,
) {
    let mut seen = seen.to_vec();
    if let Some(reference) = reference(schema) {
        if seen.contains(&reference) {
            return;
        }
        seen.push(reference);
    }
    let schema = resolve(schema).unwrap_or(schema);
    for (name, property) in sorted(schema) {
        field_detail(name, property, schema, level, options, out);
        if options.recursive {
            field_list(property, level + 1, options, &seen, out);
        }
    }
    for below in all_of(schema).chain(child(schema, "items")).chain(child(schema, "additionalProperties")) {
        field_list(below, level, options, &seen, out);
    }
}

fn sorted(schema: &Schema) -> Vec<(&str, &Schema)> {
    let properties = child(schema, "properties").into_iter().flatten();
    let mut properties: Vec<(&str, &Schema)> =
        properties.filter_map(|(name, schema)| Some((name.as_str(), schema.as_object()?))).collect();
    properties.sort_unstable_by_key(|(name, _)| *name);
    properties
}

fn field_detail(
    name: &str,
    field: &Schema,
    parent: &Schema,
    level: usize,
    options: ExplainOptions,
    out: &mut String,
) {
    let amount = level * 2;
    *out += &format!("{}\t<{}>", indent(name, amount), type_of(field));
    let required = parent.get("required").and_then(Value::as_array);
    if required.is_some_and(|required| required.iter().any(|required| required == name)) {
        out.push_str(" -required-");
    }
    if let Some(values) = values(field) {
        *out += &format!("\n{}enum: ", " ".repeat(amount));
        let shown: Vec<String> = values.iter().take(4).map(value).collect();
        *out += &shown.join(", ");
        if values.len() > 4 {
            out.push_str(", ....");
        }
    }
    out.push('\n');
    if options.rules {
        *out += &rules::lines(&rules::describe(field), amount + 2, 78_usize.saturating_sub(amount));
    }
    if options.recursive {
        return;
    }
    let description = text(field, "description").unwrap_or("<no description>");
    // A limit of 0 means that nothing is wrapped, and indentation ends far before it: the list has one level.
    *out += &format!("{}\n", indent(&wrap(description, 78 - amount), amount + 2));
    if let Some(docs) = child(field, "externalDocs") {
        *out += &format!("\n{}\n{}", indent("EXTERNAL DOCS:", amount + 2), external_docs(docs, amount));
    }
    out.push('\n');
}

/// Returns the lines below `EXTERNAL DOCS:`.
pub(super) fn external_docs(docs: &Schema, amount: usize) -> String {
    let mut out = String::new();
    if let Some(description) = text(docs, "description") {
        out += &format!("{}\n", indent(&wrap(description, 76 - amount), amount + 4));
    }
    if let Some(url) = text(docs, "url") {
        out += &format!("{}\n", indent(&format!("URL: {url}"), amount + 4));
    }
    out
}

/// Returns the heading for a field: its name, its type, and all values of its enum.
pub(super) fn field_header(name: &str, field: &Schema) -> String {
    let mut out = format!("FIELD: {name} <{}>\n", type_of(field));
    if let Some(values) = values(field) {
        out += "ENUM:";
        for element in values {
            out += &format!("\n    {}", value(element));
        }
    }
    out += "\n\n";
    out
}

/// Returns a schema's description and the descriptions under `allOf`, `items` and `additionalProperties`, one per line.
pub(super) fn description(schema: &Schema) -> String {
    let schema = resolve(schema).unwrap_or(schema);
    let mut out = text(schema, "description").map_or_else(String::new, |text| format!("{text}\n"));
    for below in all_of(schema).chain(child(schema, "items")).chain(child(schema, "additionalProperties")) {
        out += &description(below);
    }
    out
}

/// Returns the type that kubectl shows, such as `[]Object`, `map[string]string` or `ObjectMeta`.
fn type_of(schema: &Schema) -> String {
    if let Some(items) = child(schema, "items") {
        return format!("[]{}", type_of(items));
    }
    if let Some(values) = child(schema, "additionalProperties") {
        return format!("map[string]{}", type_of(values));
    }
    if child(schema, "properties").is_none() {
        let mut branches = all_of(schema);
        if let (Some(only), None) = (branches.next(), branches.next()) {
            return type_of(only);
        }
    }
    if let Some(reference) = reference(schema) {
        return match resolve(schema).and_then(|schema| text(schema, "type")) {
            None | Some("object") => reference.rsplit('.').next().unwrap_or("Object").to_owned(),
            Some(type_) => type_.to_owned(),
        };
    }
    match text(schema, "type") {
        None | Some("object") => "Object".to_owned(),
        Some(type_) => type_.to_owned(),
    }
}

fn values(schema: &Schema) -> Option<&Vec<Value>> {
    schema.get("enum")?.as_array().filter(|values| !values.is_empty())
}

/// Formats a value of an enum like a Go template.
fn value(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::Null => "<no value>".to_owned(),
        value => crd_go::json::show(&as_floats(value)),
    }
}

/// Converts all numbers to floats, because kubectl reads numbers as floats.
fn as_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(as_floats).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), as_floats(value))).collect()
        }
        other => other.clone(),
    }
}

/// Returns the string under a keyword, or `None` if the string is absent or empty.
pub(super) fn text<'s>(schema: &'s Schema, keyword: &str) -> Option<&'s str> {
    schema.get(keyword)?.as_str().filter(|text| !text.is_empty())
}
