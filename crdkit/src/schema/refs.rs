//! Recursive types: cut where the field is marked, else an error. schemars writes a `$ref` for nothing else here.

use serde_json::{Value, json};

use super::marks;
use super::walk::{Place, tree};
use crate::Error;

/// Replaces what is marked `schemaless` by a schema that takes everything, and refuses what still refers to itself.
pub(super) fn cut(schema: &mut Value, root: &Place) -> Result<(), Error> {
    if let Value::Object(node) = schema {
        node.remove("$defs");
    }
    tree(schema, root, &mut |node, place| {
        let Some(target) = node.get("$ref") else {
            if marks::is_schemaless(node) {
                marks::make_schemaless(node, json!({}));
            }
            return Ok(());
        };
        let name =
            target.as_str().and_then(|target| target.rsplit('/').next()).unwrap_or("itself").to_owned();
        if marks::is_schemaless(node) {
            marks::make_schemaless(node, json!({}));
            return Ok(());
        }
        Err(place.error(
            format!("is recursive: it holds a `{name}` within a `{name}`"),
            "put `#[crd(schemaless)]` on a field of the cycle: its content is then kept, and not checked",
        ))
    })
}
