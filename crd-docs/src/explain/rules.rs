//! A field's constraints, default and CEL rules. kubectl does not show these.

use serde_json::Value;

use super::Schema;
use super::wrap::{indent, wrap};

/// The keywords that restrict a value, in display order.
const CONSTRAINTS: [&str; 16] = [
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "nullable",
    "default",
];

/// Formats a keyword's value. Strings have no quotes, except in defaults.
fn shown(keyword: &str, value: &Value) -> String {
    match value {
        Value::String(text) if keyword != "default" => text.clone(),
        value => crd_go::json::marshal(value),
    }
}

/// Returns lines about a schema, such as `minimum: 1` or `rule: self.a < self.b (message)`.
pub(super) fn describe(schema: &Schema) -> Vec<String> {
    let line =
        |keyword: &&str| schema.get(*keyword).map(|value| format!("{keyword}: {}", shown(keyword, value)));
    let mut lines: Vec<String> = CONSTRAINTS.iter().filter_map(line).collect();
    if let Some(values) = schema.get("enum").and_then(Value::as_array).filter(|values| values.len() > 4) {
        let values: Vec<String> = values.iter().map(crd_go::json::marshal).collect();
        lines.push(format!("enum: {}", values.join(", ")));
    }
    for keyword in [
        "list-type",
        "list-map-keys",
        "map-type",
        "preserve-unknown-fields",
        "embedded-resource",
        "int-or-string",
    ] {
        if let Some(value) = schema.get(&format!("x-kubernetes-{keyword}")) {
            lines.push(format!("{keyword}: {}", shown(keyword, value)));
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf", "not"] {
        let hides = keyword == "allOf" && schema.get("allOf").is_some_and(is_reference)
            || keyword == "anyOf" && schema.contains_key("x-kubernetes-int-or-string");
        if let Some(value) = schema.get(keyword).filter(|_| !hides) {
            lines.push(format!("{keyword}: {}", crd_go::json::marshal(value)));
        }
    }
    let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
    lines.extend(rules.into_iter().flatten().map(rule));
    lines
}

/// Returns `true` if the first schema under `allOf` is a reference.
fn is_reference(branches: &Value) -> bool {
    branches.get(0).is_some_and(|branch| branch.get("$ref").is_some())
}

fn rule(rule: &Value) -> String {
    let text = |name: &str| rule[name].as_str().filter(|text| !text.is_empty());
    let line = format!("rule: {}", text("rule").unwrap_or_default());
    match text("message").or_else(|| text("messageExpression")) {
        Some(message) => format!("{line} ({message})"),
        None => line,
    }
}

/// Returns the lines, wrapped and indented.
pub(super) fn lines(rules: &[String], amount: usize, width: usize) -> String {
    rules.iter().map(|rule| format!("{}\n", indent(&wrap(rule, width), amount))).collect()
}
