//! Code that was written for kube-derive compiles without a warning when the import of the derive changes.
#![deny(warnings, unused_qualifications)]

/// Written for kube-derive: `Foo::crd()` needed the trait.
mod with_the_trait {
    use crdkit::CustomResource;
    use kube::CustomResourceExt;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "example.com", version = "v1", kind = "Foo", namespaced, doc = " A foo.  ")]
    pub(super) struct FooSpec {
        pub(super) name: String,
    }

    pub(super) fn name() -> Option<String> {
        Foo::crd().metadata.name
    }
}

/// Two kinds, the trait by another path, and no use of it.
mod with_two_kinds {
    use crdkit::CustomResource;
    use kube::core::CustomResourceExt;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "example.com", version = "v1", kind = "Left")]
    pub(super) struct LeftSpec {
        pub(super) name: String,
    }

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "example.com", version = "v1", kind = "Right")]
    pub(super) struct RightSpec {
        pub(super) name: String,
    }
}

/// Without the trait, and with a thing with that name.
mod without_the_trait {
    use crdkit::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// Somebody's own.
    pub(super) trait CustomResourceExt {
        fn own() -> u8 {
            1
        }
    }

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "example.com", version = "v1", kind = "Bar")]
    pub(super) struct BarSpec {
        pub(super) name: String,
    }

    impl CustomResourceExt for Bar {}
}

/// The trait by its path, without an import.
mod with_the_path {
    use crdkit::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "example.com", version = "v1", kind = "Baz")]
    pub(super) struct BazSpec {
        pub(super) name: String,
    }

    pub(super) fn name() -> (&'static str, Option<String>) {
        (
            <Baz as kube::CustomResourceExt>::crd_name(),
            <Baz as kube::core::crd::v1::CustomResourceExt>::crd().metadata.name,
        )
    }
}

#[test]
fn a_path_to_the_trait_is_not_unnecessary() {
    assert_eq!(with_the_path::name(), ("bazes.example.com", Some("bazes.example.com".to_owned())));
    assert_eq!(with_the_path::BazSpec { name: "a".to_owned() }.name, "a");
}

#[test]
fn nothing_is_unused() {
    use without_the_trait::CustomResourceExt;

    assert_eq!(with_the_trait::name().as_deref(), Some("foos.example.com"));
    let spec = with_the_trait::FooSpec { name: "a".to_owned() };
    assert_eq!(with_the_trait::Foo::new("a", spec).spec.name, "a");
    let (left, right) = (
        with_two_kinds::LeftSpec { name: "a".to_owned() },
        with_two_kinds::RightSpec { name: "b".to_owned() },
    );
    assert_ne!(left.name, right.name);
    assert_eq!(without_the_trait::Bar::own(), 1);
    let spec = without_the_trait::BarSpec { name: "a".to_owned() };
    assert_eq!(without_the_trait::Bar::new("a", spec).spec.name, "a");
}

#[test]
fn white_space_around_a_description_is_not_part_of_it() {
    let crd = <with_the_trait::Foo as crdkit::CustomResource>::crd().expect("it is sound").to_value();
    assert_eq!(crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"], "A foo.");
}

/// A schema by hand that does not name the type of the object, as kube's examples of `schema = "manual"` have it.
mod manual {
    use crdkit::CustomResource;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "example.com", version = "v1", kind = "Hand", schema = "manual")]
    pub(super) struct HandSpec {
        pub(super) name: String,
    }

    impl JsonSchema for Hand {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Hand".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "properties": {"spec": {"type": "object", "properties": {"name": {"type": "string"}}}},
                "x-mine": 1,
                "x-kubernetes-struct-type": "atomic",
            })
        }
    }

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
    #[kube(group = "example.com", version = "v1", kind = "Free", schema = "manual")]
    pub(super) struct FreeSpec {
        pub(super) name: String,
    }

    impl JsonSchema for Free {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Free".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({})
        }
    }
}

#[test]
fn a_manual_schema_is_that_of_an_object() {
    let schema = |crd: Result<crdkit::CustomResourceDefinition, crdkit::Error>| {
        let crd = crd.expect("it is sound").to_value();
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
    };
    assert_eq!(
        schema(<manual::Hand as crdkit::CustomResource>::crd()),
        serde_json::json!({
            "type": "object",
            "properties": {"spec": {"type": "object", "properties": {"name": {"type": "string"}}}},
        })
    );
    assert_eq!(
        schema(<manual::Free as crdkit::CustomResource>::crd()),
        serde_json::json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
    );
    let dropped: Vec<String> = <manual::Hand as crdkit::CustomResource>::advice()
        .expect("it has a definition")
        .into_iter()
        .filter(|advice| advice.name == "dropped-keyword")
        .map(|advice| advice.message)
        .collect();
    assert_eq!(dropped.len(), 2, "{dropped:?}");
    let spec = (manual::HandSpec { name: "a".to_owned() }, manual::FreeSpec { name: "b".to_owned() });
    assert_ne!(spec.0.name, spec.1.name);
}
