//! Types that are generated with the option `validate` return the API server's answers to their objects.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[rustfmt::skip]
#[path = "../../crd-codegen/tests/golden/validate.rs"]
mod generated;

use generated::clients_example_com::v1::{
    Shirt, ShirtPolicy,
    shirt::{ShirtPart, ShirtSpec},
    shirt_policy::ShirtPolicySpec,
};

fn shirt(spec: ShirtSpec) -> Shirt {
    Shirt::new("a", spec).with_namespace("default")
}

fn causes(shirt: &Shirt) -> Vec<String> {
    shirt.validate().unwrap_err().causes.iter().map(ToString::to_string).collect()
}

#[test]
fn the_answer_is_that_of_the_api_server() {
    assert_eq!(shirt(ShirtSpec::new("red").with_replicas(3)).validate(), Ok(()));
    assert_eq!(
        causes(&shirt(ShirtSpec::new("red").with_replicas(-1))),
        [
            "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0",
            // The scale subresource has a check as well.
            ".spec.replicas: Invalid value: -1: should be a non-negative integer",
        ]
    );
    let twice = [ShirtPart::new("collar"), ShirtPart::new("collar")];
    assert_eq!(
        causes(&shirt(ShirtSpec::new("red").with_parts(twice))),
        ["spec.parts[1]: Duplicate value: {\"name\":\"collar\"}"]
    );
    let mut nameless = shirt(ShirtSpec::new("red"));
    nameless.metadata.name = None;
    assert_eq!(causes(&nameless), ["metadata.name: Required value: name or generateName is required"]);
}

#[test]
fn every_kind_has_its_own_definition() {
    let policy = ShirtPolicy::new("p", ShirtPolicySpec::default());
    assert_eq!(policy.validate(), Ok(()));
}

#[test]
fn updates_are_checked_against_the_old_object() {
    let wrong = shirt(ShirtSpec::new("red").with_replicas(-1));
    let right = shirt(ShirtSpec::new("red").with_replicas(1));
    assert_eq!(right.validate_update(&wrong), Ok(()));
    assert!(wrong.validate_update(&right).is_err());
    let mut renamed = right.clone();
    renamed.metadata.name = Some("b".to_owned());
    let causes = renamed.validate_update(&right).unwrap_err().to_string();
    assert!(causes.contains("does not match"), "{causes}");
}
