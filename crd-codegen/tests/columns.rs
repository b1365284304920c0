//! Columns of real CRDs may lead nowhere, which the derive rejects unless it is told.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "common/made.rs"]
mod made;

use crd_codegen::{Config, Form, generate};
use made::definition;
use serde_json::json;

#[test]
fn a_nested_column_without_a_field_is_not_checked_by_the_derive() {
    for (path, is_unchecked) in
        [(".spec.part.name", false), (".spec.part.nam", true), (".spec.size.name", true)]
    {
        let part = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let spec = json!({"type": "object", "properties": {"part": part, "size": {"type": "integer"}}});
        let version = json!({
            "name": "v1",
            "served": true,
            "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            "additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": path}],
        });
        let generated = generate(&[definition(version)], Config::new().form(Form::Derive));
        let has = generated.files.iter().any(|file| file.contents.contains("unchecked_paths"));
        assert_eq!(has, is_unchecked, "{path}");
    }
}
