//! Objects between versions of a kind, and the answers of a conversion webhook.

use crdkit::{Conversions, CrdSchema, CustomResource};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

// ANCHOR: conversions
mod v1 {
    use super::{CrdSchema, CustomResource, Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Shirt")]
    pub(crate) struct ShirtSpec {
        pub(crate) color: String,
        pub(crate) size: u8,
    }
}

mod v2 {
    use super::{CrdSchema, CustomResource, Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v2", kind = "Shirt")]
    pub(crate) struct ShirtSpec {
        pub(crate) colors: Vec<String>,
        pub(crate) size: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(crate) label: Option<String>,
    }
}

impl From<v1::Shirt> for v2::Shirt {
    fn from(old: v1::Shirt) -> Self {
        let spec = v2::ShirtSpec { colors: vec![old.spec.color], size: old.spec.size, label: None };
        Self { metadata: old.metadata, spec }
    }
}

impl From<v2::Shirt> for v1::Shirt {
    fn from(new: v2::Shirt) -> Self {
        let color = new.spec.colors.into_iter().next().unwrap_or_default();
        Self { metadata: new.metadata, spec: v1::ShirtSpec { color, size: new.spec.size } }
    }
}

fn conversions() -> Conversions<v2::Shirt> {
    Conversions::new().with::<v1::Shirt>().keep_lost_fields()
}
// ANCHOR_END: conversions

fn shirt(version: &str, spec: Value) -> Value {
    let metadata = json!({"name": "a", "uid": "1", "finalizers": ["x"], "annotations": {"b": "c"}});
    json!({"apiVersion": format!("example.com/{version}"), "kind": "Shirt", "metadata": metadata, "spec": spec})
}

fn review(objects: &[Value], wanted: &str) -> Value {
    conversions().review(&json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": {"uid": "u", "desiredAPIVersion": wanted, "objects": objects},
    }))
}

#[test]
fn a_review_is_answered() {
    let old = shirt("v1", json!({"color": "blue", "size": 3}));
    let new = shirt("v2", json!({"colors": ["red"], "size": 4}));
    let answer = review(&[old, new.clone()], "example.com/v2");
    assert_eq!(
        answer,
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "ConversionReview",
            "response": {
                "uid": "u",
                "result": {"status": "Success"},
                "convertedObjects": [shirt("v2", json!({"colors": ["blue"], "size": 3})), new],
            },
        })
    );
}

#[test]
fn objects_that_cannot_be_converted_are_errors() {
    let message = |object: Value, wanted: &str| {
        let answer = review(&[object], wanted);
        assert_eq!(answer["response"]["result"]["status"], "Failed");
        assert_eq!(answer["response"]["uid"], "u");
        answer["response"]["result"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let spec = json!({"color": "blue", "size": 3});
    assert_eq!(
        message(shirt("v1", spec.clone()), "example.com/v3"),
        "cannot convert `a` to `example.com/v3`: unknown version `example.com/v3`: expected one of `example.com/v2`, \
         `example.com/v1`"
    );
    assert_eq!(
        message(shirt("v1", json!({"color": "blue"})), "example.com/v2"),
        "cannot convert `a` to `example.com/v2`: missing field `size`"
    );
    let mut other = shirt("v1", spec);
    other["kind"] = json!("Sock");
    assert_eq!(
        message(other, "example.com/v2"),
        "cannot convert `a` to `example.com/v2`: the object is not a `Shirt`"
    );
    assert_eq!(conversions().review(&json!(null))["response"]["result"]["status"], "Success");
}

#[test]
fn changes_on_the_way_stay() -> Result<(), crdkit::ConversionError> {
    let new = shirt("v2", json!({"colors": ["red", "green"], "size": 4, "label": "x"}));
    let mut old = conversions().convert(&new, "example.com/v1")?;
    assert_eq!(old["spec"], json!({"color": "red", "size": 4}));
    old["spec"]["size"] = json!(5);
    let back = conversions().convert(&old, "example.com/v2")?;
    assert_eq!(back, shirt("v2", json!({"colors": ["red", "green"], "size": 5, "label": "x"})));
    Ok(())
}

proptest! {
    #[test]
    fn there_and_back_is_the_same(
        colors in proptest::collection::vec("[a-z]{0,3}", 0..3),
        size in 0..9_u8,
        label in proptest::option::of("[a-z]{1,3}"),
    ) {
        let mut spec = json!({"colors": colors, "size": size});
        if let Some(label) = label {
            spec["label"] = json!(label);
        }
        let new = shirt("v2", spec);
        let old = conversions().convert(&new, "example.com/v1").expect("it has all fields");
        prop_assert_eq!(conversions().convert(&old, "example.com/v2").expect("it came from there"), new);

        let old = shirt("v1", json!({"color": "c", "size": size}));
        let new = conversions().convert(&old, "example.com/v2").expect("it has all fields");
        prop_assert_eq!(conversions().convert(&new, "example.com/v1").expect("it came from there"), old);
    }
}

#[test]
fn an_error_of_serde_is_the_source_of_a_conversion_error() {
    use std::error::Error as _;

    let object =
        json!({"apiVersion": "example.com/v1", "kind": "Shirt", "metadata": {"name": "a"}, "spec": 1});
    let error = conversions().convert(&object, "example.com/v2").expect_err("the spec is a number");
    let source = error.source().expect("serde found it");
    assert!(source.is::<serde_json::Error>());
    assert_eq!(source.to_string(), error.to_string());
    let unknown = conversions().convert(&object, "example.com/v9").expect_err("there is no such version");
    assert!(unknown.source().is_none());
}
