//! Types of the interface are `Send` and `Sync`, and errors that wrap another return it as their source.

use std::error::Error;

use crdkit::{
    Advice, Cause, ConversionError, Conversions, CrdFiles, CrdSchema, CustomResource, FileState, ListMerge,
    MapMerge, Message, ObjectMeta, Reason, Rule, Scope, UncheckedCrd,
};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Plain", status = "PlainStatus", no_test)]
struct PlainSpec {
    #[crd(schema_patch = PATCH)]
    a: String,
}

const PATCH: &str = "{";

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct PlainStatus {}

fn is_send_and_sync<T: Send + Sync + 'static>() {}

#[test]
fn types_of_the_interface_are_send_and_sync() {
    is_send_and_sync::<Advice>();
    is_send_and_sync::<Cause>();
    is_send_and_sync::<ConversionError>();
    is_send_and_sync::<Conversions<Plain>>();
    is_send_and_sync::<CrdFiles>();
    is_send_and_sync::<FileState>();
    is_send_and_sync::<(ListMerge, MapMerge, Message, Reason, Rule, Scope)>();
    is_send_and_sync::<(ObjectMeta, Plain)>();
    is_send_and_sync::<UncheckedCrd>();
    is_send_and_sync::<crdkit::Error>();
    is_send_and_sync::<crdkit::CustomResourceDefinition>();
}

#[test]
#[cfg(feature = "testing")]
fn types_for_tests_are_send_and_sync() {
    is_send_and_sync::<crdkit::testing::Validator>();
    is_send_and_sync::<crdkit::testing::Admission>();
    is_send_and_sync::<crdkit::testing::Rejection>();
}

#[test]
#[cfg(feature = "proptest")]
fn types_for_property_tests_are_send_and_sync() {
    is_send_and_sync::<crdkit::testing::InvalidObject>();
}

#[test]
fn errors_return_the_error_that_they_wrap() {
    let error = Plain::unchecked().expect_err("the patch is not valid JSON");
    let source = error.source().expect("the parser's error");
    assert!(source.is::<serde_json::Error>() && error.to_string().contains(&source.to_string()), "{error}");

    // A file takes the place of the folder.
    let file = std::env::temp_dir().join(format!("crdkit-public-types-{}", std::process::id()));
    std::fs::write(&file, "").expect("the folder of temporary files can be written");
    let error = CrdFiles::new(file.join("crds")).write().expect_err("a file is not a folder");
    assert!(error.source().is_some_and(|source| source.is::<std::io::Error>()), "{error}");
    std::fs::remove_file(&file).expect("the file is there");
}
