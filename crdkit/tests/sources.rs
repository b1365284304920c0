//! Errors name the error that led to them: `source()`.

use std::error::Error as _;

use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

/// A string that a macro cannot read.
const BROKEN: &str = "{";

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Patched", version_patch = BROKEN, no_test)]
struct PatchedSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Defaulted", spec_default = BROKEN, no_test)]
struct DefaultedSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Given", no_test)]
struct GivenSpec {
    #[crd(schema = BROKEN)]
    a: u8,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Below", no_test)]
struct BelowSpec {
    #[crd(schema_patch = BROKEN)]
    a: u8,
}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Unstructural", no_test)]
struct UnstructuralSpec {
    #[schemars(extend("title" = 1))]
    a: u8,
}

fn source_of(crd: Result<crdkit::CustomResourceDefinition, crdkit::Error>) -> String {
    let error = crd.map(drop).expect_err("it is broken");
    let source = error.source().expect("the error has a source");
    assert!(error.to_string().contains(&source.to_string()), "{error}\n{source}");
    source.to_string()
}

#[test]
fn errors_of_definitions_have_a_source() {
    let json = "EOF while parsing an object at line 1 column 1";
    assert_eq!(source_of(Patched::crd()), json);
    assert_eq!(source_of(Defaulted::crd()), json);
    assert_eq!(source_of(Given::crd()), json);
    assert_eq!(source_of(Below::crd()), json);
    assert!(!source_of(Unstructural::crd()).is_empty());
    let (_, _) = (PatchedSpec {}, DefaultedSpec {});
    let (given, below, unstructural) = (GivenSpec { a: 1 }, BelowSpec { a: 1 }, UnstructuralSpec { a: 1 });
    assert_eq!(given.a + below.a + unstructural.a, 3);
}

#[cfg(feature = "validate")]
#[test]
fn errors_of_validators_have_a_source() {
    for definition in [
        "{",
        r#"{"spec": []}"#,
        r#"{"spec": {"versions": [{"name": "v1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {
            "type": "object"
        }}}]}}"#,
    ] {
        let error = crdkit::validation::validator_from_json(definition).map(drop).expect_err(definition);
        assert!(error.source().is_some(), "{error}");
    }
}
