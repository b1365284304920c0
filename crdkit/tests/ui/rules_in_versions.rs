//! Rules that name fields which one of the versions calls otherwise: the error names the version.
#[crdkit::versions(v1alpha1, v1beta1, v1)]
pub mod foo {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.org", kind = "Foo", namespaced, conversion = "None")]
    #[crd(spec_validation = "self.size > 0", validation = "self.spec.size > 0")]
    pub struct FooSpec {
        #[version(renamed(since = "v1beta1", from = "length"))]
        pub size: i32,
        pub nested: Nested,
        pub right: Right,
        pub wrong: Wrong,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(validation = "self.least <= self.limit")]
    pub struct Nested {
        #[version(renamed(since = "v1", from = "most"))]
        pub limit: i32,
        pub least: i32,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[version(v1alpha1(validation = "self.least <= self.most"), v1beta1(validation = "self.least <= self.most"))]
    #[version(v1(validation = "self.least <= self.limit"))]
    pub struct Right {
        #[version(renamed(since = "v1", from = "most"))]
        pub limit: i32,
        pub least: i32,
    }

    // Wrong in all versions: said once.
    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(validation = "self.leest <= 5")]
    pub struct Wrong {
        #[version(since = "v1")]
        pub limit: i32,
        pub least: i32,
    }
}

#[crdkit::versions(v1alpha1, v1)]
pub mod forms {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.org", kind = "Foo")]
    #[version(v2(validation = "true"))]
    pub struct FooSpec {
        pub nested: Nested,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[version(v1)]
    pub struct Nested {
        pub limit: i32,
    }
}

fn main() {}
