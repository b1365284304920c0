//! The corpus of public CRDs, and other projects that are measured on it.
#![forbid(unsafe_code)]

pub mod samples;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kopium::{Derive, SchemaMode, TypeGenerator};
use serde::Deserialize;

/// Returns the directory of public CRDs next to the project, if it exists.
pub fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/crds");
    folder.is_dir().then_some(folder)
}

/// Returns all files below `folder`, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the corpus can be read") {
        let path = entry.expect("the corpus can be read").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The results of another generator for the corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The number of definitions for which Rust was generated.
    pub generated: usize,
    /// The number of definitions that failed with an error or a panic.
    pub failed: usize,
    /// Lines of Rust.
    pub lines: usize,
}

/// Reads and generates every definition as `kopium -A` does, without formatting.
pub fn kopium<'a>(files: impl IntoIterator<Item = &'a str>) -> Outcome {
    let mut outcome = Outcome::default();
    let generator = TypeGenerator::builder()
        .schema_mode(SchemaMode::Derived)
        .emit_docs(true)
        .derive_all([Derive::all("JsonSchema")])
        .build();
    for text in files {
        for document in serde_yaml::Deserializer::from_str(text) {
            let generated = CustomResourceDefinition::deserialize(document).ok().and_then(|crd| {
                // It panics on some identifiers.
                catch_unwind(AssertUnwindSafe(|| {
                    generator.generate_rust_types_for(&crd, None::<String>).ok()
                }))
                .ok()
                .flatten()
            });
            match generated {
                Some(text) => {
                    outcome.generated += 1;
                    outcome.lines += text.lines().count();
                }
                None => outcome.failed += 1,
            }
        }
    }
    outcome
}
