//! The examples are what their commands make of them.

use std::fs;

use crd_codegen::input::{Limits, Source, definitions};
use crd_codegen::{Config, generate};
use crd_tests::workspace;

#[test]
fn generated_types_are_current() {
    let example = workspace().join("examples/generated-types");
    let text = fs::read_to_string(example.join("crds/caches.yaml")).unwrap();
    let sources = [Source::from_text("crds/caches.yaml", text)];
    let read = definitions(&sources, &Limits::default(), &|| ());
    let generated = generate(&read.definitions, &Config::new(), &|| ());
    assert!(!generated.files.is_empty());
    for file in generated.files {
        let found = fs::read_to_string(example.join("src/api").join(&file.path)).unwrap();
        assert_eq!(found, file.contents, "run `crd-codegen generate crds --out src/api` in the example");
    }
}
