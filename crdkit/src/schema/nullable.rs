//! Replaces the type `null` with `nullable: true`. A CRD cannot express a type that is only `null`.

use serde_json::{Value, json};

use super::walk::{Node, SchemaLocation};
use crate::Error;

pub(super) fn nullable(node: &mut Node, _: &SchemaLocation) -> Result<(), Error> {
    let mut takes_null = false;
    if let Some(Value::Array(types)) = node.get_mut("type") {
        let before = types.len();
        types.retain(|name| name != "null");
        takes_null = types.len() < before;
        match types.as_mut_slice() {
            [] => {
                node.remove("type");
            }
            [one] => {
                let one = one.take();
                node.insert("type".to_owned(), one);
            }
            _ => {}
        }
    }
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        let before = values.len();
        // The API server never matches a null in `enum`; `nullable` allows null.
        values.retain(|value| !value.is_null());
        takes_null |= values.len() < before;
    }
    for keyword in ["anyOf", "oneOf"] {
        let (has_fields, is_marked) = (node.contains_key("properties"), super::marks::is_marked(node));
        let Some(Value::Array(branches)) = node.get_mut(keyword) else { continue };
        let before = branches.len();
        branches.retain(|branch| !is_null(branch));
        takes_null |= branches.len() < before;
        // An error follows, unless a patch of the type gives it values.
        if branches.is_empty() && before > 0 && !has_fields && !is_marked {
            node.remove(keyword);
            node.insert("type".to_owned(), json!("null"));
            continue;
        }
        // Beside fields is a flattened enum, whose fields join them later.
        if let [only] = branches.as_mut_slice()
            && !has_fields
        {
            let only = only.take();
            node.remove(keyword);
            absorb(node, only);
        }
    }
    if takes_null {
        node.insert("nullable".to_owned(), json!(true));
    }
    Ok(())
}

fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|name| name == "null")
}

/// Moves the keywords of the only branch into the enclosing schema. Keywords that the enclosing schema already has are kept.
fn absorb(node: &mut Node, branch: Value) {
    let Value::Object(mut branch) = branch else { return };
    super::marks::prepend(node, &mut branch);
    for (keyword, value) in branch {
        node.entry(keyword).or_insert(value);
    }
}
