//! Definitions of single specs, and what is asked of them.

use crdkit::{Advice, CustomResource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A definition whose spec has these fields, in a module of its own.
macro_rules! spec {
    ($name:ident $(#[$attr:meta])* { $($fields:tt)* }) => {
        #[allow(dead_code, reason = "nothing but the definition is asked for")]
        pub(crate) mod $name {
            use super::*;

            #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
            #[crd(group = "example.com", version = "v1", kind = "Foo", namespaced, no_test)]
            $(#[$attr])*
            pub(crate) struct FooSpec { $($fields)* }
        }
    };
}

pub(crate) fn schema<R: CustomResource>() -> Value {
    let crd = R::crd().expect("the API server accepts the CRD").to_value();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

pub(crate) fn properties<R: CustomResource>() -> Value {
    schema::<R>()["properties"]["spec"]["properties"].clone()
}

/// Returns the names and places of the advice.
pub(crate) fn advice<R: CustomResource>() -> Vec<(&'static str, String)> {
    let advice = R::advice().expect("it has a definition");
    advice.into_iter().map(|Advice { name, place, .. }| (name, place)).collect()
}

/// Asserts that the server's answer to each spec is as expected, and that the type reads what is accepted and writes the same.
#[track_caller]
pub(crate) fn agree<R: CustomResource<Spec: DeserializeOwned + Serialize>>(cases: &[(Value, bool)]) {
    let crd = R::crd().expect("the API server accepts the CRD");
    let validator = crd_core::admit::Validator::new(&crd).expect("it is valid");
    for (spec, is_right) in cases {
        let object = json!({
            "apiVersion": R::API_VERSION, "kind": R::KIND, "metadata": {"name": "a", "namespace": "b"}, "spec": spec,
        });
        let answer = validator.create(object);
        assert_eq!(answer.is_accepted(), *is_right, "{spec}: {answer:?}");
        if let Ok(stored) = answer.result {
            let read: R::Spec = serde_json::from_value(stored["spec"].clone()).expect("it is read");
            let written = serde_json::to_value(read).expect("it is written");
            assert_eq!(written, stored["spec"], "{spec}");
        }
    }
}
