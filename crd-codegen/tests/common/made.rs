//! CRDs that tests make themselves.

use crd_codegen::{Definition, Origin};
use crd_core::CustomResourceDefinition;
use serde_json::{Value, json};

/// Returns the CRD of the kind `K` with this version.
pub(crate) fn definition(version: Value) -> Definition {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ks.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "K", "plural": "ks", "singular": "k", "listKind": "KList"},
            "scope": "Namespaced",
            "versions": [version],
        },
    });
    let crd = CustomResourceDefinition::from_value(crd).unwrap();
    Definition { crd, origin: Origin { file: "ks.json".to_owned(), document: 0 } }
}
