//! Converts flattened enums. An object may contain several of them, and serde writes a unit variant as `"Variant": null`, although
//! schemars describes it as a string.

use serde_json::{Value, json};

use super::marks::{any_of, strings};
use super::walk::{Node, SchemaLocation};
use crate::Error;
use crate::marks::FlattenedEnum;

pub(super) fn flattened(node: &mut Node, _: &SchemaLocation) -> Result<(), Error> {
    if node.get("type").is_some_and(|name| name == "object") {
        unit_variants(node);
        joined(node);
    }
    Ok(())
}

/// Sets the type `object` on all flattened enums after the first. schemars puts them under `allOf`. The branch for an absent
/// `Option` would otherwise look like a variant of any type.
fn joined(node: &mut Node) {
    let all = node.get_mut("allOf").and_then(Value::as_array_mut);
    for part in all.into_iter().flatten().filter_map(Value::as_object_mut) {
        if ["anyOf", "oneOf"].iter().any(|keyword| part.contains_key(*keyword)) {
            part.entry("type").or_insert_with(|| json!("object"));
        }
        joined(part);
    }
}

fn unit_variants(node: &mut Node) {
    for keyword in ["allOf", "oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = node.get_mut(keyword) else { continue };
        *branches = std::mem::take(branches).into_iter().flat_map(as_objects).collect();
    }
}

/// Returns an object's flattened enums. Enums with a variant that requires no property do not count.
pub(super) fn enums(node: &Node) -> Vec<FlattenedEnum> {
    let mut enums = Vec::new();
    if node.get("type").is_some_and(|name| name != "object") {
        return enums;
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(Value::Array(branches)) = node.get(keyword) {
            enums.extend(of_variants(branches));
        }
    }
    if let Some(Value::Array(all)) = node.get("allOf") {
        for part in all.iter().filter_map(Value::as_object) {
            enums.extend(self::enums(part));
        }
    }
    enums
}

fn of_variants(branches: &[Value]) -> Option<FlattenedEnum> {
    let (mut present, mut properties) = (Vec::new(), Vec::new());
    for branch in branches {
        for variant in as_objects(branch.clone()) {
            strings(variant.get("required")).next()?;
            present.push(json!({"required": variant["required"]}));
            for (name, _) in variant.get("properties").and_then(Value::as_object)? {
                if !properties.contains(name) {
                    properties.push(name.clone());
                }
            }
        }
    }
    Some(FlattenedEnum { present: any_of(present), properties })
}

/// Returns the variants as objects with one property each.
fn as_objects(branch: Value) -> Vec<Value> {
    let Value::Object(mut branch) = branch else { return vec![branch] };
    if branch.get("type").is_some_and(|name| name == "string") {
        let single = branch.remove("const").map(|value| vec![value]);
        let several = branch.get("enum").and_then(Value::as_array).cloned();
        let names = single.or(several).unwrap_or_default();
        let variant = |name: &str| {
            let mut object = json!({"type": "object", "properties": {name: (null())}, "required": [name]});
            if let Some(description) = branch.get("description") {
                object["properties"][name]["description"] = description.clone();
            }
            object
        };
        return names.iter().filter_map(Value::as_str).map(variant).collect();
    }
    for (_, property) in branch.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if property.get("type").is_some_and(|name| name == "null") {
            *property = null();
        }
    }
    unit_variants(&mut branch);
    vec![Value::Object(branch)]
}

/// Returns the schema of a property that may only be null.
fn null() -> Value {
    json!({"type": "object", "nullable": true, "maxProperties": 0})
}
