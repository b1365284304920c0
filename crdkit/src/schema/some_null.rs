//! Finds values that may be null in some variants of an enum only. A CRD cannot reject null for one variant, and serde cannot read
//! the null there.

use serde_json::{Map, Value, json};

/// The keyword of such a value, until it becomes advice.
pub(super) const SOME_NULL: &str = "x-crdkit-some-null";

/// Marks the values inside a schema that accepts all of these variants.
pub(super) fn mark(shape: &mut Map<String, Value>, variants: &[&Map<String, Value>]) {
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(value)) = shape.get_mut(keyword) {
            mark_value(value, &inside(variants, |variant| variant.get(keyword)));
        }
    }
    for (name, property) in shape.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if let Value::Object(property) = property {
            mark_value(property, &inside(variants, |variant| variant.get("properties")?.get(name)));
        }
    }
}

fn mark_value(value: &mut Map<String, Value>, variants: &[&Map<String, Value>]) {
    let is_nullable = |node: &Map<String, Value>| node.get("nullable") == Some(&json!(true));
    // Other schemas accept values of every type.
    let is_typed = |node: &Map<String, Value>| {
        node.contains_key("type") || node.contains_key("x-kubernetes-int-or-string")
    };
    if is_nullable(value) && variants.iter().any(|variant| is_typed(variant) && !is_nullable(variant)) {
        value.insert(SOME_NULL.to_owned(), json!(true));
    }
    mark(value, variants);
}

/// Returns the parts of the variants at one path.
fn inside<'v>(
    variants: &[&'v Map<String, Value>],
    part: impl Fn(&'v Map<String, Value>) -> Option<&'v Value>,
) -> Vec<&'v Map<String, Value>> {
    let mut parts = Vec::new();
    for variant in variants {
        parts.extend(part(variant).and_then(Value::as_object));
    }
    parts
}
