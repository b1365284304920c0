//! The examples are up to date: their commands generate the files that they contain.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use crd_codegen::{Config, Form, generate};
use crd_input::{Limits, Source, definitions};
use crd_tests::workspace;

#[test]
fn generated_types_are_current() {
    check("generated-types", "caches.yaml", &Config::new());
}

#[test]
fn types_with_unions_are_current() {
    check("routes", "routes.yaml", Config::new().unions(true).constructors(true).setters(true));
}

#[test]
fn types_of_certificates_are_current() {
    check("certificates", "certificates.yaml", Config::new().constructors(true).setters(true));
}

#[test]
fn clients_with_apply_forms_are_current() {
    check("server-side-apply", "prometheuses.yaml", Config::new().client(true).apply(true).setters(true));
}

#[test]
fn derived_types_are_current() {
    check("derived-types", "gauges.yaml", Config::new().form(Form::Derive));
}

/// By the jobs of `crdkit.toml`.
#[test]
fn types_of_both_channels_are_current() {
    let mut config = Config::new();
    config.constructors(true).setters(true);
    for channel in ["standard", "experimental"] {
        check_in("channels", &format!("{channel}/routes.yaml"), &format!("src/{channel}"), &config);
    }
}

fn check(example: &str, crd: &str, config: &Config) {
    check_in(example, crd, "src/api", config);
}

fn check_in(example: &str, crd: &str, out: &str, config: &Config) {
    let example = workspace().join("examples").join(example);
    let text = fs::read_to_string(example.join("crds").join(crd)).unwrap();
    let sources = [Source::from_string(format!("crds/{crd}"), text)];
    let read = definitions(&sources, &Limits::default(), &|| ());
    let generated = generate(&read.definitions, config);
    assert!(!generated.files.is_empty());
    for file in generated.files {
        let found = fs::read_to_string(example.join(out).join(&file.path)).unwrap();
        assert_eq!(found, file.contents, "run the command of `src/main.rs` in the example");
    }
}
