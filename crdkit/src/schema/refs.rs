//! Recursive types: cut where the field is marked, else an error. schemars writes a `$ref` for nothing else here.

use serde_json::Value;

use super::marks;
use super::walk::{SchemaLocation, tree};
use crate::Error;
use crate::marks::Mark;

/// Refuses what refers to itself.
pub(super) fn reject(schema: &mut Value, root: &SchemaLocation) -> Result<(), Error> {
    if let Value::Object(node) = schema {
        node.remove("$defs");
    }
    tree(schema, root, &mut |node, place| {
        let Some(target) = node.get("$ref").and_then(Value::as_str) else { return Ok(()) };
        // The whole schema is `#`.
        let name = match target.rsplit('/').next() {
            Some(name) if name != "#" => name,
            _ => root.type_name(),
        };
        Err(place.error(
            format!("is recursive: it holds a `{name}` within a `{name}`"),
            "put `#[crd(schemaless)]` on a field of the cycle: its content is then kept, and not checked",
        ))
    })
}

/// Replaces what is marked `schemaless` by a schema that takes everything: from the outside inwards, since what is
/// within a marked schema goes with it.
pub(super) fn cut_marked(value: &mut Value) {
    match value {
        Value::Object(node) if marks::is_schemaless(node) => {
            let definition = marks::definition(node);
            node.retain(|keyword, _| keyword == "description");
            if !definition.is_empty() {
                marks::add(node, Mark { definition, ..Mark::default() });
            }
        }
        Value::Object(node) => node.values_mut().for_each(cut_marked),
        Value::Array(values) => values.iter_mut().for_each(cut_marked),
        _ => {}
    }
}
