//! Finds attributes for the keywords in a field's schema. Keywords that become an attribute are removed from both compared schemas.

use serde_json::{Number, Value, json};

use super::node::{Node, text};
use crate::ir::attributes::{Bounds, ObjectName, Rule, SchemaAttribute};
use crate::ir::{Graph, Type, TypeId};

/// Removes the keywords that become attributes from `wanted`, and applies the attributes' effects to `expected`.
pub(super) fn take(
    graph: &Graph,
    id: TypeId,
    wanted: &mut Node,
    expected: &mut Node,
    attributes: &mut Vec<SchemaAttribute>,
) {
    let (type_, is_nullable) = match graph[id] {
        Type::Nullable(part) => (&graph[part], true),
        ref type_ => (type_, false),
    };
    attributes.extend(text(wanted, "title").map(SchemaAttribute::Title));
    bounds(wanted, expected, attributes);
    inner(graph, type_, wanted, expected, attributes);
    let format = |node: &Node| node.get("format").and_then(Value::as_str).map(str::to_owned);
    if !matches!(type_, Type::Any | Type::IntOrString | Type::Quantity)
        && format(wanted) != format(expected)
        && expected.contains_key("type")
    {
        attributes.push(SchemaAttribute::Format(format(wanted).unwrap_or_default().into()));
        wanted.remove("format");
        expected.remove("format");
    }
    if let Some(default) = wanted.get("default").filter(|default| !has_null(default)).cloned() {
        wanted.remove("default");
        attributes.push(SchemaAttribute::Default(default));
    }
    nullable(type_, is_nullable, wanted, expected, attributes);
    list(wanted, expected, attributes);
    let is_object = matches!(type_, Type::Struct(_)) || expected.get("type") == Some(&json!("object"));
    if is_object && let Some(map_type) = text(wanted, "x-kubernetes-map-type") {
        attributes.push(SchemaAttribute::MapType(map_type));
    }
    attributes.extend(rules(wanted).into_iter().map(SchemaAttribute::Rule));
}

/// Removes the range, length and pattern from the schema of a list's items, because they become one attribute.
fn inner(
    graph: &Graph,
    type_: &Type,
    wanted: &mut Node,
    expected: &mut Node,
    attributes: &mut Vec<SchemaAttribute>,
) {
    let Type::List(items) = type_ else { return };
    let part = match graph[*items] {
        Type::Nullable(part) => &graph[part],
        ref part => part,
    };
    let (Some(Value::Object(wanted)), Some(Value::Object(expected))) =
        (wanted.get_mut("items"), expected.get_mut("items"))
    else {
        return;
    };
    let mut of_items = Vec::new();
    bounds(wanted, expected, &mut of_items);
    inner(graph, part, wanted, expected, &mut of_items);
    if !of_items.is_empty() {
        attributes.push(SchemaAttribute::Inner(of_items));
    }
}

/// Removes the schema of `metadata.name` from the properties, if an attribute can express it.
pub(super) fn object_name(properties: &mut Node) -> Option<ObjectName> {
    let metadata = properties.get("metadata")?;
    let mut name = metadata.get("properties")?.get("name")?.as_object()?.clone();
    if *metadata != json!({"type": "object", "properties": {"name": name}}) {
        return None;
    }
    let attributes = ObjectName {
        pattern: text(&mut name, "pattern"),
        length: Bounds { min: number(&mut name, "minLength"), max: number(&mut name, "maxLength") },
    };
    if name != Node::from_iter([("type".to_owned(), json!("string"))]) {
        return None;
    }
    properties.remove("metadata");
    Some(attributes)
}

/// Returns the CEL rules of a schema, if attributes can express all of them.
pub(super) fn rules(wanted: &mut Node) -> Vec<Rule> {
    let Some(Value::Array(values)) = wanted.get("x-kubernetes-validations") else { return Vec::new() };
    let rules: Option<Vec<Rule>> = values.iter().map(rule).collect();
    // The derives reject a rule that is repeated; a patch may repeat it.
    let is_repeated = |rules: &Vec<Rule>| {
        rules.iter().enumerate().any(|(at, rule)| rules[..at].iter().any(|other| other.rule == rule.rule))
    };
    let rules = rules.filter(|rules| !is_repeated(rules));
    if rules.is_some() {
        wanted.remove("x-kubernetes-validations");
    }
    rules.unwrap_or_default()
}

fn rule(value: &Value) -> Option<Rule> {
    let mut rule = Rule::default();
    for (key, value) in value.as_object()? {
        let own = match key.as_str() {
            "rule" => {
                rule.rule = value.as_str()?.into();
                continue;
            }
            "optionalOldSelf" => {
                rule.optional_old_self = Some(value.as_bool()?);
                continue;
            }
            "message" => &mut rule.message,
            "messageExpression" => &mut rule.message_expression,
            "reason" => &mut rule.reason,
            "fieldPath" => &mut rule.field_path,
            _ => return None,
        };
        *own = Some(value.as_str()?).filter(|text| !text.is_empty()).map(Into::into);
    }
    Some(rule)
}

/// Handles `range`, `length` and `pattern`, depending on the type.
fn bounds(wanted: &mut Node, expected: &mut Node, attributes: &mut Vec<SchemaAttribute>) {
    let Some(type_) = expected.get("type").and_then(Value::as_str) else { return };
    match type_ {
        // The derive rejects bounds that no value meets: they become a patch.
        "integer" | "number" if crosses(wanted, expected, "minimum", "maximum") => {}
        "string" | "array"
            if crosses(wanted, expected, "minLength", "maxLength")
                || crosses(wanted, expected, "minItems", "maxItems") => {}
        "integer" | "number" => {
            let min = tighter(wanted, expected, "minimum", |bound, own| bound >= own);
            let max = tighter(wanted, expected, "maximum", |bound, own| bound <= own);
            if min.is_some() || max.is_some() {
                attributes.push(SchemaAttribute::Range(Bounds { min, max }));
            }
        }
        "string" | "array" => {
            let [min, max] =
                if type_ == "string" { ["minLength", "maxLength"] } else { ["minItems", "maxItems"] };
            let bounds = Bounds { min: number(wanted, min), max: number(wanted, max) };
            if bounds != Bounds::default() {
                attributes.push(SchemaAttribute::Length(bounds));
            }
            if type_ == "string" {
                attributes.extend(text(wanted, "pattern").map(SchemaAttribute::Pattern));
            }
        }
        _ => {}
    }
}

/// Returns `true` if no value is between the minimum and the maximum. If the schema lacks a bound, the Rust type's bound applies.
fn crosses(wanted: &Node, expected: &Node, min: &str, max: &str) -> bool {
    let bound = |keyword: &str| wanted.get(keyword).or_else(|| expected.get(keyword))?.as_f64();
    let excludes = |keyword: &str| wanted.get(keyword) == Some(&Value::Bool(true));
    matches!((bound(min), bound(max)), (Some(least), Some(most)) if least > most
        || (least == most && min == "minimum" && (excludes("exclusiveMinimum") || excludes("exclusiveMaximum"))))
}

fn number(wanted: &mut Node, keyword: &str) -> Option<Number> {
    match wanted.remove(keyword) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// Returns a bound if it is at least as tight as the Rust type's bound. Otherwise, the Rust type's bound applies.
fn tighter(
    wanted: &mut Node,
    expected: &mut Node,
    keyword: &str,
    is_tighter: fn(f64, f64) -> bool,
) -> Option<Number> {
    let bound = wanted.get(keyword)?.as_f64()?;
    let own = expected.get(keyword).and_then(Value::as_f64);
    if own.is_some_and(|own| !is_tighter(bound, own) || own == bound) {
        return None;
    }
    expected.remove(keyword);
    number(wanted, keyword)
}

/// Handles `nullable`: optional fields accept `null` only if they have an attribute.
fn nullable(
    type_: &Type,
    is_nullable: bool,
    wanted: &mut Node,
    expected: &mut Node,
    attributes: &mut Vec<SchemaAttribute>,
) {
    if matches!(type_, Type::Any) && !is_nullable {
        if wanted.get("nullable") == Some(&json!(true)) {
            expected.insert("nullable".to_owned(), json!(true));
        } else {
            attributes.push(SchemaAttribute::PreserveUnknownFields);
        }
    } else if !matches!(type_, Type::Enum(_)) && wanted.remove("nullable").is_some() {
        // An enum that is nullable would become a pattern: no API server takes a null for one of its values.
        attributes.push(SchemaAttribute::Nullable);
    }
}

/// Handles `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`. A patch is needed for sets of objects, and for keys that an attribute
/// cannot make required.
fn list(wanted: &mut Node, expected: &Node, attributes: &mut Vec<SchemaAttribute>) {
    if expected.get("type") != Some(&json!("array")) {
        return;
    }
    // Items of a named type have no keywords here.
    let has_plain_items =
        expected.get("items").is_some_and(|items| items.get("type").is_some_and(|name| name != "object"));
    let keys = wanted.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
    let keys: Option<Vec<Box<str>>> =
        keys.map(|keys| keys.iter().filter_map(Value::as_str).map(Into::into).collect());
    let list_type = wanted.get("x-kubernetes-list-type").and_then(Value::as_str).map(Box::from);
    match (list_type.as_deref(), keys) {
        (Some("set"), None) if !has_plain_items => {}
        (Some("atomic" | "set"), None) => {
            attributes.extend(text(wanted, "x-kubernetes-list-type").map(SchemaAttribute::ListType));
        }
        (Some("map"), Some(keys)) => {
            attributes.extend(text(wanted, "x-kubernetes-list-type").map(SchemaAttribute::ListType));
            wanted.remove("x-kubernetes-list-map-keys");
            attributes.push(SchemaAttribute::ListMapKeys(keys));
        }
        _ => {}
    }
}

/// Returns `true` if a value contains a null. The defaults in derived schemas lose nulls.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}
