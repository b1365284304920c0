//! Types of a module with versions that mean what is around the module, and histories of fields without names.

use crdkit::{CrdSchema, versions};
use serde::{Deserialize, Serialize};

#[versions(v1alpha1, v1)]
mod paths {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", kind = "Foo")]
    pub struct FooSpec {
        pub colour: Option<super::Colour>,
        pub right: super::super::Colour,
    }
}

#[versions(v1alpha1, v1)]
mod tuples {
    use crdkit::{CrdSchema, CustomResource};
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", kind = "Foo")]
    pub struct FooSpec {
        pub size: Size,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Size(#[version(since = "v1")] pub i32);
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
enum Colour {
    Red,
}

fn main() {}
