//! Mistakes in attributes, next to code that uses what the derives generate: one error each.
use crdkit::{CrdSchema, CustomResource};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Misspelt", namespacd, status = "MisspeltStatus")]
#[crd(shortname = 3)]
struct MisspeltSpec {
    #[crd(validation(rul = "self > 0"))]
    a: i32,
}

#[derive(CrdSchema, Serialize, Deserialize, Clone, Debug)]
struct MisspeltStatus {
    ready: bool,
}

// The group is missing.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(version = "v1", kind = "Groupless")]
struct GrouplessSpec {}

// The plural is not known.
#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Settings")]
struct SettingsSpec {}

#[derive(CustomResource, CrdSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Same")]
struct Same {}

fn is_resource<T: CustomResource>(_: &T) -> &'static str {
    T::KIND
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut misspelt = Misspelt::new("a", MisspeltSpec { a: 1 });
    misspelt.status = Some(MisspeltStatus { ready: misspelt.spec.a > 0 });
    is_resource(&misspelt);
    serde_json::to_value(&misspelt)?;
    Misspelt::crd()?;
    is_resource(&Groupless::new("a", GrouplessSpec {}));
    is_resource(&Settings::new("a", SettingsSpec {}));
    Same::crd()?;
    Ok(())
}
