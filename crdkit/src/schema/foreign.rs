//! Finds the names of types that only derive schemars' trait. An inlined schema does not contain its type's name.
//!
//! Therefore, the schema is generated a second time, with references instead of inlined schemas. Where this second
//! schema has a reference, the name of the type is added to the inlined schema.

use serde_json::{Value, json};

use super::walk::Node;

/// The keyword that holds the name of a type.
pub(super) const KEY: &str = "x-crdkit-foreign";

/// Returns the name of the schema's type, if schemars provided one.
pub(super) fn name(node: &Node) -> Option<&str> {
    node.get(KEY)?.as_str()
}

/// Copies the names of types from `referenced` to `inlined`. The outermost type is `root`.
pub(super) fn names(inlined: &mut Value, referenced: &Value, root: &str) {
    let none = Value::Null;
    if let Value::Object(node) = inlined {
        node.insert(KEY.to_owned(), json!(root));
    }
    walk(inlined, referenced, referenced.get("$defs").unwrap_or(&none));
}

fn walk(inlined: &mut Value, referenced: &Value, definitions: &Value) {
    let Value::Object(node) = inlined else { return };
    // Recursion ends where the inlined schema refers too.
    if node.contains_key("$ref") {
        return;
    }
    let mut referenced = referenced;
    while let Some(name) = target(referenced) {
        // `~1` and `~0` are how a JSON pointer writes `/` and `~`.
        let Some(definition) = definitions.get(name.replace("~1", "/").replace("~0", "~")) else { break };
        node.insert(KEY.to_owned(), json!(name));
        referenced = definition;
    }
    // `Option` has a null next to a reference, and a null among the types of what is inlined.
    if let Some([only, null]) = referenced.get("anyOf").and_then(Value::as_array).map(Vec::as_slice)
        && null.get("type").is_some_and(|name| name == "null")
        && !node.contains_key("anyOf")
    {
        walk(inlined, only, definitions);
        return;
    }
    for keyword in ["properties", "patternProperties"] {
        for (name, property) in node.get_mut(keyword).and_then(Value::as_object_mut).into_iter().flatten() {
            if let Some(referenced) = referenced.get(keyword).and_then(|all| all.get(name)) {
                walk(property, referenced, definitions);
            }
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let (Some(inner), Some(referenced)) = (node.get_mut(keyword), referenced.get(keyword)) {
            walk(inner, referenced, definitions);
        }
    }
    for keyword in ["oneOf", "anyOf", "allOf", "prefixItems"] {
        let branches = node.get_mut(keyword).and_then(Value::as_array_mut);
        let others = referenced.get(keyword).and_then(Value::as_array);
        if let (Some(branches), Some(others)) = (branches, others)
            && branches.len() == others.len()
        {
            branches.iter_mut().zip(others).for_each(|(branch, other)| walk(branch, other, definitions));
        }
    }
}

fn target(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}
