//! Derives on types within a function: what is right compiles without a warning.
#![deny(warnings)]
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

fn main() -> Result<(), crdkit::Error> {
    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Local", status = "LocalStatus", kube)]
    struct LocalSpec {
        #[crd(validation = "self.size() > 0", list_type = "map", list_map_keys = ["name"])]
        items: Vec<Item>,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct Item {
        name: String,
    }

    #[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
    struct LocalStatus {}

    #[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Wrong", scope = "Namespaced")]
    struct WrongSpec {
        #[crd(minium = 1)]
        a: u8,
    }

    <Local as CustomResource>::crd()?;
    let wrong = Wrong::new("a", WrongSpec { a: 1 });
    println!("{}", wrong.spec.a);
    Ok(())
}
