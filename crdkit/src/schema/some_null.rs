//! Finds values that may be null in some variants of an enum only. A CRD cannot reject null for one variant, and serde cannot read
//! the null there.

use serde_json::{Map, Value, json};

/// The keyword that marks a value that may be null in some variants only. `advice::some_null` turns it into advice.
pub(super) const SOME_NULL: &str = "x-crdkit-some-null";

/// Marks the values inside a schema that accepts all of these variants.
pub(super) fn mark(shape: &mut Map<String, Value>, variants: &[&Map<String, Value>]) {
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(value)) = shape.get_mut(keyword) {
            mark_value(value, &inside(variants, &[keyword]));
        }
    }
    let Some(Value::Object(properties)) = shape.get_mut("properties") else { return };
    for (name, property) in properties {
        if let Value::Object(property) = property {
            mark_value(property, &inside(variants, &["properties", name]));
        }
    }
}

fn mark_value(value: &mut Map<String, Value>, variants: &[&Map<String, Value>]) {
    if is_nullable(value) || is_anything(value) {
        for variant in variants {
            // Schemas without a type accept values of every type.
            let is_typed = variant.contains_key("type") || variant.contains_key("x-kubernetes-int-or-string");
            if is_typed && !is_nullable(variant) {
                value.insert(SOME_NULL.to_owned(), json!(true));
            }
        }
    }
    mark(value, variants);
}

/// Returns `true` for a value that can be anything. The pass `any` lets it be null.
fn is_anything(node: &Map<String, Value>) -> bool {
    for keyword in
        ["type", "nullable", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields", "enum"]
    {
        if node.contains_key(keyword) {
            return false;
        }
    }
    true
}

fn is_nullable(node: &Map<String, Value>) -> bool {
    matches!(node.get("nullable"), Some(Value::Bool(true)))
}

/// Returns the parts of the variants under nested keywords.
pub(super) fn inside<'v>(
    variants: &[&'v Map<String, Value>],
    keywords: &[&str],
) -> Vec<&'v Map<String, Value>> {
    let mut parts = Vec::new();
    for variant in variants {
        let mut part = Some(*variant);
        for keyword in keywords {
            part = match part {
                Some(part) => part.get(*keyword).and_then(Value::as_object),
                None => None,
            };
        }
        parts.extend(part);
    }
    parts
}
