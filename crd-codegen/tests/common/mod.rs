//! The definitions of `fixtures/`, read.

use std::fs;
use std::path::{Path, PathBuf};

use crd_codegen::{Definition, Origin};
use crd_core::CustomResourceDefinition;
use serde_json::Value;

/// Returns a path below the folder `tests`.
pub(crate) fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

/// Returns the definitions of `fixtures/NAME.json`.
pub(crate) fn fixture(name: &str) -> Vec<Definition> {
    let file = format!("{name}.json");
    let text = fs::read_to_string(here("fixtures").join(&file)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let items = value.get("items").map_or(vec![value.clone()], |items| items.as_array().unwrap().clone());
    let definition = |(document, item)| Definition {
        crd: CustomResourceDefinition::from_value(item).unwrap(),
        origin: Origin { file: file.clone(), document },
    };
    items.into_iter().enumerate().map(definition).collect()
}
