//! Definitions with all keywords from bytes, and objects that mostly fit them.

mod object;
mod rules;
mod schema;

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};

pub use object::object;
use schema::{Maker, chance, pick};

/// Returns a definition: one or two versions, with subresources or without.
pub fn definition(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut maker = Maker::default();
    let mut versions = vec![version(u, &mut maker, "v1", true)?];
    if chance(u, 1, 6)? {
        versions.push(version(u, &mut maker, "v2", false)?);
    }
    Ok(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "fs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": *pick(u, &["Cluster", "Namespaced"])?,
            "names": {"plural": "fs", "singular": "f", "kind": "F", "listKind": "FList"},
            "versions": versions,
        },
    }))
}

fn version(u: &mut Unstructured<'_>, maker: &mut Maker, name: &str, is_stored: bool) -> Result<Value> {
    let mut version = json!({
        "name": name, "served": true, "storage": is_stored,
        "schema": {"openAPIV3Schema": maker.root(u)?},
    });
    if chance(u, 1, 3)? {
        version["subresources"] = json!({"status": {}});
        if u.arbitrary()? {
            version["subresources"]["scale"] = json!({
                "specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a", "labelSelectorPath": ".status.b",
            });
        }
    }
    Ok(version)
}
